//! The tokens of GraphQL, as texts of faults show them.
//!
//! Apart from the scanner because parser and texts of faults name them too. The words for the kinds are gqlparser's,
//! for its texts are what users see.

use std::borrow::Cow;

use crate::go::quote::quote;
use crate::graphql::fault::Position;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Invalid,
    End,
    Bang,
    Dollar,
    Amp,
    ParenLeft,
    ParenRight,
    Spread,
    Colon,
    Equals,
    At,
    BracketLeft,
    BracketRight,
    BraceLeft,
    BraceRight,
    Pipe,
    Name,
    Int,
    Float,
    String,
    BlockString,
    Comment,
}

impl TokenKind {
    /// Returns how texts name the kind.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Self::Invalid => "<Invalid>",
            Self::End => "<EOF>",
            Self::Bang => "!",
            Self::Dollar => "$",
            Self::Amp => "&",
            Self::ParenLeft => "(",
            Self::ParenRight => ")",
            Self::Spread => "...",
            Self::Colon => ":",
            Self::Equals => "=",
            Self::At => "@",
            Self::BracketLeft => "[",
            Self::BracketRight => "]",
            Self::BraceLeft => "{",
            Self::BraceRight => "}",
            Self::Pipe => "|",
            Self::Name => "Name",
            Self::Int => "Int",
            Self::Float => "Float",
            Self::String => "String",
            Self::BlockString => "BlockString",
            Self::Comment => "Comment",
        }
    }
}

/// A token.
#[derive(Clone, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: TokenKind,
    /// Empty for marks; what a string says, without quotes and escapes.
    pub(crate) text: Cow<'s, str>,
    pub(crate) position: Position,
}

impl Token<'_> {
    /// Returns the kind, and the text if there is one.
    pub(crate) fn shown(&self) -> String {
        if self.text.is_empty() {
            return self.kind.shown().to_owned();
        }
        format!("{} {}", self.kind.shown(), quote(&self.text))
    }
}
