//! The error of a pattern that Go refuses, with Go's wording.
//!
//! Apart from the parser because built-ins print it and tests compare it; it knows nothing
//! of how patterns are read.

use std::fmt;

/// Says why a pattern was refused; displays as Go's `error parsing regexp: …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {kind}: `{expr}`")]
pub struct RegexError {
    kind: RegexErrorKind,
    expr: String,
}

impl RegexError {
    pub(super) fn new(kind: RegexErrorKind, expr: &str) -> Self {
        Self { kind, expr: expr.to_owned() }
    }

    /// Returns the kind of fault.
    pub fn kind(&self) -> RegexErrorKind {
        self.kind
    }

    /// Returns the part of the pattern that is at fault.
    pub fn expr(&self) -> &str {
        &self.expr
    }
}

/// The faults a pattern can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegexErrorKind {
    /// A class range out of order or an unknown class name.
    InvalidCharRange,
    /// An escape Go does not know.
    InvalidEscape,
    /// A group name that is not a word.
    InvalidNamedCapture,
    /// An unknown `(?` construct.
    InvalidPerlOp,
    /// A repetition of a repetition.
    InvalidRepeatOp,
    /// A repeat count above 1,000, also by nesting.
    InvalidRepeatSize,
    /// A class without its end.
    MissingBracket,
    /// A group without its end.
    MissingParen,
    /// A repetition of nothing.
    MissingRepeatArgument,
    /// A backslash at the end.
    TrailingBackslash,
    /// A closing parenthesis without its group.
    UnexpectedParen,
    /// More than 1,000 levels of nesting.
    NestingDepth,
    /// A pattern that needs too much memory.
    TooLarge,
}

impl fmt::Display for RegexErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidCharRange => "invalid character class range",
            Self::InvalidEscape => "invalid escape sequence",
            Self::InvalidNamedCapture => "invalid named capture",
            Self::InvalidPerlOp => "invalid or unsupported Perl syntax",
            Self::InvalidRepeatOp => "invalid nested repetition operator",
            Self::InvalidRepeatSize => "invalid repeat count",
            Self::MissingBracket => "missing closing ]",
            Self::MissingParen => "missing closing )",
            Self::MissingRepeatArgument => "missing argument to repetition operator",
            Self::TrailingBackslash => "trailing backslash at end of expression",
            Self::UnexpectedParen => "unexpected )",
            Self::NestingDepth => "expression nests too deeply",
            Self::TooLarge => "expression too large",
        })
    }
}
