//! Finds parts of a JSON text without building anything; what is passed over is validated all the same.
//!
//! Servers need it: a request's body wraps the input, which the engine reads on its own.

use std::ops::Range;

use crate::document::DocumentBuilder;
use crate::json::error::{Fault, JsonError, JsonErrorKind};
use crate::json::parse::{FrameKind, Parser, Scratch};
use crate::json::projection::Projection;
use crate::json::sink::Sink;
use crate::json::string;

/// Is the first value of a text, looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outline<'a> {
    /// The value's own text, without what stands around it.
    pub value: &'a [u8],
    /// The text of the member that was asked for, if the value is an object that has it.
    pub member: Option<&'a [u8]>,
}

/// Validates the first value of a text, whatever follows it, and finds a member of the object that it may be.
///
/// As Go matches fields, the member's name may be in any case; of several the last one counts. There is no outline
/// of a text without a value.
///
/// # Errors
///
/// The text is no JSON, or nested too deeply.
pub fn outline<'a>(bytes: &'a [u8], name: &str) -> Result<Option<Outline<'a>>, JsonError> {
    let (mut builder, mut scratch) = (DocumentBuilder::new(), Scratch::default());
    let mut parser = Parser::new(bytes, &mut builder, &mut scratch, Projection::WHOLE);
    parser.token();
    let start = parser.at;
    let text = |range: Range<usize>| bytes.get(range).unwrap_or_default();
    match find(&mut parser, name) {
        Ok(member) => Ok(Some(Outline { value: text(start..parser.at), member: member.map(text) })),
        Err(fault) => match JsonError::at(bytes, parser.at, fault) {
            error if error.kind() == JsonErrorKind::Empty => Ok(None),
            error => Err(error),
        },
    }
}

/// Goes past the value and returns the place of the member.
fn find<S: Sink>(parser: &mut Parser<'_, S>, name: &str) -> Result<Option<Range<usize>>, Fault> {
    if parser.token() != b'{' {
        parser.skip_value()?;
        return Ok(None);
    }
    // The object counts as one of the levels that may nest.
    parser.skip_open(FrameKind::Object)?;
    let mut found = None;
    if parser.token() == b'}' {
        parser.at += 1;
        return Ok(None);
    }
    loop {
        parser.token();
        let key_start = parser.at;
        parser.skip_key()?;
        let is_wanted = is_key(parser.input.get(key_start..parser.at).unwrap_or_default(), name);
        parser.token();
        let start = parser.at;
        parser.skip_value()?;
        if is_wanted {
            found = Some(start..parser.at);
        }
        match parser.token() {
            b',' => parser.at += 1,
            b'}' => {
                parser.at += 1;
                return Ok(found);
            }
            _ => return Err(Fault::AfterPair),
        }
    }
}

/// Says whether a key's text, from its quote to its colon, is a name.
fn is_key(text: &[u8], name: &str) -> bool {
    let end = text.iter().rposition(|it| *it == b'"').unwrap_or(0);
    let raw = text.get(1..end).unwrap_or_default();
    if raw.contains(&b'\\') {
        return string::decoded_text(raw).eq_ignore_ascii_case(name);
    }
    raw.eq_ignore_ascii_case(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Option<Outline<'_>>, String> {
        outline(text.as_bytes(), "input").map_err(|err| err.to_string())
    }

    #[test]
    fn members_are_found() {
        let cases = [
            (
                r#" {"a": [1, {"input": 2}], "input" : {"x": 1} , "b": 3} rest"#,
                r#"{"a": [1, {"input": 2}], "input" : {"x": 1} , "b": 3}"#,
                Some(r#"{"x": 1}"#),
            ),
            (r#"{"input": 1, "INPUT": 2}"#, r#"{"input": 1, "INPUT": 2}"#, Some("2")),
            (r#"{"\u0069nput": "\"}"}"#, r#"{"\u0069nput": "\"}"}"#, Some(r#""\"}""#)),
            ("{}", "{}", None),
            (r#"{"inputs": 1}"#, r#"{"inputs": 1}"#, None),
            ("[1] 2", "[1]", None),
            (" null", "null", None),
        ];
        for (text, value, member) in cases {
            let wanted = Outline { value: value.as_bytes(), member: member.map(str::as_bytes) };
            assert_eq!(check(text), Ok(Some(wanted)), "{text}");
        }
        assert_eq!(check(" "), Ok(None));
    }

    #[test]
    fn depth_counts_the_object() {
        let text = |depth: usize| format!("{{\"input\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(check(&text(9_999)).is_ok());
        assert!(check(&text(10_000)).is_err_and(|it| it.ends_with("exceeded max depth")));
    }

    #[test]
    fn faults_are_those_of_reading() {
        for text in [
            r#"{"input":"#,
            r#"{"input":{"x":1}"#,
            r#"{"input":{"x":1},}"#,
            r#"{"input":{"x":1} "a"}"#,
            r#"{"input":{"x":01}}"#,
            r#"{1:2}"#,
            r#"{"a"}"#,
            "x",
            "[1",
        ] {
            let read = crate::json::read_document(text.as_bytes()).map_err(|err| err.to_string());
            assert_eq!(check(text).err(), read.err(), "{text}");
        }
    }
}
