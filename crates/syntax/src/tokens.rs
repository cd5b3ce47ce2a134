//! The kinds of tokens, their names in messages, and the keywords.
//!
//! Names are those that OPA writes in its messages (`unexpected minus token`). A keyword that a
//! module must first switch on is lexed as an identifier that knows which keyword it would be;
//! the parser decides by the set that is on at that place.

use crate::ast::{InfixOp, Keywords};

/// Is the kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Illegal,
    Eof,
    /// White space where none may be; no token of the lexer is one.
    Space,
    Ident,
    Package,
    Import,
    As,
    Default,
    Else,
    Not,
    Some,
    With,
    Null,
    True,
    False,
    Every,
    Contains,
    If,
    In,
    LogicalAnd,
    LogicalOr,
    Number,
    String,
    TemplatePart,
    TemplateEnd,
    RawTemplatePart,
    RawTemplateEnd,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Comma,
    Colon,
    Plus,
    Minus,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Unify,
    Equal,
    Assign,
    Neq,
    Gt,
    Lt,
    Gte,
    Lte,
    Dot,
    Semicolon,
}

impl Kind {
    /// Returns the name that messages show.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Eof => "eof",
            Self::Space => "whitespace",
            Self::Ident => "identifier",
            Self::Package => "package",
            Self::Import => "import",
            Self::As => "as",
            Self::Default => "default",
            Self::Else => "else",
            Self::Not => "not",
            Self::Some => "some",
            Self::With => "with",
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
            Self::Every => "every",
            Self::Contains => "contains",
            Self::If => "if",
            Self::In => "in",
            Self::LogicalAnd | Self::And => "and",
            Self::LogicalOr | Self::Or => "or",
            Self::Number => "number",
            Self::String => "string",
            Self::TemplatePart => "template-string-part",
            Self::TemplateEnd => "template-string-end",
            Self::RawTemplatePart => "raw-template-string-part",
            Self::RawTemplateEnd => "raw-template-string-end",
            _ => self.sign(),
        }
    }

    /// Returns the name of a kind that is made of signs.
    fn sign(self) -> &'static str {
        match self {
            Self::LBrack => "[",
            Self::RBrack => "]",
            Self::LBrace => "{",
            Self::RBrace => "}",
            Self::LParen => "(",
            Self::RParen => ")",
            Self::Comma => ",",
            Self::Colon => ":",
            Self::Plus => "plus",
            Self::Minus => "minus",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Rem => "rem",
            Self::Unify => "eq",
            Self::Equal => "equal",
            Self::Assign => "assign",
            Self::Neq => "neq",
            Self::Gt => "gt",
            Self::Lt => "lt",
            Self::Gte => "gte",
            Self::Lte => "lte",
            Self::Dot => ".",
            Self::Semicolon => ";",
            _ => "unknown",
        }
    }

    /// Tells whether this is a keyword, of any version.
    pub(crate) fn is_keyword(self) -> bool {
        (Self::Package as u8..=Self::LogicalOr as u8).contains(&(self as u8))
    }

    /// Returns the infix operator of this sign with its binding strength, 2 to 6.
    pub(crate) fn infix(self) -> Option<(InfixOp, u8)> {
        Some(match self {
            Self::Equal => (InfixOp::Equal, RELATION),
            Self::Neq => (InfixOp::Neq, RELATION),
            Self::Lt => (InfixOp::Lt, RELATION),
            Self::Gt => (InfixOp::Gt, RELATION),
            Self::Lte => (InfixOp::Lte, RELATION),
            Self::Gte => (InfixOp::Gte, RELATION),
            Self::Or => (InfixOp::Or, 3),
            Self::And => (InfixOp::And, 4),
            Self::Plus => (InfixOp::Plus, 5),
            Self::Minus => (InfixOp::Minus, 5),
            Self::Mul => (InfixOp::Mul, FACTOR),
            Self::Div => (InfixOp::Div, FACTOR),
            Self::Rem => (InfixOp::Rem, FACTOR),
            _ => return None,
        })
    }
}

/// Binding strength of the loosest signs; `in` is looser still.
pub(crate) const RELATION: u8 = 2;
/// Binding strength of the tightest signs.
pub(crate) const FACTOR: u8 = 6;

/// Is a token: its kind and place, and what stood before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// For a keyword that may be off this is the keyword.
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
}

impl Token {
    /// White space or a comment stands before it.
    pub(crate) const SPACE: u8 = 1;
    /// A line break stands before it.
    pub(crate) const NEWLINE: u8 = 2;
    /// A comment stands before it.
    pub(crate) const COMMENT: u8 = 4;
    /// Is a piece of a template that follows an expression.
    pub(crate) const CONTINUED: u8 = 8;

    pub(crate) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Returns the keyword that a word is in some version.
pub(crate) fn keyword(word: &[u8]) -> Option<Kind> {
    if !(2..=8).contains(&word.len()) {
        return None;
    }
    Some(match word {
        b"package" => Kind::Package,
        b"import" => Kind::Import,
        b"as" => Kind::As,
        b"default" => Kind::Default,
        b"else" => Kind::Else,
        b"not" => Kind::Not,
        b"some" => Kind::Some,
        b"with" => Kind::With,
        b"null" => Kind::Null,
        b"true" => Kind::True,
        b"false" => Kind::False,
        b"every" => Kind::Every,
        b"contains" => Kind::Contains,
        b"if" => Kind::If,
        b"in" => Kind::In,
        b"and" => Kind::LogicalAnd,
        b"or" => Kind::LogicalOr,
        _ => return None,
    })
}

/// Returns the set that must be on for a keyword to be one; `None` if it always is.
pub(crate) fn gate(kind: Kind) -> Option<Keywords> {
    Some(match kind {
        Kind::Every => Keywords::EVERY,
        Kind::Contains => Keywords::CONTAINS,
        Kind::If => Keywords::IF,
        Kind::In => Keywords::IN,
        Kind::LogicalAnd => Keywords::AND,
        Kind::LogicalOr => Keywords::OR,
        _ => return None,
    })
}

/// Returns the keyword that can be imported from `future.keywords` under a name.
pub(crate) fn importable(name: &str) -> Option<Keywords> {
    if name == "not" {
        return Some(Keywords::NOT);
    }
    gate(keyword(name.as_bytes())?)
}

/// Tells whether a word is a keyword of V1, where it cannot name a rule.
pub(crate) fn is_v1_keyword(word: &str) -> bool {
    keyword(word.as_bytes()).is_some_and(|kind| !matches!(kind, Kind::LogicalAnd | Kind::LogicalOr))
}

/// Tells whether a word is a keyword that V2 adds to those of V1.
pub(crate) fn is_v2_keyword(word: &str) -> bool {
    matches!(word, "and" | "or")
}
