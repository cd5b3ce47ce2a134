//! Texts that mean nothing: the parser must answer, in bounded time and without panic.
//!
//! Tokens and bytes are strung together from a fixed seed. What holds for any answer is checked:
//! spans lie in the text, a text without faults has a tree, and the canonical text can be made.

use std::{thread, time::Instant};

use lictor_syntax::{
    ParseOptions, Parsed, Span,
    ast::{Module, RegoVersion},
    parse_module, parse_module_bytes, parse_query, parse_statements,
    printer::{body_text, rule_text, statement_text},
};

const PIECES: &[&str] = &[
    "package p\n",
    "import rego.v2\n",
    "import future.keywords\n",
    "import data.a as b\n",
    "x",
    "y",
    "_",
    "input",
    "data",
    "p",
    "f(",
    "a.b",
    ".c",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ":",
    ";",
    "\n",
    " ",
    " ",
    "=",
    ":=",
    "==",
    "!=",
    "<",
    "<=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "1",
    "0.5e3",
    "01",
    "\"s\"",
    "\"\\u00e9\"",
    "`raw`",
    "$\"a{",
    "$`b{",
    "}c\"",
    "\"",
    "`",
    "$",
    "#c\n",
    "# METADATA\n# title: t\n",
    "null",
    "true",
    "false",
    "not ",
    "some ",
    "every ",
    " in ",
    " and ",
    " or ",
    " if ",
    " contains ",
    " else ",
    " with ",
    " as ",
    "default ",
    "set()",
    "\u{e9}",
    "\u{a0}",
    "\0",
    "\u{feff}",
    "\t",
    "\r\n",
    "@",
    "!",
];

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % below
    }

    fn soup(&mut self) -> String {
        let length = 1 + self.next(60);
        (0..length).map(|_| PIECES[self.next(PIECES.len())]).collect()
    }
}

fn check_span(span: Span, length: usize) {
    assert!(span.start <= span.end && span.end as usize <= length + 1, "{span:?} of {length}");
}

fn check_module(parsed: &Parsed<Module>) {
    let length = parsed.source.text().len();
    assert!(parsed.tree.is_some() || !parsed.diagnostics.is_empty());
    for diagnostic in &parsed.diagnostics {
        check_span(diagnostic.span, length);
        assert!(!diagnostic.to_string().is_empty());
    }
    for rule in parsed.tree.iter().flat_map(|module| &module.rules) {
        check_span(rule.span, length);
        assert!(!rule_text(rule, RegoVersion::V1).is_empty());
    }
}

fn check_text(text: &str, options: &ParseOptions) {
    check_module(&parse_module("soup.rego", text, options));
    if let Some(body) = parse_query(text, options).tree {
        let _ = body_text(&body);
    }
    for statement in parse_statements(text, options).tree.iter().flatten() {
        assert!(!statement_text(statement, options.version).is_empty());
    }
}

fn versions() -> [ParseOptions; 3] {
    [RegoVersion::V0, RegoVersion::V1, RegoVersion::V2]
        .map(|version| ParseOptions { version, ..ParseOptions::default() })
}

#[test]
fn token_soup_is_answered() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3_000 {
        let text = random.soup();
        for options in &versions() {
            check_text(&text, options);
        }
    }
}

#[test]
fn faulty_bytes_are_answered() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..1_000 {
        let mut bytes = format!("package p\n{}", random.soup()).into_bytes();
        for _ in 0..1 + random.next(3) {
            let at = random.next(bytes.len());
            bytes[at] = u8::try_from(random.next(256)).unwrap_or(0);
        }
        check_module(&parse_module_bytes("soup.rego", &bytes, &ParseOptions::default()));
    }
}

/// Brackets and signs that nest: what opens and what closes one level.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("{1: ", "}"),
    ("[x | ", "]"),
    ("{x | y; ", "}"),
    ("{a: b | ", "}"),
    ("a[", "]"),
    ("f(", ")"),
    ("-", ""),
    ("{1 | ", "}"),
    ("[a | b, ", "]"),
    ("$\"{", "}\""),
    ("1 + ", ""),
    ("x in ", ""),
    ("f(1).a[", "]"),
    ("not {", "}"),
    ("not (", ")"),
    ("{ x } and {", "}"),
    ("(x and ", ")"),
    ("x or ", ""),
    ("x and (", ")"),
    ("every x in xs {", "}"),
    ("f(1).", ""),
    ("a.", ""),
];

fn nested(depth: usize) {
    for (open, close) in NESTS {
        for head in ["p := ", "p if ", "import rego.v2\np if "] {
            let text = format!("package a\n{head}{}1{}", open.repeat(depth), close.repeat(depth));
            check_module(&parse_module("deep.rego", &text, &ParseOptions::default()));
            let text = format!("package a\n{head}{}", open.repeat(depth));
            check_module(&parse_module("deep.rego", &text, &ParseOptions::default()));
        }
    }
}

#[test]
fn deep_nesting_is_answered() {
    // The frames of a build without optimisation are large.
    let deep = || {
        let start = Instant::now();
        nested(150);
        nested(2_000);
        assert!(start.elapsed().as_secs() < 60, "took {:?}", start.elapsed());
    };
    let thread = thread::Builder::new().stack_size(8 << 20).spawn(deep);
    thread.expect("a thread").join().expect("no overflow");
}

#[test]
fn moderate_nesting_is_accepted() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("a[", "]"), ("[x | ", "]")] {
        let text = format!("package a\np := {}1{}", open.repeat(100), close.repeat(100));
        let parsed = parse_module("deep.rego", &text, &ParseOptions::default());
        assert!(parsed.diagnostics.is_empty(), "{open}: {:?}", parsed.diagnostics);
    }
}
