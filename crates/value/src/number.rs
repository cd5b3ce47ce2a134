//! Rego's numbers: exact integers of any size and floats of a 64-bit mantissa.
//!
//! A number value is a text; arithmetic reads texts, computes and writes texts.
//! [`Number`] is the computed side: what a text stands for while an operation
//! runs. Results are in their narrowest form, so that a result's text read
//! again gives the same number. Comparison and membership work on texts and
//! live in `compare`. This module must not know how values are laid out, nor
//! built-ins; sizes are bounded here so that no operation runs without end.

mod accumulate;
mod compare;
mod error;
mod f64_text;
mod integer;
mod shortest;
mod soft_float;
mod text;

use std::borrow::Cow;
use std::fmt::Write;

use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};

use shortest::{shortest_digits, write_general, write_plain};
use text::{Decimal, ShortDecimal, plain_decimal};

pub use accumulate::{Product, Sum};
pub use compare::{
    MembershipKey, compare_int_text, compare_text, equal_text, int_membership_key, membership_key,
    order_text, same_member,
};
pub use error::{NumberError, NumberErrorKind, NumberTextFault};
pub use f64_text::{FloatForm, format_f64};
pub use integer::{
    INTEGER_BITS_MAX, IntegerRange, bits_and, bits_lsh, bits_negate, bits_or, bits_rsh, bits_xor, format_int,
};
pub use soft_float::{Magnitude, SoftFloat};
pub use text::{
    NumeralFault, canonical_i64, check_json_number, check_literal, check_numeral, int_value, text_to_f64,
    to_f64,
};

/// The greatest binary exponent, either way, of a float that is computed with.
const FLOAT_EXPONENT_MAX: u32 = 1 << 22;

/// A bound of the decimal exponents of these floats.
const MAGNITUDE_MAX: u64 = 1_300_000;
/// No decimal exponent of less than this is too small for a float.
const SURELY_FLOAT: i64 = 500_000_000;

/// A number during computation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// An integer that fits.
    Int(i64),
    /// An integer that does not fit an `i64`.
    Big(BigInt),
    /// A number that is not an integer; and negative zero, which is one.
    Float(SoftFloat),
}

impl Number {
    /// Reads a number text; `None` when it is none or beyond what is computed
    /// with. An exponent is expanded only as far as the size limits allow.
    #[must_use]
    #[inline]
    pub fn parse(text: &str) -> Option<Self> {
        match ShortDecimal::scan(text.as_bytes()) {
            Some(short) => Some(Self::from_short(short)),
            None => Self::parse_slow(text),
        }
    }

    #[inline]
    fn from_short(short: ShortDecimal) -> Self {
        let ShortDecimal { negative, mantissa, places } = short;
        let unit = text::power_of_ten(places).unwrap_or(1);
        // At most 18 digits.
        match i64::try_from(mantissa / unit) {
            Ok(0) if mantissa == 0 && negative => Self::Float(SoftFloat::NEGATIVE_ZERO),
            Ok(value) if mantissa % unit == 0 => Self::Int(if negative { -value } else { value }),
            _ => match SoftFloat::from_small_decimal(negative, mantissa, -i64::from(places)) {
                Magnitude::Finite(float) => Self::Float(float),
                _ => Self::Int(0),
            },
        }
    }

    fn parse_slow(text: &str) -> Option<Self> {
        if let Some(decimal) = Decimal::scan(text.as_bytes()) {
            return Self::from_decimal(&decimal);
        }
        let plain = plain_decimal(text)?;
        Self::from_decimal(&Decimal::scan(plain.as_bytes())?)
    }

    fn from_decimal(decimal: &Decimal<'_>) -> Option<Self> {
        if decimal.is_zero() {
            return Some(if decimal.negative { Self::Float(SoftFloat::NEGATIVE_ZERO) } else { Self::Int(0) });
        }
        if decimal.magnitude().unsigned_abs() > MAGNITUDE_MAX && decimal.scale() > -SURELY_FLOAT {
            return None;
        }
        if let Some(integer) = integer::exact_integer(decimal) {
            return Self::from_big(integer).ok();
        }
        match SoftFloat::from_decimal(decimal) {
            // Too small for any float: zero, but no integer.
            Magnitude::Finite(float) if float.is_zero() => Some(Self::Float(SoftFloat::ZERO)),
            Magnitude::Finite(float) if !is_out_of_range(&float) => Some(Self::Float(float)),
            _ => None,
        }
    }

    /// Returns the number's text as results are written: integers in plain
    /// digits, others as the shortest decimal, with an exponent when that is
    /// below -4 or above 5.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write_text(&mut out);
        out
    }

    /// Appends the number's text; see [`Number::to_text`].
    pub fn write_text(&self, out: &mut String) {
        match self {
            // Writing to a string does not fail.
            Self::Int(value) => drop(write!(out, "{value}")),
            Self::Big(value) => drop(write!(out, "{value}")),
            Self::Float(float) => write_float(float, 64, out),
        }
    }

    /// Returns the integer if it fits.
    #[must_use]
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Big(_) => None,
            Self::Float(_) => self.is_integer().then_some(0),
        }
    }

    /// Returns the nearest `f64`, or `None` beyond its range.
    #[must_use]
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is wanted")]
            Self::Int(value) => Some(*value as f64),
            _ => text_to_f64(&self.to_text()),
        }
    }

    /// Reports whether the number is an integer.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match self {
            Self::Int(_) | Self::Big(_) => true,
            Self::Float(float) => float.is_zero() && float.is_negative(),
        }
    }

    /// Returns the integer of any size, if the number is one.
    #[must_use]
    pub fn to_big_int(&self) -> Option<BigInt> {
        self.as_big_int().map(Cow::into_owned)
    }

    fn as_big_int(&self) -> Option<Cow<'_, BigInt>> {
        match self {
            Self::Int(value) => Some(Cow::Owned(BigInt::from(*value))),
            Self::Big(value) => Some(Cow::Borrowed(value)),
            Self::Float(_) => self.is_integer().then_some(Cow::Owned(BigInt::ZERO)),
        }
    }

    /// Returns the number of an integer.
    ///
    /// # Errors
    /// The integer has more than [`INTEGER_BITS_MAX`] bits.
    pub fn from_big(value: BigInt) -> Result<Self, NumberError> {
        if let Some(small) = value.to_i64() {
            return Ok(Self::Int(small));
        }
        if value.bits() > INTEGER_BITS_MAX {
            return Err(NumberErrorKind::TooLarge.into());
        }
        Ok(Self::Big(value))
    }

    /// Returns the float nearest to the number.
    ///
    /// # Errors
    /// The number is beyond the range of floats.
    pub fn to_soft_float(&self) -> Result<SoftFloat, NumberError> {
        match self {
            Self::Int(value) => Ok(SoftFloat::from_i64(*value)),
            Self::Big(value) => SoftFloat::from_big(value).ok_or_else(|| NumberErrorKind::TooLarge.into()),
            Self::Float(float) => Ok(*float),
        }
    }

    /// Returns the number that the float's text stands for: an integral float
    /// beyond 64 bits is cut to its shortest digits.
    ///
    /// # Errors
    /// The float is beyond the range that is computed with.
    pub fn from_soft_float(float: SoftFloat) -> Result<Self, NumberError> {
        if float.is_zero() {
            return Ok(if float.is_negative() { Self::Float(float) } else { Self::Int(0) });
        }
        if is_out_of_range(&float) {
            return Err(NumberErrorKind::TooLarge.into());
        }
        let is_power_of_two = float.mantissa() == 1 << 63;
        if float.is_integral() {
            if float.exponent() > 64 {
                return Self::from_rounded(float, 64);
            }
            let integer = float.truncate().ok_or(NumberErrorKind::TooLarge)?;
            return Self::from_big(integer);
        }
        // Below a power of two floats are closer, and the shortest text may be
        // that of the next one.
        if is_power_of_two && float.exponent() < -26 {
            return Self::from_rounded(float, 64);
        }
        Ok(Self::Float(float))
    }

    /// Returns the number that the shortest text of a float with so many bits
    /// stands for.
    fn from_rounded(float: SoftFloat, bits: u32) -> Result<Self, NumberError> {
        if is_out_of_range(&float) {
            return Err(NumberErrorKind::TooLarge.into());
        }
        let mut out = String::new();
        write_float(&float, bits, &mut out);
        Self::parse(&out).ok_or_else(|| NumberErrorKind::TooLarge.into())
    }
}

fn is_out_of_range(float: &SoftFloat) -> bool {
    float.exponent().unsigned_abs() > FLOAT_EXPONENT_MAX
}

fn write_float(float: &SoftFloat, bits: u32, out: &mut String) {
    if float.is_negative() {
        out.push('-');
    }
    let digits = shortest_digits(float, bits);
    if float.is_integral() {
        write_plain(&digits, out);
    } else {
        write_general(&digits, out);
    }
}

/// Arithmetic. Two integers that fit take the inlined way.
impl Number {
    /// Returns the sum.
    ///
    /// # Errors
    /// The sum is beyond the size limits.
    #[inline]
    pub fn add(&self, other: &Self) -> Result<Self, NumberError> {
        if let (Self::Int(x), Self::Int(y)) = (self, other)
            && let Some(sum) = x.checked_add(*y)
        {
            return Ok(Self::Int(sum));
        }
        self.wide(other, |x, y| x + y, SoftFloat::add)
    }

    /// Returns the difference.
    ///
    /// # Errors
    /// The difference is beyond the size limits.
    #[inline]
    pub fn sub(&self, other: &Self) -> Result<Self, NumberError> {
        if let (Self::Int(x), Self::Int(y)) = (self, other)
            && let Some(difference) = x.checked_sub(*y)
        {
            return Ok(Self::Int(difference));
        }
        self.wide(other, |x, y| x - y, SoftFloat::sub)
    }

    /// Returns the product.
    ///
    /// # Errors
    /// The product is beyond the size limits.
    #[inline]
    pub fn mul(&self, other: &Self) -> Result<Self, NumberError> {
        if let (Self::Int(x), Self::Int(y)) = (self, other)
            && let Some(product) = x.checked_mul(*y)
        {
            return Ok(Self::Int(product));
        }
        if let (Self::Big(x), Self::Big(y)) = (self, other)
            && x.bits() + y.bits() > INTEGER_BITS_MAX
        {
            return Err(NumberErrorKind::TooLarge.into());
        }
        self.wide(other, |x, y| x * y, SoftFloat::mul)
    }

    #[cold]
    fn wide(
        &self,
        other: &Self,
        exact: fn(&BigInt, &BigInt) -> BigInt,
        float: fn(SoftFloat, SoftFloat) -> SoftFloat,
    ) -> Result<Self, NumberError> {
        if let (Some(x), Some(y)) = (self.as_big_int(), other.as_big_int()) {
            return Self::from_big(exact(&x, &y));
        }
        Self::from_soft_float(float(self.to_soft_float()?, other.to_soft_float()?))
    }

    /// Returns the quotient: an integer where the division is exact, else a
    /// float, also for integers of any size.
    ///
    /// # Errors
    /// The divisor is zero, or the quotient is beyond the size limits.
    #[inline]
    pub fn div(&self, other: &Self) -> Result<Self, NumberError> {
        // The quotient of zero has a sign, so it is a float.
        if let (Self::Int(x), Self::Int(y)) = (self, other)
            && *x != 0
            && x.checked_rem(*y) == Some(0)
        {
            return Ok(Self::Int(x / y));
        }
        self.div_float(other)
    }

    #[cold]
    fn div_float(&self, other: &Self) -> Result<Self, NumberError> {
        let divisor = other.to_soft_float()?;
        if divisor.is_zero() {
            return Err(NumberErrorKind::DivideByZero.into());
        }
        Self::from_soft_float(self.to_soft_float()?.div(divisor))
    }

    /// Returns the remainder, which has the sign of the dividend.
    ///
    /// # Errors
    /// The divisor is zero, or an operand is not an integer.
    #[inline]
    pub fn rem(&self, other: &Self) -> Result<Self, NumberError> {
        if let (Self::Int(x), Self::Int(y)) = (self, other)
            && let Some(rest) = x.checked_rem(*y)
        {
            return Ok(Self::Int(rest));
        }
        self.rem_wide(other)
    }

    #[cold]
    fn rem_wide(&self, other: &Self) -> Result<Self, NumberError> {
        let (Some(x), Some(y)) = (self.as_big_int(), other.as_big_int()) else {
            return Err(NumberErrorKind::ModuloOnFloat.into());
        };
        if y.is_zero() {
            return Err(NumberErrorKind::ModuloByZero.into());
        }
        Self::from_big(&*x % &*y)
    }

    /// Returns zero minus the number.
    ///
    /// # Errors
    /// The result is beyond the size limits.
    #[inline]
    pub fn neg(&self) -> Result<Self, NumberError> {
        Self::Int(0).sub(self)
    }

    /// Returns the magnitude; an integer that does not fit an `i64` is rounded
    /// to a float.
    ///
    /// # Errors
    /// The number is beyond the range of floats.
    #[inline]
    pub fn abs(&self) -> Result<Self, NumberError> {
        if let Self::Int(value) = self
            && let Some(magnitude) = value.checked_abs()
        {
            return Ok(Self::Int(magnitude));
        }
        Self::from_soft_float(self.to_soft_float()?.abs())
    }

    /// Returns the nearest integer, halves away from zero. An integer that does
    /// not fit an `i64` is rounded to a float, and that is written out.
    ///
    /// # Errors
    /// The number is beyond the range of floats.
    #[inline]
    pub fn round(&self) -> Result<Self, NumberError> {
        if let Self::Int(value) = self {
            return Ok(Self::Int(*value));
        }
        let float = self.to_soft_float()?;
        let half = SoftFloat::from_i64(1).div(SoftFloat::from_i64(2));
        let moved = if float.is_negative() { float.sub(half) } else { float.add(half) };
        truncated(moved)
    }

    /// Returns the integer above a number, with the peer's exception: between
    /// -1 and 0 it is 1.
    ///
    /// # Errors
    /// The number is beyond the range of floats.
    #[inline]
    pub fn ceil(&self) -> Result<Self, NumberError> {
        self.outward(1)
    }

    /// Returns the integer below a number, with the peer's exception: between
    /// -1 and 0 it is 0.
    ///
    /// # Errors
    /// The number is beyond the range of floats.
    #[inline]
    pub fn floor(&self) -> Result<Self, NumberError> {
        self.outward(-1)
    }

    /// The integer part, moved by `step` when that is the way its sign leaves.
    fn outward(&self, step: i64) -> Result<Self, NumberError> {
        if let Self::Int(value) = self {
            return Ok(Self::Int(*value));
        }
        let float = self.to_soft_float()?;
        let whole = float.truncate().ok_or(NumberErrorKind::TooLarge)?;
        // Zero, also one cut from a negative number, counts as positive.
        let negative = whole.sign() == Sign::Minus;
        if float.is_integral() || negative == (step > 0) {
            return Self::from_big(whole);
        }
        Self::from_big(whole + step)
    }
}

fn truncated(float: SoftFloat) -> Result<Number, NumberError> {
    Number::from_big(float.truncate().ok_or(NumberErrorKind::TooLarge)?)
}

#[cfg(test)]
mod tests;
