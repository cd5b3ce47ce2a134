//! The faults of number operations.
//!
//! One opaque error with a kind serves every operation of this module. The
//! text of each kind is the text that policies' authors know, without the name
//! of the built-in, which only the caller knows. This file must not know
//! values, built-ins or how an error becomes undefined.

use std::fmt;

/// What went wrong in a number operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberErrorKind {
    /// The divisor of a division is zero.
    DivideByZero,
    /// The divisor of a remainder is zero.
    ModuloByZero,
    /// A remainder has an operand that is not an integer.
    ModuloOnFloat,
    /// The operand at this position (from 1) must be an integer and is not.
    NotInteger(u8),
    /// The second operand of a shift is negative.
    NegativeShift,
    /// The base of an integer's text is none of 2, 8, 10 and 16.
    UnknownBase,
    /// The step of a range is zero or negative.
    StepNotPositive,
    /// The result, or an operand, is beyond the size this engine computes with.
    TooLarge,
}

/// The fault of a number operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberError {
    kind: NumberErrorKind,
}

impl NumberError {
    /// Returns what went wrong.
    #[must_use]
    pub fn kind(&self) -> NumberErrorKind {
        self.kind
    }

    /// Reports whether the fault lies in an operand's type rather than in its
    /// value; such faults have a different error code.
    #[must_use]
    pub fn is_operand_fault(&self) -> bool {
        matches!(
            self.kind,
            NumberErrorKind::NotInteger(_) | NumberErrorKind::NegativeShift | NumberErrorKind::UnknownBase
        )
    }
}

impl From<NumberErrorKind> for NumberError {
    fn from(kind: NumberErrorKind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            NumberErrorKind::DivideByZero => f.write_str("divide by zero"),
            NumberErrorKind::ModuloByZero => f.write_str("modulo by zero"),
            NumberErrorKind::ModuloOnFloat => f.write_str("modulo on floating-point number"),
            NumberErrorKind::NotInteger(position) => {
                write!(f, "operand {position} must be integer number but got floating-point number")
            }
            NumberErrorKind::NegativeShift => {
                f.write_str("operand 2 must be an unsigned integer number but got a negative integer")
            }
            NumberErrorKind::UnknownBase => f.write_str("operand 2 must be one of {2, 8, 10, 16}"),
            NumberErrorKind::StepNotPositive => f.write_str("step must be a positive integer"),
            NumberErrorKind::TooLarge => f.write_str("number too big"),
        }
    }
}

impl std::error::Error for NumberError {}

/// Why a text is not a number that can be computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberTextFault {
    /// The text is no number, or its exponent is beyond any float.
    Invalid,
    /// The text is a number with a magnitude that is refused.
    TooBig,
}

impl fmt::Display for NumberTextFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invalid => "invalid float",
            Self::TooBig => "number too big",
        })
    }
}

impl std::error::Error for NumberTextFault {}
