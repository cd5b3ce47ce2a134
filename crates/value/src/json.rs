//! Reads JSON as OPA does, straight into the layout of values.
//!
//! Accepted and refused is what Go's `encoding/json` accepts and refuses, and the error texts are the same: the
//! text of a number is kept, lone surrogates and bytes that are no UTF-8 become U+FFFD, of a repeated key the last
//! value stays, nesting ends at 10,000. There is one parser for both homes of values.

mod error;
mod indent;
mod member;
mod parse;
mod projection;
mod scalar;
pub(crate) mod sink;
mod skip;
mod stream;
mod string;

use crate::arena::{Arena, Filler};
use crate::cell::Cell;
use crate::document::{Document, DocumentBuilder, Part};
use crate::json::parse::Parser;
use crate::json::sink::Sink;
use crate::value::Value;

pub use error::{JsonError, JsonErrorKind};
pub use indent::indented;
pub use member::{Outline, outline};
pub(crate) use parse::Scratch;
pub use projection::{Projection, Step};
pub use stream::{StreamError, stream_document, stream_into};

/// What may stand behind the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rest {
    /// White space: OPA's data files, bundles, query parameters and `json.unmarshal`.
    ///
    /// As OPA looks at one token only, a `null` may follow too, and then anything.
    #[default]
    Checked,
    /// Anything: OPA's request bodies.
    Ignored,
}

/// Reads a value into an arena; nothing but white space may follow it.
///
/// Once the arena is warm this does not call the system allocator.
///
/// ```
/// use lictor_value::{Arena, json};
///
/// let arena = Arena::new();
/// let value = json::read(br#"{"n": 1e400, "n": 1.50}"#, &arena)?;
/// assert_eq!(value.to_json(), r#"{"n":1.50}"#);
/// let error = json::read(b"{]", &arena).unwrap_err();
/// assert_eq!(error.to_string(), "invalid character ']' looking for beginning of object key string");
/// # Ok::<(), json::JsonError>(())
/// ```
///
/// # Errors
///
/// The text is no JSON, nested too deeply, or larger than the arena's limit.
pub fn read<'e>(bytes: &[u8], arena: &'e Arena) -> Result<Value<'e>, JsonError> {
    read_with(bytes, arena, Projection::WHOLE, Rest::Checked)
}

/// Reads the first value into an arena, whatever follows it, as OPA reads request bodies.
///
/// # Errors
///
/// As [`read`]; [`JsonErrorKind::Empty`] if there is no value at all, which OPA takes for no input.
pub fn read_first<'e>(bytes: &[u8], arena: &'e Arena) -> Result<Value<'e>, JsonError> {
    read_with(bytes, arena, Projection::WHOLE, Rest::Ignored)
}

/// Reads the wanted parts of a value into an arena; the others are validated all the same.
///
/// # Errors
///
/// As [`read`].
pub fn read_projected<'e>(
    bytes: &[u8],
    arena: &'e Arena,
    projection: &Projection,
) -> Result<Value<'e>, JsonError> {
    read_with(bytes, arena, projection, Rest::Checked)
}

/// Reads the wanted parts of a value into an arena, with a choice of what may follow it.
///
/// # Errors
///
/// As [`read`].
pub fn read_with<'e>(
    bytes: &[u8],
    arena: &'e Arena,
    projection: &Projection,
    rest: Rest,
) -> Result<Value<'e>, JsonError> {
    let mut scratch = arena.scratch.borrow_mut();
    scratch.clear();
    let mut parser = Parser::new(bytes, Filler::new(arena), &mut scratch, projection);
    let root = run(&mut parser, rest)?;
    Ok(parser.sink.finish(root))
}

/// Reads a document; nothing but white space may follow it.
///
/// # Errors
///
/// The text is no JSON, or nested too deeply.
pub fn read_document(bytes: &[u8]) -> Result<Document, JsonError> {
    let mut builder = DocumentBuilder::new();
    let root = read_into(bytes, &mut builder)?;
    Ok(builder.finish(root))
}

/// Reads a value into a document that is being built; nothing but white space may follow it.
///
/// # Errors
///
/// As [`read_document`]. What was built before the fault stays in the builder, referred to by nothing.
pub fn read_into(bytes: &[u8], builder: &mut DocumentBuilder) -> Result<Part, JsonError> {
    let mut scratch = Scratch::default();
    builder.expect_text(bytes.len());
    run(&mut Parser::new(bytes, builder, &mut scratch, Projection::WHOLE), Rest::Checked).map(Part)
}

/// Says whether the text is one JSON value and nothing else; numbers of any magnitude will do.
#[must_use]
pub fn is_valid(bytes: &[u8]) -> bool {
    let (mut builder, mut scratch) = (DocumentBuilder::new(), Scratch::default());
    let mut parser = Parser::new(bytes, &mut builder, &mut scratch, Projection::WHOLE);
    parser.skip_value().is_ok() && {
        parser.token();
        parser.at == bytes.len()
    }
}

fn run<S: Sink>(parser: &mut Parser<'_, S>, rest: Rest) -> Result<Cell, JsonError> {
    let root = match parser.value() {
        Ok(root) => root,
        Err(fault) => return Err(JsonError::at(parser.input, parser.at, fault)),
    };
    if rest == Rest::Checked {
        parser.token();
        if parser.at < parser.input.len() {
            check_rest(parser)?;
        }
    }
    Ok(root)
}

/// Refuses a second value as OPA does: by the first token of what follows, which may be `null`.
#[cold]
fn check_rest<S: Sink>(parser: &mut Parser<'_, S>) -> Result<(), JsonError> {
    let start = parser.at;
    let byte = parser.byte();
    if matches!(byte, b'{' | b'[') {
        return Err(JsonError::trailing(parser.input, start, &char::from(byte).to_string()));
    }
    if let Err(fault) = parser.skip_value() {
        return Err(JsonError::at(parser.input, parser.at, fault));
    }
    let raw = parser.input.get(start..parser.at).unwrap_or(&[]);
    let token = match byte {
        b'n' => return Ok(()),
        b'"' => string::decoded_text(raw.get(1..raw.len() - 1).unwrap_or(&[])),
        b't' | b'f' => format!("%!s(bool={})", String::from_utf8_lossy(raw)),
        _ => String::from_utf8_lossy(raw).into_owned(),
    };
    Err(JsonError::trailing(parser.input, start, &token))
}
