//! Words, numbers, strings and constant terms of the text form.
//!
//! Apart from the parser because it knows characters, not statements. Constants are Rego terms; their depth is bounded,
//! and a place in the text is always between two characters.

use lictor_value::{Arena, Value};

use super::{Outcome, TextError};

/// Terms inside each other, at most.
const DEPTH_MAX: u32 = 1_000;

/// A place in the text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn fault<T>(&self, message: impl Into<String>) -> Outcome<T> {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.bytes().filter(|it| *it == b'\n').count() + 1;
        Err(TextError { line, message: message.into() })
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.skip_space();
        self.rest().is_empty()
    }

    pub(super) fn try_take(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(super) fn take(&mut self, wanted: char) -> Outcome<()> {
        if self.try_take(wanted) { Ok(()) } else { self.fault(format!("`{wanted}` is expected")) }
    }

    pub(super) fn take_text(&mut self, wanted: &str) -> Outcome<()> {
        wanted.chars().try_for_each(|it| self.take(it))
    }

    fn peek_word(&mut self) -> &'t str {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    pub(super) fn word(&mut self) -> Outcome<String> {
        let word = self.peek_word();
        if word.is_empty() {
            return self.fault("a word is expected");
        }
        self.at += word.len();
        Ok(word.to_owned())
    }

    pub(super) fn try_take_word(&mut self, wanted: &str) -> bool {
        let found = self.peek_word() == wanted;
        if found {
            self.at += wanted.len();
        }
        found
    }

    pub(super) fn take_word(&mut self, wanted: &str) -> Outcome<()> {
        if self.try_take_word(wanted) { Ok(()) } else { self.fault(format!("`{wanted}` is expected")) }
    }

    pub(super) fn number(&mut self) -> Outcome<u32> {
        let word = self.word()?;
        word.parse().or_else(|_| self.fault(format!("`{word}` is not a number in range")))
    }

    /// Reads a register (`r7`) if one comes next.
    pub(super) fn try_register(&mut self) -> Outcome<Option<u32>> {
        let word = self.peek_word();
        let Some(digits) = word.strip_prefix('r').filter(|it| it.starts_with(|it: char| it.is_ascii_digit()))
        else {
            return Ok(None);
        };
        match digits.parse() {
            Ok(number) => {
                self.at += word.len();
                Ok(Some(number))
            }
            Err(_) => self.fault(format!("`{word}` is not a register")),
        }
    }

    pub(super) fn string(&mut self) -> Outcome<String> {
        self.skip_space();
        let bytes = self.rest().as_bytes();
        if bytes.first() != Some(&b'"') {
            return self.fault("a string is expected");
        }
        let mut end = 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        let literal = self.rest().get(..=end).unwrap_or_default();
        match serde_json::from_str(literal) {
            Ok(text) => {
                self.at += literal.len();
                Ok(text)
            }
            Err(error) => self.fault(format!("string is faulty: {error}")),
        }
    }

    /// Reads a constant: JSON, sets as `{1, 2}` and `set()`, and any term as a key.
    pub(super) fn value<'e>(&mut self, arena: &'e Arena) -> Outcome<Value<'e>> {
        self.value_at(arena, 0)
    }

    fn value_at<'e>(&mut self, arena: &'e Arena, depth: u32) -> Outcome<Value<'e>> {
        if depth > DEPTH_MAX {
            return self.fault(format!("terms are nested deeper than {DEPTH_MAX}"));
        }
        self.skip_space();
        match self.rest().chars().next() {
            Some('"') => Ok(arena.string(&self.string()?)),
            Some('[') => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.try_take(']') {
                    self.comma_unless(items.is_empty())?;
                    items.push(self.value_at(arena, depth + 1)?);
                }
                Ok(arena.array(&items))
            }
            Some('{') => self.braces(arena, depth),
            Some('-' | '.' | '0'..='9') => self.number_value(arena),
            _ => match self.word()?.as_str() {
                "null" => Ok(Value::NULL),
                "true" => Ok(Value::TRUE),
                "false" => Ok(Value::FALSE),
                "set" => {
                    self.take_text("()")?;
                    Ok(Value::empty_set())
                }
                other => self.fault(format!("`{other}` is no constant")),
            },
        }
    }

    fn comma_unless(&mut self, first: bool) -> Outcome<()> {
        if first { Ok(()) } else { self.take(',') }
    }

    fn braces<'e>(&mut self, arena: &'e Arena, depth: u32) -> Outcome<Value<'e>> {
        self.at += 1;
        let mut members = Vec::new();
        let mut pairs = Vec::new();
        while !self.try_take('}') {
            self.comma_unless(members.is_empty() && pairs.is_empty())?;
            let first = self.value_at(arena, depth + 1)?;
            if self.try_take(':') {
                pairs.push((first, self.value_at(arena, depth + 1)?));
            } else {
                members.push(first);
            }
        }
        match (members.is_empty(), pairs.is_empty()) {
            (true, _) => Ok(arena.object(&mut pairs)),
            (false, true) => Ok(arena.set(&mut members)),
            (false, false) => self.fault("members and pairs are mixed"),
        }
    }

    fn number_value<'e>(&mut self, arena: &'e Arena) -> Outcome<Value<'e>> {
        let rest = self.rest();
        let is_part = |it: char| it.is_ascii_digit() || matches!(it, '-' | '+' | '.' | 'e' | 'E');
        let end = rest.find(|it: char| !is_part(it)).unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default();
        if !is_number(text) {
            return self.fault(format!("`{text}` is not a number"));
        }
        self.at += end;
        Ok(arena.number_text(text))
    }
}

/// Says whether a text is a number as Rego writes it: a JSON number, or one that starts with the point.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    (digits(whole) || whole.is_empty() && fraction.is_some())
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|it| digits(it.strip_prefix(['+', '-']).unwrap_or(it)))
}
