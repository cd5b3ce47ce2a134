//! Reads JSON piece by piece, so that a text of any size passes through a small window.
//!
//! Apart from `parse` because only documents are read so. The parser runs over what is in the window; between two
//! steps it can stop, the window moves on, and it goes on where it was. A step that meets the end of the window is
//! undone and tried again with more text.

use std::fmt;
use std::io::{self, Read};

use crate::cell::Cell;
use crate::document::{Document, DocumentBuilder, Part};
use crate::json::check_rest;
use crate::json::error::{Fault, JsonError, is_space};
use crate::json::parse::{Frame, Next, Parser, Scratch};
use crate::json::projection::Projection;
use crate::json::sink::Sink;

/// How much text is in memory at a time, but for longer strings and numbers.
const WINDOW_BYTES: usize = if cfg!(test) { 2 * 1024 } else { 256 * 1024 };
/// The window moves on when less than this is left in it.
const MARGIN_BYTES: usize = if cfg!(test) { 128 } else { 4 * 1024 };

/// Why a text could not be read.
#[derive(Debug)]
pub enum StreamError {
    /// The reader failed.
    Read(io::Error),
    /// The text is no JSON.
    Json(JsonError),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Json(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Json(error) => Some(error),
        }
    }
}

impl From<io::Error> for StreamError {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<JsonError> for StreamError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

/// Reads a document from a reader; nothing but white space may follow it. Most of the text is never in memory at once.
///
/// What is accepted, and the errors of what is not, are those of [`super::read_document`].
///
/// ```
/// let document = lictor_value::json::stream_document(&mut br#"{"a": [1, 2]}"#.as_slice())?;
/// assert_eq!(document.root().to_json(), r#"{"a":[1,2]}"#);
/// # Ok::<(), lictor_value::json::StreamError>(())
/// ```
///
/// # Errors
///
/// The reader fails, or the text is no JSON or nested too deeply.
pub fn stream_document(reader: &mut dyn Read) -> Result<Document, StreamError> {
    let mut builder = DocumentBuilder::new();
    let root = stream_into(reader, &mut builder)?;
    Ok(builder.finish(root))
}

/// Reads a value from a reader into a document that is being built; nothing but white space may follow it.
///
/// # Errors
///
/// As [`stream_document`]. What was built before the fault stays in the builder, referred to by nothing.
pub fn stream_into(reader: &mut dyn Read, builder: &mut DocumentBuilder) -> Result<Part, StreamError> {
    let mut window = Window::new(reader);
    let mut scratch = Scratch::default();
    let mut place = Place::default();
    loop {
        window.fill()?;
        let mut parser = Parser::new(window.text(), &mut *builder, &mut scratch, Projection::WHOLE);
        let reached = parser.go_on(&mut place, window.is_last);
        let at = parser.at;
        match reached {
            Ok(None) => window.pass(at),
            Ok(Some(root)) => {
                window.pass(at);
                return check_end(&mut window, builder).map(|()| Part(root));
            }
            Err(fault) => return Err(window.error(JsonError::at(window.text(), at, fault)).into()),
        }
    }
}

/// Refuses what stands behind the value, but for white space.
fn check_end(window: &mut Window<'_>, builder: &mut DocumentBuilder) -> Result<(), StreamError> {
    let mut scratch = Scratch::default();
    loop {
        window.fill()?;
        let mut parser = Parser::new(window.text(), &mut *builder, &mut scratch, Projection::WHOLE);
        parser.token();
        let start = parser.at;
        if start == window.text().len() {
            if window.is_last {
                return Ok(());
            }
            window.pass(start);
            continue;
        }
        let checked = check_rest(&mut parser);
        if parser.at < window.text().len() || window.is_last {
            return checked.map_err(|error| window.error(error).into());
        }
        scratch.clear();
        window.pass(start);
    }
}

/// Where a parser stands between two pieces of its text; the open collections are in its scratch.
#[derive(Default)]
struct Place {
    top: Frame,
    /// A value that is read but not yet put where it belongs.
    pending: Option<Cell>,
}

impl<S: Sink> Parser<'_, S> {
    /// Goes on until the value is read or the window ends; nothing then, and what stands from `at` is read again.
    fn go_on(&mut self, place: &mut Place, is_last: bool) -> Result<Option<Cell>, Fault> {
        self.top = place.top;
        let end = self.input.len();
        loop {
            self.token();
            if !is_last && end - self.at < MARGIN_BYTES {
                break;
            }
            let (at, top) = (self.at, self.top);
            let (cells, frames) = (self.scratch.cells.len(), self.scratch.frames.len());
            let step = match place.pending {
                None => self.begin().map(|it| it.map_or(Next::Value, Next::Closed)),
                Some(cell) => self.finish(cell),
            };
            let is_closed = place.pending.is_some() && matches!(step, Ok(Next::Closed(_) | Next::End(_)));
            if self.at >= end && !is_last && !is_closed {
                (self.at, self.top) = (at, top);
                self.scratch.cells.truncate(cells);
                self.scratch.frames.truncate(frames);
                break;
            }
            match step? {
                Next::Value => place.pending = None,
                Next::Closed(cell) => place.pending = Some(cell),
                Next::End(cell) => return Ok(Some(cell)),
            }
        }
        place.top = self.top;
        Ok(None)
    }
}

/// The part of the text that is in memory, and how much went before it.
struct Window<'r> {
    reader: &'r mut dyn Read,
    bytes: Vec<u8>,
    /// What was passed of `bytes`.
    start: usize,
    /// Nothing comes behind it.
    is_last: bool,
    /// Bytes before the window.
    offset: usize,
    /// Lines that ended before the window.
    rows: usize,
    /// Bytes of the line in which the window starts that are before it.
    column: usize,
    /// Nothing but white space was before it.
    is_blank: bool,
}

impl<'r> Window<'r> {
    fn new(reader: &'r mut dyn Read) -> Self {
        Self {
            reader,
            bytes: Vec::new(),
            start: 0,
            is_last: false,
            offset: 0,
            rows: 0,
            column: 0,
            is_blank: true,
        }
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Passes over text that is not needed again.
    fn pass(&mut self, count: usize) {
        let passed = self.bytes.get(self.start..self.start + count).unwrap_or_default();
        self.is_blank = self.is_blank && passed.iter().all(|it| is_space(*it));
        self.offset += passed.len();
        self.rows += memchr::memchr_iter(b'\n', passed).count();
        match memchr::memrchr(b'\n', passed) {
            Some(last) => self.column = passed.len() - last - 1,
            None => self.column += passed.len(),
        }
        self.start += count;
    }

    /// Adds text: what is left makes room, or more room if little was passed.
    fn fill(&mut self) -> io::Result<()> {
        let left = self.text().len();
        self.bytes.copy_within(self.start.., 0);
        self.start = 0;
        let room = WINDOW_BYTES.max((2 * left).next_power_of_two());
        self.bytes.truncate(left);
        self.bytes.resize(room, 0);
        let mut end = left;
        while end < room && !self.is_last {
            match self.reader.read(self.bytes.get_mut(end..).unwrap_or_default()) {
                Ok(0) => self.is_last = true,
                Ok(count) => end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.bytes.truncate(end);
        Ok(())
    }

    /// Returns an error in the window's text as one of the whole.
    fn error(&self, error: JsonError) -> JsonError {
        error.behind(self.offset, self.rows, self.column, self.is_blank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    /// Gives so many bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(to.len()).min(self.0.len());
            to[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn check(text: &[u8]) {
        let whole = json::read_document(text).map(|it| it.root().to_json());
        let piecewise = stream_document(&mut Slowly(text, 701)).map(|it| it.root().to_json());
        match (whole, piecewise) {
            (Err(whole), Err(StreamError::Json(piecewise))) => assert_eq!(piecewise, whole),
            (whole, piecewise) => assert_eq!(piecewise.ok(), whole.ok()),
        }
    }

    /// Puts a text behind so much of another that it lies across the end of the window.
    fn across(text: &str) {
        let lead = |bytes: usize| format!("[\n{}\"{}\",", " ".repeat(40), "x".repeat(bytes));
        for back in 0..text.len() + 2 {
            for margin in [0, MARGIN_BYTES] {
                let lead = lead(WINDOW_BYTES - margin - 46 - back);
                check(format!("{lead}{text}").as_bytes());
                check(format!("{lead}{text}]").as_bytes());
                check(format!("{lead}{text}] {text}").as_bytes());
            }
        }
    }

    #[test]
    fn steps_across_the_window_read_as_in_one() {
        for text in [
            r#"{"key": [1, {}, [ ], {"other key of some length" : "v\u00e9\\\""}], "é": -1.5e+10}"#,
            "12345678901234567890.5",
            "nul",
            "[1,",
            "{\"a\" 1}",
        ] {
            across(text);
        }
    }

    #[test]
    fn tokens_longer_than_the_window_are_read() {
        let long = "y\\n".repeat(WINDOW_BYTES);
        check(format!("{{\"{long}\": \"{long}\", \"n\": 1{}}}", "0".repeat(2 * WINDOW_BYTES)).as_bytes());
        check(
            format!(
                "[{} 1 {} ]{}",
                " ".repeat(WINDOW_BYTES),
                " ".repeat(WINDOW_BYTES),
                " ".repeat(WINDOW_BYTES)
            )
            .as_bytes(),
        );
        check(format!("[\"{long}").as_bytes());
        check(" ".repeat(2 * WINDOW_BYTES).as_bytes());
        check(format!("{}[1,\n2,\n x]", "\n ".repeat(WINDOW_BYTES)).as_bytes());
        check(format!("[1]{}\"{long}\"", "\n".repeat(WINDOW_BYTES)).as_bytes());
        check(format!("[1] null {long}").as_bytes());
    }

    #[test]
    fn failing_readers_are_told() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("away"))
            }
        }
        let error = stream_document(&mut b"[1,".as_slice().chain(Failing)).expect_err("no end");
        assert_eq!(error.to_string(), "away");
    }
}
