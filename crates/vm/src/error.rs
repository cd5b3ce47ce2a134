//! What can go wrong while deciding, with OPA's codes and texts.
//!
//! Apart because callers match on codes and users read the texts. It names places in policies and nothing of the
//! machine.

use std::fmt;

/// OPA's code of an evaluation error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorCode {
    /// `eval_internal_error`
    Internal,
    /// `eval_cancel_error`: a deadline or a limit.
    Cancel,
    /// `eval_conflict_error`
    Conflict,
    /// `eval_type_error`
    Type,
    /// `eval_builtin_error`
    Builtin,
    /// `eval_with_merge_error`
    WithMerge,
}

impl ErrorCode {
    /// Returns the code as OPA writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Internal => "eval_internal_error",
            Self::Cancel => "eval_cancel_error",
            Self::Conflict => "eval_conflict_error",
            Self::Type => "eval_type_error",
            Self::Builtin => "eval_builtin_error",
            Self::WithMerge => "eval_with_merge_error",
        }
    }
}

/// Why an evaluation ended without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalError {
    code: ErrorCode,
    message: String,
    position: Option<Position>,
}

/// Where in the policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The file's name.
    pub file: String,
    /// Row from 1.
    pub row: u32,
    /// Column from 1.
    pub col: u32,
}

impl EvalError {
    /// Returns an error.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), position: None }
    }

    pub(crate) fn at(mut self, position: Option<Position>) -> Self {
        if self.position.is_none() {
            self.position = position;
        }
        self
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The text without code and place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The place.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(it) = &self.position {
            if it.file.is_empty() {
                write!(f, "{}:{}: ", it.row, it.col)?;
            } else {
                write!(f, "{}:{}: ", it.file, it.row)?;
            }
        }
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for EvalError {}
