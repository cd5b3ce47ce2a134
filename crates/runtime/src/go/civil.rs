//! Calendar arithmetic on instants, as Go's `time` package does it.
//!
//! Instants are nanoseconds since 1970 in an `i64`, zones come from `zone.rs`. A day of the
//! month, a month or an hour out of its range carries over. Knows nothing of layouts.

use super::zone::Zone;

/// Says that a result does not fit into nanoseconds since 1970 in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("time outside of valid range")]
pub struct OutOfRange;

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year; may be negative.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// The hour, from 0.
    pub hour: i64,
    /// The minute.
    pub minute: i64,
    /// The second; never 60.
    pub second: i64,
    /// The nanosecond within the second.
    pub nanosecond: i64,
}

const NANOS: i64 = 1_000_000_000;
const DAY_SECONDS: i64 = 86_400;

/// Names of the months, January first.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of the days of the week, Sunday first.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Civil {
    /// Returns what calendars and clocks show in the zone at the instant.
    pub fn at(unix_ns: i64, zone: &Zone) -> Self {
        let seconds = unix_ns.div_euclid(NANOS);
        let offset = zone.offset(seconds);
        Self { nanosecond: unix_ns.rem_euclid(NANOS), ..Self::from_seconds(seconds + offset) }
    }

    fn from_seconds(seconds: i64) -> Self {
        let (year, month, day) = date_of(seconds.div_euclid(DAY_SECONDS));
        let time = seconds.rem_euclid(DAY_SECONDS);
        Self { year, month, day, hour: time / 3600, minute: time / 60 % 60, second: time % 60, nanosecond: 0 }
    }

    /// Returns the seconds since 1970 if this were UTC.
    pub(super) fn utc_seconds(&self) -> i64 {
        let days = days_before(self.year, self.month) + self.day - 1;
        days * DAY_SECONDS + self.hour * 3600 + self.minute * 60 + self.second
    }

    /// Returns the day of the year, from 1.
    pub(super) fn year_day(&self) -> i64 {
        days_before(self.year, self.month) - days_before(self.year, 1) + self.day
    }

    /// Returns the English name of the day of the week.
    pub fn weekday(&self) -> &'static str {
        // 1970 began on a Thursday.
        let day = (days_before(self.year, self.month) + self.day + 3).rem_euclid(7);
        usize::try_from(day).ok().and_then(|day| WEEKDAYS.get(day)).copied().unwrap_or("")
    }
}

/// Returns the nanoseconds since 1970.
///
/// # Errors
///
/// Returns [`OutOfRange`] before 1677 and after 2262.
pub(super) fn to_unix_ns(seconds: i64, nanosecond: i64) -> Result<i64, OutOfRange> {
    let nanos = i128::from(seconds) * i128::from(NANOS) + i128::from(nanosecond);
    i64::try_from(nanos).map_err(|_| OutOfRange)
}

/// Adds years, months and days to an instant as seen in a zone; what is too much for a
/// month carries over into the next.
///
/// # Errors
///
/// Returns [`OutOfRange`] before 1677 and after 2262.
pub fn add_date(unix_ns: i64, zone: &Zone, years: i64, months: i64, days: i64) -> Result<i64, OutOfRange> {
    let civil = Civil::at(unix_ns, zone);
    let (year, month) =
        carry(civil.year.wrapping_add(years), civil.month.wrapping_add(months).wrapping_sub(1), 12);
    let day = civil.day.wrapping_add(days);
    let time = civil.hour * 3600 + civil.minute * 60 + civil.second;
    let local = wrapping_days(year, month + 1, day).wrapping_mul(DAY_SECONDS).wrapping_add(time);
    to_unix_ns(zone.to_utc(local), civil.nanosecond)
}

/// Brings the lower of two digits into its base; both wrap around as Go's integers do.
fn carry(high: i64, low: i64, base: i64) -> (i64, i64) {
    if low < 0 {
        let count = low.wrapping_neg().wrapping_sub(1) / base + 1;
        carry_down(high.wrapping_sub(count), low.wrapping_add(count.wrapping_mul(base)), base)
    } else {
        carry_down(high, low, base)
    }
}

fn carry_down(high: i64, low: i64, base: i64) -> (i64, i64) {
    let count = if low >= base { low / base } else { 0 };
    (high.wrapping_add(count), low.wrapping_sub(count.wrapping_mul(base)))
}

/// Days from 1970 to a day of a year that may be absurd: unsigned, counted from a far year as Go does, so that
/// what wraps around wraps in the same way.
fn wrapping_days(year: i64, month: i64, day: i64) -> i64 {
    /// A multiple of 400 years before the year 0.
    const FIRST_YEAR: i64 = 292_277_022_400;
    /// Days from March of the first year to 1970.
    const TO_1970: u64 = 106_751_991_073_400;
    let (year, month) = if month <= 2 { (year.wrapping_sub(1), month + 12) } else { (year, month) };
    let year = year.wrapping_add(FIRST_YEAR).cast_unsigned();
    let (century, year_of_century) = (year / 100, year % 100);
    let month_days = (153 * month - 457) / 5;
    let days = (century.wrapping_mul(146_097) / 4).wrapping_add(year_of_century * 1461 / 4);
    let before = days.wrapping_add(month_days.cast_unsigned()).wrapping_sub(TO_1970);
    before.cast_signed().wrapping_add(day).wrapping_sub(1)
}

/// Returns the years, months, days, hours, minutes and seconds between two instants as
/// calendars in their zones count them; the order of the instants does not matter.
pub fn diff(first_ns: i64, second_ns: i64, first_zone: &Zone) -> [i64; 6] {
    let from = Civil::at(first_ns.min(second_ns), first_zone);
    let to = Civil::at(first_ns.max(second_ns), first_zone);
    let month_days = days_in(from.year, from.month);
    let steps = [
        (from.second, to.second, 60),
        (from.minute, to.minute, 60),
        (from.hour, to.hour, 24),
        (from.day, to.day, month_days),
        (from.month, to.month, 12),
        (from.year, to.year, i64::MAX),
    ];
    let mut borrow = 0;
    let mut parts = [0; 6];
    for (part, (from, to, base)) in parts.iter_mut().rev().zip(steps) {
        *part = to - from - borrow;
        borrow = i64::from(*part < 0 && base < i64::MAX);
        if borrow > 0 {
            *part += base;
        }
    }
    parts
}

/// Says how many days the month has.
pub(super) fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Says whether the year has a 29 February.
pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 1970 to the first day of a month.
fn days_before(year: i64, month: i64) -> i64 {
    // Years that begin in March have their leap day at the end.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let year_day = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + year_day - 719_468
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_round_trip() {
        let utc = Zone::UTC;
        for ns in [i64::MIN, -1, 0, 951_782_400_000_000_000, i64::MAX] {
            let civil = Civil::at(ns, &utc);
            assert_eq!(to_unix_ns(civil.utc_seconds(), civil.nanosecond), Ok(ns));
        }
        let civil = Civil::at(i64::MIN, &utc);
        assert_eq!((civil.year, civil.month, civil.day), (1677, 9, 21));
        assert_eq!(Civil::at(0, &utc).weekday(), "Thursday");
        assert_eq!(Civil::at(951_782_400_000_000_000, &utc).year_day(), 60);
    }

    #[test]
    fn adding_carries_over() {
        let jan_31 = 1_580_428_800_000_000_000;
        let march_2 = 1_583_107_200_000_000_000;
        assert_eq!(add_date(jan_31, &Zone::UTC, 0, 1, 0), Ok(march_2));
        assert_eq!(add_date(0, &Zone::UTC, 300, 0, 0), Err(OutOfRange));
        // Absurd years wrap around as in Go.
        assert_eq!(add_date(0, &Zone::UTC, i64::MAX, i64::MAX, i64::MAX), Ok(-34_349_184_000_000_000));
        assert_eq!(add_date(0, &Zone::UTC, 3_000_000_000_000, 0, 0), Err(OutOfRange));
        // Noon stays noon across the change to summer time.
        let berlin = Zone::load("Europe/Berlin").unwrap();
        let noon = 1_616_842_800_000_000_000;
        assert_eq!(add_date(noon, &berlin, 0, 0, 1), Ok(noon + 23 * 3600 * NANOS));
    }

    #[test]
    fn differences_borrow() {
        let hour = 3600 * NANOS;
        assert_eq!(diff(0, 25 * hour, &Zone::UTC), [0, 0, 1, 1, 0, 0]);
        assert_eq!(diff(25 * hour, -hour, &Zone::UTC), [0, 0, 1, 2, 0, 0]);
        let (jan_31, march_1) = (1_580_428_800, 1_583_020_800);
        assert_eq!(diff(jan_31 * NANOS, march_1 * NANOS, &Zone::UTC), [0, 1, 1, 0, 0, 0]);
    }
}
