//! From a template's text to tokens: text, delimiters with their trim marks, what stands between them.
//!
//! Apart because it alone knows delimiters, comments and trimming. A fault is a token too; nothing follows it.

use crate::go::quote::quote;
use crate::go::unicode::{is_digit, is_letter, is_print};

const LEFT: &str = "{{";
const RIGHT: &str = "}}";

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Fault,
    End,
    Text,
    LeftDelim,
    RightDelim,
    Space,
    Assign,
    Declare,
    Pipe,
    LeftParen,
    RightParen,
    /// Any other printable character, such as a comma.
    Char,
    Bool,
    CharConstant,
    Complex,
    Number,
    Str,
    RawStr,
    Field,
    Variable,
    Identifier,
    /// `.`, `nil` and the words of actions.
    Keyword(Keyword),
}

/// A word with a meaning of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    Dot,
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

/// A piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Where it starts, in bytes.
    pub(super) pos: usize,
    /// The line it starts in, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

impl Token {
    /// Returns the token as messages show it.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::End => "EOF".to_owned(),
            Kind::Fault => self.text.clone(),
            Kind::Keyword(_) => format!("<{}>", self.text),
            _ => match self.text.char_indices().nth(10).and_then(|it| self.text.get(..it.0)) {
                Some(start) if self.text.len() > 10 => format!("{}...", quote(start)),
                // A text of more bytes than ten, but no more characters, shows the dots too.
                None if self.text.len() > 10 => format!("{}...", quote(&self.text)),
                _ => quote(&self.text),
            },
        }
    }
}

/// Cuts a text into tokens, one at a time.
#[derive(Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    pos: usize,
    start: usize,
    line: usize,
    start_line: usize,
    paren_depth: usize,
    inside_action: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, pos: 0, start: 0, line: 1, start_line: 1, paren_depth: 0, inside_action: false }
    }

    pub(super) fn next_token(&mut self) -> Token {
        if self.inside_action { self.action() } else { self.outside() }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.pos..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn accept(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let found = self.peek().is_some_and(wanted);
        if found {
            self.bump();
        }
        found
    }

    fn accept_run(&mut self, wanted: impl Fn(char) -> bool) {
        while self.accept(&wanted) {}
    }

    fn pending(&self) -> &'t str {
        self.text.get(self.start..self.pos).unwrap_or("")
    }

    /// Returns the pending text as a token.
    fn token(&mut self, kind: Kind) -> Token {
        let token = Token { kind, pos: self.start, line: self.start_line, text: self.pending().to_owned() };
        self.start = self.pos;
        self.start_line = self.line;
        token
    }

    /// Leaves the pending text out, which was skipped without counting its lines.
    fn ignore(&mut self) {
        self.line += lines_in(self.pending());
        self.start = self.pos;
        self.start_line = self.line;
    }

    fn fault(&mut self, message: impl Into<String>) -> Token {
        let token = Token { kind: Kind::Fault, pos: self.start, line: self.start_line, text: message.into() };
        self.text = "";
        self.pos = 0;
        self.start = 0;
        token
    }

    fn outside(&mut self) -> Token {
        loop {
            let Some(at) = self.rest().find(LEFT) else {
                self.pos = self.text.len();
                if self.pos > self.start {
                    self.line += lines_in(self.pending());
                    return self.token(Kind::Text);
                }
                let token = self.token(Kind::End);
                return Token { text: "EOF".to_owned(), ..token };
            };
            if at > 0 {
                let before = self.rest().get(..at).unwrap_or("");
                let after = self.rest().get(at + LEFT.len()..).unwrap_or("");
                let kept = if has_left_trim(after) { before.trim_end_matches(is_space) } else { before };
                self.pos += kept.len();
                self.line += lines_in(self.pending());
                let token = self.token(Kind::Text);
                self.pos += before.len() - kept.len();
                self.ignore();
                if !token.text.is_empty() {
                    return token;
                }
            }
            match self.left_delim() {
                Some(token) => return token,
                None => continue,
            }
        }
    }

    /// Reads a left delimiter; a comment behind it is skipped and is no token.
    fn left_delim(&mut self) -> Option<Token> {
        self.pos += LEFT.len();
        let marker = if has_left_trim(self.rest()) { 2 } else { 0 };
        if self.rest().get(marker..).is_some_and(|it| it.starts_with("/*")) {
            self.pos += marker;
            self.ignore();
            return self.comment();
        }
        let token = self.token(Kind::LeftDelim);
        self.inside_action = true;
        self.pos += marker;
        self.ignore();
        self.paren_depth = 0;
        Some(token)
    }

    fn comment(&mut self) -> Option<Token> {
        self.pos += 2;
        let Some(end) = self.rest().find("*/") else { return Some(self.fault("unclosed comment")) };
        self.pos += end + 2;
        let Some(trims) = self.at_right_delim() else {
            return Some(self.fault("comment ends before closing delimiter"));
        };
        self.pos += RIGHT.len();
        if trims {
            self.pos += 2;
            self.skip_spaces();
        }
        self.ignore();
        None
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.pos += rest.len() - rest.trim_start_matches(is_space).len();
    }

    /// Says whether a right delimiter stands here, and then whether it trims.
    fn at_right_delim(&self) -> Option<bool> {
        let rest = self.rest();
        let trims = has_right_trim(rest) && rest.get(2..).is_some_and(|it| it.starts_with(RIGHT));
        (trims || rest.starts_with(RIGHT)).then_some(trims)
    }

    fn right_delim(&mut self) -> Token {
        let trims = self.at_right_delim() == Some(true);
        if trims {
            self.pos += 2;
            self.ignore();
        }
        self.pos += RIGHT.len();
        let token = self.token(Kind::RightDelim);
        if trims {
            self.skip_spaces();
            self.ignore();
        }
        self.inside_action = false;
        token
    }

    fn action(&mut self) -> Token {
        if self.at_right_delim().is_some() {
            return if self.paren_depth == 0 {
                self.right_delim()
            } else {
                self.fault("unclosed left paren")
            };
        }
        let Some(c) = self.bump() else { return self.fault("unclosed action") };
        match c {
            _ if is_space(c) => self.space(),
            '=' => self.token(Kind::Assign),
            ':' if self.accept(|it| it == '=') => self.token(Kind::Declare),
            ':' => {
                self.bump();
                self.fault("expected :=")
            }
            '|' => self.token(Kind::Pipe),
            '"' => self.quoted('"', Kind::Str, "unterminated quoted string"),
            '\'' => self.quoted('\'', Kind::CharConstant, "unterminated character constant"),
            '`' => self.raw_quoted(),
            '$' => self.field_or_variable(Kind::Variable),
            '.' if !self.peek().is_some_and(|it| it.is_ascii_digit()) && self.peek().is_some() => {
                self.field_or_variable(Kind::Field)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.pos = self.start;
                self.number()
            }
            _ if is_alphanumeric(c) => self.identifier(),
            '(' => {
                self.paren_depth += 1;
                self.token(Kind::LeftParen)
            }
            ')' => match self.paren_depth.checked_sub(1) {
                None => self.fault("unexpected right paren"),
                Some(depth) => {
                    self.paren_depth = depth;
                    self.token(Kind::RightParen)
                }
            },
            ' '..='~' => self.token(Kind::Char),
            _ => self.fault(format!("unrecognized character in action: {}", code_point(c))),
        }
    }

    /// Reads spaces, but leaves the one before a mark that trims.
    fn space(&mut self) -> Token {
        self.accept_run(is_space);
        let last = self.pos - 1;
        let tail = self.text.get(last..).unwrap_or("");
        if has_right_trim(tail) && tail.get(2..).is_some_and(|it| it.starts_with(RIGHT)) {
            if tail.starts_with('\n') {
                self.line -= 1;
            }
            self.pos = last;
            if self.pos == self.start {
                return self.right_delim();
            }
        }
        self.token(Kind::Space)
    }

    fn identifier(&mut self) -> Token {
        self.accept_run(is_alphanumeric);
        if !self.at_terminator() {
            return self.bad_character();
        }
        let kind = match self.pending() {
            "true" | "false" => Kind::Bool,
            word => keyword(word).map_or(Kind::Identifier, Kind::Keyword),
        };
        self.token(kind)
    }

    fn field_or_variable(&mut self, kind: Kind) -> Token {
        if self.at_terminator() {
            let kind = if kind == Kind::Field { Kind::Keyword(Keyword::Dot) } else { kind };
            return self.token(kind);
        }
        self.accept_run(is_alphanumeric);
        if self.at_terminator() { self.token(kind) } else { self.bad_character() }
    }

    fn bad_character(&mut self) -> Token {
        let c = self.peek().unwrap_or(char::REPLACEMENT_CHARACTER);
        self.fault(format!("bad character {}", code_point(c)))
    }

    /// Says whether a word may end here.
    fn at_terminator(&self) -> bool {
        match self.peek() {
            None => true,
            Some(c) => is_space(c) || ".,|:)(".contains(c) || self.rest().starts_with(RIGHT),
        }
    }

    fn quoted(&mut self, mark: char, kind: Kind, unterminated: &str) -> Token {
        loop {
            let mut c = self.bump();
            if c == Some('\\') {
                c = self.bump();
                if !matches!(c, None | Some('\n')) {
                    continue;
                }
            }
            match c {
                None | Some('\n') => return self.fault(unterminated),
                Some(c) if c == mark => return self.token(kind),
                Some(_) => {}
            }
        }
    }

    fn raw_quoted(&mut self) -> Token {
        loop {
            match self.bump() {
                None => return self.fault("unterminated raw quoted string"),
                Some('`') => return self.token(Kind::RawStr),
                Some(_) => {}
            }
        }
    }

    fn number(&mut self) -> Token {
        let mut whole = self.scan_number();
        let mut kind = Kind::Number;
        if whole && matches!(self.peek(), Some('+' | '-')) {
            kind = Kind::Complex;
            whole = self.scan_number() && self.pending().ends_with('i');
        }
        if whole {
            return self.token(kind);
        }
        let message = format!("bad number syntax: {}", quote(self.pending()));
        self.fault(message)
    }

    /// Goes over a number; what only looks like one is found out when it is read.
    fn scan_number(&mut self) -> bool {
        self.accept(|it| matches!(it, '+' | '-'));
        let mut radix = 10;
        if self.accept(|it| it == '0') {
            for (marks, of) in [("xX", 16), ("oO", 8), ("bB", 2)] {
                if self.accept(|it| marks.contains(it)) {
                    radix = of;
                    break;
                }
            }
        }
        let is_number = |it: char| it == '_' || it.is_digit(radix);
        self.accept_run(is_number);
        if self.accept(|it| it == '.') {
            self.accept_run(is_number);
        }
        let exponent = if radix == 16 { "pP" } else { "eE" };
        if matches!(radix, 10 | 16) && self.accept(|it| exponent.contains(it)) {
            self.accept(|it| matches!(it, '+' | '-'));
            self.accept_run(|it| it == '_' || it.is_ascii_digit());
        }
        self.accept(|it| it == 'i');
        !self.accept(is_alphanumeric)
    }
}

fn lines_in(text: &str) -> usize {
    text.bytes().filter(|it| *it == b'\n').count()
}

fn keyword(word: &str) -> Option<Keyword> {
    Some(match word {
        "block" => Keyword::Block,
        "break" => Keyword::Break,
        "continue" => Keyword::Continue,
        "define" => Keyword::Define,
        "else" => Keyword::Else,
        "end" => Keyword::End,
        "if" => Keyword::If,
        "nil" => Keyword::Nil,
        "range" => Keyword::Range,
        "template" => Keyword::Template,
        "with" => Keyword::With,
        _ => return None,
    })
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_alphanumeric(c: char) -> bool {
    c == '_' || is_letter(c) || is_digit(c)
}

fn has_left_trim(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|it| it.starts_with(is_space))
}

fn has_right_trim(text: &str) -> bool {
    text.strip_prefix(is_space).is_some_and(|it| it.starts_with('-'))
}

/// Returns a character as Go's `%#U` shows it.
fn code_point(c: char) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    if is_print(c) { format!("{code} '{c}'") } else { code }
}
