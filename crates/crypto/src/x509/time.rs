//! Times of certificates: the two forms they are written in, and how Go's JSON shows them.
//!
//! Apart from the time built-ins, which know zones and layouts: here a zone is an offset and a form is fixed.

/// A time with the offset that it was written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Time {
    /// Seconds since 1970.
    pub unix: i64,
    /// Seconds east of Greenwich.
    pub offset: i32,
}

impl Time {
    /// Reads the form with two digits of the year, which stand for 1950 to 2049.
    #[must_use]
    pub fn utc(text: &[u8]) -> Option<Self> {
        let mut digits = Digits(text);
        let year = digits.pair()?;
        // 69 and later are of the last century in Go, and what is then past 2049 is a century earlier.
        let year = if year >= 50 { 1900 + year } else { 2000 + year };
        Self::rest(year, digits, true)
    }

    /// Reads the form with four digits of the year.
    #[must_use]
    pub fn generalized(text: &[u8]) -> Option<Self> {
        let mut digits = Digits(text);
        let year = digits.pair()? * 100 + digits.pair()?;
        Self::rest(year, digits, false)
    }

    fn rest(year: i64, mut digits: Digits<'_>, seconds_optional: bool) -> Option<Self> {
        let (month, day) = (digits.pair()?, digits.pair()?);
        let (hour, minute) = (digits.pair()?, digits.pair()?);
        let without_seconds = seconds_optional && !digits.0.first().is_some_and(u8::is_ascii_digit);
        let second = if without_seconds { 0 } else { digits.pair()? };
        let offset = digits.offset()?;
        if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let unix = (days_before(year, month) + day - 1) * 86_400 + hour * 3600 + minute * 60 + second;
        Some(Self { unix: unix - i64::from(offset), offset })
    }

    /// Writes the time as Go's JSON does.
    #[must_use]
    pub fn to_text(self) -> String {
        let local = self.unix + i64::from(self.offset);
        let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let (year, month, day) = date_of(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let zone = match self.offset / 60 {
            0 => "Z".to_owned(),
            it => {
                let sign = if it < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", it.abs() / 60, it.abs() % 60)
            }
        };
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
    }
}

struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    fn pair(&mut self) -> Option<i64> {
        let [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] = self.0 else { return None };
        self.0 = rest;
        Some(i64::from(a - b'0') * 10 + i64::from(b - b'0'))
    }

    /// Reads `Z` or an offset that is not zero, and then nothing.
    fn offset(&mut self) -> Option<i32> {
        let (sign, rest) = match self.0 {
            [b'Z'] => return Some(0),
            [b'+', rest @ ..] => (1, rest),
            [b'-', rest @ ..] => (-1, rest),
            _ => return None,
        };
        self.0 = rest;
        let (hours, minutes) = (self.pair()?, self.pair()?);
        let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
        let valid = self.0.is_empty() && hours <= 24 && minutes <= 59 && seconds != 0;
        valid.then_some(sign * seconds)
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from 1970 to the first of a month.
fn days_before(year: i64, month: i64) -> i64 {
    let past = year - 1;
    let days = past * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400);
    days - 719_162 + (1..month).map(|it| days_in(year, it)).sum::<i64>()
}

/// Returns the date of so many days after 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    // Not after the year that is looked for: before 1970 the days of short years lead further back.
    let mut year = 1970 + days.div_euclid(if days < 0 { 365 } else { 366 });
    while days_before(year + 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_before(year, month + 1) <= days {
        month += 1;
    }
    (year, month, days - days_before(year, month) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_go_s() {
        let cases = [
            ("170101000000Z", Some("2017-01-01T00:00:00Z")),
            ("500101000000Z", Some("1950-01-01T00:00:00Z")),
            ("491231235959Z", Some("2049-12-31T23:59:59Z")),
            ("1701010000Z", Some("2017-01-01T00:00:00Z")),
            ("170101000000+0130", Some("2017-01-01T00:00:00+01:30")),
            ("170101000000+0000", None),
            ("170229000000Z", None),
            ("170101240000Z", None),
            ("170101000000", None),
            ("170101000000.5Z", None),
        ];
        for (text, want) in cases {
            let got = Time::utc(text.as_bytes()).map(Time::to_text);
            assert_eq!(got.as_deref(), want, "{text}");
        }
        let year_0 = Time::generalized(b"00000101000000Z").expect("a time");
        assert_eq!(year_0.to_text(), "0000-01-01T00:00:00Z");
        let late = Time::generalized(b"99991231235959Z").expect("a time");
        assert_eq!((late.to_text().as_str(), late.unix), ("9999-12-31T23:59:59Z", 253_402_300_799));
    }
}
