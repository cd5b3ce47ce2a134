//! The JSON reader on the cases of `corpus/json`, on documents made up, and on hostile ones.
//!
//! Comparison with Go is the long run `diff_json` of testkit; here is what must hold at every commit.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lictor_value::json::{self, JsonErrorKind, Projection, Step};
use lictor_value::{Arena, Document, Value};
use proptest::prelude::*;

struct Case {
    name: String,
    text: Vec<u8>,
    expected: Vec<u8>,
}

fn cases(file: &str) -> Vec<Case> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/json").join(file);
    let content = std::fs::read_to_string(&path).expect("the corpus is there");
    let mut lines = content.lines().filter(|it| !it.is_empty() && !it.starts_with("# "));
    let mut cases = Vec::new();
    while let Some(name) = lines.next() {
        let mut part = || bytes(lines.next().expect("three lines a case").trim_start());
        cases.push(Case { name: name.to_owned(), text: part(), expected: part() });
    }
    cases
}

/// Returns the bytes of a line of a case.
fn bytes(line: &str) -> Vec<u8> {
    let mut pieces = line.split('%');
    let mut bytes = pieces.next().unwrap_or("").as_bytes().to_vec();
    for piece in pieces.filter(|it| !it.is_empty()) {
        let (code, rest) = piece.split_at(2);
        bytes.push(u8::from_str_radix(code, 16).expect("two hexadecimal digits"));
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

/// Reads a text into every home, which must agree, and returns the value or the error as text.
fn read(text: &[u8]) -> Result<String, String> {
    let arena = Arena::new();
    let whole = json::read(text, &arena).map(Value::to_json);
    let document = json::read_document(text).map(|it| it.root().to_json());
    assert_eq!(whole, document, "arena and document agree on {}", text.escape_ascii());
    let nothing = json::read_projected(text, &arena, &Projection::nothing()).map(|_| ());
    assert_eq!(nothing, document.map(|_| ()), "what is skipped is validated: {}", text.escape_ascii());
    whole.map_err(|err| err.to_string())
}

#[test]
fn accepts_the_corpus() {
    let cases = cases("accept.txt");
    assert!(cases.len() >= 160, "{} cases", cases.len());
    for case in cases {
        let expected = String::from_utf8(case.expected).expect("UTF-8");
        assert_eq!(read(&case.text), Ok(expected), "{}", case.name);
    }
}

#[test]
fn refuses_the_corpus() {
    let cases = cases("reject.txt");
    assert!(cases.len() >= 230, "{} cases", cases.len());
    for case in cases {
        let expected = String::from_utf8(case.expected).expect("UTF-8");
        assert_eq!(read(&case.text), Err(expected), "{}", case.name);
    }
}

/// Every beginning of an accepted text is refused or is a whole value, and never more than that.
#[test]
fn beginnings_of_texts_are_answered() {
    for case in cases("accept.txt") {
        for end in 0..case.text.len() {
            let _ = read(&case.text[..end]);
        }
    }
}

#[test]
fn errors_have_a_place() {
    let arena = Arena::new();
    for (text, kind, place) in [
        ("", JsonErrorKind::Empty, (0, 1, 1)),
        (" \n", JsonErrorKind::Empty, (2, 2, 1)),
        ("{\n  \"a\": 1,\n  b\n}", JsonErrorKind::UnexpectedCharacter, (14, 3, 3)),
        ("[1,\n2", JsonErrorKind::UnexpectedEnd, (5, 2, 2)),
        ("1 \n 2", JsonErrorKind::TrailingValue, (4, 2, 2)),
        ("\"\u{e9}\n\"", JsonErrorKind::UnexpectedCharacter, (3, 1, 4)),
    ] {
        let err = json::read(text.as_bytes(), &arena).expect_err("refused");
        assert_eq!((err.kind(), (err.offset(), err.row(), err.column())), (kind, place), "{text:?}");
    }
}

#[test]
fn a_request_body_is_its_first_value() {
    let arena = Arena::new();
    for (text, expected) in [("{} x", "{}"), ("1 2", "1"), ("[1]]", "[1]"), ("truex", "true"), ("01", "0")] {
        assert_eq!(
            json::read_first(text.as_bytes(), &arena).map(Value::to_json),
            Ok(expected.to_owned()),
            "{text}"
        );
    }
    assert!(json::read_first(b"{x", &arena).is_err());
    assert!(!json::is_valid(b"1 null"), "the whole text must be one value");
}

fn projected(text: &str, paths: &[&[Step<'_>]]) -> String {
    let mut projection = Projection::nothing();
    paths.iter().for_each(|it| projection.add(it));
    let arena = Arena::new();
    json::read_projected(text.as_bytes(), &arena, &projection).expect("JSON").to_json()
}

#[test]
fn projections_keep_what_is_wanted() {
    use Step::{Any, Key};
    let text = r#"{"a":{"b":1,"c":{"d":2,"long enough a key":3}},"x":[{"k":1,"l":2},{"k":3},4],"y":"s"}"#;
    assert_eq!(projected(text, &[]), "{}");
    assert_eq!(projected(text, &[&[Key("y")]]), r#"{"y":"s"}"#);
    assert_eq!(projected(text, &[&[Key("a"), Key("b")], &[Key("none")]]), r#"{"a":{"b":1}}"#);
    assert_eq!(
        projected(text, &[&[Key("a"), Key("c"), Key("long enough a key")]]),
        r#"{"a":{"c":{"long enough a key":3}}}"#
    );
    assert_eq!(projected(text, &[&[Key("x"), Any, Key("k")]]), r#"{"x":[{"k":1},{"k":3},4]}"#);
    assert_eq!(projected(text, &[&[Key("x"), Key("k")]]), r#"{"x":[]}"#, "no reference by key leads in");
    assert_eq!(
        projected(text, &[&[Any, Key("c"), Key("d")], &[Key("a"), Key("b")]]),
        r#"{"a":{"b":1,"c":{"d":2}},"x":[],"y":"s"}"#,
        "a named key wants what any key wants too"
    );
    assert_eq!(projected(text, &[&[Key("a"), Key("b")], &[Key("a")]]), projected(text, &[&[Key("a")]]));
    assert_eq!(projected(text, &[&[]]), projected(text, &[&[Any]]));
}

#[test]
fn a_repeated_key_clears_what_the_first_one_gave() {
    use Step::Key;
    let paths: &[&[Step<'_>]] = &[&[Key("a"), Key("b")], &[Key("a"), Key("c")]];
    assert_eq!(projected(r#"{"a":{"b":1},"z":0,"a":{"c":2}}"#, paths), r#"{"a":{"c":2}}"#);
    assert_eq!(projected(r#"{"a":{"b":1},"a":{"d":2}}"#, paths), r#"{"a":{}}"#);
    assert_eq!(projected(r#"{"a":{"b":1},"a":7}"#, paths), r#"{"a":7}"#);
    assert_eq!(projected(r#"{"a":{"b":{"x":1},"b":{"y":2}}}"#, paths), r#"{"a":{"b":{"y":2}}}"#);
    assert_eq!(projected(r#"{"a":{"b":1},"\u0061":{"b":2}}"#, paths), r#"{"a":{"b":2}}"#);
}

#[test]
fn nesting_ends_where_go_ends_it() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let inner = if open == "[" { "" } else { "1" };
        let text = |depth: usize| format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(read(text(10_000).as_bytes()).map(|it| it.len()), Ok(text(10_000).len()));
        let err = read(text(10_001).as_bytes()).expect_err("too deep");
        assert!(err.ends_with("exceeded max depth"), "{err}");
        let arena = Arena::new();
        let found = json::read(text(1_000_000).as_bytes(), &arena).map(|_| ());
        assert_eq!(found.map_err(|it| it.kind()), Err(JsonErrorKind::TooDeep));
    }
}

/// Deep values are compared, hashed, copied and printed on a test's small stack.
#[test]
fn deep_values_do_not_exhaust_the_stack() {
    let text = format!("{}1{}", r#"[{"a":0,"b":"#.repeat(5_000), "}]".repeat(5_000));
    let arena = Arena::new();
    let one = json::read(text.as_bytes(), &arena).expect("JSON");
    let other = json::read(text.as_bytes(), &arena).expect("JSON");
    assert!(one == other && one.same_member(other) && lictor_value::compare(one, other).is_eq());
    assert_eq!(one.hash(), other.hash());
    let copy = Document::from_value(one);
    assert_eq!(copy.root().to_json(), text);
    assert_eq!(copy.root().to_string().len(), one.to_string().len());
    assert_eq!(arena.set(&mut vec![one, other]).collection_len(), Some(1));
}

#[test]
fn enormous_scalars_are_answered_in_time() {
    let digits = "7".repeat(1_000_000);
    let long = "a".repeat(1_000_000);
    let start = Instant::now();
    for text in [
        digits.clone(),
        format!("-{digits}.{digits}e{digits}"),
        format!("\"{long}\""),
        format!("\"{long}\\n{long}\""),
        format!("{{\"{long}\":\"{long}\"}}"),
        format!("\"{}\"", "\u{e9}".repeat(1_000_000)),
    ] {
        let arena = Arena::new();
        let value = json::read(text.as_bytes(), &arena).expect("JSON");
        assert_eq!(value.to_json(), text);
        assert_eq!(json::read_document(text.as_bytes()).expect("JSON").root().to_json(), text);
        assert!(json::read(&text.as_bytes()[..text.len() - 1], &arena).is_err() || text.ends_with('7'));
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_limit_of_bytes_is_an_error() {
    let mut arena = Arena::new();
    arena.set_bytes_max(Some(4_000));
    let text = format!("[{}1]", "[1,2,3],".repeat(1_000));
    let err = json::read(text.as_bytes(), &arena).expect_err("too large");
    assert_eq!(err.kind(), JsonErrorKind::TooLarge);
    assert!(arena.exhausted());
    arena.reset();
    assert!(json::read(b"[1,2,3]", &arena).is_ok());
}

/// Values that fill several chunks hold together, and those of before a reset do not show after it.
#[test]
fn large_texts_cross_chunks() {
    let mut arena = Arena::new();
    for round in 0..3 {
        let items: Vec<String> = (0..30_000)
            .map(|it| {
                format!(r#"{{"id":{it},"long name of a key":"a text of {it} and {round}","n":[{it}]}}"#)
            })
            .collect();
        let text = format!("[{}]", items.join(","));
        let value = json::read(text.as_bytes(), &arena).expect("JSON");
        assert_eq!(json::read(value.to_json().as_bytes(), &Arena::new()), Ok(value));
        assert_eq!(json::read_document(text.as_bytes()).expect("JSON").root(), value);
        arena.reset();
    }
}

/// A made-up JSON value.
#[derive(Clone, Debug)]
enum Tree {
    Scalar(&'static str),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = prop_oneof![
        Just("null"),
        Just("true"),
        Just("-0"),
        Just("12"),
        Just("1.50"),
        Just("1e400"),
        Just("123456789012345678901234567890"),
    ];
    let leaf = prop_oneof![scalar.prop_map(Tree::Scalar), ".{0,20}".prop_map(Tree::Text)];
    leaf.prop_recursive(5, 80, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Tree::List),
            prop::collection::vec(("[a-e]{0,9}|.{0,9}", inner), 0..40).prop_map(Tree::Map),
        ]
    })
}

/// Writes the tree as it came; every character of a text by its number if `escaped`.
fn write_source(tree: &Tree, escaped: bool, out: &mut String) {
    match tree {
        Tree::Scalar(text) => out.push_str(text),
        Tree::Text(text) => write_text(text, escaped, out),
        Tree::List(items) => {
            out.push_str("[ ");
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "\n,\t" } else { "" });
                write_source(item, escaped, out);
            }
            out.push(']');
        }
        Tree::Map(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { " " });
                write_text(key, escaped, out);
                out.push_str(" :");
                write_source(item, escaped, out);
            }
            out.push_str("\r\n}");
        }
    }
}

fn write_text(text: &str, escaped: bool, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        if escaped || c < ' ' || matches!(c, '"' | '\\') {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|it| *out += &format!("\\u{it:04X}"));
        } else {
            out.push(c);
        }
    }
    out.push('"');
}

/// Writes the tree with the last of repeated keys, sorted.
fn write_expected(tree: &Tree, out: &mut Vec<u8>) {
    match tree {
        Tree::Scalar(text) => out.extend_from_slice(text.as_bytes()),
        Tree::Text(text) => lictor_value::write_string(text, out, true),
        Tree::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                out.extend_from_slice(if index > 0 { b"," } else { b"" });
                write_expected(item, out);
            }
            out.push(b']');
        }
        Tree::Map(entries) => {
            let last: BTreeMap<&str, &Tree> = entries.iter().map(|it| (it.0.as_str(), &it.1)).collect();
            out.push(b'{');
            for (index, (key, item)) in last.iter().enumerate() {
                out.extend_from_slice(if index > 0 { b"," } else { b"" });
                lictor_value::write_string(key, out, true);
                out.push(b':');
                write_expected(item, out);
            }
            out.push(b'}');
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_was_written_is_read(tree in tree(), escaped: bool) {
        let (mut source, mut expected) = (String::new(), Vec::new());
        write_source(&tree, escaped, &mut source);
        write_expected(&tree, &mut expected);
        prop_assert_eq!(read(source.as_bytes()), Ok(String::from_utf8(expected).expect("UTF-8")));
    }

    #[test]
    fn no_bytes_are_too_strange(text in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = read(&text);
    }
}
