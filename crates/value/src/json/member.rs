//! Finds parts of a JSON text without building anything; what is passed over is validated all the same.
//!
//! Servers need it: a request's body wraps the input, which the engine reads on its own.

use std::ops::Range;

use crate::document::DocumentBuilder;
use crate::json::error::{Fault, JsonError, JsonErrorKind};
use crate::json::parse::{Parser, Scratch};
use crate::json::projection::Projection;
use crate::json::sink::Sink;
use crate::json::string;

/// Is the first value of a text, looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outline<'a> {
    /// There is no value.
    Empty,
    /// An object, with the text of the member that was asked for, if it is there.
    Object(Option<&'a [u8]>),
    /// Any other value, with its own text.
    Other(&'a [u8]),
}

/// Validates the first value of a text, whatever follows it, and finds a member of the object that it is.
///
/// As Go matches fields, the member's name may be in any case; of several the last one counts.
///
/// # Errors
///
/// The text is no JSON, or nested too deeply.
pub fn outline<'a>(bytes: &'a [u8], name: &str) -> Result<Outline<'a>, JsonError> {
    let (mut builder, mut scratch) = (DocumentBuilder::new(), Scratch::default());
    let mut parser = Parser::new(bytes, &mut builder, &mut scratch, Projection::WHOLE);
    let text = |range: Range<usize>| bytes.get(range).unwrap_or_default();
    match find(&mut parser, name) {
        Ok(Found::Object(range)) => Ok(Outline::Object(range.map(text))),
        Ok(Found::Other(range)) => Ok(Outline::Other(text(range))),
        Err(fault) => match JsonError::at(bytes, parser.at, fault) {
            error if error.kind() == JsonErrorKind::Empty => Ok(Outline::Empty),
            error => Err(error),
        },
    }
}

/// Is an outline with places instead of texts.
enum Found {
    Object(Option<Range<usize>>),
    Other(Range<usize>),
}

fn find<S: Sink>(parser: &mut Parser<'_, S>, name: &str) -> Result<Found, Fault> {
    if parser.token() != b'{' {
        let start = parser.at;
        parser.skip_value()?;
        return Ok(Found::Other(start..parser.at));
    }
    parser.at += 1;
    let mut found = None;
    if parser.token() == b'}' {
        parser.at += 1;
        return Ok(Found::Object(None));
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
                return Ok(Found::Object(found));
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

    fn check(text: &str) -> Result<Outline<'_>, String> {
        outline(text.as_bytes(), "input").map_err(|err| err.to_string())
    }

    #[test]
    fn members_are_found() {
        assert_eq!(
            check(r#" {"a": [1, {"input": 2}], "input" : {"x": 1} , "b": 3} rest"#),
            object(r#"{"x": 1}"#)
        );
        assert_eq!(check(r#"{"input": 1, "INPUT": 2}"#), object("2"));
        assert_eq!(check(r#"{"\u0069nput": "\"}"}"#), object(r#""\"}""#));
        assert_eq!(check("{}"), Ok(Outline::Object(None)));
        assert_eq!(check(r#"{"inputs": 1}"#), Ok(Outline::Object(None)));
        assert_eq!(check(" "), Ok(Outline::Empty));
        assert_eq!(check("[1] 2"), Ok(Outline::Other(b"[1]")));
    }

    fn object(text: &str) -> Result<Outline<'_>, String> {
        Ok(Outline::Object(Some(text.as_bytes())))
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
