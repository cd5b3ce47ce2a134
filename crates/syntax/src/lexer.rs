//! Text to tokens.
//!
//! The whole text is lexed at once; the parser then moves over the tokens, back as well as forth.
//! White space and comments become flags of the token that follows. A `}` that closes an
//! expression of a template string is told from others by a stack of open braces.
//!
//! A fault belongs to the token that was being read when it came into sight, as in OPA: a
//! character that may not be is seen one token early, since lexing looks one character ahead.

use crate::{
    ast::Comment,
    source::{Source, Span, offset_of},
    tokens::{Kind, Token, keyword},
};

/// Is a lexed text.
#[derive(Debug)]
pub(crate) struct Lexed {
    /// Ends with one [`Kind::Eof`].
    pub(crate) tokens: Vec<Token>,
    /// All comments in order.
    pub(crate) comments: Vec<Comment>,
    /// Faults by index of their token, which is a [`Kind::Illegal`].
    pub(crate) faults: Vec<(u32, &'static str)>,
}

/// Lexes a text; always succeeds, faults stand in the answer.
pub(crate) fn lex(source: &Source) -> Lexed {
    let bytes = source.text().as_bytes();
    let mut lexer = Lexer {
        source,
        bytes,
        at: 0,
        out: Lexed { tokens: Vec::with_capacity(bytes.len() / 4), comments: Vec::new(), faults: Vec::new() },
        pending: Vec::new(),
        open: Vec::new(),
        flags: 0,
    };
    lexer.check_char();
    if bytes.starts_with(&BYTE_ORDER_MARK) {
        lexer.advance();
    }
    while lexer.token() {}
    lexer.out
}

/// Says for each byte whether it is a letter, digit or underscore.
const IS_LETTER: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Is what an open brace belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Brace {
    Plain,
    Template { raw: bool },
}

struct Lexer<'s> {
    source: &'s Source,
    bytes: &'s [u8],
    /// Offset of the character that comes next.
    at: usize,
    out: Lexed,
    /// Faults of the token that is being read.
    pending: Vec<&'static str>,
    open: Vec<Brace>,
    flags: u8,
}

impl Lexer<'_> {
    fn current(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Steps over one character and looks at the next.
    fn advance(&mut self) {
        self.at = self.after(self.at);
        self.check_char();
    }

    /// Returns the offset of the character after the one at `at`.
    fn after(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            None => at,
            Some(byte) if *byte < 0x80 => at + 1,
            Some(byte) => (at + utf8_width(*byte)).min(self.bytes.len()),
        }
    }

    /// Notes a fault if the next character may not stand anywhere.
    #[inline]
    fn check_char(&mut self) {
        if matches!(self.current(), Some(0 | 0x1a | 0xef)) {
            self.check_odd_char();
        }
    }

    #[cold]
    fn check_odd_char(&mut self) {
        let fault = match self.current() {
            Some(0) => "illegal null character",
            Some(0x1a) if self.source.is_invalid(offset_of(self.at)) => "illegal utf-8 character",
            Some(0xef) if self.at > 0 && self.rest().starts_with(&BYTE_ORDER_MARK) => {
                "illegal byte-order mark"
            }
            _ => return,
        };
        self.pending.push(fault);
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn emit(&mut self, kind: Kind, start: usize, flags: u8) {
        let mut kind = kind;
        if !self.pending.is_empty() {
            kind = Kind::Illegal;
            let token = offset_of(self.out.tokens.len());
            let faults = self.pending.drain(..).map(|fault| (token, fault));
            self.out.faults.extend(faults);
        }
        self.out.tokens.push(Token {
            start: offset_of(start),
            end: offset_of(self.at),
            kind,
            flags: self.flags | flags,
        });
        self.flags = 0;
    }

    /// Reads one token; answers whether there is more.
    fn token(&mut self) -> bool {
        let start = self.at;
        let Some(byte) = self.current() else {
            self.emit(Kind::Eof, start, 0);
            return false;
        };
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => self.space(byte),
            b'#' => self.comment(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'`' => self.raw_string(),
            b'$' => self.template(),
            b'}' => self.closing_brace(),
            _ => self.sign(byte),
        }
        true
    }

    fn space(&mut self, byte: u8) {
        let mut byte = byte;
        // Only behind the last of a run can something stand that may not.
        while let Some(next @ (b' ' | b'\t' | b'\r' | b'\n')) = self.bytes.get(self.at + 1) {
            self.note_space(byte);
            self.at += 1;
            byte = *next;
        }
        let start = self.at;
        self.advance();
        if !self.pending.is_empty() {
            self.emit(Kind::Illegal, start, 0);
        }
        self.note_space(byte);
    }

    fn note_space(&mut self, byte: u8) {
        self.flags |= if byte == b'\n' { Token::SPACE | Token::NEWLINE } else { Token::SPACE };
    }

    fn comment(&mut self) {
        let start = self.at;
        let end = self
            .rest()
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(self.bytes.len(), |length| start + length);
        let plain = |byte: &u8| !matches!(byte, 0 | 0x1a | 0xef);
        if self.bytes.get(start..end).is_some_and(|text| text.iter().all(plain)) {
            self.at = end;
        } else {
            while self.at < end {
                self.advance();
            }
        }
        let text = self.bytes.get(start..end).unwrap_or_default();
        let kept = text.len() - text.iter().rev().take_while(|b| **b == b'\r').count();
        self.out.comments.push(Comment { span: Span::new(offset_of(start), offset_of(start + kept)) });
        if !self.pending.is_empty() {
            self.emit(Kind::Illegal, start, 0);
        }
        self.flags |= Token::SPACE | Token::COMMENT;
    }

    /// Steps over letters and digits, those beyond ASCII too.
    fn letters(&mut self) {
        loop {
            let plain = |byte: &u8| IS_LETTER.get(usize::from(*byte)) == Some(&true);
            self.at += self.rest().iter().take_while(|byte| plain(byte)).count();
            match self.current() {
                Some(0x80..) if self.next_char().is_some_and(is_decimal_digit) => self.advance(),
                _ => break,
            }
        }
        self.check_char();
    }

    fn next_char(&self) -> Option<char> {
        self.source.text().get(self.at..)?.chars().next()
    }

    fn word(&mut self) {
        let start = self.at;
        self.letters();
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        // OPA does not know a keyword that a character beyond ASCII touches; such a character
        // cannot stand there anyhow.
        let kind = match self.current() {
            Some(0x80..) => Kind::Ident,
            _ => keyword(word).unwrap_or(Kind::Ident),
        };
        self.emit(kind, start, 0);
    }

    /// Steps over decimal digits; answers whether there were any.
    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.current().is_some_and(|byte| byte.is_ascii_digit()) {
            self.advance();
        }
        self.at > start
    }

    fn number(&mut self) {
        let start = self.at;
        self.digits();
        if self.current() == Some(b'.') {
            self.advance();
            if !self.digits() {
                self.pending.push("expected fraction");
            }
        }
        if matches!(self.current(), Some(b'e' | b'E')) {
            self.advance();
            if matches!(self.current(), Some(b'+' | b'-')) {
                self.advance();
            }
            if !self.digits() {
                self.pending.push("expected exponent");
            }
        }
        if matches!(self.current(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'_')) {
            self.pending.push("illegal number format");
            self.letters();
        }
        self.emit(Kind::Number, start, 0);
    }

    fn string(&mut self) {
        let start = self.at;
        self.advance();
        self.quoted(b'"', false);
        self.emit(Kind::String, start, 0);
    }

    /// Reads up to the closing quote, for a template up to an open brace too, and answers
    /// which of them it was (`0` if the text ended before).
    fn quoted(&mut self, close: u8, template: bool) -> u8 {
        loop {
            self.plain_run();
            let Some(byte) = self.current().filter(|byte| *byte != b'\n') else {
                self.pending.push("non-terminated string");
                return 0;
            };
            self.advance();
            if byte == close || (template && byte == b'{') {
                return byte;
            }
            if byte == b'\\' {
                self.escape(template);
            }
        }
    }

    /// Steps over characters that mean nothing special inside quotes.
    fn plain_run(&mut self) {
        let start = self.at;
        while self
            .current()
            .is_some_and(|byte| matches!(byte, 0x20..=0x7e if !matches!(byte, b'"' | b'\\' | b'{' | b'`')))
        {
            self.at += 1;
        }
        if self.at > start {
            self.check_char();
        }
    }

    fn escape(&mut self, template: bool) {
        match self.current() {
            Some(b'\\' | b'"' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.advance(),
            Some(b'{') if template => self.advance(),
            Some(b'u') => {
                for _ in 0..4 {
                    self.advance();
                }
            }
            _ => self.pending.push("illegal escape sequence"),
        }
    }

    fn raw_string(&mut self) {
        let start = self.at;
        self.advance();
        loop {
            let byte = self.current();
            self.advance();
            match byte {
                Some(b'`') => break,
                Some(_) => {}
                None => {
                    self.pending.push("non-terminated string");
                    break;
                }
            }
        }
        self.emit(Kind::String, start, 0);
    }

    fn template(&mut self) {
        let start = self.at;
        self.advance();
        match self.current() {
            Some(b'"') => {
                self.advance();
                self.template_piece(start, false, 0);
            }
            Some(b'`') => {
                self.advance();
                self.template_piece(start, true, 0);
            }
            _ => {
                self.pending.push("illegal $ character");
                self.emit(Kind::Illegal, start, 0);
            }
        }
    }

    fn template_piece(&mut self, start: usize, raw: bool, flags: u8) {
        let last = if raw { self.raw_template_text() } else { self.quoted(b'"', true) };
        if last == b'{' {
            self.open.push(Brace::Template { raw });
        }
        let kind = match (raw, last == b'{') {
            (false, true) => Kind::TemplatePart,
            (false, false) => Kind::TemplateEnd,
            (true, true) => Kind::RawTemplatePart,
            (true, false) => Kind::RawTemplateEnd,
        };
        self.emit(kind, start, flags);
    }

    fn raw_template_text(&mut self) -> u8 {
        loop {
            let Some(byte) = self.current() else {
                self.pending.push("non-terminated string");
                return 0;
            };
            self.advance();
            match byte {
                b'`' | b'{' => return byte,
                b'\\' if self.current() == Some(b'{') => self.advance(),
                _ => {}
            }
        }
    }

    fn closing_brace(&mut self) {
        let start = self.at;
        self.advance();
        self.emit(Kind::RBrace, start, 0);
        if let Some(Brace::Template { raw }) = self.open.pop() {
            self.template_piece(self.at, raw, Token::CONTINUED);
        }
    }

    fn sign(&mut self, byte: u8) {
        let start = self.at;
        let no_break_space = byte == 0xc2 && self.rest().starts_with(&[0xc2, 0xa0]);
        self.advance();
        let kind = match byte {
            b'[' => Kind::LBrack,
            b']' => Kind::RBrack,
            b'{' => {
                self.open.push(Brace::Plain);
                Kind::LBrace
            }
            b'(' => Kind::LParen,
            b')' => Kind::RParen,
            b',' => Kind::Comma,
            b'+' => Kind::Plus,
            b'-' => Kind::Minus,
            b'*' => Kind::Mul,
            b'/' => Kind::Div,
            b'%' => Kind::Rem,
            b'&' => Kind::And,
            b'|' => Kind::Or,
            b';' => Kind::Semicolon,
            b'.' => Kind::Dot,
            b':' => self.with_equals(Kind::Colon, Kind::Assign),
            b'=' => self.with_equals(Kind::Unify, Kind::Equal),
            b'>' => self.with_equals(Kind::Gt, Kind::Gte),
            b'<' => self.with_equals(Kind::Lt, Kind::Lte),
            b'!' => self.with_equals(Kind::Illegal, Kind::Neq),
            _ => Kind::Illegal,
        };
        if kind == Kind::Illegal && byte == b'!' {
            self.pending.push("illegal ! character");
        }
        if no_break_space {
            self.pending.push("illegal non-breaking space character, use a regular space instead");
        }
        self.emit(kind, start, 0);
    }

    fn with_equals(&mut self, alone: Kind, joined: Kind) -> Kind {
        if self.current() == Some(b'=') {
            self.advance();
            return joined;
        }
        alone
    }
}

fn utf8_width(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    }
}

/// Tells whether a character beyond ASCII is a decimal digit (Unicode category Nd), which may
/// stand in a name after its first letter.
fn is_decimal_digit(point: char) -> bool {
    let code = u32::from(point);
    let idx = DIGIT_RUNS.partition_point(|(first, _)| *first <= code);
    idx.checked_sub(1).and_then(|idx| DIGIT_RUNS.get(idx)).is_some_and(|(_, last)| code <= *last)
}

/// Runs of decimal digits beyond ASCII, first and last, sorted.
#[rustfmt::skip]
const DIGIT_RUNS: [(u32, u32); 61] = [
    (0x660, 0x669), (0x6f0, 0x6f9), (0x7c0, 0x7c9), (0x966, 0x96f),
    (0x9e6, 0x9ef), (0xa66, 0xa6f), (0xae6, 0xaef), (0xb66, 0xb6f),
    (0xbe6, 0xbef), (0xc66, 0xc6f), (0xce6, 0xcef), (0xd66, 0xd6f),
    (0xde6, 0xdef), (0xe50, 0xe59), (0xed0, 0xed9), (0xf20, 0xf29),
    (0x1040, 0x1049), (0x1090, 0x1099), (0x17e0, 0x17e9), (0x1810, 0x1819),
    (0x1946, 0x194f), (0x19d0, 0x19d9), (0x1a80, 0x1a89), (0x1a90, 0x1a99),
    (0x1b50, 0x1b59), (0x1bb0, 0x1bb9), (0x1c40, 0x1c49), (0x1c50, 0x1c59),
    (0xa620, 0xa629), (0xa8d0, 0xa8d9), (0xa900, 0xa909), (0xa9d0, 0xa9d9),
    (0xa9f0, 0xa9f9), (0xaa50, 0xaa59), (0xabf0, 0xabf9), (0xff10, 0xff19),
    (0x104a0, 0x104a9), (0x10d30, 0x10d39), (0x11066, 0x1106f), (0x110f0, 0x110f9),
    (0x11136, 0x1113f), (0x111d0, 0x111d9), (0x112f0, 0x112f9), (0x11450, 0x11459),
    (0x114d0, 0x114d9), (0x11650, 0x11659), (0x116c0, 0x116c9), (0x11730, 0x11739),
    (0x118e0, 0x118e9), (0x11950, 0x11959), (0x11c50, 0x11c59), (0x11d50, 0x11d59),
    (0x11da0, 0x11da9), (0x16a60, 0x16a69), (0x16ac0, 0x16ac9), (0x16b50, 0x16b59),
    (0x1d7ce, 0x1d7ff), (0x1e140, 0x1e149), (0x1e2f0, 0x1e2f9), (0x1e950, 0x1e959),
    (0x1fbf0, 0x1fbf9),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let lexed = lex(&Source::new("", text));
        lexed.tokens.iter().map(|token| token.kind).collect()
    }

    #[test]
    fn braces_of_templates_are_told_apart() {
        assert_eq!(
            kinds(r#"$"a{ {x} }b" }"#),
            [
                Kind::TemplatePart,
                Kind::LBrace,
                Kind::Ident,
                Kind::RBrace,
                Kind::RBrace,
                Kind::TemplateEnd,
                Kind::RBrace,
                Kind::Eof
            ]
        );
    }

    #[test]
    fn faults_belong_to_the_token_that_saw_them() {
        let lexed = lex(&Source::new("", "x \0"));
        assert_eq!(lexed.faults, [(1, "illegal null character")]);
        let lexed = lex(&Source::new("", "\"a\\q"));
        assert_eq!(lexed.faults, [(0, "illegal escape sequence"), (0, "non-terminated string")]);
    }

    #[test]
    fn names_may_hold_digits_of_any_script() {
        assert_eq!(kinds("a\u{663}b"), [Kind::Ident, Kind::Eof]);
        assert!(!is_decimal_digit('\u{2160}'));
    }
}
