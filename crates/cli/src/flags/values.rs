//! Values of flags as Go reads them, with Go's words for faults.
//!
//! Apart because every command shares them and their faults must read as OPA's do. It knows types of values, not flags
//! or commands.

use std::time::Duration;

use super::Kind;

/// Says what is wrong with a value for a flag.
pub(super) fn check(kind: Kind, value: &str) -> Result<(), String> {
    match kind {
        Kind::Switch | Kind::On if truth(value).is_none() => {
            Err(format!("strconv.ParseBool: parsing {value:?}: invalid syntax"))
        }
        Kind::Number(_) => number(value).map(|_| ()),
        Kind::Time => time(value).map(|_| ()),
        Kind::Choice(words) | Kind::ChoiceOr(_, words) if !words.contains(&value) => {
            Err(format!("must be one of {{{}}}", words.join(",")))
        }
        _ => Ok(()),
    }
}

/// Reads a boolean.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Reads a whole number.
pub(super) fn number(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    match text.parse() {
        Ok(number) if plain => Ok(number),
        Err(_) if plain => Err(format!("strconv.ParseInt: parsing {text:?}: value out of range")),
        _ => Err(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")),
    }
}

const UNITS: [(&str, f64); 8] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("\u{b5}s", 1e-6),
    ("\u{3bc}s", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
];

/// Reads a time; one below zero is no time at all, and counts as one that has passed at once.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(Duration::ZERO);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
        let (digits, behind) = rest.split_at(end);
        let amount: f64 = digits.parse().map_err(|_| invalid())?;
        let end = behind.find(|it: char| it.is_ascii_digit() || it == '.').unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {text:?}"));
        }
        let scale = UNITS.iter().find(|it| it.0 == unit).map(|it| it.1);
        let scale = scale.ok_or_else(|| format!("time: unknown unit {unit:?} in duration {text:?}"))?;
        seconds += amount * scale;
        rest = behind;
    }
    if negative {
        return Ok(Duration::from_nanos(1));
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(time("1h2m3.5s4ms"), Ok(Duration::from_millis(3_723_504)));
        assert_eq!(time("0"), Ok(Duration::ZERO));
        assert_eq!(time("5"), Err("time: missing unit in duration \"5\"".to_owned()));
        assert_eq!(time("1x"), Err("time: unknown unit \"x\" in duration \"1x\"".to_owned()));
        assert_eq!(time("abc"), Err("time: invalid duration \"abc\"".to_owned()));
        assert_eq!(time(""), Err("time: invalid duration \"\"".to_owned()));
        assert!(time("99999999999999999999h").is_err());
    }

    #[test]
    fn numbers() {
        assert_eq!(number("-3"), Ok(-3));
        assert!(number("99999999999999999999").expect_err("too large").ends_with("value out of range"));
        assert!(number("").expect_err("empty").ends_with("invalid syntax"));
    }
}
