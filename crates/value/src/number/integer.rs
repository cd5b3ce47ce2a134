//! Unbounded integers: decimal text, other bases, and bitwise operations.
//!
//! Apart from [`super::Number`]'s arithmetic because these know integers only.
//! Sizes are capped by [`INTEGER_BITS_MAX`], so that no operation of a policy
//! runs without bound; the cap is far above what texts of a request hold.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{ToPrimitive, Zero};

use super::text::{Decimal, digits_of, digits_to_u64, int_value, plain_decimal};
use super::{Magnitude, Number, NumberError, NumberErrorKind, SoftFloat};

/// The most bits an integer may have: about 1.26 million decimal digits.
pub const INTEGER_BITS_MAX: u64 = 1 << 22;

/// Reads decimal digits (and nothing else) of any count, in less than
/// quadratic time.
pub(super) fn digits_to_big(digits: &[u8]) -> BigUint {
    const CHUNK: usize = 512;
    let mut parts: Vec<BigUint> =
        digits.rchunks(CHUNK).map(|chunk| BigUint::parse_bytes(chunk, 10).unwrap_or_default()).collect();
    if parts.len() <= 1 {
        return parts.pop().unwrap_or_default();
    }
    // Joins neighbours, the low part first, until one is left.
    let mut power = BigUint::from(10_u8).pow(512);
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|pair| match pair {
                [low, high] => high * &power + low,
                [last] => last.clone(),
                _ => BigUint::ZERO,
            })
            .collect();
        if parts.len() > 1 {
            power = &power * &power;
        }
    }
    parts.pop().unwrap_or_default()
}

/// Returns the integer that a text is, whatever its form (`1e3`, `2.50e1`), or
/// `None` when it has a fraction, is no number or is beyond the size limit.
pub(super) fn exact_integer(decimal: &Decimal<'_>) -> Option<BigInt> {
    // Beyond these no integer is recognised, as for the peer.
    const SCALE_MAX: u64 = 1_000_000;
    let (int, frac) = decimal.significant();
    let frac = trim_trailing_zeros(frac);
    let int_kept = if frac.is_empty() { trim_trailing_zeros(int) } else { int };
    if int_kept.is_empty() && frac.is_empty() {
        return Some(BigInt::ZERO);
    }
    let scale = decimal.scale();
    if scale.unsigned_abs() > SCALE_MAX {
        return None;
    }
    let digits = int_kept.len() + frac.len();
    let zeros = decimal.magnitude().checked_sub(i64::try_from(digits).ok()?)?;
    let zeros = u32::try_from(zeros).ok()?;
    // A decimal digit takes more than 3.32 bits.
    let bits_min = (u64::try_from(digits).ok()? + u64::from(zeros)).checked_mul(332)? / 100;
    if bits_min > INTEGER_BITS_MAX {
        return None;
    }
    let magnitude = if digits + usize::try_from(zeros).ok()? <= 19 {
        let value = digits_to_u64(&[int_kept, frac].concat())?;
        BigUint::from(value * 10_u64.pow(zeros))
    } else {
        digits_of(int_kept, frac) * BigUint::from(10_u8).pow(zeros)
    };
    let sign = if decimal.negative { Sign::Minus } else { Sign::Plus };
    Some(BigInt::from_biguint(sign, magnitude))
}

fn trim_trailing_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().rev().take_while(|&&byte| byte == b'0').count();
    digits.get(..digits.len() - zeros).unwrap_or_default()
}

/// Writes a number in base 2, 8, 10 or 16, cut off toward zero.
///
/// Both operands are texts because both matter: the base must be written in
/// just this way, and an integer in plain digits is exact whatever its size
/// while any other form goes through a float.
///
/// # Errors
/// The base is not one of the four, or the number is beyond the size limit.
pub fn format_int(text: &str, base: &str) -> Result<String, NumberError> {
    let radix = match base {
        "2" => 2,
        "8" => 8,
        "10" => 10,
        "16" => 16,
        _ => return Err(NumberErrorKind::UnknownBase.into()),
    };
    if radix == 10
        && let Some(int) = int_value(text)
    {
        return Ok(int.to_string());
    }
    let too_large = NumberError::from(NumberErrorKind::TooLarge);
    let plain = plain_decimal(text).ok_or(too_large)?;
    let decimal = Decimal::scan(plain.as_bytes()).ok_or(too_large)?;
    let in_plain_digits = text
        .bytes()
        .enumerate()
        .all(|(at, byte)| byte.is_ascii_digit() || (at == 0 && matches!(byte, b'-' | b'+')));
    let integer = if in_plain_digits {
        exact_integer(&decimal).ok_or(too_large)?
    } else {
        match SoftFloat::from_decimal(&decimal) {
            Magnitude::Finite(float) => float.truncate().ok_or(too_large)?,
            _ => return Err(too_large),
        }
    };
    Ok(integer.to_str_radix(radix))
}

/// Returns the bitwise and of two integers in two's complement of any width.
///
/// # Errors
/// An operand is not an integer.
pub fn bits_and(a: &Number, b: &Number) -> Result<Number, NumberError> {
    bitwise(a, b, |x, y| x & y, |x, y| x & y)
}

/// Returns the bitwise or of two integers in two's complement of any width.
///
/// # Errors
/// An operand is not an integer.
pub fn bits_or(a: &Number, b: &Number) -> Result<Number, NumberError> {
    bitwise(a, b, |x, y| x | y, |x, y| x | y)
}

/// Returns the bitwise exclusive or of two integers in two's complement of any
/// width.
///
/// # Errors
/// An operand is not an integer.
pub fn bits_xor(a: &Number, b: &Number) -> Result<Number, NumberError> {
    bitwise(a, b, |x, y| x ^ y, |x, y| x ^ y)
}

fn bitwise(
    a: &Number,
    b: &Number,
    small: fn(i64, i64) -> i64,
    big: fn(&BigInt, &BigInt) -> BigInt,
) -> Result<Number, NumberError> {
    if let (Number::Int(x), Number::Int(y)) = (a, b) {
        return Ok(Number::Int(small(*x, *y)));
    }
    let x = operand(a, 1)?;
    let y = operand(b, 2)?;
    Number::from_big(big(&x, &y))
}

/// Returns the bitwise negation of an integer: `-x - 1`.
///
/// # Errors
/// The operand is not an integer.
pub fn bits_negate(a: &Number) -> Result<Number, NumberError> {
    match a {
        Number::Int(x) => Ok(Number::Int(!x)),
        _ => Number::from_big(!operand(a, 1)?),
    }
}

/// Returns an integer shifted left; only the low 64 bits of the shift count.
///
/// # Errors
/// An operand is not an integer, the shift is negative, or the result would
/// have more than [`INTEGER_BITS_MAX`] bits.
pub fn bits_lsh(a: &Number, b: &Number) -> Result<Number, NumberError> {
    let x = operand(a, 1)?;
    let shift = shift_operand(b)?;
    if x.is_zero() {
        return Ok(Number::Int(0));
    }
    if x.bits().saturating_add(shift) > INTEGER_BITS_MAX {
        return Err(NumberErrorKind::TooLarge.into());
    }
    Number::from_big(x << shift)
}

/// Returns an integer shifted right, rounding down; only the low 64 bits of the
/// shift count.
///
/// # Errors
/// An operand is not an integer, or the shift is negative.
pub fn bits_rsh(a: &Number, b: &Number) -> Result<Number, NumberError> {
    let x = operand(a, 1)?;
    let shift = shift_operand(b)?;
    if shift >= x.bits() {
        return Ok(Number::Int(if x.sign() == Sign::Minus { -1 } else { 0 }));
    }
    Number::from_big(x >> shift)
}

fn shift_operand(number: &Number) -> Result<u64, NumberError> {
    let shift = operand(number, 2)?;
    if shift.sign() == Sign::Minus {
        return Err(NumberErrorKind::NegativeShift.into());
    }
    Ok(shift.iter_u64_digits().next().unwrap_or(0))
}

fn operand(number: &Number, position: u8) -> Result<BigInt, NumberError> {
    number.to_big_int().ok_or_else(|| NumberErrorKind::NotInteger(position).into())
}

/// The integers from one bound to another, both included, in steps; see
/// [`IntegerRange::new`]. Lazy, so that the caller can count its budget.
#[derive(Debug, Clone)]
pub enum IntegerRange {
    /// Bounds and step are small: next, last, signed step.
    Small(Option<i64>, i64, i64),
    /// Some bound or the step is not small: next, last, signed step.
    Big(BigInt, BigInt, BigInt),
}

impl IntegerRange {
    /// Returns the range from `first` to `last`, downward when `first` is the
    /// greater one.
    ///
    /// # Errors
    /// An operand is not an integer, or the step is not positive.
    pub fn new(first: &Number, last: &Number, step: &Number) -> Result<Self, NumberError> {
        let (from, to) = (operand(first, 1)?, operand(last, 2)?);
        let step = operand(step, 3)?;
        if step.sign() != Sign::Plus {
            return Err(NumberErrorKind::StepNotPositive.into());
        }
        let step = if from > to { -step } else { step };
        Ok(match (from.to_i64(), to.to_i64(), step.to_i64()) {
            (Some(from), Some(to), Some(step)) => Self::Small(Some(from), to, step),
            _ => Self::Big(from, to, step),
        })
    }
}

impl Iterator for IntegerRange {
    type Item = Number;

    /// Tells the count, or the largest number if it is beyond.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (steps, is_empty) = match self {
            Self::Small(None, ..) => return (0, Some(0)),
            Self::Small(Some(next), last, step) => {
                let (next, last, step) = (i128::from(*next), i128::from(*last), i128::from(*step));
                (
                    (last - next).checked_div(step).and_then(|it| usize::try_from(it).ok()),
                    (last - next).signum() == -step.signum(),
                )
            }
            Self::Big(next, last, step) => {
                let distance = last - next;
                let is_empty = !distance.is_zero() && distance.sign() != step.sign();
                (distance.checked_div(step).and_then(|it| it.to_usize()), is_empty)
            }
        };
        let count = if is_empty { Some(0) } else { steps.and_then(|it| it.checked_add(1)) };
        (count.unwrap_or(usize::MAX), count)
    }

    fn next(&mut self) -> Option<Number> {
        match self {
            Self::Small(next, last, step) => {
                let value = (*next)?;
                let past = if *step > 0 { value > *last } else { value < *last };
                if past {
                    return None;
                }
                *next = value.checked_add(*step);
                Some(Number::Int(value))
            }
            Self::Big(next, last, step) => {
                let past = if step.sign() == Sign::Plus { *next > *last } else { *next < *last };
                if past {
                    return None;
                }
                let value = next.clone();
                *next += &*step;
                Number::from_big(value).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).expect("the cases are numbers")
    }

    fn text(result: Result<Number, NumberError>) -> String {
        result.map_or_else(|fault| fault.to_string(), |number| number.to_text())
    }

    #[test]
    fn integers_are_written_in_four_bases() {
        let cases = [
            ("255", "16", "ff"),
            ("-255", "2", "-11111111"),
            ("15.9", "16", "f"),
            ("-15.9", "8", "-17"),
            ("-0.5", "10", "0"),
            ("18446744073709551617", "16", "10000000000000001"),
            // Not in plain digits, so through a float of 64 bits.
            ("1e30", "10", "1000000000000000000024696061952"),
            ("7", "16.0", "operand 2 must be one of {2, 8, 10, 16}"),
            ("1e-2000000000", "10", "0"),
            ("1e99999999", "10", "number too big"),
        ];
        for (value, base, expected) in cases {
            let found = format_int(value, base).unwrap_or_else(|fault| fault.to_string());
            assert_eq!(found, expected, "{value} in base {base}");
        }
    }

    #[test]
    fn bits_are_of_any_width() {
        let wide = "-36893488147419103233";
        assert_eq!(text(bits_and(&number("6"), &number("3"))), "2");
        assert_eq!(text(bits_or(&number("6"), &number("-8"))), "-2");
        assert_eq!(text(bits_xor(&number(wide), &number("1"))), "-36893488147419103234");
        assert_eq!(text(bits_negate(&number(wide))), "36893488147419103232");
        assert_eq!(text(bits_and(&number("1e3"), &number("-0"))), "0");
        let fraction = "operand 2 must be integer number but got floating-point number";
        assert_eq!(text(bits_or(&number("6"), &number("0.5"))), fraction);
    }

    #[test]
    fn shifts_are_bounded() {
        assert_eq!(text(bits_lsh(&number("1"), &number("70"))), "1180591620717411303424");
        assert_eq!(text(bits_rsh(&number("-8"), &number("2"))), "-2");
        assert_eq!(text(bits_rsh(&number("-8"), &number("99"))), "-1");
        assert_eq!(text(bits_rsh(&number("8"), &number("18446744073709551617"))), "4");
        assert_eq!(text(bits_lsh(&number("0"), &number("99999999999"))), "0");
        assert_eq!(text(bits_lsh(&number("1"), &number("99999999999"))), "number too big");
        let negative = "operand 2 must be an unsigned integer number but got a negative integer";
        assert_eq!(text(bits_lsh(&number("1"), &number("-1"))), negative);
    }

    #[test]
    fn ranges_go_both_ways() {
        let cases = [
            ("1", "3", "1", "1 2 3"),
            ("3", "1", "2", "3 1"),
            ("1", "1.0", "5", "1"),
            ("9223372036854775806", "9223372036854775807", "1", "9223372036854775806 9223372036854775807"),
            ("9223372036854775807", "9223372036854775809", "2", "9223372036854775807 9223372036854775809"),
            ("1", "3", "0", "step must be a positive integer"),
            ("1.5", "3", "0", "operand 1 must be integer number but got floating-point number"),
        ];
        for (first, last, step, expected) in cases {
            let found = match IntegerRange::new(&number(first), &number(last), &number(step)) {
                Ok(range) => {
                    assert_eq!(range.size_hint().1, Some(range.clone().count()));
                    range.map(|it| it.to_text()).collect::<Vec<_>>().join(" ")
                }
                Err(fault) => fault.to_string(),
            };
            assert_eq!(found, expected, "{first} to {last} by {step}");
        }
        let huge = IntegerRange::new(&number("1"), &number("1e300"), &number("1")).expect("a range");
        assert_eq!(huge.size_hint(), (usize::MAX, None));
    }

    #[test]
    fn long_digits_are_read_as_by_the_library() {
        for count in [1, 511, 512, 513, 1024, 5000] {
            let digits: Vec<u8> = (0..count).map(|at| b"3141592653589793238"[at % 19]).collect();
            assert_eq!(Some(digits_to_big(&digits)), BigUint::parse_bytes(&digits, 10), "{count} digits");
        }
    }
}
