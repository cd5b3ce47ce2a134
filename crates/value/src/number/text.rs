//! Reading number texts: the parts of a decimal, and what can be said of a
//! text without computing.
//!
//! Everything here is linear in the text, allocates nothing for plain decimals
//! and never expands an exponent. Besides JSON numbers it reads the looser
//! forms that can be number values too (a leading `+` or zeros, `.5`, `5.`,
//! digit separators, hexadecimal floats). It must not know [`super::Number`].

use std::borrow::Cow;
use std::cmp::Ordering;

use num_bigint::BigUint;

use super::NumberTextFault;
use super::integer::digits_to_big;
use super::soft_float::{Magnitude, SoftFloat};

/// The limit on a number's binary exponent, either way, when it is read.
const READ_EXPONENT_MAX: i32 = 100_000;

/// The parts of a decimal text: `(-1)^negative * int.frac * 10^exponent`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decimal<'a> {
    pub(super) negative: bool,
    pub(super) int: &'a [u8],
    pub(super) frac: &'a [u8],
    pub(super) exponent: i64,
}

impl<'a> Decimal<'a> {
    /// Splits a decimal text, or returns `None` when it is none.
    pub(super) fn scan(text: &'a [u8]) -> Option<Self> {
        let (negative, rest) = split_sign(text);
        let (int, rest) = split_digits(rest);
        let (frac, rest) = match rest.split_first() {
            Some((b'.', after)) => split_digits(after),
            _ => (&[][..], rest),
        };
        if int.is_empty() && frac.is_empty() {
            return None;
        }
        let exponent = match rest.split_first() {
            None => 0,
            Some((b'e' | b'E', after)) => parse_exponent(after)?,
            Some(_) => return None,
        };
        Some(Self { negative, int, frac, exponent })
    }

    /// Returns the significant digits (without leading zeros) in two slices.
    pub(super) fn significant(&self) -> (&'a [u8], &'a [u8]) {
        let int = trim_leading_zeros(self.int);
        if int.is_empty() { (int, trim_leading_zeros(self.frac)) } else { (int, self.frac) }
    }

    /// Reports whether every digit is zero.
    pub(super) fn is_zero(&self) -> bool {
        let (int, frac) = self.significant();
        int.is_empty() && frac.is_empty()
    }

    /// Returns the power of ten of the digit after the last one.
    pub(super) fn scale(&self) -> i64 {
        self.exponent.saturating_sub(i64::try_from(self.frac.len()).unwrap_or(i64::MAX))
    }

    /// Returns `n` with `10^(n-1) <= |value| < 10^n`; the value is not zero.
    pub(super) fn magnitude(&self) -> i64 {
        let (int, frac) = self.significant();
        let digits = i64::try_from(int.len() + frac.len()).unwrap_or(i64::MAX);
        self.scale().saturating_add(digits)
    }
}

/// Returns `10^power`, if it fits.
#[inline]
pub(super) fn power_of_ten(power: u32) -> Option<u64> {
    const TABLE: [u64; 20] = {
        let mut table = [1; 20];
        let mut at = 1;
        while at < table.len() {
            table[at] = table[at - 1] * 10;
            at += 1;
        }
        table
    };
    TABLE.get(usize::try_from(power).ok()?).copied()
}

/// A short decimal without an exponent: `(-1)^negative * mantissa / 10^places`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortDecimal {
    pub(super) negative: bool,
    pub(super) mantissa: u64,
    pub(super) places: u32,
}

impl ShortDecimal {
    /// Reads integers of up to 18 digits and fractions of up to 15: nearly all
    /// numbers there are. Any other text is left to [`Decimal::scan`].
    #[inline]
    pub(super) fn scan(text: &[u8]) -> Option<Self> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        if digits.is_empty() || digits.len() > 18 {
            return None;
        }
        let mut mantissa: u64 = 0;
        for (at, byte) in digits.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return Self::scan_fraction(negative, mantissa, digits.get(at..)?, at);
            }
            mantissa = mantissa * 10 + u64::from(digit);
        }
        Some(Self { negative, mantissa, places: 0 })
    }

    #[inline]
    fn scan_fraction(negative: bool, int: u64, rest: &[u8], int_digits: usize) -> Option<Self> {
        let [b'.', frac @ ..] = rest else {
            return None;
        };
        if int_digits == 0 || frac.is_empty() || int_digits + frac.len() > 15 {
            return None;
        }
        let mut mantissa = int;
        for byte in frac {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            mantissa = mantissa * 10 + u64::from(digit);
        }
        Some(Self { negative, mantissa, places: u32::try_from(frac.len()).ok()? })
    }

    /// Orders two by value, unless scaling them alike overflows.
    #[inline]
    pub(super) fn order(self, other: Self) -> Option<Ordering> {
        let places = self.places.max(other.places);
        Some(self.scaled(places)?.cmp(&other.scaled(places)?))
    }

    #[inline]
    fn scaled(self, places: u32) -> Option<i64> {
        let factor = power_of_ten(places - self.places)?;
        let magnitude = i64::try_from(self.mantissa.checked_mul(factor)?).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    }
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(count)
}

fn trim_leading_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

/// Reads a signed exponent that fits an `i64`.
fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() {
        return None;
    }
    // Negative, because there is one more of these.
    let mut value: i64 = 0;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_sub(i64::from(byte - b'0'))?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

/// Rewrites the looser forms of numbers (digit separators, hexadecimal floats)
/// as a decimal text of the same value; plain decimals are returned as they
/// are. `None` when the text is no number or beyond the reading limit.
pub(super) fn plain_decimal(text: &str) -> Option<Cow<'_, str>> {
    if !text.bytes().any(|byte| matches!(byte, b'_' | b'x' | b'X')) {
        return Some(Cow::Borrowed(text));
    }
    if !separators_in_place(text.as_bytes()) {
        return None;
    }
    let bare: String = text.chars().filter(|&c| c != '_').collect();
    match Hexadecimal::scan(bare.as_bytes()) {
        Some(hex) => hex.to_decimal().map(Cow::Owned),
        None if Decimal::scan(bare.as_bytes()).is_some() => Some(Cow::Owned(bare)),
        None => None,
    }
}

/// Checks that each `_` stands between digits or after a base prefix.
fn separators_in_place(text: &[u8]) -> bool {
    let (_, rest) = split_sign(text);
    let hex = matches!(rest, [b'0', b'x' | b'X', ..]);
    let rest = if hex { rest.get(2..).unwrap_or_default() } else { rest };
    // A base prefix counts as a digit before the separator.
    let mut previous_is_digit = hex;
    let mut previous_is_separator = false;
    for byte in rest {
        if *byte == b'_' {
            if !previous_is_digit || previous_is_separator {
                return false;
            }
            previous_is_separator = true;
            continue;
        }
        let is_digit = byte.is_ascii_digit() || (hex && byte.is_ascii_hexdigit());
        if previous_is_separator && !is_digit {
            return false;
        }
        previous_is_separator = false;
        previous_is_digit = is_digit;
    }
    !previous_is_separator
}

/// A hexadecimal float: `(-1)^negative * mantissa * 2^exponent`.
struct Hexadecimal {
    negative: bool,
    mantissa: BigUint,
    exponent: i64,
}

impl Hexadecimal {
    fn scan(text: &[u8]) -> Option<Self> {
        let (negative, rest) = split_sign(text);
        let [b'0', b'x' | b'X', rest @ ..] = rest else {
            return None;
        };
        let marker = rest.iter().position(|byte| matches!(byte, b'p' | b'P'))?;
        let (digits, exponent) = rest.split_at(marker);
        let exponent = parse_exponent(exponent.get(1..)?)?;
        let mut parts = digits.splitn(2, |&byte| byte == b'.');
        let int = parts.next().unwrap_or_default();
        let frac = parts.next().unwrap_or_default();
        let all = [int, frac].concat();
        if all.is_empty() || !all.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let shift = i64::try_from(frac.len()).ok()?.checked_mul(4)?;
        Some(Self {
            negative,
            mantissa: BigUint::parse_bytes(&all, 16)?,
            exponent: exponent.checked_sub(shift)?,
        })
    }

    fn to_decimal(&self) -> Option<String> {
        let sign = if self.negative { "-" } else { "" };
        let places = self.exponent.unsigned_abs();
        if self.mantissa == BigUint::ZERO {
            return Some(format!("{sign}0"));
        }
        if places > u64::from(READ_EXPONENT_MAX.unsigned_abs()) {
            return None;
        }
        let power = u32::try_from(places).ok()?;
        Some(if self.exponent >= 0 {
            format!("{sign}{}", &self.mantissa << power)
        } else {
            // m / 2^n = m * 5^n / 10^n
            let digits = &self.mantissa * BigUint::from(5_u8).pow(power);
            format!("{sign}{digits}e-{power}")
        })
    }
}

/// Returns the integer of a text that is an `i64` in plain digits, with at most
/// zeros past a point (`7`, `-7`, `7.0`) and at most 19 characters past a sign.
///
/// This is the test that index and integer operands go through; `1e3` is an
/// integer too, but not one of these.
#[must_use]
pub fn int_value(text: &str) -> Option<i64> {
    let (negative, rest) = split_sign(text.as_bytes());
    if rest.is_empty() || rest.len() > 19 {
        return None;
    }
    let (int, rest) = split_digits(rest);
    match rest.split_first() {
        None => {}
        Some((b'.', zeros)) if zeros.iter().all(|&byte| byte == b'0') => {}
        Some(_) => return None,
    }
    // 19 digits always fit a u64.
    let magnitude = digits_to_u64(int)?;
    if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// Returns the integer when the text is exactly how an `i64` prints: no plus
/// sign, no leading zeros, no `-0`, no point.
#[must_use]
pub fn canonical_i64(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let canonical = match digits {
        [b'0'] => digits.len() == bytes.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if canonical { int_value(text) } else { None }
}

/// Reads at most 19 digits.
pub(super) fn digits_to_u64(digits: &[u8]) -> Option<u64> {
    if digits.len() > 19 {
        return None;
    }
    let mut value: u64 = 0;
    for byte in digits {
        value = value * 10 + u64::from(byte - b'0');
    }
    Some(value)
}

/// Reads any number of digits.
pub(super) fn digits_of(int: &[u8], frac: &[u8]) -> BigUint {
    if frac.is_empty() { digits_to_big(int) } else { digits_to_big(&[int, frac].concat()) }
}

/// Returns the nearest `f64`, or `None` when the text is no decimal or its
/// magnitude rounds beyond the largest `f64`. A tiny number becomes zero.
#[must_use]
pub fn text_to_f64(text: &str) -> Option<f64> {
    let plain = match Decimal::scan(text.as_bytes()) {
        Some(_) => Cow::Borrowed(text),
        None => plain_decimal(text)?,
    };
    plain.parse::<f64>().ok().filter(|float| float.is_finite())
}

/// Returns the nearest `f64`; infinite when the magnitude rounds beyond the
/// largest, or the text is no number.
#[must_use]
pub fn to_f64(text: &str) -> f64 {
    text_to_f64(text).unwrap_or(f64::INFINITY)
}

/// Why a string is not a number for conversions from strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumeralFault {
    /// The string is not written as a number.
    Syntax,
    /// The number is beyond the range of an `f64`.
    Range,
}

/// Checks a string that is to become a number: decimal or hexadecimal float
/// syntax (without infinities), within the range of an `f64`.
///
/// # Errors
/// Says whether syntax or range is at fault.
pub fn check_numeral(text: &str) -> Result<(), NumeralFault> {
    if !separators_in_place(text.as_bytes()) {
        return Err(NumeralFault::Syntax);
    }
    let bare: Cow<'_, str> = if text.contains('_') {
        Cow::Owned(text.chars().filter(|&c| c != '_').collect())
    } else {
        Cow::Borrowed(text)
    };
    if let Some(hex) = Hexadecimal::scan(bare.as_bytes()) {
        let bits = i64::try_from(hex.mantissa.bits()).unwrap_or(i64::MAX);
        let top = hex.exponent.saturating_add(bits);
        let zero = hex.mantissa == BigUint::ZERO;
        return if top > 1024 && !zero { Err(NumeralFault::Range) } else { Ok(()) };
    }
    if !is_decimal_shape(bare.as_bytes()) {
        return Err(NumeralFault::Syntax);
    }
    match bare.parse::<f64>() {
        Ok(float) if float.is_finite() => Ok(()),
        Ok(_) => Err(NumeralFault::Range),
        Err(_) => Err(NumeralFault::Syntax),
    }
}

/// Like [`Decimal::scan`], with an exponent of any length.
fn is_decimal_shape(text: &[u8]) -> bool {
    let marker = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = text.split_at(marker.unwrap_or(text.len()));
    let exponent_ok = match exponent.split_first() {
        None => true,
        Some((_, rest)) => {
            let (_, digits) = split_sign(rest);
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
    };
    exponent_ok && Decimal::scan(mantissa).is_some()
}

/// Checks a number literal of a policy: any form with a magnitude of about
/// `10^30103` or more, or the inverse of that or less, is refused.
///
/// # Errors
/// Says whether the text is no number or one that is too big.
pub fn check_literal(text: &str) -> Result<(), NumberTextFault> {
    if let Some(decimal) = Decimal::scan(text.as_bytes()) {
        return check_magnitude(&decimal);
    }
    let plain = plain_decimal(text).ok_or(NumberTextFault::Invalid)?;
    let decimal = Decimal::scan(plain.as_bytes()).ok_or(NumberTextFault::Invalid)?;
    check_magnitude(&decimal)
}

/// Checks a number of a JSON text: as [`check_literal`], but only a number with
/// an exponent is looked at, however long its digits are.
///
/// # Errors
/// Says whether the text is no number or one that is too big.
#[inline]
pub fn check_json_number(text: &str) -> Result<(), NumberTextFault> {
    if memchr::memchr2(b'e', b'E', text.as_bytes()).is_none() {
        return Ok(());
    }
    check_literal(text)
}

fn check_magnitude(decimal: &Decimal<'_>) -> Result<(), NumberTextFault> {
    // 2^100000 lies between 10^30102 and 10^30103; only near it, and where the
    // exponent could leave the range of floats, does the exact value matter.
    const SURELY_FINE: i64 = 30_000;
    const SURELY_TOO_BIG: i64 = 30_200;
    const SURELY_FLOAT: i64 = 500_000_000;
    if decimal.is_zero() {
        return Ok(());
    }
    let magnitude = decimal.magnitude().saturating_abs();
    if magnitude < SURELY_FINE {
        return Ok(());
    }
    if magnitude > SURELY_TOO_BIG && decimal.scale().saturating_abs() < SURELY_FLOAT {
        return Err(NumberTextFault::TooBig);
    }
    match SoftFloat::from_decimal(decimal) {
        Magnitude::Invalid => Err(NumberTextFault::Invalid),
        Magnitude::Infinite => Err(NumberTextFault::TooBig),
        Magnitude::Finite(float) if float.is_zero() => Ok(()),
        Magnitude::Finite(float) if float.exponent().saturating_abs() > READ_EXPONENT_MAX => {
            Err(NumberTextFault::TooBig)
        }
        Magnitude::Finite(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_integers_are_told_from_other_texts() {
        let cases = [
            ("0", Some(0), Some(0)),
            ("-0", Some(0), None),
            ("7.00", Some(7), None),
            ("7.", Some(7), None),
            ("+7", Some(7), None),
            ("007", Some(7), None),
            ("-12", Some(-12), Some(-12)),
            ("9223372036854775807", Some(i64::MAX), Some(i64::MAX)),
            ("9223372036854775808", None, None),
            ("-9223372036854775808", Some(i64::MIN), Some(i64::MIN)),
            ("-9999999999999999999", None, None),
            ("1.000000000000000000", None, None),
            ("1e3", None, None),
            ("", None, None),
            ("-", None, None),
        ];
        for (text, value, canonical) in cases {
            assert_eq!(int_value(text), value, "{text}");
            assert_eq!(canonical_i64(text), canonical, "{text}");
        }
    }

    #[test]
    fn magnitudes_are_limited_when_read() {
        use NumberTextFault::{Invalid, TooBig};
        let cases = [
            ("0.5", Ok(())),
            ("1e30102", Ok(())),
            ("1e30103", Err(TooBig)),
            ("1e-30102", Ok(())),
            ("1e-30104", Err(TooBig)),
            ("0e999999999", Ok(())),
            ("1e-2000000000", Ok(())),
            ("1e2000000000", Err(TooBig)),
            ("1e2147483648", Err(Invalid)),
            ("1e99999999999999999999", Err(Invalid)),
            ("1e", Err(Invalid)),
            ("x", Err(Invalid)),
        ];
        for (text, expected) in cases {
            assert_eq!(check_literal(text), expected, "{text}");
        }
        let long = "9".repeat(40_000);
        assert_eq!(check_literal(&long), Err(TooBig));
        assert_eq!(check_json_number(&long), Ok(()));
        assert_eq!(check_json_number("1e40000"), Err(TooBig));
    }

    #[test]
    fn numerals_have_go_syntax() {
        use NumeralFault::{Range, Syntax};
        let cases = [
            ("+5", Ok(())),
            (".5", Ok(())),
            ("5.", Ok(())),
            ("1_0", Ok(())),
            ("0x1p-4", Ok(())),
            ("1e-9999", Ok(())),
            ("1e400", Err(Range)),
            ("0x1p1024", Err(Range)),
            ("0x10", Err(Syntax)),
            ("1__0", Err(Syntax)),
            ("_1", Err(Syntax)),
            ("inf", Err(Syntax)),
            ("", Err(Syntax)),
            ("1 ", Err(Syntax)),
        ];
        for (text, expected) in cases {
            assert_eq!(check_numeral(text), expected, "{text}");
        }
    }

    #[test]
    fn loose_forms_become_decimals() {
        let cases = [
            ("0x1.8p1", Some("3000e-3")),
            ("0x1p4", Some("16")),
            ("-0x0p9", Some("-0")),
            ("1_000.5", Some("1000.5")),
            ("1.5", Some("1.5")),
            ("0x1p200000", None),
            ("1_", None),
        ];
        for (text, expected) in cases {
            assert_eq!(plain_decimal(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn floats_are_nearest_and_know_their_range() {
        assert_eq!(text_to_f64("0.1"), Some(0.1));
        assert_eq!(text_to_f64("1e-400"), Some(0.0));
        assert_eq!(text_to_f64("1e400"), None);
        assert_eq!(text_to_f64("infinity"), None);
        assert!(to_f64("-1e999999999999").is_infinite());
    }
}
