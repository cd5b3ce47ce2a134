//! Quantities with units: `units.parse` (exact decimals) and `units.parse_bytes` (whole bytes).
//!
//! OPA computes the first with rationals and the second with floats of 64 bits, and it shows in the results.

use lictor_value::number::SoftFloat;
use lictor_value::{Number, Value};
use num_bigint::BigInt;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, string};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("units.parse", "str -> num", parse),
    Builtin::pure("units.parse_bytes", "str -> num", parse_bytes),
];

/// An exponent has at most so many digits.
const EXPONENT_DIGITS_MAX: usize = 6;
/// So many decimals are written of what is no integer.
const DECIMALS: usize = 10;
/// Go's rationals refuse a scale beyond this.
const SCALE_MAX: i64 = 1_000_000;
/// The float nearest to 0.001 is this over two to the 60.
const MILLI: u64 = 1_152_921_504_606_847;
const MILLI_EXPONENT: u32 = 60;

struct ExponentTooLarge;

/// Cuts a text where the number ends.
fn split_unit(text: &str) -> Result<(&str, &str), ExponentTooLarge> {
    let bytes = text.as_bytes();
    let digits_from =
        |at: usize| bytes.get(at..).unwrap_or(&[]).iter().take_while(|it| it.is_ascii_digit()).count();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' | b'.' | b'+' | b'-' => {}
            b'e' | b'E' => {
                match bytes.get(at + 1) {
                    Some(b'+' | b'-') => at += 1,
                    Some(b'0'..=b'9') => {}
                    _ => break,
                }
                if digits_from(at + 1) > EXPONENT_DIGITS_MAX {
                    return Err(ExponentTooLarge);
                }
            }
            _ => break,
        }
        at += 1;
    }
    Ok(text.split_at(at))
}

fn fail<T>(name: &str, what: &str) -> Result<T, BuiltinError> {
    Err(BuiltinError::value(format!("{name}: {what}")))
}

fn parse<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    const NAME: &str = "units.parse";
    let text = string(args, 0)?.replace('"', "");
    if text.contains(' ') {
        return fail(NAME, "spaces not allowed in resource strings");
    }
    let Ok((amount, unit)) = split_unit(&text) else { return fail(NAME, "exponent too large") };
    if amount.is_empty() {
        return fail(NAME, "no amount provided");
    }
    let Some(factor) = si_factor(unit) else {
        return fail(NAME, &format!("unit {} not recognized", shown_unit(unit)));
    };
    match Decimal::parse(amount).filter(|it| it.scale.abs() <= SCALE_MAX) {
        Some(decimal) => answer(ctx.arena.number_text(&decimal.times(factor))),
        None => fail(NAME, "could not parse amount to a number"),
    }
}

/// What an amount is multiplied by.
#[derive(Clone, Copy)]
enum Factor {
    Whole(u64),
    Milli,
}

/// The case of the first letter tells `m` from `M` and nothing else.
fn si_factor(unit: &str) -> Option<Factor> {
    let mut letters = unit.chars();
    let first = letters.next();
    let second = letters.next().map(|it| it.to_ascii_lowercase());
    if letters.next().is_some() {
        return None;
    }
    if (first, second) == (Some('m'), None) {
        return Some(Factor::Milli);
    }
    let power = match first.map(|it| it.to_ascii_lowercase()) {
        None => return Some(Factor::Whole(1)),
        Some(letter) => "kmgtpe".find(letter)? + 1,
    };
    factor(power, second).map(Factor::Whole)
}

fn factor(power: usize, second: Option<char>) -> Option<u64> {
    let power = u32::try_from(power).ok()?;
    match second {
        None => Some(1000_u64.pow(power)),
        Some('i') => Some(1024_u64.pow(power)),
        Some(_) => None,
    }
}

/// OPA lowers a unit after its first byte, which tears a longer character.
fn shown_unit(unit: &str) -> String {
    let mut letters = unit.chars();
    let first = match letters.next() {
        Some(it) if it.is_ascii() => it.to_string(),
        Some(it) => "\u{fffd}".repeat(it.len_utf8()),
        None => String::new(),
    };
    first + &letters.as_str().to_lowercase()
}

/// `digits` over ten to the `scale`.
struct Decimal {
    negative: bool,
    digits: String,
    scale: i64,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
            return None;
        }
        let scale = i64::try_from(fraction.len()).ok()? - exponent;
        let is_zero = digits.bytes().all(|it| it == b'0');
        let negative = text.starts_with('-') && !is_zero;
        if is_zero {
            return Some(Self { negative, digits: "0".to_owned(), scale: 0 });
        }
        Some(Self { negative, digits, scale })
    }

    /// Returns the text of the product: an integer, or rounded to ten decimals.
    fn times(&self, factor: Factor) -> String {
        let amount = Number::parse(self.digits.trim_start_matches('0')).and_then(|it| it.to_big_int());
        let amount = amount.unwrap_or_default();
        let (product, scale) = match factor {
            Factor::Whole(factor) => (amount * factor, self.scale),
            Factor::Milli => {
                (amount * MILLI * BigInt::from(5).pow(MILLI_EXPONENT), self.scale + i64::from(MILLI_EXPONENT))
            }
        };
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}", decimal_text(&product.to_string(), scale))
    }
}

fn decimal_text(digits: &str, scale: i64) -> String {
    let Ok(scale) = usize::try_from(scale) else {
        let zeros = usize::try_from(scale.unsigned_abs()).unwrap_or(0);
        return if digits == "0" { digits.to_owned() } else { format!("{digits}{}", "0".repeat(zeros)) };
    };
    let padded = format!("{}{digits}", "0".repeat((scale + 1).saturating_sub(digits.len())));
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    if fraction.bytes().all(|it| it == b'0') {
        return whole.to_owned();
    }
    let kept = format!("{whole}{:0<DECIMALS$}", fraction.get(..DECIMALS).unwrap_or(fraction));
    let round_up = fraction.as_bytes().get(DECIMALS).is_some_and(|it| *it >= b'5');
    let mut rounded = if round_up { increment(&kept) } else { kept };
    rounded.insert(rounded.len() - DECIMALS, '.');
    rounded
}

/// Adds one to decimal digits.
fn increment(digits: &str) -> String {
    let nines = digits.bytes().rev().take_while(|it| *it == b'9').count();
    let (before, _) = digits.split_at(digits.len() - nines);
    let head = match before.split_at_checked(before.len().saturating_sub(1)) {
        Some((head, last)) if !before.is_empty() => {
            let next = last.bytes().next().map_or(b'1', |it| it + 1);
            format!("{head}{}", char::from(next))
        }
        _ => "1".to_owned(),
    };
    format!("{head}{}", "0".repeat(nines))
}

fn parse_bytes<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    const NAME: &str = "units.parse_bytes";
    let text = string(args, 0)?.to_lowercase().replace('"', "");
    if text.contains(' ') {
        return fail(NAME, "spaces not allowed in resource strings");
    }
    let Ok((amount, unit)) = split_unit(&text) else { return fail(NAME, "exponent too large") };
    if amount.is_empty() {
        return fail(NAME, "no byte amount provided");
    }
    let Some(factor) = bytes_factor(unit) else {
        return fail(NAME, &format!("byte unit {unit} not recognized"));
    };
    let float = Decimal::parse(amount).and(Number::parse(amount)).and_then(|it| it.to_soft_float().ok());
    match float {
        Some(float) => answer(ctx.arena.number_text(&whole_product(float, factor).to_string())),
        None => fail(NAME, "could not parse byte amount to a number"),
    }
}

fn bytes_factor(unit: &str) -> Option<u64> {
    let unit = unit.strip_suffix('b').filter(|it| !it.is_empty()).unwrap_or(unit);
    let mut letters = unit.chars();
    let power = match letters.next() {
        None => return Some(1),
        Some(letter) => "kmgtpe".find(letter)? + 1,
    };
    let second = letters.next();
    if letters.next().is_some() { None } else { factor(power, second) }
}

/// Returns the whole part of a product that is rounded to 64 bits first.
fn whole_product(float: SoftFloat, factor: u64) -> BigInt {
    if float.is_zero() {
        return BigInt::ZERO;
    }
    let product = u128::from(float.mantissa()) * u128::from(factor);
    let surplus = (128 - product.leading_zeros()).saturating_sub(64);
    let rounded = round_off(product, surplus);
    let shift = i64::from(float.exponent()) - 64 + i64::from(surplus);
    let magnitude = match u64::try_from(shift) {
        Ok(up) => BigInt::from(rounded) << up,
        Err(_) => BigInt::from(rounded) >> shift.unsigned_abs(),
    };
    if float.is_negative() { -magnitude } else { magnitude }
}

/// Drops low bits, rounding to the nearest and halves to even.
fn round_off(value: u128, bits: u32) -> u128 {
    if bits == 0 {
        return value;
    }
    let (kept, rest, half) = (value >> bits, value & ((1 << bits) - 1), 1 << (bits - 1));
    if rest > half || rest == half && kept & 1 == 1 { kept + 1 } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_away_from_zero() {
        for (digits, scale, want) in [
            ("5", 0, "5"),
            ("5", -3, "5000"),
            ("5", 1, "0.5000000000"),
            ("500", 2, "5"),
            ("12345678901234", 12, "12.3456789012"),
            ("5", 11, "0.0000000001"),
            ("4", 11, "0.0000000000"),
            ("99999999999", 10, "9.9999999999"),
            ("999999999995", 11, "10.0000000000"),
        ] {
            assert_eq!(decimal_text(digits, scale), want, "{digits} / 10^{scale}");
        }
    }
}
