//! The errors of built-ins, with OPA's codes and texts.
//!
//! The engine decides what an error does: undefined by default, fatal under strict built-in errors.

use std::borrow::Cow;

use lictor_value::{Kind, Value};

/// What went wrong in a built-in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// An operand of the wrong type: `eval_type_error`.
    Type,
    /// A bad value: `eval_builtin_error`.
    Value,
    /// Ends the evaluation even without strict built-in errors, as `eval_conflict_error`.
    HaltConflict,
    /// Ends the evaluation, as `eval_cancel_error`.
    HaltCancel,
    /// Ends the evaluation, as `eval_internal_error`.
    HaltInternal,
}

impl ErrorKind {
    /// Returns OPA's code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Type => "eval_type_error",
            Self::Value => "eval_builtin_error",
            Self::HaltConflict => "eval_conflict_error",
            Self::HaltCancel => "eval_cancel_error",
            Self::HaltInternal => "eval_internal_error",
        }
    }

    /// Says whether the error ends the evaluation even without strict built-in errors.
    #[must_use]
    pub fn halts(self) -> bool {
        matches!(self, Self::HaltConflict | Self::HaltCancel | Self::HaltInternal)
    }
}

/// The error of one call. The text stands without the built-in's name: the engine puts `name: ` before that of an
/// error that does not halt.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct BuiltinError {
    kind: ErrorKind,
    message: Cow<'static, str>,
}

impl BuiltinError {
    /// Returns an error of a kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the error of a bad value.
    #[must_use]
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Value, message)
    }

    /// Returns the error of an operand (counted from 1) whose type is not the one expected.
    #[must_use]
    #[cold]
    pub fn operand(position: usize, expected: &[&str], got: Value<'_>) -> Self {
        let got = got.kind().name();
        let message = match expected {
            [one] => format!("operand {position} must be {one} but got {got}"),
            several => format!("operand {position} must be one of {{{}}} but got {got}", several.join(", ")),
        };
        Self::new(ErrorKind::Type, message)
    }

    /// Returns the error of an operand (counted from 1) that fails a rule that the text states.
    #[must_use]
    #[cold]
    pub fn operand_text(position: usize, text: &str) -> Self {
        Self::new(ErrorKind::Type, format!("operand {position} {text}"))
    }

    /// Returns the error of an element of a wrong type inside an operand, as OPA words it.
    #[must_use]
    #[cold]
    pub fn element(position: usize, container: Kind, expected: &[&str], got: Kind) -> Self {
        let (container, got) = (container.name(), got.name());
        let message = match expected {
            [one] => format!(
                "operand {position} must be {container} of {one}s but got {container} containing {got}"
            ),
            several => format!(
                "operand {position} must be {container} of (any of) {{{}}} but got {container} containing {got}",
                several.join(", ")
            ),
        };
        Self::new(ErrorKind::Type, message)
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}
