//! From text to tokens.
//!
//! Columns count characters. A character that no token begins with makes an invalid token and a fault; what the
//! parser does with the two is its own affair.

use std::borrow::Cow;

use crate::go_text::lossy;
use crate::graphql::block_string::dedent;
use crate::graphql::fault::{Fault, Origin, Position};
use crate::graphql::token::{Token, TokenKind};

/// A token, or an invalid one and why.
pub(crate) type Read<'s> = (Token<'s>, Option<Fault>);

/// A place in the text.
#[derive(Clone, Copy, Default, Debug)]
struct Mark {
    bytes: usize,
    chars: usize,
}

impl Mark {
    fn advance(&mut self, ascii: usize) {
        self.bytes += ascii;
        self.chars += ascii;
    }
}

/// The state of reading.
#[derive(Debug)]
pub(crate) struct Lexer<'s> {
    source: &'s str,
    origin: Origin,
    start: Mark,
    end: Mark,
    line: i32,
    line_start: usize,
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(source: &'s str, origin: Origin) -> Self {
        Self { source, origin, start: Mark::default(), end: Mark::default(), line: 1, line_start: 0 }
    }

    /// Reads the next token; at the end, the end again and again.
    pub(crate) fn read(&mut self) -> Read<'s> {
        self.skip_blanks();
        self.start = self.end;
        let Some(first) = self.peek() else { return self.token(TokenKind::End) };
        if let Some(kind) = mark_kind(first) {
            self.end.advance(1);
            return (self.token_of(kind, Cow::Borrowed("")), None);
        }
        match first {
            b'.' if self.rest().starts_with("...") => {
                self.end.advance(3);
                (self.token_of(TokenKind::Spread, Cow::Borrowed("")), None)
            }
            b'#' => self.comment(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                self.skip_while(|it| it == b'_' || it.is_ascii_alphanumeric());
                self.token(TokenKind::Name)
            }
            b'-' | b'0'..=b'9' => self.number(),
            b'"' if self.rest().starts_with("\"\"\"") => self.block_string(),
            b'"' => self.string(),
            0..=0x1f => self.invalid(format!("Cannot contain the invalid character \"\\u{first:04x}\"")),
            b'\'' => self.invalid(
                "Unexpected single quote character ('), did you mean to use a double quote (\")?".to_owned(),
            ),
            other => {
                // A character beyond ASCII shows as its first byte.
                self.invalid(format!("Cannot parse the unexpected character \"{}\".", char::from(other)))
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.end.bytes)
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.end.bytes..).unwrap_or("")
    }

    fn position(&self, chars: usize) -> Position {
        let signed = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        let column = signed(chars) - signed(self.line_start) + 1;
        Position { line: self.line, column: i32::try_from(column).unwrap_or(i32::MAX), origin: self.origin }
    }

    fn token_of(&self, kind: TokenKind, text: Cow<'s, str>) -> Token<'s> {
        Token { kind, text, position: self.position(self.start.chars) }
    }

    fn token(&self, kind: TokenKind) -> Read<'s> {
        let text = self.source.get(self.start.bytes..self.end.bytes).unwrap_or("");
        (self.token_of(kind, Cow::Borrowed(text)), None)
    }

    fn invalid(&self, message: String) -> Read<'s> {
        let position = self.position(self.end.chars);
        let token = Token { kind: TokenKind::Invalid, text: Cow::Borrowed(""), position };
        (token, Some(Fault::new(Some(position), message)))
    }

    fn new_line(&mut self) {
        self.line = self.line.saturating_add(1);
        self.line_start = self.end.chars;
    }

    fn skip_while(&mut self, within: impl Fn(u8) -> bool) -> usize {
        let count = self.rest().bytes().take_while(|it| within(*it)).count();
        self.end.advance(count);
        count
    }

    /// Steps over one character, whatever its length.
    fn skip_char(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.end.bytes += c.len_utf8();
        self.end.chars += 1;
        Some(c)
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\t' | b' ' | b',' => self.end.advance(1),
                b'\n' => {
                    self.end.advance(1);
                    self.new_line();
                }
                b'\r' => {
                    self.end.advance(1);
                    self.new_line();
                    // The line feed of a pair counts as the first character of the new line.
                    if self.peek() == Some(b'\n') {
                        self.end.advance(1);
                    }
                }
                0xef if self.rest().starts_with('\u{feff}') => {
                    self.skip_char();
                }
                _ => return,
            }
        }
    }

    fn comment(&mut self) -> Read<'s> {
        while self.peek().is_some_and(|it| it > 0x1f || it == b'\t') {
            self.skip_char();
        }
        self.token(TokenKind::Comment)
    }

    fn accept(&mut self, bytes: &[u8]) -> bool {
        let found = self.peek().is_some_and(|it| bytes.contains(&it));
        if found {
            self.end.advance(1);
        }
        found
    }

    fn number(&mut self) -> Read<'s> {
        let digits = |it: &mut Self| it.skip_while(|byte| byte.is_ascii_digit());
        self.accept(b"-");
        if self.accept(b"0") {
            if self.peek().is_some_and(|it| it.is_ascii_digit()) {
                let message = format!("Invalid number, unexpected digit after 0: {}.", self.describe_next());
                return self.invalid(message);
            }
        } else if digits(self) == 0 {
            return self.digit_missing();
        }
        let mut kind = TokenKind::Int;
        if self.accept(b".") {
            kind = TokenKind::Float;
            if digits(self) == 0 {
                return self.digit_missing();
            }
        }
        if self.accept(b"eE") {
            kind = TokenKind::Float;
            self.accept(b"-+");
            if digits(self) == 0 {
                return self.digit_missing();
            }
        }
        self.token(kind)
    }

    fn digit_missing(&self) -> Read<'s> {
        self.invalid(format!("Invalid number, expected digit but got: {}.", self.describe_next()))
    }

    fn describe_next(&self) -> String {
        self.peek().map_or_else(|| "<EOF>".to_owned(), |it| format!("\"{}\"", char::from(it)))
    }

    fn bad_control(&self, byte: u8) -> Read<'s> {
        self.invalid(format!("Invalid character within String: \"\\u{byte:04x}\"."))
    }

    fn string(&mut self) -> Read<'s> {
        self.end.advance(1);
        // A string's place is behind its quote.
        self.start = self.end;
        let mut unescaped: Option<String> = None;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' | b'\r' => break,
                b'"' => {
                    let raw = self.source.get(self.start.bytes..self.end.bytes).unwrap_or("");
                    let text = unescaped.map_or(Cow::Borrowed(raw), Cow::Owned);
                    self.end.advance(1);
                    return (self.token_of(TokenKind::String, text), None);
                }
                b'\\' => {
                    let before = self.source.get(self.start.bytes..self.end.bytes).unwrap_or("");
                    let mut text = unescaped.unwrap_or_else(|| before.to_owned());
                    match self.escape() {
                        Ok(c) => text.push(c),
                        Err(message) => {
                            self.end.advance(1);
                            return self.invalid(message);
                        }
                    }
                    unescaped = Some(text);
                }
                byte if byte < b' ' && byte != b'\t' => return self.bad_control(byte),
                _ => {
                    let c = self.skip_char();
                    if let (Some(text), Some(c)) = (unescaped.as_mut(), c) {
                        text.push(c);
                    }
                }
            }
        }
        self.invalid("Unterminated string.".to_owned())
    }

    /// Reads an escape, which begins here.
    fn escape(&mut self) -> Result<char, String> {
        let at = self.end.bytes;
        let bytes = self.source.as_bytes();
        let Some(second) = self.byte(at + 1) else {
            return Err("Invalid character escape sequence.".to_owned());
        };
        let plain = match second {
            b'"' | b'/' | b'\\' => char::from(second),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let bad = |to: usize| {
                    let shown = bytes.get(at + 1..to).unwrap_or(&[]);
                    format!("Invalid character escape sequence: \\{}.", lossy(shown))
                };
                if at + 6 >= bytes.len() {
                    return Err(bad(bytes.len()));
                }
                let digits = self.source.get(at + 2..at + 6).filter(|it| !it.contains(['+', '-']));
                let code =
                    digits.and_then(|it| u32::from_str_radix(it, 16).ok()).ok_or_else(|| bad(at + 6))?;
                self.end.advance(6);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            other => return Err(format!("Invalid character escape sequence: \\{}.", char::from(other))),
        };
        self.end.advance(2);
        Ok(plain)
    }

    fn block_string(&mut self) -> Read<'s> {
        self.end.advance(3);
        self.start = self.end;
        let mut raw = String::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    let quotes = self.rest().bytes().take_while(|it| *it == b'"').count();
                    // The last three close.
                    if let Some(inside) = quotes.checked_sub(3) {
                        raw.extend(std::iter::repeat_n('"', inside));
                        let token = self.token_of(TokenKind::BlockString, Cow::Owned(dedent(&raw)));
                        self.end.advance(quotes);
                        return (token, None);
                    }
                    raw.push('"');
                    self.end.advance(1);
                }
                b'\\' if self.rest().starts_with("\\\"\"\"") => {
                    raw.push_str("\"\"\"");
                    self.end.advance(4);
                }
                b'\r' | b'\n' => {
                    let pair = self.rest().starts_with("\r\n");
                    self.end.advance(if pair { 2 } else { 1 });
                    raw.push('\n');
                    self.new_line();
                }
                byte if byte < b' ' && byte != b'\t' => return self.bad_control(byte),
                _ => raw.extend(self.skip_char()),
            }
        }
        self.invalid("Unterminated string.".to_owned())
    }
}

fn mark_kind(byte: u8) -> Option<TokenKind> {
    Some(match byte {
        b'!' => TokenKind::Bang,
        b'$' => TokenKind::Dollar,
        b'&' => TokenKind::Amp,
        b'(' => TokenKind::ParenLeft,
        b')' => TokenKind::ParenRight,
        b':' => TokenKind::Colon,
        b'=' => TokenKind::Equals,
        b'@' => TokenKind::At,
        b'[' => TokenKind::BracketLeft,
        b']' => TokenKind::BracketRight,
        b'{' => TokenKind::BraceLeft,
        b'}' => TokenKind::BraceRight,
        b'|' => TokenKind::Pipe,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Vec<String> {
        let mut lexer = Lexer::new(source, Origin::Input);
        let mut out = Vec::new();
        loop {
            let (token, fault) = lexer.read();
            if let Some(fault) = fault {
                out.push(fault.to_string());
                return out;
            }
            if token.kind == TokenKind::End {
                return out;
            }
            out.push(format!("{} {}:{}", token.shown(), token.position.line, token.position.column));
        }
    }

    #[test]
    fn tokens_have_places() {
        let cases: &[(&str, &[&str])] = &[
            (
                "{ a\n,…",
                &["{ 1:1", "Name \"a\" 1:3", "input:2:2: Cannot parse the unexpected character \"â\"."],
            ),
            ("é", &["input:1:1: Cannot parse the unexpected character \"Ã\"."]),
            ("\"a\\u00e9\\n\" x", &["String \"aé\\n\" 1:2", "Name \"x\" 1:13"]),
            ("\"\"\"a\n  b\"\"\"\"", &["BlockString \"a\\n  b\\\"\" 2:-1"]),
            (
                "-0.5e+3 01",
                &["Float \"-0.5e+3\" 1:1", "input:1:10: Invalid number, unexpected digit after 0: \"1\"."],
            ),
            ("\"\\x\"", &["input:1:3: Invalid character escape sequence: \\x."]),
            ("\"\\u12", &["input:1:3: Invalid character escape sequence: \\u12."]),
            ("... ..", &["... 1:1", "input:1:5: Cannot parse the unexpected character \".\"."]),
            ("\r\n a", &["Name \"a\" 2:3"]),
            ("\u{feff}a #b\u{7f}\nc", &["Name \"a\" 1:2", "Comment \"#b\\x7f\" 1:4", "Name \"c\" 2:1"]),
            ("\u{1}", &["input:1:1: Cannot contain the invalid character \"\\u0001\""]),
        ];
        for (source, tokens) in cases {
            assert_eq!(read(source), *tokens, "{source:?}");
        }
    }
}
