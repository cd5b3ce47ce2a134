//! Tokens of glob patterns.
//!
//! Apart from the matcher because the odd corners of the syntax (what a class may hold, when
//! a comma is a comma) live here alone. Knows nothing of delimiters or matching.

use super::GlobError;
use crate::go::regex::linear::Ranges;

/// One token; classes come whole.
#[derive(Debug)]
pub(super) enum Token {
    End,
    Text(String),
    Any,
    Star,
    DoubleStar,
    Class(Class),
    Open,
    Comma,
    Close,
}

/// A character class: a list of characters or one range, possibly negated.
#[derive(Debug)]
pub(super) struct Class {
    negated: bool,
    members: Members,
}

#[derive(Debug)]
enum Members {
    Range(char, char),
    List(String),
}

impl Class {
    pub(super) fn contains(&self, c: char) -> bool {
        let member = match &self.members {
            Members::Range(lo, hi) => *lo <= c && c <= *hi,
            Members::List(list) => list.contains(c),
        };
        member != self.negated
    }

    /// Returns the characters of the class as ranges.
    pub(super) fn ranges(&self) -> Ranges {
        let members = match &self.members {
            Members::Range(lo, hi) => vec![(u32::from(*lo), u32::from(*hi))],
            Members::List(list) => list.chars().map(|it| (u32::from(it), u32::from(it))).collect(),
        };
        if self.negated { complement(members) } else { joined(members) }
    }
}

/// Sorts ranges and joins those that overlap.
fn joined(mut ranges: Ranges) -> Ranges {
    ranges.sort_unstable();
    let mut out = Ranges::with_capacity(ranges.len());
    for (lo, hi) in ranges {
        match out.last_mut() {
            Some(last) if lo <= last.1 => last.1 = last.1.max(hi),
            _ => out.push((lo, hi)),
        }
    }
    out
}

/// Returns all characters but those of the ranges.
pub(super) fn complement(ranges: Ranges) -> Ranges {
    let mut next = 0;
    let mut out = Ranges::new();
    for (lo, hi) in joined(ranges) {
        if next < lo {
            out.push((next, lo - 1));
        }
        next = hi + 1;
    }
    if next <= u32::from(char::MAX) {
        out.push((next, char::MAX.into()));
    }
    out
}

/// Reads a pattern token by token.
#[derive(Debug)]
pub(super) struct Lexer<'p> {
    pattern: &'p str,
    pos: usize,
    depth: usize,
}

impl<'p> Lexer<'p> {
    pub(super) fn new(pattern: &'p str) -> Self {
        Self { pattern, pos: 0, depth: 0 }
    }

    /// Returns an error at the current position.
    pub(super) fn error(&self, reason: &'static str) -> GlobError {
        GlobError { offset: self.pos, reason }
    }

    /// Returns the next token; at the end, `End` again and again.
    pub(super) fn next(&mut self) -> Result<Token, GlobError> {
        let Some(c) = self.peek() else {
            return Ok(Token::End);
        };
        let start = self.pos;
        self.pos += c.len_utf8();
        Ok(match c {
            '{' => {
                self.depth += 1;
                Token::Open
            }
            ',' if self.depth > 0 => Token::Comma,
            '}' if self.depth > 0 => {
                self.depth -= 1;
                Token::Close
            }
            '[' => Token::Class(self.class()?),
            '?' => Token::Any,
            '*' if self.peek() == Some('*') => {
                self.pos += 1;
                Token::DoubleStar
            }
            '*' => Token::Star,
            _ => {
                self.pos = start;
                let breakers = if self.depth > 0 { "?*[{}," } else { "?*[{" };
                let (text, escaping) = self.text(breakers);
                if escaping {
                    return Err(self.error("trailing backslash"));
                }
                Token::Text(text)
            }
        })
    }

    fn peek(&self) -> Option<char> {
        self.pattern.get(self.pos..)?.chars().next()
    }

    fn read(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    /// Reads text up to a breaker, and says whether it ended inside an escape.
    fn text(&mut self, breakers: &str) -> (String, bool) {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            if breakers.contains(c) {
                return (text, false);
            }
            self.pos += c.len_utf8();
            if c == '\\' {
                match self.read() {
                    Some(escaped) => text.push(escaped),
                    None => return (text, true),
                }
            } else {
                text.push(c);
            }
        }
        (text, false)
    }

    /// Reads a class behind its `[`.
    fn class(&mut self) -> Result<Class, GlobError> {
        let negated = self.peek() == Some('!');
        if negated {
            self.pos += 1;
        }
        let start = self.pos;
        let first = self.read_in_class()?;
        let range = if self.peek() == Some('-') {
            self.pos += 1;
            Some((first, self.read_in_class()?))
        } else {
            self.pos = start;
            None
        };
        let list = match range {
            Some(_) => String::new(),
            None => self.text("]").0,
        };
        if self.read_in_class()? != ']' {
            return Err(self.error("expected close range character"));
        }
        let members = match range {
            Some((lo, hi)) if lo <= hi => Members::Range(lo, hi),
            Some(_) => return Err(self.error("range hi character is less than lo")),
            None if list.is_empty() => return Err(self.error("could not parse range")),
            None => Members::List(list),
        };
        Ok(Class { negated, members })
    }

    fn read_in_class(&mut self) -> Result<char, GlobError> {
        match self.read() {
            Some(c) => Ok(c),
            None => Err(self.error("unexpected end of input")),
        }
    }
}
