//! The text of literals: escapes of strings and the bounds of numbers.
//!
//! Strings become what they stand for. Numbers stay as they were written; they are only checked
//! here, since OPA refuses those that are too large or small to be calculated with.

use std::f64::consts::LOG2_10;

/// Binary exponents beyond this, up or down, are refused.
const NUMBER_EXPONENT_MAX: f64 = 100_000.0;

/// Written exponents beyond this make the text no number at all, as in Go's big floats.
const EXPONENT_MAX: i64 = i32::MAX as i64;

/// Decimal places within which every number is surely in bounds.
const DECIMAL_SAFE: i64 = 30_000;

/// Resolves the escapes of a JSON string without its quotes; `None` if it is not one. A text
/// without a backslash is taken as it is, control characters included.
pub(crate) fn unescape(text: &str, template: bool) -> Option<String> {
    if !text.as_bytes().contains(&b'\\') {
        return Some(text.to_owned());
    }
    if template && !has_json_escape(text) {
        return Some(text.replace("\\{", "{"));
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(point) = chars.next() {
        match point {
            '\\' => match chars.next()? {
                '{' if template => out.push('{'),
                'u' => unicode_escape(&mut chars, &mut out)?,
                letter => out.push(simple_escape(letter)?),
            },
            '\u{0}'..='\u{1f}' => return None,
            _ => out.push(point),
        }
    }
    Some(out)
}

/// Tells whether there is an escape other than `\{`.
fn has_json_escape(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(point) = chars.next() {
        if point == '\\' && chars.next() != Some('{') {
            return true;
        }
    }
    false
}

fn simple_escape(letter: char) -> Option<char> {
    Some(match letter {
        '"' | '\\' | '/' => letter,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}

/// Reads what follows `\u`; halves of a pair that stand alone become the replacement character.
fn unicode_escape(chars: &mut std::str::Chars<'_>, out: &mut String) -> Option<()> {
    let first = hex4(chars)?;
    if !(0xd800..0xe000).contains(&first) {
        out.push(char::from_u32(first)?);
        return Some(());
    }
    let mut ahead = chars.clone();
    let second =
        (ahead.next() == Some('\\') && ahead.next() == Some('u')).then(|| hex4(&mut ahead)).flatten();
    match second {
        Some(low) if first < 0xdc00 && (0xdc00..0xe000).contains(&low) => {
            *chars = ahead;
            out.push(char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00))?);
        }
        _ => out.push(char::REPLACEMENT_CHARACTER),
    }
    Some(())
}

fn hex4(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut code = 0;
    for _ in 0..4 {
        code = code * 16 + chars.next()?.to_digit(16)?;
    }
    Some(code)
}

/// Is why a number is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberFault {
    /// Is not a number.
    Invalid,
    /// Cannot be calculated with.
    TooBig,
}

/// Checks the text of a number: sign, digits, fraction, exponent. One that is smaller than any of Go's big floats is
/// zero there, and fine.
pub(crate) fn check_number(text: &str) -> Result<(), NumberFault> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return Err(NumberFault::Invalid);
    }
    let digits = || whole.bytes().chain(fraction.bytes());
    let zeros = digits().take_while(|digit| *digit == b'0').count();
    let significant = whole.len() + fraction.len() - zeros;
    if significant == 0 {
        return Ok(());
    }
    // The value is 0.d1d2… × 10^places with d1 not zero.
    let places = length(whole.len()).saturating_sub(length(zeros)).saturating_add(exponent);
    if places.abs() < DECIMAL_SAFE {
        return Ok(());
    }
    if exponent.abs() > EXPONENT_MAX {
        return Err(NumberFault::Invalid);
    }
    let leading = digits()
        .skip(zeros)
        .take(17)
        .fold((0.0, 0.1), |(sum, unit), digit| (sum + f64::from(digit - b'0') * unit, unit / 10.0));
    let bits_of_places = places.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    let bits_of_places = f64::from(i32::try_from(bits_of_places).unwrap_or(i32::MAX)) * LOG2_10;
    let bits = (leading.0.log2() + bits_of_places).floor() + 1.0;
    let is_zero = bits < f64::from(i32::MIN);
    if bits.abs() > NUMBER_EXPONENT_MAX && !is_zero {
        return Err(NumberFault::TooBig);
    }
    Ok(())
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Parses an exponent; one of more than 64 bits is no number to OPA.
fn parse_exponent(text: &str) -> Result<i64, NumberFault> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberFault::Invalid);
    }
    let size = digits.parse::<i64>().map_err(|_| NumberFault::Invalid)?;
    Ok(if negative { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (text, template, want) in [
            (r"a\n\u0041", false, Some("a\nA")),
            (r"\ud834\udd1e\ud834x", false, Some("\u{1d11e}\u{fffd}x")),
            (r"\q", false, None),
            (r"a\{b", true, Some("a{b")),
            (r"\{\t", true, Some("{\t")),
            ("a\tb", false, Some("a\tb")),
            ("a\tb\\n", false, None),
        ] {
            assert_eq!(unescape(text, template).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn numbers_in_and_out_of_bounds() {
        for text in ["0", "1", "-0.5e10", "1e30102", "0e999999999999", ".5"] {
            assert_eq!(check_number(text), Ok(()), "{text}");
        }
        for text in ["1e30103", "1e-31000", "1e999999999"] {
            assert_eq!(check_number(text), Err(NumberFault::TooBig), "{text}");
        }
        for text in [".5.5", "1e9999999999", "0e99999999999999999999"] {
            assert_eq!(check_number(text), Err(NumberFault::Invalid), "{text}");
        }
    }
}
