//! YAML as OPA reads and writes it: its values are those of JSON.
//!
//! `yaml/scan.rs` turns text into tokens, `yaml/grammar.rs` tokens into the nodes of `yaml/tree.rs`,
//! `yaml/scalar.rs` says what a scalar stands for,
//! `yaml/decode.rs` follows aliases and merge keys, `yaml/write.rs` writes. Scalars resolve
//! by YAML 1.2's core rules with the leniencies of the library that OPA uses (`0777` is
//! octal, `1_000` is a number, dates are strings). Nothing here knows of Rego values, so
//! that data files can be read with it as well.

mod cursor;
mod decode;
mod grammar;
mod scalar;
mod scan;
mod tree;
mod write;

pub use self::write::write;

/// What YAML text stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Yaml {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, as JSON text.
    Number(String),
    /// A string.
    String(String),
    /// A sequence.
    Array(Vec<Yaml>),
    /// A mapping: sorted by key, each key once.
    Object(Vec<(String, Yaml)>),
}

/// Says why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct YamlError(String);

impl YamlError {
    /// A fault in the library's usual form.
    fn plain(text: &str) -> Self {
        Self(format!("yaml: {text}"))
    }

    fn at(line: usize, text: &str) -> Self {
        Self(format!("yaml: line {line}: {text}"))
    }
}

/// Reads the first document of a text; the others must parse, too. A text without any
/// document is null.
///
/// # Errors
///
/// Returns an error if the text is no YAML, if it stands for more nodes than its size
/// justifies or nests too deep, or if JSON cannot express it.
pub fn parse(text: &str) -> Result<Yaml, YamlError> {
    match grammar::read(text)? {
        Some(mut tree) => {
            tree.normalize();
            decode::decode(&tree)
        }
        None => Ok(Yaml::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows a value as compact JSON without escapes.
    pub(super) fn show(yaml: &Yaml) -> String {
        match yaml {
            Yaml::Null => "null".to_owned(),
            Yaml::Bool(value) => value.to_string(),
            Yaml::Number(text) => text.clone(),
            Yaml::String(text) => format!("{text:?}"),
            Yaml::Array(items) => {
                format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(","))
            }
            Yaml::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{key:?}:{}", show(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
            }
        }
    }

    fn check(text: &str, want: &str) {
        let got = parse(text).map_or_else(|err| err.to_string(), |yaml| show(&yaml));
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn scalars_resolve() {
        check("[true, False, yes, on, ~, NULL, '']", r#"[true,false,"yes","on",null,null,""]"#);
        check("[1, 0x1F, 0777, 0o17, 0b11, 1_000, +5, -0]", "[1,31,511,15,3,1000,5,0]");
        check("[1.0, .5, 1e3, 1e21, 1e-7, 08, 1e400]", r#"[1,0.5,1000,1e+21,1e-7,8,"1e400"]"#);
        check("[18446744073709551615, 18446744073709551616]", "[18446744073709551615,18446744073709552000]");
        check("2023-01-01", r#""2023-01-01""#);
        check("[!!str 1, !!int '5', !!float 3, ! 4, !x 4]", r#"["1",5,3,4,"4"]"#);
        check("!!binary aGk=", r#""hi""#);
        check(".inf", "json: unsupported value: +Inf");
        check("!!int x", "yaml: cannot decode !!str `x` as a !!int");
        check("!!timestamp 2023-01-01", r#""2023-01-01T00:00:00Z""#);
    }

    #[test]
    fn keys_become_strings() {
        check("{1: a, 0x1: b, true: c, 1.5: d}", r#"{"1":"b","1.5":"d","true":"c"}"#);
        check("{b: 1, a: 2, b: 3}", r#"{"a":2,"b":3}"#);
        check("? [1]\n: 2", "yaml: invalid map key: []interface {}{1}");
        check("~: 1", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1");
    }

    #[test]
    fn aliases_and_merges() {
        check("- &a [1]\n- *a", "[[1],[1]]");
        check("a: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3", r#"{"a":{"x":1,"y":2},"c":{"x":1,"y":3}}"#);
        check("<<: {x: 1}\n<<: {x: 2, z: 3}", r#"{"x":1,"z":3}"#);
        check("<<: [{x: 1}, {x: 2}]", r#"{"x":1}"#);
        check("<<: 1", "yaml: map merge requires map or sequence of maps as the value");
        check("&a [*a]", "yaml: anchor 'a' value contains itself");
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for n in 1..10 {
            let aliases = vec![format!("*a{}", n - 1); 10].join(", ");
            bomb.push_str(&format!("a{n}: &a{n} [{aliases}]\n"));
        }
        check(&bomb, "yaml: document contains excessive aliasing");
    }

    #[test]
    fn documents_and_faults() {
        check("", "null");
        check("# nothing\n", "null");
        check("---\na: 1\n---\nb: 2\n", r#"{"a":1}"#);
        check("a: |\n  x\n  y\nb: >-\n  x\n  y\n", r#"{"a":"x\ny\n","b":"x y"}"#);
        assert!(parse("a: [1").is_err());
        assert!(parse("a: 1\n---\nb: [").is_err());
        assert!(parse("a: b: c").is_err());
        assert!(parse("a\u{1}").is_err());
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&format!("{}{}", "[".repeat(200), "]".repeat(200))).is_ok());
    }
}
