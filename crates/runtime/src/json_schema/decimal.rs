//! Exact decimal numbers: comparison, whether they are whole, whether one is a multiple of another.
//!
//! Apart because schemas compare exactly, where policies compare by floats. A number is its digits and an exponent;
//! nothing is ever expanded, so absurd exponents cost nothing.

use std::cmp::Ordering;

use num_bigint::BigUint;

/// Beyond this exponent a number is none, as in OPA.
const EXPONENT_MAX: i64 = 1_000_000;
/// Digits up to this many are divided; longer numbers are multiples of nothing.
const DIGITS_MAX: usize = 20_000;

/// A number without rounding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    negative: bool,
    /// Digits without zeros at either end; empty for zero.
    digits: String,
    /// The power of ten of the last digit.
    exponent: i64,
}

impl Decimal {
    /// Reads the text of a JSON number.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |it| (true, it));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let exponent: i64 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|it| it.is_ascii_digit()) {
            return None;
        }
        let places = i64::try_from(fraction.len()).ok()?;
        let kept = all.trim_end_matches('0');
        let zeros = i64::try_from(all.len() - kept.len()).ok()?;
        let digits = kept.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let last = exponent.checked_sub(places).filter(|it| it.abs() <= EXPONENT_MAX)?;
        Some(Self { negative, digits, exponent: last + zeros })
    }

    pub(super) fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    pub(super) fn is_positive(&self) -> bool {
        !self.negative && !self.digits.is_empty()
    }

    /// The power of ten of the first digit, and one more.
    fn magnitude(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap_or(i64::MAX).saturating_add(self.exponent)
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Says whether the number is this many times another, which is positive.
    pub(super) fn is_multiple_of(&self, other: &Self) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        // The last digit is no zero, so nothing can be divided by a power of ten.
        let Ok(shift) = u32::try_from(self.exponent - other.exponent) else { return false };
        if self.digits.len() > DIGITS_MAX || other.digits.len() > DIGITS_MAX {
            return false;
        }
        let read = |it: &Self| it.digits.parse::<BigUint>().unwrap_or_default();
        let divisor = read(other);
        let power = BigUint::from(10_u8).modpow(&BigUint::from(shift), &divisor);
        (read(self) * power % divisor) == BigUint::ZERO
    }

    /// Returns the number as Go shows a float of enough digits: an exponent below -4 and from 6 on.
    pub(super) fn shown(&self) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let sign = if self.negative { "-" } else { "" };
        let exponent = self.magnitude() - 1;
        let (first, rest) = self.digits.split_at(1);
        if !(-4..6).contains(&exponent) {
            let point = if rest.is_empty() { "" } else { "." };
            let mark = if exponent < 0 { '-' } else { '+' };
            return format!("{sign}{first}{point}{rest}e{mark}{:02}", exponent.abs());
        }
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
        if self.exponent >= 0 {
            return format!("{sign}{}{}", self.digits, zeros(self.exponent));
        }
        match usize::try_from(self.magnitude()) {
            Ok(whole) if whole > 0 => {
                let (whole, fraction) = self.digits.split_at(whole.min(self.digits.len()));
                format!("{sign}{whole}.{fraction}")
            }
            _ => format!("{sign}0.{}{}", zeros(-self.magnitude()), self.digits),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.sign().cmp(&other.sign());
        if by_sign != Ordering::Equal || self.digits.is_empty() {
            return by_sign;
        }
        // Digits compare as texts: both begin at the same power of ten and end without zeros.
        let larger = self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits));
        if self.negative { larger.reverse() } else { larger }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Decimal {
        Decimal::read(text).expect("a number")
    }

    #[test]
    fn comparison_is_exact() {
        for (small, large) in
            [("1", "2"), ("-2", "-1"), ("0", "0.1"), ("9", "10"), ("1.5", "1.51"), ("-1e9", "1")]
        {
            assert!(read(small) < read(large), "{small} {large}");
        }
        assert_eq!(read("1.00"), read("1"));
        assert_eq!(read("100"), read("1e2"));
        assert!(read("9007199254740993") > read("9007199254740992"));
        assert_eq!(Decimal::read("1e1000001"), None);
    }

    #[test]
    fn multiples_are_exact() {
        assert!(read("0.7").is_multiple_of(&read("0.1")));
        assert!(read("0").is_multiple_of(&read("7")));
        assert!(read("1e1000").is_multiple_of(&read("8")));
        assert!(!read("0.75").is_multiple_of(&read("0.5")));
        assert!(!read("1e1000").is_multiple_of(&read("3")));
        assert!(read("-9").is_multiple_of(&read("4.5")));
    }

    #[test]
    fn numbers_show_as_in_go() {
        for (text, want) in [
            ("1000000", "1e+06"),
            ("123456", "123456"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("-12.50", "-12.5"),
            ("1234567.5", "1.2345675e+06"),
            ("100", "100"),
            ("0.0", "0"),
        ] {
            assert_eq!(read(text).shown(), want);
        }
    }
}
