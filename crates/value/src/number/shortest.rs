//! The shortest decimal that stands for a binary float, and its text.
//!
//! A float stands for the interval of half a unit of its last place to either
//! side (closed when its mantissa is even), also where the floats below a power
//! of two are closer. Digits are produced one by one with exact remainders: in
//! machine words for common magnitudes, in big integers for the rest. Must not
//! know where its mantissas come from.

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;

use super::SoftFloat;
use super::text::power_of_ten;

/// The most digits a 64-bit mantissa needs, and room.
const DIGITS_MAX: usize = 32;

/// Decimal digits without trailing zeros: `0.d1d2d3… * 10^exponent`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits {
    buffer: [u8; DIGITS_MAX],
    len: usize,
    pub(super) exponent: i64,
}

impl Digits {
    fn empty(exponent: i64) -> Self {
        Self { buffer: [b'0'; DIGITS_MAX], len: 0, exponent }
    }

    /// The digits as ASCII.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_default()
    }

    fn push(&mut self, digit: u8) {
        if let Some(place) = self.buffer.get_mut(self.len) {
            *place = b'0' + digit;
            self.len += 1;
        }
    }

    fn is_full(&self) -> bool {
        self.len == DIGITS_MAX
    }

    fn last_is_odd(&self) -> bool {
        self.as_bytes().last().is_some_and(|digit| digit & 1 == 1)
    }

    fn trim(&mut self) {
        while self.as_bytes().last() == Some(&b'0') {
            self.len -= 1;
        }
    }

    /// Adds one to the last digit.
    fn increment(&mut self) {
        while self.as_bytes().last() == Some(&b'9') {
            self.len -= 1;
        }
        if self.len == 0 {
            self.push(1);
            self.exponent += 1;
        } else if let Some(last) = self.buffer.get_mut(self.len - 1) {
            *last += 1;
        }
    }

    /// Ends the digits according to the last decision.
    fn finish(mut self, end: End) -> Self {
        match end {
            End::Down => self.trim(),
            End::Up => self.increment(),
        }
        self
    }
}

/// How the digits end.
#[derive(Clone, Copy)]
enum End {
    Down,
    Up,
}

/// Decides, digit by digit, whether the digits so far may stand for the float.
struct Chooser {
    /// The ends of the interval belong to it.
    closed: bool,
    /// The digits rounded up once met the open end exactly; they never may be
    /// rounded up after that.
    up_barred: bool,
}

impl Chooser {
    fn new(mantissa: u64) -> Self {
        Self { closed: mantissa & 1 == 0, up_barred: false }
    }

    /// `down` compares what would be cut off with half a unit of the float,
    /// `up` what would be added; `nearer_up` compares both with each other.
    fn end(&mut self, down: Ordering, up: Ordering, nearer_up: Ordering, last_is_odd: bool) -> Option<End> {
        let may = |ordering| ordering == Ordering::Less || (self.closed && ordering == Ordering::Equal);
        let may_down = may(down);
        let may_up = !self.up_barred && may(up);
        if up == Ordering::Equal && !self.closed {
            self.up_barred = true;
        }
        match (may_down, may_up) {
            (true, true) => Some(match nearer_up {
                Ordering::Greater => End::Up,
                Ordering::Equal if last_is_odd => End::Up,
                _ => End::Down,
            }),
            (true, false) => Some(End::Down),
            (false, true) => Some(End::Up),
            (false, false) => None,
        }
    }
}

/// Returns the shortest digits of a float with so many mantissa bits (at most
/// 64); none for zero.
pub(super) fn shortest_digits(float: &SoftFloat, bits: u32) -> Digits {
    if float.is_zero() {
        return Digits::empty(0);
    }
    let unused = 64_u32.saturating_sub(bits);
    let mantissa = float.mantissa() >> unused;
    let exponent = i64::from(float.exponent()) - i64::from(bits);
    match u32::try_from(-exponent) {
        Ok(fraction_bits) if fraction_bits <= 123 => small_digits(mantissa, fraction_bits),
        _ => big_digits(mantissa, exponent),
    }
}

/// The shortest digits of `mantissa / 2^fraction_bits`, in machine words.
fn small_digits(mantissa: u64, fraction_bits: u32) -> Digits {
    let int = mantissa.checked_shr(fraction_bits).unwrap_or(0);
    let mut digits = int_digits(int);
    // Counted in halves of the float's unit, so that the interval ends at ±1.
    let bits = fraction_bits + 1;
    let mask = (1_u128 << bits) - 1;
    let mut rest = (u128::from(mantissa) << 1) & mask;
    if rest == 0 {
        digits.trim();
        return digits;
    }
    let mut half: u128 = 1;
    let mut chooser = Chooser::new(mantissa);
    loop {
        rest *= 10;
        half *= 10;
        let digit = u8::try_from(rest >> bits).unwrap_or(9);
        rest &= mask;
        if digit == 0 && digits.len == 0 {
            digits.exponent -= 1;
            continue;
        }
        digits.push(digit);
        let missing = mask + 1 - rest;
        let end = chooser.end(rest.cmp(&half), missing.cmp(&half), rest.cmp(&missing), digits.last_is_odd());
        if let Some(end) = end {
            return digits.finish(end);
        }
        if digits.is_full() {
            return digits.finish(End::Down);
        }
    }
}

fn int_digits(value: u64) -> Digits {
    let mut digits = Digits::empty(0);
    if value == 0 {
        return digits;
    }
    let count = value.ilog10();
    for place in (0..=count).rev() {
        let digit = value / power_of_ten(place).unwrap_or(1) % 10;
        digits.push(u8::try_from(digit).unwrap_or(0));
    }
    digits.exponent = i64::from(count) + 1;
    digits
}

/// The shortest digits of `mantissa * 2^exponent`, for any exponent.
fn big_digits(mantissa: u64, exponent: i64) -> Digits {
    let mut rest = BigUint::from(mantissa) << 1_u8;
    let mut half = BigUint::from(1_u8);
    let mut unit = BigUint::from(1_u8);
    let shift = exponent - 1;
    if shift >= 0 {
        rest <<= shift.unsigned_abs();
        half <<= shift.unsigned_abs();
    } else {
        unit <<= shift.unsigned_abs();
    }
    let mut places = decimal_places(mantissa, exponent);
    let power = BigUint::from(10_u8).pow(u32::try_from(places.unsigned_abs()).unwrap_or(u32::MAX));
    if places >= 0 {
        unit *= power;
    } else {
        rest *= &power;
        half *= power;
    }
    if rest >= unit {
        unit *= 10_u8;
        places += 1;
    }
    let mut digits = Digits::empty(places);
    let mut chooser = Chooser::new(mantissa);
    loop {
        rest *= 10_u8;
        half *= 10_u8;
        let (digit, remainder) = rest.div_rem(&unit);
        rest = remainder;
        if digit == BigUint::ZERO && digits.len == 0 {
            digits.exponent -= 1;
            continue;
        }
        digits.push(digit.to_u8().unwrap_or(9));
        let missing = &unit - &rest;
        let end = chooser.end(rest.cmp(&half), missing.cmp(&half), rest.cmp(&missing), digits.last_is_odd());
        if let Some(end) = end {
            return digits.finish(end);
        }
        if digits.is_full() {
            return digits.finish(End::Down);
        }
    }
}

/// Estimates how many decimal digits stand before the point (negative: zeros
/// after it), at most one off.
fn decimal_places(mantissa: u64, exponent: i64) -> i64 {
    // log10(2) to fifteen digits; exponents are far below what this carries.
    const NUMERATOR: i128 = 301_029_995_663_981;
    const DENOMINATOR: i128 = 1_000_000_000_000_000;
    let bits = i128::from(exponent) + 64 - i128::from(mantissa.leading_zeros());
    let places = (bits * NUMERATOR).div_euclid(DENOMINATOR);
    i64::try_from(places).unwrap_or(0)
}

/// Writes digits with no exponent, whatever their magnitude.
pub(super) fn write_plain(digits: &Digits, out: &mut String) {
    let bytes = digits.as_bytes();
    let before = usize::try_from(digits.exponent.max(0)).unwrap_or(0);
    let (int, frac) = bytes.split_at(before.min(bytes.len()));
    if before == 0 {
        out.push('0');
    }
    push_ascii(out, int);
    out.extend(std::iter::repeat_n('0', before - int.len()));
    if !frac.is_empty() {
        out.push('.');
        let zeros = digits.exponent.min(0).unsigned_abs();
        out.extend(std::iter::repeat_n('0', usize::try_from(zeros).unwrap_or(0)));
        push_ascii(out, frac);
    }
}

/// Writes digits with an exponent of at least two digits.
pub(super) fn write_scientific(digits: &Digits, out: &mut String) {
    use std::fmt::Write;

    let (first, rest) = match digits.as_bytes().split_first() {
        Some((first, rest)) => (*first, rest),
        None => (b'0', &[][..]),
    };
    out.push(char::from(first));
    if !rest.is_empty() {
        out.push('.');
        push_ascii(out, rest);
    }
    let exponent = if digits.len == 0 { 0 } else { digits.exponent - 1 };
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a string does not fail.
    let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
}

/// Writes digits with an exponent when that is below -4 or above 5.
pub(super) fn write_general(digits: &Digits, out: &mut String) {
    let exponent = digits.exponent - 1;
    if digits.len > 0 && !(-4..6).contains(&exponent) {
        write_scientific(digits, out);
    } else {
        write_plain(digits, out);
    }
}

fn push_ascii(out: &mut String, digits: &[u8]) {
    out.extend(digits.iter().map(|&digit| char::from(digit)));
}

/// Makes digits from the text of an `f64` in Rust's exponent form.
pub(super) fn digits_of_exponent_form(text: &str) -> Digits {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let mut digits = Digits::empty(exponent + 1);
    for byte in mantissa.bytes().filter(u8::is_ascii_digit) {
        digits.push(byte - b'0');
    }
    digits.trim();
    if digits.len == 0 {
        digits.exponent = 0;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_the_same_digits() {
        let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
        for round in 0..2_000_u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Full mantissas, and some with few bits set.
            let cut = if round % 3 == 0 { round % 60 } else { 0 };
            let mantissa = (state | 1 << 63) >> cut << cut;
            for fraction_bits in [0, 1, 20, 63, 64, 90, 123] {
                let small = small_digits(mantissa, fraction_bits);
                let big = big_digits(mantissa, -i64::from(fraction_bits));
                assert_eq!(small.as_bytes(), big.as_bytes(), "{mantissa} / 2^{fraction_bits}");
                assert_eq!(small.exponent, big.exponent, "{mantissa} / 2^{fraction_bits}");
            }
        }
    }

    #[test]
    fn texts_have_an_exponent_only_far_from_one() {
        let cases = [
            ("1.5e0", "1.5", "1.5e+00"),
            ("1e5", "100000", "1e+05"),
            ("1.25e6", "1.25e+06", "1.25e+06"),
            ("1e-4", "0.0001", "1e-04"),
            ("1e-5", "1e-05", "1e-05"),
            ("1e100", "1e+100", "1e+100"),
            ("0e0", "0", "0e+00"),
        ];
        for (form, general, scientific) in cases {
            let digits = digits_of_exponent_form(form);
            let mut out = String::new();
            write_general(&digits, &mut out);
            assert_eq!(out, general, "{form}");
            out.clear();
            write_scientific(&digits, &mut out);
            assert_eq!(out, scientific, "{form}");
        }
    }
}
