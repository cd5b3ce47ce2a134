//! What holds for any text that is formatted: the output parses to the same tree, and formatting
//! it again gives the same tree and, line breaks in odd places aside, the same text.
//!
//! The texts are the sources of `corpus/format`, with line breaks put in at random. What the
//! layout must be is said by the wanted texts there, which the conformance runner compares.

use std::{fs, path::Path, thread};

use lictor_syntax::{
    ParseOptions,
    ast::RegoVersion,
    format::{FormatOptions, format_source},
    parse_module,
    printer::{import_text, package_text, rule_text},
};

fn sources() -> Vec<(RegoVersion, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/format");
    let mut found = Vec::new();
    for (name, version) in [("v0", RegoVersion::V0), ("v1", RegoVersion::V1), ("v2", RegoVersion::V2)] {
        let entries = fs::read_dir(folder.join(name)).expect("the corpus is there");
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|it| it == "rego") {
                found.push((version, fs::read_to_string(path).expect("a source")));
            }
        }
    }
    assert!(found.len() > 5, "there are sources");
    found
}

/// Returns the canonical text of a module's statements; imports sorted, since they may move.
fn tree(text: &str, version: RegoVersion) -> Option<Vec<String>> {
    let options = ParseOptions { version, annotations: false, ..ParseOptions::default() };
    let parsed = parse_module("t", text, &options);
    let module = parsed.tree.filter(|_| parsed.diagnostics.is_empty())?;
    let mut texts: Vec<_> = module.imports.iter().map(import_text).collect();
    texts.sort();
    texts.push(package_text(&module.package));
    texts.extend(module.rules.iter().map(|rule| leveled(&rule_text(rule, version))));
    Some(texts)
}

/// Takes out what formatting may change: `:=` and `=` of heads, calls of operators with a result,
/// and the numbers that wildcards in the head of several rules get.
fn leveled(text: &str) -> String {
    let mut out = String::new();
    for point in text.replace(" := ", " = ").replace("plus(1, 2, c)", "c = plus(1, 2)").chars() {
        let is_number = point.is_ascii_digit() && out.ends_with(['_', '~']);
        out.push(if is_number { '~' } else { point });
    }
    out.replace('~', "")
}

/// Puts a line break before one of the blanks of a text.
fn broken(text: &str, number: usize) -> String {
    let blanks: Vec<_> = text.match_indices(' ').map(|(at, _)| at).collect();
    let at = blanks.get(number % blanks.len().max(1)).copied().unwrap_or(0);
    let (before, after) = text.split_at(at);
    format!("{before}\n{after}")
}

fn check(text: &str, version: RegoVersion) {
    let Some(before) = tree(text, version) else {
        return;
    };
    let options = FormatOptions::for_version(version);
    let once = format_source("t", text.as_bytes(), &options).expect("formats");
    assert_eq!(tree(&once, version).as_ref(), Some(&before), "{text}\n-- became\n{once}");
    let twice = format_source("t", once.as_bytes(), &options).expect("formats again");
    assert_eq!(tree(&twice, version).as_ref(), Some(&before), "{once}\n-- became\n{twice}");
}

#[test]
fn trees_stay_and_texts_settle() {
    for (version, text) in sources() {
        let options = FormatOptions::for_version(version);
        let once = format_source("t", text.as_bytes(), &options).expect("formats");
        let twice = format_source("t", once.as_bytes(), &options).expect("formats again");
        assert_eq!(once, twice);
        check(&text, version);
    }
}

#[test]
fn line_breaks_change_no_tree() {
    for (version, text) in sources() {
        for number in 0..60 {
            check(&broken(&text, number), version);
            check(&broken(&broken(&text, number * 7), number * 31 + 5), version);
        }
    }
}

fn format_deep() {
    let pairs = [
        ("[", "]"),
        ("{", "}"),
        ("(", ")"),
        ("f(", ")"),
        ("[x | x := ", "]"),
        ("{\"k\":\n", "}"),
        ("$\"{", "}\""),
    ];
    for (open, close) in pairs {
        for depth in [10, 100, 1_000, 100_000] {
            let text = format!("package p\nq := {}1{}\n", open.repeat(depth), close.repeat(depth));
            // Too deep a text is refused by the parser; none may end the process.
            let _ = format_source("t", text.as_bytes(), &FormatOptions::default());
        }
    }
}

#[test]
fn deep_texts_come_back() {
    // Code that is not optimised needs more stack for the same depth.
    let thread = thread::Builder::new().stack_size(8 << 20).spawn(format_deep);
    thread.expect("a thread starts").join().expect("it ends by itself");
}
