//! Go's `text/template` for the values that policies pass to it.
//!
//! `lex` cuts a text into tokens, `parse` makes trees, `exec` walks them, `eval` evaluates pipelines with the
//! functions of `functions`. There are no methods and no functions of the embedder's. Error texts are Go's, with
//! their places. Knows nothing of Rego values: the caller hands in [`Data`].

mod compare;
mod data;
mod escape;
mod eval;
mod exec;
mod functions;
mod lex;
mod node;
mod number;
mod parse;

pub use data::{Data, List};
pub use exec::{Fault, Meter};

/// A template that was read, with those that it defines.
#[derive(Debug)]
pub struct Template<'t> {
    name: &'t str,
    text: &'t str,
    trees: parse::Trees,
}

impl<'t> Template<'t> {
    /// Reads a template; errors name it.
    ///
    /// # Errors
    ///
    /// Returns Go's text for a fault in the syntax.
    pub fn parse(name: &'t str, text: &'t str) -> Result<Self, String> {
        Ok(Self { name, text, trees: parse::parse(name, text)? })
    }

    /// Fills the template in. The meter is asked from time to time whether to go on.
    ///
    /// # Errors
    ///
    /// Returns Go's text for data that does not fit, or that the meter ended it.
    pub fn execute(&self, data: Data, meter: &Meter<'_>) -> Result<String, Fault> {
        exec::execute(&self.trees, self.name, self.text, data, meter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    fn data() -> Data {
        let text = |it: &str| Data::Str(it.into());
        let list = List::new(vec![text("a"), text("b"), Data::Nil]);
        let inner = Data::Map(Rc::new(BTreeMap::from([("k".to_owned(), Data::Bool(true))])));
        Data::Map(Rc::new(BTreeMap::from([
            ("n".to_owned(), Data::Number("5".into())),
            ("s".to_owned(), text("<x>")),
            ("l".to_owned(), Data::List(list)),
            ("m".to_owned(), inner),
        ])))
    }

    fn run(text: &str) -> String {
        match Template::parse("t", text).map(|it| it.execute(data(), &|_| true)) {
            Ok(Ok(text)) => text,
            Ok(Err(Fault::Failed(message))) | Err(message) => message,
            Ok(Err(Fault::Stopped)) => "stopped".to_owned(),
        }
    }

    #[test]
    fn actions_do_as_in_go() {
        for (text, want) in [
            ("{{.n}} {{len .n}} {{.missing}}|", "5 1 <no value>|"),
            ("a {{- /* c */ -}} b", "ab"),
            ("{{range $i, $e := .l}}{{$i}}={{$e}} {{else}}none{{end}}", "0=a 1=b 2=<no value> "),
            ("{{range .l}}{{if eq . \"b\"}}{{break}}{{end}}{{.}},{{end}}", "a,"),
            ("{{range 3}}{{.}}{{end}}", "012"),
            ("{{with .m}}{{.k}}{{else}}no{{end}}", "true"),
            ("{{with .x}}yes{{else with .s}}{{.}}{{end}}", "<x>"),
            ("{{define \"d\"}}[{{.}}]{{end}}{{template \"d\" .s}}{{block \"b\" 1}}{{.}}{{end}}", "[<x>]1"),
            ("{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2"),
            ("{{html .s}} {{js .s}} {{urlquery .s}}", "&lt;x&gt; \\u003Cx\\u003E %3Cx%3E"),
            ("{{printf \"%d %v %T\" .n .m 1}}", "%!d(json.Number=5) map[k:true] int"),
            ("{{index .l 1}}{{index .m \"k\"}}{{slice .s 1 2}}", "btruex"),
            ("{{and 1 0}}{{or 0 \"y\"}}{{not .n}}", "0yfalse"),
            ("{{0x10}} {{1_000}} {{'a'}} {{1e3}} {{1.5}} {{2i}}", "16 1000 97 1000 1.5 (0+2i)"),
            ("{{print 1 2 \"a\" .n}}|{{println .m}}", "1 2a5|map[k:true]\n"),
            ("{{.s | printf \"%q\" | len}}", "5"),
        ] {
            assert_eq!(run(text), want, "{text}");
        }
    }

    #[test]
    fn faults_have_go_s_texts() {
        for (text, want) in [
            (
                "{{.s.x}}",
                "template: t:1:4: executing \"t\" at <.s.x>: can't evaluate field x in type interface {}",
            ),
            ("{{", "template: t:1: unclosed action"),
            ("{{if}}{{end}}", "template: t:1: missing value for if"),
            ("a\n{{foo}}", "template: t:2: function \"foo\" not defined"),
            ("{{end}}", "template: t:1: unexpected {{end}}"),
            ("{{if 1}}", "template: t:1: unexpected EOF"),
            ("{{$x}}", "template: t:1: undefined variable \"$x\""),
            ("{{1 | 2}}", "template: t:1: non executable command in pipeline stage 2"),
            (
                "{{template \"z\"}}",
                "template: t:1:11: executing \"t\" at <{{template \"z\"}}>: template \"z\" not defined",
            ),
            (
                "{{index .l 9}}",
                "template: t:1:2: executing \"t\" at <index .l 9>: error calling index: index out of range: 9",
            ),
            (
                "{{lt 1 .n}}",
                "template: t:1:2: executing \"t\" at <lt 1 .n>: error calling lt: incompatible types for comparison: int and json.Number",
            ),
        ] {
            assert_eq!(run(text), want, "{text}");
        }
    }

    #[test]
    fn endless_templates_end() {
        assert!(run("{{define \"r\"}}{{template \"r\" .}}{{end}}{{template \"r\" .}}").contains("exceeded"));
        let nested = "{{if 1}}".repeat(5000);
        assert!(run(&nested).contains("max expression depth"));
        let endless = Template::parse("t", "{{range 1000000000}}{{end}}").expect("a template");
        assert_eq!(endless.execute(data(), &|_| false), Err(Fault::Stopped));
    }
}
