//! Durations as text: Go's `1h30m` and OPA's days, weeks and years.
//!
//! Apart from dates, which these do not touch: a day is 24 hours and a year 365 days. The
//! error texts are those of Go and OPA.

use super::float::{FloatVerb, format_float};
use super::layout::quote_time;
use super::quote::quote;

/// Says why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("time: {what} {text}")]
pub struct DurationError {
    what: String,
    /// The quoted text.
    text: String,
}

const LIMIT: u64 = 1 << 63;

/// Parses a duration into nanoseconds; besides Go's units it may have `d`, `w` and `y`.
///
/// # Errors
///
/// Returns OPA's error for a text that is no duration or does not fit into 64 bits.
pub fn parse_duration(text: &str) -> Result<i64, DurationError> {
    if !text.is_empty() && !text.contains(['d', 'w', 'y']) {
        return go_duration(text).map_err(|what| DurationError { what, text: quote_time(text.as_bytes()) });
    }
    let error = |what: String| DurationError { what, text: quote(text) };
    let rewritten = rewrite(text).ok_or_else(|| error("invalid duration".to_owned()))?;
    go_duration(&rewritten).map_err(error)
}

/// Parses a duration of Go's units alone into nanoseconds.
///
/// # Errors
///
/// Returns Go's error for a text that is no duration or does not fit into 64 bits.
pub fn parse_go_duration(text: &str) -> Result<i64, DurationError> {
    go_duration(text).map_err(|what| DurationError { what, text: quote_time(text.as_bytes()) })
}

/// Rewrites days, weeks and years to hours; `None` if the text is not made of numbers and
/// short units.
fn rewrite(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    if let Some(sign) = rest.chars().next().filter(|c| matches!(c, '-' | '+')) {
        out.push(sign);
        rest = rest.get(1..)?;
    }
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (digits, tail) = rest.split_at(end);
        let long = ["ms", "us", "µs", "ns"].into_iter().find(|unit| tail.starts_with(unit));
        let short = tail.get(..1).filter(|unit| unit.starts_with(|c: char| c.is_ascii_lowercase()));
        let unit = long.or(short)?;
        if digits.is_empty() {
            return None;
        }
        let hours: f64 = match unit {
            "d" => 24.0,
            "w" => 168.0,
            "y" => 8760.0,
            _ => {
                out.push_str(digits);
                out.push_str(unit);
                rest = tail.get(unit.len()..)?;
                continue;
            }
        };
        let count: f64 = digits.parse().ok().filter(|count: &f64| count.is_finite())?;
        out.push_str(&format_float(count * hours, FloatVerb::Plain, None));
        out.push('h');
        rest = tail.get(unit.len()..)?;
    }
    Some(out)
}

/// Parses what Go's `time.ParseDuration` does; the error is the fault alone.
fn go_duration(text: &str) -> Result<i64, String> {
    let invalid = || "invalid duration".to_owned();
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (whole, tail) = split_digits(rest);
        let (fraction, tail) = match tail.strip_prefix('.') {
            Some(tail) => split_digits(tail),
            None => ("", tail),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let whole = whole_number(whole).ok_or_else(invalid)?;
        let end = tail.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(tail.len());
        let (name, tail) = tail.split_at(end);
        if name.is_empty() {
            return Err("missing unit in duration".to_owned());
        }
        let unit =
            unit(name).ok_or_else(|| format!("unknown unit {} in duration", quote_time(name.as_bytes())))?;
        let scaled = whole.checked_mul(unit).filter(|scaled| *scaled <= LIMIT);
        let value = scaled.ok_or_else(invalid)? + fraction_of(fraction, unit);
        total = total.wrapping_add(value);
        if value > LIMIT || total > LIMIT {
            return Err(invalid());
        }
        rest = tail;
    }
    if negative {
        return Ok(total.wrapping_neg().cast_signed());
    }
    i64::try_from(total).map_err(|_| invalid())
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn whole_number(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0_u64, |number, digit| {
        let next = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        (number <= LIMIT / 10 && next <= LIMIT).then_some(next)
    })
}

/// Returns the part of a unit that decimal digits behind a point stand for.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go rounds through floats here; the product lies between zero and one hour"
)]
fn fraction_of(digits: &str, unit: u64) -> u64 {
    let mut fraction: u64 = 0;
    let mut scale = 1.0;
    for digit in digits.bytes() {
        if fraction > (LIMIT - 1) / 10 {
            break;
        }
        let next = fraction * 10 + u64::from(digit - b'0');
        if next > LIMIT {
            break;
        }
        fraction = next;
        scale *= 10.0;
    }
    (fraction as f64 * (unit as f64 / scale)) as u64
}

fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let cases: [(&str, Result<i64, &str>); 18] = [
            ("1h30m", Ok(5_400_000_000_000)),
            ("-1.5s", Ok(-1_500_000_000)),
            ("+.5us", Ok(500)),
            ("0", Ok(0)),
            ("1d2h", Ok(93_600_000_000_000)),
            ("0.5w1ms", Ok(302_400_001_000_000)),
            ("1y", Ok(31_536_000_000_000_000)),
            ("9223372036854775807ns", Ok(i64::MAX)),
            ("-9223372036854775808ns", Ok(i64::MIN)),
            ("9223372036854775808ns", Err("time: invalid duration \"9223372036854775808ns\"")),
            ("", Err("time: invalid duration \"\"")),
            ("-", Err("time: invalid duration \"-\"")),
            (".s", Err("time: invalid duration \".s\"")),
            ("3", Err("time: missing unit in duration \"3\"")),
            ("3q", Err("time: unknown unit \"q\" in duration \"3q\"")),
            ("3é", Err("time: unknown unit \"\\xc3\\xa9\" in duration \"3\\xc3\\xa9\"")),
            ("1d3q", Err("time: unknown unit \"q\" in duration \"1d3q\"")),
            ("1.2.3d", Err("time: invalid duration \"1.2.3d\"")),
        ];
        for (text, want) in cases {
            let got = parse_duration(text).map_err(|err| err.to_string());
            assert_eq!(got, want.map_err(str::to_owned), "{text}");
        }
    }
}
