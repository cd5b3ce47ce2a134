//! Rows on which things end: of closing brackets, heads, bodies and expressions.
//!
//! OPA finds a closing bracket by counting brackets in the piece of text of a node, those in
//! strings and comments included. Comments are merged in by these rows, so that the same is done.

use crate::{
    format::writer::Writer,
    shape::{Expr, Place, line_breaks},
    source::Span,
};

/// Is a pair of brackets.
#[derive(Clone, Copy)]
pub(crate) struct Pair(pub(crate) u8, pub(crate) u8);

/// `{…}`
pub(crate) const BRACES: Pair = Pair(b'{', b'}');
/// `[…]`
pub(crate) const BRACKETS: Pair = Pair(b'[', b']');
/// `(…)`
pub(crate) const PARENS: Pair = Pair(b'(', b')');

/// Returns the row of the bracket that closes the first of a pair in a text that begins on a row;
/// 0 if there is none.
fn closing_row(text: &[u8], row: u32, pair: Pair) -> u32 {
    let Some(open) = text.iter().position(|byte| *byte == pair.0) else {
        return 0;
    };
    let rest = text.get(open + 1..).unwrap_or_default();
    match closing(rest, pair) {
        Some((_, rows)) => row + rows,
        None => 0,
    }
}

/// Returns the index of the bracket that closes one opened before the text, and the rows up to it.
fn closing(text: &[u8], pair: Pair) -> Option<(usize, u32)> {
    let (mut open, mut rows) = (1_u32, 0);
    for (idx, byte) in text.iter().enumerate() {
        if *byte == pair.0 {
            open += 1;
        } else if *byte == pair.1 {
            open -= 1;
        } else if *byte == b'\n' {
            rows += 1;
        }
        if open == 0 {
            return Some((idx, rows));
        }
    }
    None
}

impl<'t> Writer<'t, '_> {
    /// Returns the row of the bracket that closes the first of a pair in a node; 0 if there is none.
    pub(crate) fn closing_row(&self, place: Place, pair: Pair) -> u32 {
        closing_row(self.at.text(place.text).as_bytes(), place.row, pair)
    }

    /// Returns the row of the brace that closes a rule's body, which is looked for behind the
    /// first of the pair `skipped`.
    pub(crate) fn closing_row_behind(&self, place: Place, skipped: Pair) -> u32 {
        let text = self.at.text(place.text).as_bytes();
        let open = text.iter().position(|byte| *byte == skipped.0);
        let Some(rest) = open.and_then(|open| text.get(open + 1..)) else {
            return 0;
        };
        match closing(rest, skipped) {
            Some((idx, rows)) => {
                let rest = rest.get(idx..).unwrap_or_default();
                closing_row(rest, place.row + rows, BRACES)
            }
            None => 0,
        }
    }

    /// Returns the row on which the text of a node ends.
    pub(crate) fn end_row(&self, place: Place) -> u32 {
        place.row + line_breaks(self.at.text(place.text))
    }

    /// Returns the row on which an expression's terms end, its modifiers left out.
    pub(crate) fn terms_end_row(&self, expr: &Expr<'t>) -> u32 {
        let mut text = expr.place.text;
        if let Some(with) = expr.with.first()
            && with.place.at > expr.place.at
        {
            let length = (with.place.at - expr.place.at).min(text.end - text.start);
            text = Span::new(text.start, text.start + length);
        }
        expr.place.row + line_breaks(trimmed(self.at.text(text)))
    }

    /// Returns the row on which the last expression of a body ends.
    pub(crate) fn body_end_row(&self, body: &[Expr<'t>]) -> u32 {
        body.last().map_or(0, |last| last.place.row + line_breaks(trimmed(self.at.text(last.place.text))))
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_count_in_strings_too() {
        let row = |text: &str| closing_row(text.as_bytes(), 7, BRACES);
        assert_eq!(row("{a, {b\n}\n}"), 9);
        assert_eq!(row("x { \"}\" \n }"), 7);
        assert_eq!(row("{ # }\n \"{\""), 7);
        assert_eq!(row("none"), 0);
        assert_eq!(row("{ {\n }"), 0);
    }
}
