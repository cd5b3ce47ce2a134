//! Operands that depend on each other: a layout and a date in it, a pattern and a text, a document and paths into it.
//!
//! Apart from the rows of `calls`, which say what they can without code.

use super::literals::{EDGES, Home, quote};
use super::{Generator, patterns, texts};
use crate::differential::kinds::{INT, NUM, SMALL, STR, Text, Ty, WORD};
use crate::differential::tree::Node;

impl Generator {
    /// Returns the operands of a built-in whose row leaves them open.
    pub(super) fn operands(&mut self, name: &str) -> Vec<Node> {
        match name {
            "format_int" => self.format_int(),
            "glob.match" => self.glob_match(),
            "json.filter" | "json.remove" => self.document_and_paths(),
            "json.marshal_with_options" => self.marshal_options(),
            "json.patch" => self.patch(),
            "numbers.range_step" => self.range_step(),
            "rand.intn" => vec![self.term(&WORD, 0), raw("1")],
            "strings.count" => {
                let text = self.one_of(&["aaaa", "abababa", "aaa", "\u{e9}\u{e9}\u{e9}", "ab"]);
                vec![text, self.one_of(&["aa", "aba", "a", "\u{e9}\u{e9}", "b"])]
            }
            "uuid.rfc4122" => vec![self.term(&WORD, 0)],
            "regex.match" | "re_match" | "regex.split" => self.pattern_and_text(),
            "regex.find_n" | "regex.find_all_string_submatch_n" => {
                let count = self.random.choose(&["-1", "0", "1", "2", "10"]);
                let mut operands = self.pattern_and_text();
                operands.push(raw(count));
                operands
            }
            "regex.replace" => {
                let mut operands = self.pattern_and_text();
                operands.reverse();
                let replacement = patterns::replacement(&mut self.random);
                operands.push(self.string(&replacement, Home::Rego));
                operands
            }
            "regex.globs_match" => {
                let globs =
                    ["a.*b", "a[b-d]*", "[^x]+", "x", "a+", "ab", ".*", "[a-z]+.", "", "a.c", "(", "[0-9]*"];
                (0..2).map(|_| self.one_of(&globs)).collect()
            }
            "regex.template_match" => self.template_match(),
            "sprintf" => self.sprintf(),
            "strings.render_template" => self.render_template(),
            "http.send" => self.http_request(),
            "net.lookup_ip_addr" => self.looked_up(),
            "time.format" => self.time_format(),
            "time.parse_ns" => self.time_parse(),
            _ => self.secret_operands(name).unwrap_or_default(),
        }
    }

    pub(super) fn one_of(&mut self, texts: &[&'static str]) -> Node {
        let text = (self.random.choose(texts)).to_owned();
        self.string(&text, Home::Rego)
    }

    fn format_int(&mut self) -> Vec<Node> {
        let base = self.random.choose(&["2", "8", "10", "16", "10", "16", "3", "10.0"]);
        let number = if self.chance(40) { raw(self.random.choose(EDGES)) } else { self.leaf(&NUM) };
        vec![number, raw(base)]
    }

    fn glob_match(&mut self) -> Vec<Node> {
        let pattern = patterns::glob(&mut self.random);
        let subject =
            if self.chance(20) { pattern.clone() } else { patterns::glob_subject(&mut self.random) };
        let delimiters =
            self.random.choose(&["null", "[]", "[\".\"]", "[\"/\", \".\"]", "[\":\"]", "[\"\u{e9}\"]"]);
        let subject = if self.chance(15) { self.leaf(&WORD) } else { self.string(&subject, Home::Rego) };
        vec![self.string(&pattern, Home::Rego), raw(delimiters), subject]
    }

    fn pattern_and_text(&mut self) -> Vec<Node> {
        let pattern = patterns::regex(&mut self.random, 2);
        let subject = patterns::subject(&mut self.random);
        let pattern = self.string(&pattern, Home::Rego);
        let subject = if self.chance(30) { self.leaf(&STR) } else { self.string(&subject, Home::Rego) };
        vec![pattern, subject]
    }

    fn template_match(&mut self) -> Vec<Node> {
        let (open, close) = *self.random.pick(&[("{", "}"), ("<", ">"), ("[", "]")]);
        let inner = self.random.choose(&["[a-c]+", "\\d+", ".*", "a|b", "", "(", "{1}"]);
        let template = format!("a:{open}{inner}{close}:{open}.{close}");
        let subject = self.random.choose(&["a:abc:x", "a:42:b", "a::b", "a:b", "b:abc:x", "a:a:ab"]);
        [template.as_str(), subject, open, close].map(|it| self.string(it, Home::Rego)).into()
    }

    /// Returns a document with some of the paths in it.
    fn document_and_paths(&mut self) -> Vec<Node> {
        let value = Ty::object(WORD, Ty::object(WORD, self.some_type(1, Home::Rego)));
        let document =
            if self.chance(50) { self.term(&value, 1) } else { self.term(&Ty::object(WORD, Ty::Any), 1) };
        let count = self.between(0, 3);
        let mut paths = Vec::new();
        for _ in 0..count {
            let (first, second) = (self.random.choose(texts::WORDS), self.random.choose(texts::WORDS));
            paths.push(match self.random.below(5) {
                0 => raw(format!("[\"{first}\", \"{second}\"]")),
                1 => raw(format!("[\"{first}\"]")),
                2 => raw(quote(first)),
                3 => raw(format!("\"{first}/0\"")),
                _ => raw(format!("\"{first}/{second}\"")),
            });
        }
        let set = !paths.is_empty() && self.chance(40);
        let (open, close) = if set { ("{", "}") } else { ("[", "]") };
        let paths = Node::term("").text(open).many_least(", ", usize::from(set), paths).text(close);
        vec![document, paths]
    }

    fn marshal_options(&mut self) -> Vec<Node> {
        let options = self.random.choose(&[
            "{}",
            "{\"pretty\": true}",
            "{\"pretty\": false, \"indent\": \"  \"}",
            "{\"indent\": \"  \"}",
            "{\"prefix\": \"> \"}",
            "{\"pretty\": true, \"indent\": \"\", \"prefix\": \"-\"}",
        ]);
        vec![self.term(&Ty::Any, 1), raw(options)]
    }

    fn patch(&mut self) -> Vec<Node> {
        let known = self.chance(70);
        let document = if known {
            let word = self.leaf(&WORD);
            let text = "{\"a\": {\"b\": 1, \"c\": [1, 2]}, \"c\": [\"x\", {\"a\": null}], \"d\": ";
            Node::term("").text(text).one(word).text("}")
        } else {
            self.term(&Ty::object(WORD, Ty::object(WORD, Ty::Any)), 1)
        };
        let count = self.between(1, 3);
        let patches = (0..count).map(|_| {
            let operation = self.random.choose(&["add", "add", "replace", "remove", "move", "copy", "test"]);
            let path = self.patch_path(known);
            let from = if matches!(operation, "move" | "copy") {
                format!(", \"from\": {}", self.patch_path(known))
            } else {
                String::new()
            };
            let node = Node::plain("").text(format!("{{\"op\": \"{operation}\", \"path\": {path}{from}"));
            match operation {
                "test" if self.chance(60) => node.text(", \"value\": 1}"),
                "add" | "replace" | "test" => {
                    node.text(", \"value\": ").one(self.term(&Ty::Any, 0)).text("}")
                }
                _ => node.text("}"),
            }
        });
        let patches = patches.collect();
        vec![document, Node::term("").text("[").many(", ", patches).text("]")]
    }

    /// Returns a path; one that leads somewhere in the usual document if that is `known`.
    fn patch_path(&mut self, known: bool) -> String {
        if known && self.chance(80) {
            return quote(self.random.choose(&[
                "/a/b", "/a/c/0", "/c/1/a", "/c/0", "/d", "/a", "/c/-", "/a/c/2", "a/b", "/new", "/a/b",
            ]));
        }
        let count = self.between(1, 2);
        let parts: Vec<&str> = (0..count)
            .map(|_| {
                if self.chance(25) {
                    self.random.choose(&["0", "-", "1", "~0", "~1"])
                } else {
                    self.random.choose(texts::WORDS)
                }
            })
            .collect();
        match self.random.below(4) {
            0 => format!("[{}]", parts.iter().map(|it| quote(it)).collect::<Vec<_>>().join(", ")),
            1 => quote(&parts.join("/")),
            _ => quote(&format!("/{}", parts.join("/"))),
        }
    }

    fn range_step(&mut self) -> Vec<Node> {
        let (from, to) = (self.between(0, 40), self.between(0, 40));
        vec![raw(format!("{}", from)), raw(format!("-{to}")), self.leaf(&SMALL)]
    }

    fn sprintf(&mut self) -> Vec<Node> {
        let (format, count) = sprintf_format(&mut self.random);
        let args = (0..count).map(|_| {
            let ty = match self.random.below(5) {
                0 => NUM,
                1 => INT,
                2 => STR,
                3 => WORD,
                _ => Ty::Any,
            };
            if self.chance(20) { raw(self.random.choose(EDGES)) } else { self.term(&ty, 1) }
        });
        let args = args.collect();
        vec![self.string(&format, Home::Rego), Node::term("").text("[").many(", ", args).text("]")]
    }

    fn render_template(&mut self) -> Vec<Node> {
        let template = self.random.choose(&[
            "{{.a}}",
            "{{.a}} and {{ .b }}",
            "{{range .c}}<{{.}}>{{end}}",
            "{{if .a}}yes{{else}}no{{end}}",
            "{{ .missing }}",
            "{{with .a}}{{.}}{{end}}",
            "{{range $i, $e := .c}}{{$i}}={{$e}},{{end}}",
            "{{printf \"%v-%s\" .a .b}}",
            "{{len .c}}",
            "{{.a",
            "plain",
        ]);
        let template = self.string(template, Home::Rego);
        let (first, second, third) = (self.term(&SMALL, 1), self.term(&WORD, 1), self.term(&WORD.array(), 1));
        let values = Node::term("")
            .text("{\"a\": ")
            .one(first)
            .text(", \"b\": ")
            .one(second)
            .text(", \"c\": ")
            .one(third);
        vec![template, values.text("}")]
    }

    fn time_format(&mut self) -> Vec<Node> {
        let time = self.term(&Ty::Num(crate::differential::kinds::Num::Time), 0);
        let zone = self.term(&Ty::Str(Text::Zone), 0);
        let layout = self.one_of(texts::LAYOUTS);
        vec![Node::term("").text("[").one(time).text(", ").one(zone).text(", ").one(layout).text("]")]
    }

    fn time_parse(&mut self) -> Vec<Node> {
        let (layout, value) = *self.random.pick(&[
            ("2006-01-02", "2021-03-04"),
            ("2006-01-02T15:04:05Z07:00", "2021-03-04T05:06:07+02:00"),
            ("2006-01-02T15:04:05Z07:00", "2021-03-04T05:06:07.5Z"),
            ("RFC822", "02 Jan 06 15:04 MST"),
            ("RFC3339", "2021-03-04T05:06:07Z"),
            ("ANSIC", "Mon Jan  2 15:04:05 2006"),
            ("RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700"),
            ("2006-002", "2021-060"),
            ("Jan _2 2006 3:04PM", "Feb  3 2021 4:05AM"),
            ("20060102150405", "20210304050607"),
            ("2006-01-02", "2021-02-30"),
            ("15:04", "26:00"),
            ("x", "x"),
            ("January 2, 2006", "March 4, 2021"),
            ("06-1-2", "99-12-31"),
        ]);
        vec![self.string(layout, Home::Rego), self.string(value, Home::Rego)]
    }
}

/// Returns a term that is written just so.
pub(super) fn raw(text: impl Into<String>) -> Node {
    Node::term("").text(text)
}

/// Returns a format of `sprintf`, and how many arguments to give it.
pub(crate) fn sprintf_format(random: &mut crate::mutate::Random) -> (String, usize) {
    let mut out = String::new();
    let mut count = 0;
    // Not `%p`, which shows where OPA keeps a number.
    for _ in 0..=random.below(3) {
        out += random.choose(&["", "a", " ", "\u{e9}", "%%", ":"]);
        out += "%";
        for _ in 0..random.below(3) {
            out += random.choose(&["", "", "-", "+", "#", " ", "0"]);
        }
        out += random.choose(&["", "", "", "1", "5", "12", "*", "[1]", "[2]"]);
        out += random.choose(&["", "", "", ".0", ".2", ".", ".10", ".*"]);
        out += random.choose(&[
            "v", "v", "d", "s", "s", "f", "e", "g", "x", "X", "q", "t", "T", "b", "o", "c", "U", "G", "E",
            "F", "O", "w", "!", "z", "",
        ]);
        count += 1;
    }
    if random.below(8) == 0 {
        count = random.below(4);
    }
    (out, count)
}
