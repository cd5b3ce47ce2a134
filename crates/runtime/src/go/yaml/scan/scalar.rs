//! Scalars: blocks of lines, quoted ones, plain ones.
//!
//! Apart because each joins its lines in its own way. A single line break between two lines is a space, more of them
//! are one less; blocks that are literal keep theirs.

use super::super::cursor::{Mark, is_blank, is_blank_or_end, is_break, is_break_or_end};
use super::{Kind, ScalarStyle, Scanned, Scanner, signed};

const DOCUMENT_MARKS: [&str; 2] = ["---", "..."];

/// Line breaks that were passed and wait to be joined with what follows.
#[derive(Default)]
struct Breaks {
    leading: String,
    trailing: String,
}

impl Breaks {
    /// Takes the next break.
    fn push(&mut self, c: char, first: bool) {
        if first { self.leading.push(c) } else { self.trailing.push(c) }
    }

    /// Appends what the breaks stand for.
    fn join(&mut self, out: &mut String) {
        if self.leading.starts_with('\n') {
            if self.trailing.is_empty() {
                out.push(' ');
            }
        } else {
            out.push_str(&self.leading);
        }
        out.push_str(&self.trailing);
        self.leading.clear();
        self.trailing.clear();
    }
}

/// What becomes of the line breaks at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl Scanner<'_> {
    pub(super) fn fetch_block_scalar(&mut self) -> Scanned<()> {
        self.remove_key()?;
        self.key_allowed = true;
        let start = self.cursor.mark;
        let literal = self.cursor.skip() == Some('|');
        let (chomp, increment) = self.block_header(start)?;
        self.finish_line(start)?;
        let mut indent = match increment {
            0 => 0,
            _ => increment + usize::try_from(self.indent).unwrap_or(0),
        };
        let mut out = String::new();
        let mut breaks = Breaks::default();
        let mut end_line = self.block_breaks(&mut indent, &mut breaks, start)?;
        let mut leading_blank = false;
        while self.cursor.mark.column == indent && self.cursor.peek().is_some() {
            let blank = self.cursor.peek().is_some_and(is_blank);
            if !literal && !leading_blank && !blank {
                breaks.join(&mut out);
            } else {
                out.push_str(&std::mem::take(&mut breaks.leading));
                out.push_str(&std::mem::take(&mut breaks.trailing));
            }
            leading_blank = blank;
            while !is_break_or_end(self.cursor.peek()) {
                self.cursor.read(&mut out);
            }
            breaks.leading.extend(self.cursor.skip_line());
            end_line = self.block_breaks(&mut indent, &mut breaks, start)?;
        }
        if chomp != Chomp::Strip {
            out.push_str(&breaks.leading);
        }
        if chomp == Chomp::Keep {
            out.push_str(&breaks.trailing);
        }
        self.push(Kind::Scalar(out, ScalarStyle::Quoted), start);
        if let Some(token) = self.tokens.back_mut() {
            token.end_line = end_line;
        }
        Ok(())
    }

    /// Reads how a block ends and how far it is indented, in either order.
    fn block_header(&mut self, start: Mark) -> Scanned<(Chomp, usize)> {
        let (mut chomp, mut increment) = (None, None);
        loop {
            match self.cursor.peek() {
                Some('+') if chomp.is_none() => chomp = Some(Chomp::Keep),
                Some('-') if chomp.is_none() => chomp = Some(Chomp::Strip),
                Some('0') if increment.is_none() => {
                    return self.fault(start, "found an indentation indicator equal to 0");
                }
                Some(c @ '1'..='9') if increment.is_none() => increment = c.to_digit(10),
                _ => break,
            }
            self.cursor.skip();
        }
        let increment = increment.and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        Ok((chomp.unwrap_or(Chomp::Clip), increment))
    }

    /// Passes indentation and empty lines; finds the indentation out if it is not known yet.
    fn block_breaks(&mut self, indent: &mut usize, breaks: &mut Breaks, start: Mark) -> Scanned<usize> {
        let mut end_line = self.cursor.mark.line;
        let mut widest = 0;
        loop {
            let within = |column: usize| *indent == 0 || column < *indent;
            while within(self.cursor.mark.column) && self.cursor.is(' ') {
                self.cursor.skip();
            }
            widest = widest.max(self.cursor.mark.column);
            if within(self.cursor.mark.column) && self.cursor.is('\t') {
                return self.fault(start, "found a tab character where an indentation space is expected");
            }
            let Some(c) = self.cursor.skip_line() else { break };
            breaks.trailing.push(c);
            end_line = self.cursor.mark.line;
        }
        if *indent == 0 {
            let least = usize::try_from(self.indent + 1).unwrap_or(0);
            *indent = widest.max(least).max(1);
        }
        Ok(end_line)
    }

    pub(super) fn fetch_quoted(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark;
        let quote = self.cursor.skip().unwrap_or('"');
        let mut out = String::new();
        let (mut breaks, mut spaces) = (Breaks::default(), String::new());
        loop {
            if self.cursor.at_document_mark(&DOCUMENT_MARKS) {
                return self.fault(start, "found unexpected document indicator");
            }
            if self.cursor.peek().is_none() {
                return self.fault(start, "found unexpected end of stream");
            }
            let mut broken = self.quoted_text(quote, &mut out, start)?;
            if self.cursor.is(quote) {
                break;
            }
            while let Some(c) = self.cursor.peek() {
                if is_blank(c) && broken {
                    self.cursor.skip();
                } else if is_blank(c) {
                    self.cursor.read(&mut spaces);
                } else if let Some(line_break) = self.cursor.skip_line() {
                    breaks.push(line_break, !broken);
                    if !broken {
                        spaces.clear();
                    }
                    broken = true;
                } else {
                    break;
                }
            }
            if broken {
                breaks.join(&mut out);
            } else {
                out.push_str(&std::mem::take(&mut spaces));
            }
        }
        self.cursor.skip();
        self.push(Kind::Scalar(out, ScalarStyle::Quoted), start);
        Ok(())
    }

    /// Reads quoted text up to a blank, a break or the quote; says whether a break was escaped.
    fn quoted_text(&mut self, quote: char, out: &mut String, start: Mark) -> Scanned<bool> {
        while !is_blank_or_end(self.cursor.peek()) {
            let (first, second) = (self.cursor.peek(), self.cursor.peek_nth(1));
            match (quote, first) {
                ('\'', Some('\'')) if second == Some('\'') => {
                    out.push('\'');
                    self.cursor.skip();
                    self.cursor.skip();
                }
                (_, Some(c)) if c == quote => break,
                ('"', Some('\\')) if second.is_some_and(is_break) => {
                    self.cursor.skip();
                    self.cursor.skip_line();
                    return Ok(true);
                }
                ('"', Some('\\')) => self.escape(second, out, start)?,
                _ => self.cursor.read(out),
            }
        }
        Ok(false)
    }

    fn escape(&mut self, code: Option<char>, out: &mut String, start: Mark) -> Scanned<()> {
        let (c, digits) = match code {
            Some('0') => ('\0', 0),
            Some('a') => ('\u{7}', 0),
            Some('b') => ('\u{8}', 0),
            Some('t' | '\t') => ('\t', 0),
            Some('n') => ('\n', 0),
            Some('v') => ('\u{b}', 0),
            Some('f') => ('\u{c}', 0),
            Some('r') => ('\r', 0),
            Some('e') => ('\u{1b}', 0),
            Some(c @ (' ' | '"' | '\'' | '\\')) => (c, 0),
            Some('N') => ('\u{85}', 0),
            Some('_') => ('\u{a0}', 0),
            Some('L') => ('\u{2028}', 0),
            Some('P') => ('\u{2029}', 0),
            Some('x') => (' ', 2),
            Some('u') => (' ', 4),
            Some('U') => (' ', 8),
            _ => return self.fault(start, "found unknown escape character"),
        };
        self.cursor.skip();
        self.cursor.skip();
        if digits == 0 {
            out.push(c);
            return Ok(());
        }
        let code: String = self.cursor.rest().chars().take(digits).collect();
        if code.chars().count() < digits || !code.chars().all(|it| it.is_ascii_hexdigit()) {
            return self.fault(start, "did not find expected hexdecimal number");
        }
        match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
            Some(c) => out.push(c),
            None => return self.fault(start, "found invalid Unicode character escape code"),
        }
        self.cursor.skip_many(digits);
        Ok(())
    }

    pub(super) fn fetch_plain(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark;
        let indent = self.indent + 1;
        let mut out = String::new();
        let (mut breaks, mut spaces, mut broken) = (Breaks::default(), String::new(), false);
        let mut end_line = start.line;
        loop {
            if self.cursor.at_document_mark(&DOCUMENT_MARKS) || self.cursor.is('#') {
                break;
            }
            while let Some(c) = self.cursor.peek().filter(|it| !self.ends_plain(*it)) {
                if broken {
                    breaks.join(&mut out);
                    broken = false;
                } else {
                    out.push_str(&spaces);
                }
                spaces.clear();
                out.push(c);
                self.cursor.skip();
                end_line = self.cursor.mark.line;
            }
            if !self.cursor.peek().is_some_and(|it| is_blank(it) || is_break(it)) {
                break;
            }
            while let Some(c) = self.cursor.peek() {
                if is_blank(c) {
                    if broken && c == '\t' && signed(self.cursor.mark.column) < indent {
                        return self.fault(start, "found a tab character that violates indentation");
                    }
                    if broken {
                        self.cursor.skip();
                    } else {
                        self.cursor.read(&mut spaces);
                    }
                } else if let Some(line_break) = self.cursor.skip_line() {
                    breaks.push(line_break, !broken);
                    if !broken {
                        spaces.clear();
                    }
                    broken = true;
                } else {
                    break;
                }
            }
            if self.flow_level == 0 && signed(self.cursor.mark.column) < indent {
                break;
            }
        }
        self.push(Kind::Scalar(out, ScalarStyle::Plain), start);
        if let Some(token) = self.tokens.back_mut() {
            token.end_line = end_line;
        }
        if broken {
            self.key_allowed = true;
        }
        Ok(())
    }

    /// Says whether a plain scalar ends before a character.
    fn ends_plain(&self, c: char) -> bool {
        is_blank_or_end(Some(c))
            || (c == ':' && is_blank_or_end(self.cursor.peek_nth(1)))
            || (self.flow_level > 0 && ",?[]{}".contains(c))
    }
}
