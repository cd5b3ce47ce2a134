//! Seconds since the epoch as date and time in words.
//!
//! Apart because texts about certificates name times; nothing else here needs a calendar.

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

/// When the epoch began.
pub(crate) const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// Writes a time of UTC as RFC 3339 has it; as a number after the year 9999, which it has no words for.
pub(crate) fn rfc3339(unix_seconds: u64) -> String {
    let since = i64::try_from(unix_seconds).unwrap_or(i64::MAX);
    let time = EPOCH.checked_add(SignedDuration::from_secs(since));
    time.map_or_else(|_| unix_seconds.to_string(), |it| format!("{it}Z"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_written() {
        for (seconds, wanted) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_577_923_200, "2020-01-02T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "253402300800"),
            (u64::MAX, "18446744073709551615"),
        ] {
            assert_eq!(super::rfc3339(seconds), wanted);
        }
    }
}
