//! A binary float with a 64-bit mantissa: the arithmetic of numbers that are
//! not integers.
//!
//! Every operation rounds once, half to even. Exponents are far wider than an
//! `f64`'s; [`super::Number`] bounds them. Decimals are read with powers of
//! five that are themselves rounded (to 128 bits), because that decides the
//! last bit of some texts of more than 55 decimal places. No infinities, no
//! NaN. This file must not know number texts or integers' limits.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::ToPrimitive;

use super::text::{Decimal, digits_of, digits_to_u64};

/// The mantissa's width.
const MANTISSA_BITS: u32 = 64;
/// The width that a product of many numbers is kept at.
pub(super) const PRODUCT_BITS: u32 = 53;
/// The most digits of a text that are read, more than any tie between floats
/// within the reading limit has.
const DIGITS_MAX: usize = 200_000;
/// The same as a power of ten.
const DIGITS_MAX_SCALE: i64 = 200_000;
/// The top bit, set in the mantissa of every number but zero.
const TOP: u64 = 1 << 63;

/// A float of 64 mantissa bits; see the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoftFloat {
    /// Zero, or with its top bit set.
    mantissa: u64,
    /// The value is `mantissa / 2^64 * 2^exponent`.
    exponent: i32,
    negative: bool,
}

/// What a decimal text is as a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Magnitude {
    /// A number, perhaps zero because it was too small.
    Finite(SoftFloat),
    /// Beyond the greatest float.
    Infinite,
    /// The exponent is out of any range.
    Invalid,
}

/// An unsigned value `mantissa * 2^exponent` on its way to being rounded.
struct Wide {
    mantissa: BigUint,
    exponent: i64,
}

impl SoftFloat {
    /// Positive zero.
    pub const ZERO: Self = Self { mantissa: 0, exponent: 0, negative: false };
    /// Negative zero.
    pub const NEGATIVE_ZERO: Self = Self { mantissa: 0, exponent: 0, negative: true };

    /// Reports whether this is zero of either sign.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.mantissa == 0
    }

    /// Reports the sign bit, which zero has too.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns `e` with `2^(e-1) <= |value| < 2^e`, zero for zero.
    #[must_use]
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    /// Returns the mantissa, whose top bit is set unless this is zero.
    #[must_use]
    pub fn mantissa(&self) -> u64 {
        self.mantissa
    }

    /// Reports whether the value has no fraction.
    #[must_use]
    pub fn is_integral(&self) -> bool {
        let fraction_bits = i64::from(MANTISSA_BITS) - i64::from(self.exponent);
        self.mantissa == 0 || i64::from(self.mantissa.trailing_zeros()) >= fraction_bits
    }

    /// Returns the value of an integer, exactly.
    #[must_use]
    pub fn from_i64(value: i64) -> Self {
        Self::from_u64(value < 0, value.unsigned_abs())
    }

    /// Returns an integer given by sign and magnitude, exactly.
    #[must_use]
    pub fn from_u64(negative: bool, magnitude: u64) -> Self {
        if magnitude == 0 {
            return Self { negative, ..Self::ZERO };
        }
        let shift = magnitude.leading_zeros();
        Self { mantissa: magnitude << shift, exponent: 64 - i32::try_from(shift).unwrap_or(0), negative }
    }

    /// Returns the float nearest to an integer, unless its size is out of range.
    #[must_use]
    pub fn from_big(value: &BigInt) -> Option<Self> {
        let negative = value.sign() == Sign::Minus;
        match round_big(negative, value.magnitude(), 0, false) {
            Magnitude::Finite(float) => Some(float),
            _ => None,
        }
    }

    /// Returns the float that a decimal text stands for.
    pub(super) fn from_decimal(decimal: &Decimal<'_>) -> Magnitude {
        let (int, frac) = decimal.significant();
        let negative = decimal.negative;
        if int.is_empty() && frac.is_empty() {
            return Magnitude::Finite(Self { negative, ..Self::ZERO });
        }
        let scale = decimal.scale();
        if int.len() + frac.len() <= 19 {
            let high = digits_to_u64(int).unwrap_or(0);
            let value = frac.iter().fold(high, |value, byte| value * 10 + u64::from(byte - b'0'));
            return Self::from_small_decimal(negative, value, scale);
        }
        let (int, frac, rest_is_zero) = keep_digits(int, frac);
        if rest_is_zero.is_none() {
            return scale_by_ten(negative, &digits_of(int, frac), scale);
        }
        // A digit that is not zero stands for the rest that is not.
        let sticky = BigUint::from(u8::from(rest_is_zero == Some(false)));
        let kept = digits_of(int, frac) * 10_u8 + sticky;
        let scale = decimal.magnitude().saturating_sub(DIGITS_MAX_SCALE + 1);
        scale_by_ten(negative, &kept, scale)
    }

    /// `value * 10^scale`, in machine words where the power of five fits one.
    pub(super) fn from_small_decimal(negative: bool, value: u64, scale: i64) -> Magnitude {
        let magnitude = Self::from_u64(negative, value);
        if scale == 0 {
            return Magnitude::Finite(magnitude);
        }
        let Some(power) = u32::try_from(scale.unsigned_abs()).ok().and_then(|power| 5_u64.checked_pow(power))
        else {
            return scale_by_ten(negative, &BigUint::from(value), scale);
        };
        let five = Self::from_u64(false, power);
        let scaled = if scale > 0 { magnitude.mul(five) } else { magnitude.div(five) };
        let shift = i32::try_from(scale).unwrap_or(0);
        Magnitude::Finite(Self { exponent: scaled.exponent + shift, ..scaled })
    }

    /// Returns the sum.
    #[must_use]
    pub(super) fn add(self, other: Self) -> Self {
        if other.is_zero() {
            // Only the sum of two negative zeros is one.
            let negative = self.negative && (!self.is_zero() || other.negative);
            return Self { negative, ..self };
        }
        if self.is_zero() {
            return other;
        }
        let (big, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let distance = big.exponent.abs_diff(small.exponent);
        // Two bits are left above for the carry and 62 below the mantissa.
        let high = u128::from(big.mantissa) << 62;
        let low = u128::from(small.mantissa) << 62;
        let low = if distance > 126 {
            1
        } else {
            let kept = low >> distance;
            kept | u128::from(kept << distance != low)
        };
        let (negative, sum) = if big.negative == small.negative {
            (big.negative, high + low)
        } else if high >= low {
            (big.negative, high - low)
        } else {
            (small.negative, low - high)
        };
        if sum == 0 {
            return Self::ZERO;
        }
        let exponent = i64::from(big.exponent) - 126;
        assemble(negative, sum, exponent, false, MANTISSA_BITS)
    }

    /// Returns the difference.
    #[must_use]
    pub(super) fn sub(self, other: Self) -> Self {
        self.add(other.neg())
    }

    /// Returns the product.
    #[must_use]
    pub(super) fn mul(self, other: Self) -> Self {
        self.mul_rounded(other, MANTISSA_BITS)
    }

    /// Returns the product rounded to fewer mantissa bits.
    #[must_use]
    pub(super) fn mul_rounded(self, other: Self, bits: u32) -> Self {
        let negative = self.negative != other.negative;
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        if product == 0 {
            return Self { negative, ..Self::ZERO };
        }
        let exponent = i64::from(self.exponent) + i64::from(other.exponent) - 128;
        assemble(negative, product, exponent, false, bits)
    }

    /// Returns the quotient; a zero divisor gives zero, callers check before.
    #[must_use]
    pub(super) fn div(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        if self.is_zero() || other.is_zero() {
            return Self { negative, ..Self::ZERO };
        }
        let divisor = u128::from(other.mantissa);
        let dividend = u128::from(self.mantissa) << 64;
        let (quotient, rest) = (dividend / divisor, dividend % divisor);
        // One more bit, so that there is always one to round by.
        let next = u128::from(rest << 1 >= divisor);
        let sticky = (rest << 1) - next * divisor != 0;
        let exponent = i64::from(self.exponent) - i64::from(other.exponent) - 65;
        assemble(negative, quotient << 1 | next, exponent, sticky, MANTISSA_BITS)
    }

    /// Returns the number with the other sign.
    #[must_use]
    pub(super) fn neg(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    /// Returns the magnitude.
    #[must_use]
    pub(super) fn abs(self) -> Self {
        Self { negative: false, ..self }
    }

    /// Returns the integer part, unless it is too large to be written out.
    #[must_use]
    pub fn truncate(self) -> Option<BigInt> {
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        let shift = i64::from(self.exponent) - 64;
        let magnitude = if shift >= 0 {
            if shift.unsigned_abs() > super::INTEGER_BITS_MAX {
                return None;
            }
            BigUint::from(self.mantissa) << shift.unsigned_abs()
        } else if shift > -64 {
            BigUint::from(self.mantissa >> shift.unsigned_abs())
        } else {
            BigUint::ZERO
        };
        Some(BigInt::from_biguint(sign, magnitude))
    }
}

/// Rounds `value * 2^exponent` to the given mantissa bits, half to even.
/// `sticky` says that a nonzero rest below `value` was cut off; then `value`
/// has at least two bits more than are kept. Exponents stay in range because
/// those of all operands are bounded.
fn assemble(negative: bool, value: u128, exponent: i64, sticky: bool, bits: u32) -> SoftFloat {
    let (mantissa, exponent) = round(value, exponent, sticky, bits);
    SoftFloat {
        mantissa,
        exponent: i32::try_from(exponent).unwrap_or(if exponent < 0 { i32::MIN } else { i32::MAX }),
        negative,
    }
}

fn round(value: u128, exponent: i64, sticky: bool, bits: u32) -> (u64, i64) {
    let shift = value.leading_zeros();
    let value = value << shift;
    let mut exponent = exponent + 128 - i64::from(shift);
    let dropped = 128 - bits;
    let half = 1_u128 << (dropped - 1);
    let rest = value & ((1 << dropped) - 1);
    let kept = value >> dropped;
    let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
    let mut kept = kept + u128::from(up);
    if kept >> bits != 0 {
        kept >>= 1;
        exponent += 1;
    }
    let kept = u64::try_from(kept << (64 - bits)).unwrap_or(TOP);
    (kept, exponent)
}

/// Rounds `value * 2^exponent`, of any size, to a float.
fn round_big(negative: bool, value: &BigUint, exponent: i64, sticky: bool) -> Magnitude {
    let excess = value.bits().saturating_sub(128);
    let top = if excess == 0 { value.to_u128() } else { (value >> excess).to_u128() };
    let Some(top) = top.filter(|&top| top != 0) else {
        return Magnitude::Finite(SoftFloat { negative, ..SoftFloat::ZERO });
    };
    let cut = excess > 0 && value.trailing_zeros().unwrap_or(0) < excess;
    let Ok(excess) = i64::try_from(excess) else {
        return Magnitude::Infinite;
    };
    let (mantissa, exponent) = round(top, exponent.saturating_add(excess), sticky || cut, 64);
    match i32::try_from(exponent) {
        Ok(exponent) => Magnitude::Finite(SoftFloat { mantissa, exponent, negative }),
        Err(_) if exponent < 0 => Magnitude::Finite(SoftFloat { negative, ..SoftFloat::ZERO }),
        Err(_) => Magnitude::Infinite,
    }
}

/// Cuts digits off that are more than are read, and says whether those that
/// were cut off are all zeros (`None` if there were none).
fn keep_digits<'a>(int: &'a [u8], frac: &'a [u8]) -> (&'a [u8], &'a [u8], Option<bool>) {
    if int.len() + frac.len() <= DIGITS_MAX {
        return (int, frac, None);
    }
    let (int, int_rest) = int.split_at(int.len().min(DIGITS_MAX));
    let (frac, frac_rest) = frac.split_at(frac.len().min(DIGITS_MAX - int.len()));
    let zeros = int_rest.iter().chain(frac_rest).all(|&digit| digit == b'0');
    (int, frac, Some(zeros))
}

/// Returns `digits * 10^scale`.
fn scale_by_ten(negative: bool, digits: &BigUint, scale: i64) -> Magnitude {
    let bits = i64::try_from(digits.bits()).unwrap_or(i64::MAX);
    if i32::try_from(scale.saturating_add(bits)).is_err() {
        return Magnitude::Invalid;
    }
    if scale == 0 {
        return round_big(negative, digits, 0, false);
    }
    let Some(power) = power_of_five(scale.unsigned_abs()) else {
        return if scale > 0 {
            Magnitude::Infinite
        } else {
            Magnitude::Finite(SoftFloat { negative, ..SoftFloat::ZERO })
        };
    };
    if scale > 0 {
        let product = digits * &power.mantissa;
        return round_big(negative, &product, power.exponent + scale, false);
    }
    // Enough bits for the mantissa, the one to round by, and some.
    let shift = (power.mantissa.bits() + 68).saturating_sub(digits.bits());
    let (quotient, rest) = (digits << shift).div_rem(&power.mantissa);
    let shift = i64::try_from(shift).unwrap_or(0);
    let sticky = rest != BigUint::ZERO;
    round_big(negative, &quotient, scale - shift - power.exponent, sticky)
}

/// Returns `5^power`, if it fits.
fn small_power_of_five(power: u32) -> Option<u64> {
    const TABLE: [u64; 28] = {
        let mut table = [1; 28];
        let mut at = 1;
        while at < table.len() {
            table[at] = table[at - 1] * 5;
            at += 1;
        }
        table
    };
    TABLE.get(usize::try_from(power).ok()?).copied()
}

/// Returns `5^power`, rounded step by step to 128 bits (the squares to 192), or
/// `None` when it is beyond the range of floats.
fn power_of_five(power: u64) -> Option<Wide> {
    const TABLED: u64 = 27;
    if let Some(small) = u32::try_from(power).ok().and_then(small_power_of_five) {
        return Some(Wide { mantissa: BigUint::from(small), exponent: 0 });
    }
    let mut result = Wide { mantissa: BigUint::from(5_u64.pow(27)), exponent: 0 };
    let mut square = Some(Wide { mantissa: BigUint::from(5_u8), exponent: 0 });
    let mut rest = power - TABLED;
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.times(square.as_ref()?, 128)?;
        }
        square = square.and_then(|square| square.times(&square, 192));
        rest >>= 1;
    }
    Some(result)
}

impl Wide {
    /// The product rounded to so many bits, half to even; `None` out of range.
    fn times(&self, other: &Self, bits: u64) -> Option<Self> {
        let mut mantissa = &self.mantissa * &other.mantissa;
        let mut exponent = self.exponent + other.exponent;
        let excess = mantissa.bits().saturating_sub(bits);
        if excess > 0 {
            let half = mantissa.bit(excess - 1);
            let exact_half = mantissa.trailing_zeros() == Some(excess - 1);
            let odd = mantissa.bit(excess);
            mantissa >>= excess;
            exponent += i64::try_from(excess).ok()?;
            if half && (odd || !exact_half) {
                mantissa += 1_u8;
            }
        }
        let top = exponent + i64::try_from(mantissa.bits()).ok()?;
        i32::try_from(top).is_ok().then_some(Self { mantissa, exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(text: &str) -> SoftFloat {
        let decimal = Decimal::scan(text.as_bytes()).expect("the cases are decimals");
        match SoftFloat::from_decimal(&decimal) {
            Magnitude::Finite(float) => float,
            other => unreachable!("{text} is {other:?}"),
        }
    }

    #[test]
    fn decimals_round_half_to_even() {
        let cases = [
            ("18446744073709551617", "18446744073709551616"),
            ("18446744073709551619", "18446744073709551620"),
            ("9223372036854775808.5", "9223372036854775808"),
            ("9223372036854775809.5", "9223372036854775810"),
            ("9223372036854775808.50000000000000000000000001", "9223372036854775809"),
        ];
        for (text, integer) in cases {
            let expected: BigInt = integer.parse().expect("the cases are integers");
            assert_eq!(float(text).truncate(), Some(expected), "{text}");
        }
    }

    #[test]
    fn zeros_keep_their_signs() {
        let (plus, minus) = (SoftFloat::ZERO, SoftFloat::NEGATIVE_ZERO);
        assert_eq!(plus.add(minus), plus);
        assert_eq!(minus.add(minus), minus);
        assert_eq!(float("1.5").sub(float("1.5")), plus);
        assert_eq!(minus.mul(float("1.5")), minus);
        assert_eq!(plus.div(float("-1.5")), minus);
        assert_eq!(float("-0.0"), minus);
    }

    #[test]
    fn far_operands_only_tip_the_rounding() {
        let one = SoftFloat::from_i64(1);
        assert_eq!(one.add(float("1e-100")), one);
        assert_eq!(one.sub(float("1e-100")), one);
        assert_eq!(float("9223372036854775808.5").add(float("1e-300")), float("9223372036854775808.5"));
        // Half a unit is even's, a trace more is the next one's.
        let tie = SoftFloat::from_u64(false, 1 << 63);
        let half = float("0.5");
        assert_eq!(tie.add(half), tie);
        assert_eq!(tie.add(half.add(float("1e-19"))), SoftFloat::from_u64(false, (1 << 63) + 1));
    }

    #[test]
    fn magnitudes_out_of_range_are_told_apart() {
        let read =
            |text: &str| Decimal::scan(text.as_bytes()).map(|decimal| SoftFloat::from_decimal(&decimal));
        assert_eq!(read("1e1000000000"), Some(Magnitude::Infinite));
        assert_eq!(read("1e3000000000"), Some(Magnitude::Invalid));
        assert_eq!(read("1e-1000000000"), Some(Magnitude::Finite(SoftFloat::ZERO)));
    }
}
