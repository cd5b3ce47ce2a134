//! Source texts, byte spans and the row and column that people are shown.
//!
//! A [`Source`] is one file (or one query) as it was read. Every node of the tree carries a
//! [`Span`] of byte offsets only; rows and columns are computed when somebody asks, by a table of
//! line starts. Rows and columns count from 1, and a column is one Unicode code point: a tab is
//! one column and a byte order mark is one, as OPA counts.
//!
//! Nothing here knows tokens or the grammar.

use std::sync::Arc;

/// Bytes that a source may have at most; offsets are 32 bits wide.
pub const SOURCE_BYTES_MAX: usize = u32::MAX as usize - 1;

/// Stands in the text for one byte that is not UTF-8, so that offsets stay those of the file.
const PLACEHOLDER: u8 = 0x1a;

/// Is a half-open range of byte offsets into one [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte; never below `start`.
    pub end: u32,
}

impl Span {
    /// Returns the span from `start` up to but not including `end`.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns this span's start joined with the end of `last`.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self::new(self.start, last.end)
    }

    /// Tells whether `offset` lies inside.
    #[must_use]
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }
}

/// Is a place as people are shown it; both count from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub row: u32,
    /// Code points from the start of the line.
    pub col: u32,
}

/// Is one text with its name and line table.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: Arc<str>,
    text: Box<str>,
    // INVARIANT: sorted, starts with 0, one entry a line.
    line_starts: Vec<u32>,
    // INVARIANT: sorted; offsets of the bytes that were not UTF-8.
    invalid: Vec<u32>,
    /// Each byte is a code point.
    is_ascii: bool,
}

impl Source {
    /// Makes a source of a text. A text longer than [`SOURCE_BYTES_MAX`] is cut there; the parser
    /// refuses it by its own check.
    #[must_use]
    pub fn new(name: &str, text: &str) -> Self {
        Self::build(name, text.into(), Vec::new())
    }

    /// Makes a source of bytes that may hold faulty UTF-8. Each byte outside a valid sequence
    /// is remembered (see [`Source::is_invalid`]) and stands as one code point.
    #[must_use]
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self::new(name, text);
        }
        let mut text = String::with_capacity(bytes.len());
        let mut invalid = Vec::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for _ in chunk.invalid() {
                invalid.push(offset_of(text.len()));
                text.push(char::from(PLACEHOLDER));
            }
        }
        Self::build(name, text.into(), invalid)
    }

    fn build(name: &str, text: Box<str>, invalid: Vec<u32>) -> Self {
        // Lines of policies are about so long; a wrong guess costs little.
        let mut line_starts = Vec::with_capacity(text.len() / 24 + 2);
        line_starts.push(0);
        for (at, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                line_starts.push(offset_of(at + 1));
            }
        }
        let is_ascii = text.is_ascii();
        Self { name: name.into(), text, line_starts, invalid, is_ascii }
    }

    /// Returns the name that diagnostics show; empty for a query.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the text; bytes that were not UTF-8 are replaced by one control character each.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text under `span`, empty if the span does not fit this source.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Tells whether the byte at `offset` was not UTF-8.
    #[must_use]
    pub fn is_invalid(&self, offset: u32) -> bool {
        !self.invalid.is_empty() && self.invalid.binary_search(&offset).is_ok()
    }

    /// Tells whether any byte was not UTF-8.
    #[must_use]
    pub fn has_invalid(&self) -> bool {
        !self.invalid.is_empty()
    }

    /// Returns how many lines there are; an empty text has one.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.line_starts.len()
    }

    /// Returns row and column of a byte offset; one beyond the end is taken for the end.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let start = self.line_starts.get(line).copied().unwrap_or(0) as usize;
        let end = (offset as usize).min(self.text.len());
        let bytes = self.text.as_bytes().get(start..end).unwrap_or_default();
        // A byte that continues a code point starts with the bits 10.
        let points = if self.is_ascii {
            bytes.len()
        } else {
            bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
        };
        Position { row: offset_of(line + 1), col: offset_of(points + 1) }
    }

    /// Returns the row of a byte offset.
    pub(crate) fn row(&self, offset: u32) -> u32 {
        offset_of(self.line_starts.partition_point(|start| *start <= offset))
    }

    /// Returns the offset at which a row begins; of one beyond the text the largest there is.
    pub(crate) fn row_start(&self, row: u32) -> u32 {
        let idx = (row as usize).checked_sub(1);
        idx.and_then(|idx| self.line_starts.get(idx)).copied().unwrap_or(u32::MAX)
    }

    /// Returns the text of a row (counted from 1) without its line break.
    #[must_use]
    pub fn line(&self, row: u32) -> &str {
        let Some(idx) = (row as usize).checked_sub(1) else {
            return "";
        };
        let Some(start) = self.line_starts.get(idx) else {
            return "";
        };
        let end = self.line_starts.get(idx + 1).map_or(self.text.len(), |next| *next as usize - 1);
        let line = self.text.get(*start as usize..end).unwrap_or_default();
        line.strip_suffix('\r').unwrap_or(line)
    }
}

/// Turns a length into an offset; what does not fit is the largest offset.
pub(crate) fn offset_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points() {
        let source = Source::new("t", "a\tb\n\u{20ac}\u{1d11e}x\r\n");
        let at = |offset| {
            let position = source.position(offset);
            (position.row, position.col)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 3));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(7), (2, 2));
        assert_eq!(at(11), (2, 3));
        assert_eq!(at(99), (3, 1));
        assert_eq!(source.line(2), "\u{20ac}\u{1d11e}x");
    }

    #[test]
    fn faulty_bytes_keep_their_offsets() {
        let source = Source::from_bytes("t", b"a\xff\xfeb");
        assert!(source.is_invalid(1) && source.is_invalid(2) && !source.is_invalid(3));
        assert_eq!(source.slice(Span::new(3, 4)), "b");
    }
}
