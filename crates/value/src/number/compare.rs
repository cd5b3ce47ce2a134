//! Order, equality and membership of number texts.
//!
//! All of it works on the texts: digits are compared with digits, so that
//! neither an exponent nor a mantissa is ever expanded. There are two orders.
//! [`compare_text`] is the comparison of policies, with the peer's one
//! exception: two fractions that end in a zero and have the same nearest `f64`
//! are equal. With that exception the order is not transitive; sort with
//! [`order_text`], which is total. This file must not know arithmetic.

use std::cmp::Ordering;

use super::text::{Decimal, ShortDecimal, int_value, plain_decimal, text_to_f64};
use super::{Magnitude, SoftFloat};

/// Compares two numbers as the comparison operators do.
#[must_use]
#[inline]
pub fn compare_text(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    order_short(a, b).unwrap_or_else(|| compare_slow(a, b))
}

/// Reports whether two numbers are equal for the equality operator.
#[must_use]
#[inline]
pub fn equal_text(a: &str, b: &str) -> bool {
    compare_text(a, b) == Ordering::Equal
}

/// Compares an integer with a number text, as [`compare_text`].
#[must_use]
#[inline]
pub fn compare_int_text(a: i64, b: &str) -> Ordering {
    let short = ShortDecimal { negative: a < 0, mantissa: a.unsigned_abs(), places: 0 };
    if let Some(order) = ShortDecimal::scan(b.as_bytes()).and_then(|y| short.order(y)) {
        return order;
    }
    // An integer's text has no point, so the exception cannot apply.
    let mut buffer = [b'0'; 20];
    let mut start = buffer.len();
    let mut rest = a.unsigned_abs();
    while rest > 0 {
        start -= 1;
        if let (Some(place), Ok(digit)) = (buffer.get_mut(start), u8::try_from(rest % 10)) {
            *place = b'0' + digit;
        }
        rest /= 10;
    }
    let x = Decimal { negative: a < 0, int: buffer.get(start..).unwrap_or_default(), frac: &[], exponent: 0 };
    match Decimal::scan(b.as_bytes()) {
        Some(y) => order_decimals(&x, &y),
        None => order_loose(&a.to_string(), b),
    }
}

/// Orders two numbers by their exact values: a total order.
#[must_use]
#[inline]
pub fn order_text(a: &str, b: &str) -> Ordering {
    order_short(a, b).unwrap_or_else(|| order_slow(a, b))
}

/// Orders short decimals. Two such fractions with one nearest `f64` are equal,
/// so that the exception needs no thought.
#[inline]
fn order_short(a: &str, b: &str) -> Option<Ordering> {
    ShortDecimal::scan(a.as_bytes())?.order(ShortDecimal::scan(b.as_bytes())?)
}

#[cold]
fn compare_slow(a: &str, b: &str) -> Ordering {
    if is_zero_ended_fraction(a)
        && is_zero_ended_fraction(b)
        && let (Some(x), Some(y)) = (text_to_f64(a), text_to_f64(b))
        && x.total_cmp(&y) == Ordering::Equal
    {
        return Ordering::Equal;
    }
    order_slow(a, b)
}

/// A point remains when zeros (and points) are cut off, and some were.
fn is_zero_ended_fraction(text: &str) -> bool {
    let trimmed = text.trim_end_matches(['.', '0']);
    trimmed.len() < text.len() && memchr::memchr(b'.', trimmed.as_bytes()).is_some()
}

fn order_slow(a: &str, b: &str) -> Ordering {
    match (Decimal::scan(a.as_bytes()), Decimal::scan(b.as_bytes())) {
        (Some(x), Some(y)) => order_decimals(&x, &y),
        _ => order_loose(a, b),
    }
}

/// Orders texts of which one at least is no plain decimal.
fn order_loose(a: &str, b: &str) -> Ordering {
    if let (Some(plain_a), Some(plain_b)) = (plain_decimal(a), plain_decimal(b))
        && let Some(x) = Decimal::scan(plain_a.as_bytes())
        && let Some(y) = Decimal::scan(plain_b.as_bytes())
    {
        return order_decimals(&x, &y);
    }
    // No numbers; values never hold such texts.
    a.cmp(b)
}

fn order_decimals(a: &Decimal<'_>, b: &Decimal<'_>) -> Ordering {
    match (sign(a), sign(b)) {
        (1, 1) => order_magnitudes(a, b),
        (-1, -1) => order_magnitudes(b, a),
        (x, y) => x.cmp(&y),
    }
}

fn sign(decimal: &Decimal<'_>) -> i8 {
    if decimal.is_zero() || vanishes(decimal) {
        0
    } else if decimal.negative {
        -1
    } else {
        1
    }
}

/// Reports whether a number other than zero is too small to be a float; then it
/// counts as zero.
fn vanishes(decimal: &Decimal<'_>) -> bool {
    const SURELY_FLOAT: i64 = -500_000_000;
    decimal.magnitude() < SURELY_FLOAT
        && matches!(SoftFloat::from_decimal(decimal), Magnitude::Finite(float) if float.is_zero())
}

fn order_magnitudes(a: &Decimal<'_>, b: &Decimal<'_>) -> Ordering {
    a.magnitude().cmp(&b.magnitude()).then_with(|| order_digits(a.significant(), b.significant()))
}

/// Compares digits from the first significant one, as fractions.
fn order_digits(a: (&[u8], &[u8]), b: (&[u8], &[u8])) -> Ordering {
    let (mut x, mut y) = (Pieces(a.0, a.1), Pieces(b.0, b.1));
    loop {
        let (left, right) = (x.front(), y.front());
        if left.is_empty() {
            return if y.is_all_zeros() { Ordering::Equal } else { Ordering::Less };
        }
        if right.is_empty() {
            return if x.is_all_zeros() { Ordering::Equal } else { Ordering::Greater };
        }
        let common = left.len().min(right.len());
        match left.get(..common).cmp(&right.get(..common)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
        x.skip(common);
        y.skip(common);
    }
}

/// Digits in two slices.
struct Pieces<'a>(&'a [u8], &'a [u8]);

impl<'a> Pieces<'a> {
    fn front(&self) -> &'a [u8] {
        if self.0.is_empty() { self.1 } else { self.0 }
    }

    fn skip(&mut self, count: usize) {
        let front = if self.0.is_empty() { &mut self.1 } else { &mut self.0 };
        *front = front.get(count..).unwrap_or_default();
    }

    fn is_all_zeros(&self) -> bool {
        self.0.iter().chain(self.1).all(|&digit| digit == b'0')
    }
}

/// What decides, before equality, whether two numbers can be the same member of
/// a set or key of an object. Equal members have equal keys; numbers that are
/// equal and have equal keys are the same member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MembershipKey<'a> {
    /// The bits of the nearest `f64`, with one zero.
    Near(u64),
    /// The text of a number beyond the range of `f64`.
    Text(&'a str),
}

/// Returns the membership key of a number text.
#[must_use]
pub fn membership_key(text: &str) -> MembershipKey<'_> {
    match int_value(text) {
        Some(int) => int_membership_key(int),
        None => match text_to_f64(text) {
            Some(float) => MembershipKey::Near((float + 0.0).to_bits()),
            None => MembershipKey::Text(text),
        },
    }
}

/// Returns the membership key of an integer.
#[must_use]
#[inline]
pub fn int_membership_key(value: i64) -> MembershipKey<'static> {
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is wanted")]
    let float = value as f64;
    MembershipKey::Near(float.to_bits())
}

/// Reports whether two numbers are the same member of a set.
#[must_use]
pub fn same_member(a: &str, b: &str) -> bool {
    a == b || (equal_text(a, b) && membership_key(a) == membership_key(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value() {
        use Ordering::{Equal, Greater, Less};
        let cases = [
            ("1", "1.0", Equal),
            ("1e3", "1000.00", Equal),
            ("-0", "0e5", Equal),
            ("9007199254740993", "9007199254740992", Greater),
            ("9007199254740993.0", "9007199254740992.5", Greater),
            ("0.1234567890123456789012", "0.1234567890123456789013", Less),
            ("-1.5", "1", Less),
            ("-2.5", "-1.25", Less),
            ("1e1000", "10e999", Equal),
            ("1e999999999", "1e999999998", Greater),
            ("1e-999999999", "0", Equal),
            ("123", "123.000000000000000000000000000000001", Less),
            ("100", "1e2", Equal),
            ("0x1p1", "2", Equal),
            ("1_0", "9", Greater),
        ];
        for (a, b, expected) in cases {
            assert_eq!(compare_text(a, b), expected, "{a} with {b}");
            assert_eq!(compare_text(b, a), expected.reverse(), "{b} with {a}");
            assert_eq!(order_text(a, b), expected, "{a} with {b}");
        }
        assert_eq!(compare_int_text(7, "7.5"), Less);
        assert_eq!(compare_int_text(-7, "-7.5"), Greater);
        assert_eq!(compare_int_text(7, "7.000"), Equal);
        assert_eq!(compare_int_text(7, "70e-1"), Equal);
    }

    #[test]
    fn fractions_ending_in_zero_compare_as_machine_floats() {
        let (a, b) = ("0.12345678901234567890", "0.12345678901234567900");
        assert_eq!(compare_text(a, b), Ordering::Equal);
        assert_eq!(order_text(a, b), Ordering::Less);
        assert!(same_member(a, b));
    }

    #[test]
    fn members_are_told_apart_beyond_machine_floats() {
        let cases = [
            ("1", "1.0", true),
            ("1e300", "10e299", true),
            ("1e1000", "10e999", false),
            ("1e1000", "1e1000", true),
            ("0", "-0.0", true),
            ("1", "2", false),
        ];
        for (a, b, expected) in cases {
            assert_eq!(same_member(a, b), expected, "{a} and {b}");
        }
        assert_eq!(membership_key("7.0"), int_membership_key(7));
        assert_eq!(membership_key("-0.0"), int_membership_key(0));
    }
}
