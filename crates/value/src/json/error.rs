//! What is wrong with a JSON text, in the words of Go's `encoding/json`.
//!
//! The words are what OPA shows its users, so they must match. Position is counted here, after the fact, so that
//! reading keeps no line numbers.

use std::fmt;

/// Why a JSON text was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonErrorKind {
    /// There is no value: nothing but white space.
    Empty,
    /// The text ends inside the value.
    UnexpectedEnd,
    /// A character cannot stand where it does.
    UnexpectedCharacter,
    /// Arrays and objects are nested too deeply.
    TooDeep,
    /// Another value follows the first.
    TrailingValue,
    /// The arena's limit of bytes was passed.
    TooLarge,
}

/// Why and where a JSON text was refused; displayed as OPA does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    kind: JsonErrorKind,
    offset: usize,
    row: usize,
    column: usize,
    message: String,
}

impl JsonError {
    /// Returns why.
    #[must_use]
    pub fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// Returns the offset of the byte that is wrong, or of the end.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the line, from 1.
    #[must_use]
    pub fn row(&self) -> usize {
        self.row
    }

    /// Returns the column in bytes, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Describes a fault at a place of the input.
    pub(super) fn at(input: &[u8], at: usize, fault: Fault) -> Self {
        let (kind, message) = match (fault, input.get(at)) {
            (Fault::TooLarge, _) => (JsonErrorKind::TooLarge, "value is larger than the limit".to_owned()),
            (_, Some(byte)) => {
                let kind = match fault {
                    Fault::TooDeep => JsonErrorKind::TooDeep,
                    _ => JsonErrorKind::UnexpectedCharacter,
                };
                (kind, format!("invalid character {} {}", quoted(*byte), fault.context()))
            }
            (_, None) if input.iter().all(|it| is_space(*it)) => (JsonErrorKind::Empty, "EOF".to_owned()),
            (_, None) => (JsonErrorKind::UnexpectedEnd, "unexpected EOF".to_owned()),
        };
        Self::new(input, at, kind, message)
    }

    /// Describes a second value, given as OPA prints it.
    pub(super) fn trailing(input: &[u8], at: usize, token: &str) -> Self {
        let message = format!("error: invalid character '{token}' after top-level value");
        Self::new(input, at, JsonErrorKind::TrailingValue, message)
    }

    fn new(input: &[u8], at: usize, kind: JsonErrorKind, message: String) -> Self {
        let before = input.get(..at).unwrap_or(input);
        let row = 1 + before.iter().filter(|it| **it == b'\n').count();
        let line = before.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        Self { kind, offset: before.len(), row, column: 1 + before.len() - line, message }
    }
}

impl JsonError {
    /// Returns the error of a text that is the end of another one: so many bytes, lines and bytes of the last line are
    /// before it, and nothing but white space if it says so.
    pub(super) fn behind(mut self, offset: usize, rows: usize, column: usize, is_blank: bool) -> Self {
        if self.row == 1 {
            self.column += column;
        }
        self.offset += offset;
        self.row += rows;
        if self.kind == JsonErrorKind::Empty && !is_blank {
            (self.kind, self.message) = (JsonErrorKind::UnexpectedEnd, "unexpected EOF".to_owned());
        }
        self
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JsonError {}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// What was expected at the place where reading stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    Value,
    Key,
    AfterKey,
    AfterPair,
    AfterItem,
    InString,
    InEscape,
    InHexadecimal,
    InNumber,
    AfterPoint,
    InExponent,
    /// Inside `true`, `false` or `null`: which of them, and at which byte.
    InLiteral(Literal, u8),
    TooDeep,
    TooLarge,
}

/// The three words of JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Literal {
    Null,
    True,
    False,
}

impl Literal {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
        }
    }
}

impl Fault {
    fn context(self) -> String {
        let text = match self {
            Self::Value => "looking for beginning of value",
            Self::Key => "looking for beginning of object key string",
            Self::AfterKey => "after object key",
            Self::AfterPair => "after object key:value pair",
            Self::AfterItem => "after array element",
            Self::InString => "in string literal",
            Self::InEscape => "in string escape code",
            Self::InHexadecimal => "in \\u hexadecimal character escape",
            Self::InNumber => "in numeric literal",
            Self::AfterPoint => "after decimal point in numeric literal",
            Self::InExponent => "in exponent of numeric literal",
            Self::TooDeep => "exceeded max depth",
            Self::TooLarge => "",
            Self::InLiteral(literal, at) => {
                let text = literal.text();
                let expected = text.chars().nth(usize::from(at)).unwrap_or(' ');
                return format!("in literal {text} (expecting '{expected}')");
            }
        };
        text.to_owned()
    }
}

/// Quotes a byte as Go does a character; one beyond ASCII counts as Latin-1.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'\\' => r"'\\'".to_owned(),
        0x07 => r"'\a'".to_owned(),
        0x08 => r"'\b'".to_owned(),
        0x0c => r"'\f'".to_owned(),
        b'\n' => r"'\n'".to_owned(),
        b'\r' => r"'\r'".to_owned(),
        b'\t' => r"'\t'".to_owned(),
        0x0b => r"'\v'".to_owned(),
        0..=0x1f | 0x7f => format!("'\\x{byte:02x}'"),
        0x80..=0xa0 | 0xad => format!("'\\u{byte:04x}'"),
        _ => format!("'{}'", char::from(byte)),
    }
}
