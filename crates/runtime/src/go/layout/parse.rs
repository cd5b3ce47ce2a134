//! Reading a time under a layout, with Go's leniencies and Go's errors.
//!
//! Works on bytes as Go does. A named zone that is not UTC has an unknown offset and counts
//! as UTC, because what is local is not known here. The result is an instant.

use crate::go::civil::{Civil, MONTHS, OutOfRange, WEEKDAYS, days_in, is_leap, to_unix_ns};

use super::chunk::{Element, Offset, next_element};
use super::{RFC3339, named_layout, quote_time};

/// Says why a text is no time under a layout, or no time that fits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// The text does not match the layout.
    #[error("parsing time {0}")]
    Parse(String),
    /// Before 1677 or after 2262.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

/// Parses a time in RFC 3339 form.
///
/// # Errors
///
/// Returns Go's error if the text is no such time, and one if it does not fit.
pub fn parse_rfc3339(text: &str) -> Result<i64, TimeError> {
    parse(RFC3339, text)
}

/// Parses a time under a layout, or under one of the layouts that OPA has names for.
///
/// # Errors
///
/// Returns Go's error if the text does not match, and one if the time does not fit.
pub fn parse(layout: &str, text: &str) -> Result<i64, TimeError> {
    let layout = named_layout(layout).as_bytes();
    let text = text.as_bytes();
    let mut reader = Reader { rest: text, fields: Fields::default() };
    let mut left = layout;
    loop {
        let found = next_element(left);
        let (start, end) = found.map_or((left.len(), left.len()), |(start, end, _)| (start, end));
        let prefix = left.get(..start).unwrap_or(b"");
        if !reader.skip(prefix) {
            return Err(mismatch(layout, text, reader.rest, prefix));
        }
        let Some((_, _, element)) = found else {
            break;
        };
        let shown = left.get(start..end).unwrap_or(b"");
        left = left.get(end..).unwrap_or(b"");
        let hold = reader.rest;
        match reader.element(element, left) {
            Ok(()) => {}
            Err(Fault::Range(what)) => return Err(fault(text, &format!(": {what} out of range"))),
            Err(Fault::Bad) => return Err(mismatch(layout, text, hold, shown)),
        }
    }
    if !reader.rest.is_empty() {
        let extra = format!(": extra text: {}", quote_time(reader.rest));
        return Err(fault(text, &extra));
    }
    let (seconds, nanosecond) = reader.fields.instant().map_err(|what| fault(text, what))?;
    Ok(to_unix_ns(seconds, nanosecond)?)
}

fn fault(text: &[u8], what: &str) -> TimeError {
    TimeError::Parse(format!("{}{what}", quote_time(text)))
}

fn mismatch(layout: &[u8], text: &[u8], at: &[u8], element: &[u8]) -> TimeError {
    fault(
        text,
        &format!(" as {}: cannot parse {} as {}", quote_time(layout), quote_time(at), quote_time(element)),
    )
}

enum Fault {
    Bad,
    Range(&'static str),
}

#[derive(Debug, Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
    morning: bool,
    afternoon: bool,
    is_utc: bool,
    offset: i64,
}

struct Reader<'t> {
    rest: &'t [u8],
    fields: Fields,
}

fn check_range(value: i64, min: i64, max: i64, what: &'static str) -> Result<i64, Fault> {
    if (min..=max).contains(&value) { Ok(value) } else { Err(Fault::Range(what)) }
}

impl<'t> Reader<'t> {
    /// Reads the text between elements; a run of spaces matches any number of spaces.
    fn skip(&mut self, prefix: &[u8]) -> bool {
        let mut prefix = prefix;
        while let Some((first, tail)) = prefix.split_first() {
            if *first == b' ' {
                if self.rest.first().is_some_and(|byte| *byte != b' ') {
                    return false;
                }
                prefix = cut_spaces(prefix);
                self.rest = cut_spaces(self.rest);
                continue;
            }
            match self.rest.split_first() {
                Some((byte, rest)) if byte == first => self.rest = rest,
                _ => return false,
            }
            prefix = tail;
        }
        true
    }

    fn take(&mut self, count: usize) -> Result<&'t [u8], Fault> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Fault::Bad)?;
        self.rest = rest;
        Ok(taken)
    }

    fn skip_space(&mut self) {
        if let Some(rest) = self.rest.strip_prefix(b" ") {
            self.rest = rest;
        }
    }

    fn element(&mut self, element: Element, layout_rest: &[u8]) -> Result<(), Fault> {
        match element {
            Element::ShortYear => {
                let year = integer(self.take(2)?)?;
                self.fields.year = if year >= 69 { year + 1900 } else { year + 2000 };
            }
            Element::LongYear if self.rest.first().is_some_and(u8::is_ascii_digit) => {
                self.fields.year = integer(self.take(4)?)?;
            }
            Element::LongYear => return Err(Fault::Bad),
            Element::ShortMonth => self.fields.month = Some(self.name(&MONTHS, 3)? + 1),
            Element::LongMonth => self.fields.month = Some(self.name(&MONTHS, usize::MAX)? + 1),
            Element::Month { fixed } => {
                self.fields.month = Some(check_range(self.number(fixed)?, 1, 12, "month")?);
            }
            // A day of the week is checked for its spelling only.
            Element::ShortWeekday => _ = self.name(&WEEKDAYS, 3)?,
            Element::LongWeekday => _ = self.name(&WEEKDAYS, usize::MAX)?,
            Element::Day { fixed } => self.fields.day = Some(self.number(fixed)?),
            Element::SpacedDay => {
                self.skip_space();
                self.fields.day = Some(self.number(false)?);
            }
            Element::YearDay => self.fields.year_day = Some(self.year_day(true)?),
            Element::SpacedYearDay => {
                self.skip_space();
                self.skip_space();
                self.fields.year_day = Some(self.year_day(false)?);
            }
            Element::Hour => {
                self.fields.hour = check_range(self.number(false)?, 0, 23, "hour")?;
            }
            Element::Hour12 { fixed } => {
                self.fields.hour = check_range(self.number(fixed)?, 0, 12, "hour")?;
            }
            Element::Minute { fixed } => {
                self.fields.minute = check_range(self.number(fixed)?, 0, 59, "minute")?;
            }
            Element::Second { fixed } => self.second(fixed, layout_rest)?,
            Element::UpperHalf => self.half(b"AM", b"PM")?,
            Element::LowerHalf => self.half(b"am", b"pm")?,
            Element::ZoneName => self.zone_name()?,
            Element::Offset(style) => self.offset(style)?,
            Element::Fraction { trim: false, digits, .. } => self.fraction(1 + digits)?,
            Element::Fraction { trim: true, .. } => {
                if self.at_fraction() {
                    self.fraction(fraction_len(self.rest))?;
                }
            }
        }
        Ok(())
    }

    fn number(&mut self, fixed: bool) -> Result<i64, Fault> {
        let digit = |at| self.rest.get(at).filter(|byte: &&u8| byte.is_ascii_digit());
        let first = digit(0).ok_or(Fault::Bad)?;
        let (count, value) = match digit(1) {
            Some(second) => (2, 10 * (first - b'0') + (second - b'0')),
            None if fixed => return Err(Fault::Bad),
            None => (1, first - b'0'),
        };
        self.take(count)?;
        Ok(i64::from(value))
    }

    fn year_day(&mut self, fixed: bool) -> Result<i64, Fault> {
        let count = self.rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 || (fixed && count != 3) {
            return Err(Fault::Bad);
        }
        integer(self.take(count)?)
    }

    /// Reads one of the names, in any case and cut to `len`, and returns its index.
    fn name(&mut self, names: &[&str], len: usize) -> Result<i64, Fault> {
        for (idx, name) in (0..).zip(names) {
            let name = name.as_bytes();
            let name = name.get(..len).unwrap_or(name);
            let head = self.rest.get(..name.len());
            if head.is_some_and(|head| head.eq_ignore_ascii_case(name)) {
                self.take(name.len())?;
                return Ok(idx);
            }
        }
        Err(Fault::Bad)
    }

    fn half(&mut self, morning: &[u8], afternoon: &[u8]) -> Result<(), Fault> {
        let half = self.take(2)?;
        if half == afternoon {
            self.fields.afternoon = true;
        } else if half == morning {
            self.fields.morning = true;
        } else {
            return Err(Fault::Bad);
        }
        Ok(())
    }

    fn second(&mut self, fixed: bool, layout_rest: &[u8]) -> Result<(), Fault> {
        self.fields.second = check_range(self.number(fixed)?, 0, 59, "second")?;
        // A fraction may follow even if the layout does not ask for one.
        let asked = next_element(layout_rest);
        if self.at_fraction() && !matches!(asked, Some((_, _, Element::Fraction { .. }))) {
            self.fraction(fraction_len(self.rest))?;
        }
        Ok(())
    }

    fn at_fraction(&self) -> bool {
        matches!(self.rest, [b'.' | b',', digit, ..] if digit.is_ascii_digit())
    }

    /// Reads a fraction of so many bytes, its point included.
    fn fraction(&mut self, len: usize) -> Result<(), Fault> {
        let text = self.take(len)?;
        let (point, digits) = text.split_first().ok_or(Fault::Bad)?;
        if !matches!(point, b'.' | b',') {
            return Err(Fault::Bad);
        }
        let digits = digits.get(..9).unwrap_or(digits);
        let value = integer(digits)?;
        if value < 0 {
            return Err(Fault::Range("fractional second"));
        }
        self.fields.nanosecond = (digits.len()..9).fold(value, |value, _| value * 10);
        Ok(())
    }

    fn offset(&mut self, style: Offset) -> Result<(), Fault> {
        if style.zulu && self.rest.first() == Some(&b'Z') {
            self.fields.is_utc = true;
            self.take(1)?;
            return Ok(());
        }
        let part = if style.colon { 3 } else { 2 };
        let parts = usize::from(style.minutes) + usize::from(style.seconds);
        let text = self.take(3 + part * parts)?;
        let colons = (0..parts).all(|idx| text.get(3 + 3 * idx) == Some(&b':'));
        if style.colon && !colons {
            return Err(Fault::Bad);
        }
        let number = |at: usize| {
            let digits = text.get(at..at + 2).filter(|digits| digits.iter().all(u8::is_ascii_digit));
            digits.map_or(Err(Fault::Bad), integer)
        };
        // The first number that cannot be read hides those behind it.
        let mut numbers = [0; 3];
        let mut bad = false;
        for (idx, value) in numbers.iter_mut().enumerate().take(1 + parts) {
            match number(1 + part * idx) {
                Ok(found) => *value = found,
                Err(_) => {
                    bad = true;
                    break;
                }
            }
        }
        let [hours, minutes, seconds] = numbers;
        // The last of several faults is the one that Go names.
        check_range(seconds, 0, 60, "time zone offset second")?;
        check_range(minutes, 0, 60, "time zone offset minute")?;
        check_range(hours, 0, 24, "time zone offset hour")?;
        let offset = (hours * 60 + minutes) * 60 + seconds;
        self.fields.offset = match text.first() {
            _ if bad => return Err(Fault::Bad),
            Some(b'+') => offset,
            Some(b'-') => -offset,
            _ => return Err(Fault::Bad),
        };
        Ok(())
    }

    fn zone_name(&mut self) -> Result<(), Fault> {
        if let Some(rest) = self.rest.strip_prefix(b"UTC") {
            self.rest = rest;
            self.fields.is_utc = true;
            return Ok(());
        }
        let len = zone_name_len(self.rest).ok_or(Fault::Bad)?;
        self.take(len)?;
        Ok(())
    }
}

fn cut_spaces(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(spaces..).unwrap_or(b"")
}

fn fraction_len(text: &[u8]) -> usize {
    1 + text.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count()
}

/// Reads all of a text as a number that may have a sign.
fn integer(text: &[u8]) -> Result<i64, Fault> {
    let (digits, negative) = match text.split_first() {
        Some((b'-', digits)) => (digits, true),
        Some((b'+', digits)) => (digits, false),
        _ => (text, false),
    };
    let mut value: i64 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return Err(Fault::Bad);
        }
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
    }
    Ok(if negative { -value } else { value })
}

/// Returns how long the zone abbreviation at the front is, if there is one.
fn zone_name_len(text: &[u8]) -> Option<usize> {
    if text.len() < 3 {
        return None;
    }
    if text.starts_with(b"ChST") || text.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(rest) = text.strip_prefix(b"GMT") {
        return Some(3 + signed_hours_len(rest));
    }
    if matches!(text.first(), Some(b'+' | b'-')) {
        return Some(signed_hours_len(text)).filter(|len| *len > 0);
    }
    let upper = text.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    match upper {
        3 => Some(3),
        4 if text.get(3) == Some(&b'T') || text.starts_with(b"WITA") => Some(4),
        5 if text.get(4) == Some(&b'T') => Some(5),
        _ => None,
    }
}

fn signed_hours_len(text: &[u8]) -> usize {
    let Some((b'+' | b'-', rest)) = text.split_first() else {
        return 0;
    };
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let hours = integer(rest.get(..count).unwrap_or(b"")).unwrap_or(i64::MAX);
    if count == 0 || hours > 23 { 0 } else { 1 + count }
}

impl Fields {
    /// Returns the seconds since 1970 and the nanosecond, or what is wrong with the date.
    fn instant(mut self) -> Result<(i64, i64), &'static str> {
        if self.afternoon && self.hour < 12 {
            self.hour += 12;
        } else if self.morning && self.hour == 12 {
            self.hour = 0;
        }
        if self.year_day.is_some() {
            self.apply_year_day()?;
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        if day < 1 || day > days_in(self.year, month) {
            return Err(": day out of range");
        }
        let civil = Civil {
            year: self.year,
            month,
            day,
            hour: self.hour,
            minute: self.minute,
            second: self.second,
            nanosecond: self.nanosecond,
        };
        // Go keeps an offset that was not given as -1, and so loses a true one.
        let offset = if self.is_utc || self.offset == -1 { 0 } else { self.offset };
        Ok((civil.utc_seconds() - offset, self.nanosecond))
    }

    fn apply_year_day(&mut self) -> Result<(), &'static str> {
        let left = self.year_day.unwrap_or(0);
        let length = if is_leap(self.year) { 366 } else { 365 };
        if left < 1 || left > length {
            return Err(": day-of-year out of range");
        }
        let (mut month, mut day) = (1, left);
        while day > days_in(self.year, month) {
            day -= days_in(self.year, month);
            month += 1;
        }
        if self.month.is_some_and(|given| given != month) {
            return Err(": day-of-year does not match month");
        }
        if self.day.is_some_and(|given| given != day) {
            return Err(": day-of-year does not match day");
        }
        (self.month, self.day) = (Some(month), Some(day));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_go() {
        let cases = [
            ("RFC3339", "2024-02-03T22:40:05Z", 1_707_000_005_000_000_000),
            ("RFC3339", "2024-02-03T23:40:05.006+01:00", 1_707_000_005_006_000_000),
            ("RFC1123", "Sat, 03 Feb 2024 22:40:05 GMT", 1_707_000_005_000_000_000),
            ("ANSIC", "sat feb  3 22:40:05 2024", 1_707_000_005_000_000_000),
            ("2006 002 15", "2024 034 22", 1_706_997_600_000_000_000),
            ("3PM", "12AM", i64::MIN),
            ("06", "69", -31_536_000_000_000_000),
        ];
        for (layout, text, want) in cases {
            let got = parse(layout, text);
            if want == i64::MIN {
                assert_eq!(got, Err(TimeError::OutOfRange(OutOfRange)));
            } else {
                assert_eq!(got, Ok(want), "{layout}");
            }
        }
    }

    #[test]
    fn errors_are_those_of_go() {
        let cases = [
            ("RFC3339", "2024-02-30T22:40:05Z", r#"parsing time "2024-02-30T22:40:05Z": day out of range"#),
            (
                "2006-01-02",
                "2024/02/03",
                r#"parsing time "2024/02/03" as "2006-01-02": cannot parse "/02/03" as "-""#,
            ),
            ("2006", "2024x", r#"parsing time "2024x": extra text: "x""#),
            ("15", "24", r#"parsing time "24": hour out of range"#),
            ("Jan", "é", r#"parsing time "\xc3\xa9" as "Jan": cannot parse "\xc3\xa9" as "Jan""#),
            ("-0700", "+2500", r#"parsing time "+2500": time zone offset hour out of range"#),
            ("2006 002", "2023 366", r#"parsing time "2023 366": day-of-year out of range"#),
        ];
        for (layout, text, want) in cases {
            assert_eq!(parse(layout, text).unwrap_err().to_string(), want);
        }
        let error = parse("2006", "1600").unwrap_err();
        assert_eq!(error.to_string(), "time outside of valid range");
    }
}
