//! A place in a text, with the line and column that indentation and messages need.
//!
//! Apart from the scanner, which would drown in counting. What breaks a line is YAML 1.1's idea: beside the usual
//! ends also the next-line character and two separators.

/// A place that was passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Characters from the start.
    pub(super) index: usize,
    /// Lines from the start, from 0.
    pub(super) line: usize,
    /// Characters from the start of the line.
    pub(super) column: usize,
}

/// The place where a text is being read.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    pub(super) mark: Mark,
    /// Line breaks since the last character that was neither break nor blank.
    pub(super) newlines: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, mark: Mark::default(), newlines: 0 }
    }

    /// Returns what is still to be read.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn peek_nth(&self, count: usize) -> Option<char> {
        self.rest().chars().nth(count)
    }

    pub(super) fn is(&self, c: char) -> bool {
        self.peek() == Some(c)
    }

    /// Says whether `---` or `...` stands here at the start of a line.
    pub(super) fn at_document_mark(&self, marks: &[&str]) -> bool {
        self.mark.column == 0
            && marks.iter().any(|it| self.rest().starts_with(it))
            && is_blank_or_end(self.peek_nth(3))
    }

    /// Passes a character that is no line break.
    pub(super) fn skip(&mut self) -> Option<char> {
        let c = self.peek()?;
        if !is_blank(c) {
            self.newlines = 0;
        }
        self.at += c.len_utf8();
        self.mark.index += 1;
        self.mark.column += 1;
        Some(c)
    }

    pub(super) fn skip_many(&mut self, count: usize) {
        for _ in 0..count {
            self.skip();
        }
    }

    pub(super) fn skip_all(&mut self, wanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.skip();
        }
    }

    /// Passes a character and keeps it.
    pub(super) fn read(&mut self, out: &mut String) {
        out.extend(self.skip());
    }

    /// Passes a line break, if there is one, and returns what it stands for.
    pub(super) fn skip_line(&mut self) -> Option<char> {
        let c = self.peek().filter(|it| is_break(*it))?;
        let both = c == '\r' && self.peek_nth(1) == Some('\n');
        self.at += c.len_utf8() + usize::from(both);
        self.mark.index += 1 + usize::from(both);
        self.mark.column = 0;
        self.mark.line += 1;
        self.newlines += 1;
        Some(if matches!(c, '\u{2028}' | '\u{2029}') { c } else { '\n' })
    }
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn is_break_or_end(c: Option<char>) -> bool {
    c.is_none_or(is_break)
}

pub(super) fn is_blank_or_end(c: Option<char>) -> bool {
    c.is_none_or(|it| is_blank(it) || is_break(it))
}

/// Says whether a character may stand in names.
pub(super) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
