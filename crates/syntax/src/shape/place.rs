//! Where nodes stand in the text: what the tree's spans leave out is read from the text again.
//!
//! A span has neither the parentheses round a term nor, for a reference to something made in
//! place, the token that OPA counts from. Both follow from the text, skipping white space and
//! comments, so that the tree need not carry them.

use crate::{
    ast::{Callee, Comment, Ref, Term, TermKind},
    shape::Place,
    source::{Source, Span, offset_of},
};

/// Finds places in one text.
#[derive(Clone, Copy)]
pub(crate) struct Locator<'t> {
    pub(crate) source: &'t Source,
    pub(crate) comments: &'t [Comment],
}

impl<'t> Locator<'t> {
    fn bytes(&self) -> &'t [u8] {
        self.source.text().as_bytes()
    }

    /// Returns the place of a span that is reported and noted as it is.
    pub(crate) fn place(&self, span: Span) -> Place {
        self.place_at(span.start, span)
    }

    /// Returns the place at an offset with a piece of text.
    pub(crate) fn place_at(&self, at: u32, text: Span) -> Place {
        // A line break stands in the row that it begins, as OPA's lexer counts.
        let breaks = u32::from(self.bytes().get(at as usize) == Some(&b'\n'));
        Place { at, row: self.source.row(at) + breaks, text }
    }

    /// Returns a piece of the text.
    pub(crate) fn text(&self, span: Span) -> &'t str {
        self.source.slice(span)
    }

    /// Returns the offset of the first byte from `at` that is neither white space nor comment.
    pub(crate) fn skip_forward(&self, at: u32) -> u32 {
        let bytes = self.bytes();
        let mut at = at as usize;
        loop {
            match bytes.get(at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
                Some(b'#') => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    at += rest.iter().take_while(|byte| **byte != b'\n').count();
                }
                _ => return offset_of(at),
            }
        }
    }

    /// Returns the offset behind the last byte before `at` that is neither white space nor comment.
    fn skip_back(&self, at: u32) -> u32 {
        let bytes = self.bytes();
        let mut at = at as usize;
        while let Some(before) = at.checked_sub(1) {
            if matches!(bytes.get(before), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                at = before;
                continue;
            }
            match self.comment_over(offset_of(before)) {
                Some(start) => at = start as usize,
                None => break,
            }
        }
        offset_of(at)
    }

    /// Returns the start of the comment that an offset lies in.
    fn comment_over(&self, offset: u32) -> Option<u32> {
        let idx = self.comments.partition_point(|comment| comment.span.start <= offset);
        let comment = idx.checked_sub(1).and_then(|idx| self.comments.get(idx))?;
        (offset < comment.span.end).then_some(comment.span.start)
    }

    /// Returns the offset behind pairs of parentheses that close after an offset.
    pub(crate) fn widen_end(&self, end: u32, pairs: u16) -> u32 {
        let mut end = end;
        for _ in 0..pairs {
            end = self.skip_forward(end) + 1;
        }
        end
    }

    /// Returns the offset of pairs of parentheses that open before an offset.
    fn widen_start(&self, start: u32, pairs: u16) -> u32 {
        let mut start = start;
        for _ in 0..pairs {
            start = self.skip_back(start).saturating_sub(1);
        }
        start
    }

    /// Widens the span of a statement by all pairs of parentheses round it.
    pub(crate) fn widen_statement(&self, span: Span) -> Span {
        let mut span = span;
        loop {
            let open = self.skip_back(span.start).checked_sub(1);
            let close = self.skip_forward(span.end);
            match open {
                Some(open) if self.byte(open) == Some(b'(') && self.byte(close) == Some(b')') => {
                    span = Span::new(open, close + 1);
                }
                _ => return span,
            }
        }
    }

    fn byte(&self, at: u32) -> Option<u8> {
        self.bytes().get(at as usize).copied()
    }

    /// Returns where the text of a term begins, parentheses included.
    pub(crate) fn start(&self, term: &Term) -> u32 {
        let start = match &term.kind {
            TermKind::Ref(reference) => self.start(&reference.head),
            TermKind::Call(call) => match (&call.callee, call.args.first()) {
                (Callee::Ref(function), _) => self.start(&function.head),
                (Callee::Infix(..), Some(first)) => self.start(first),
                _ => term.span.start,
            },
            _ => term.span.start,
        };
        self.widen_start(start, term.parens)
    }

    /// Returns where OPA counts a reference from: the last token of what it starts with.
    pub(crate) fn ref_start(&self, head: &Term) -> u32 {
        if head.parens > 0 {
            return self.widen_end(head.span.end, head.parens).saturating_sub(1);
        }
        match &head.kind {
            TermKind::Var(_) | TermKind::Ref(_) => head.span.start,
            TermKind::Call(call) => match &call.callee {
                Callee::Ref(function) => self.ref_start(&function.head),
                _ => head.span.start,
            },
            TermKind::Set(members) if members.is_empty() && self.starts_with_letter(head.span) => {
                head.span.start
            }
            _ => head.span.end.saturating_sub(1),
        }
    }

    fn starts_with_letter(&self, span: Span) -> bool {
        self.text(span).starts_with(|point: char| point.is_ascii_alphabetic())
    }

    /// Returns the place of a called function: its text goes on up to the parenthesis.
    pub(crate) fn function(&self, function: &Ref) -> Place {
        let end = self.skip_forward(function.span.end);
        let text = Span::new(self.ref_start(&function.head), end);
        self.place_at(function.span.start, text)
    }
}

/// Returns how many line breaks a text has.
pub(crate) fn line_breaks(text: &str) -> u32 {
    offset_of(text.bytes().filter(|byte| *byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse_module};

    #[test]
    fn parentheses_are_found_across_comments() {
        let text = "package p\nx := ( # (\n( a ) # )\n)\n";
        let module = parse_module("t", text, &ParseOptions::default()).tree.expect("parses");
        let locator = Locator { source: &module.source, comments: &module.comments };
        let value = module.rules[0].head.value.as_ref().expect("value");
        let whole = Span::new(locator.start(value), locator.widen_end(value.span.end, value.parens));
        assert_eq!(locator.text(whole), "( # (\n( a ) # )\n)");
    }
}
