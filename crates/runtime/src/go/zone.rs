//! Time zones by name, from the database that is built in.
//!
//! Apart from the calendar so that only this file knows where zones come from. The names
//! `UTC`, `Local` and the empty one are UTC: what is local is the caller's affair.

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// A time zone.
#[derive(Clone, Debug)]
pub struct Zone(Option<TimeZone>);

/// Says why there is no such zone, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    /// A name that looks like a path out of the database.
    #[error("time: invalid location name")]
    Invalid,
    /// A name that the database does not have.
    #[error("unknown time zone {0}")]
    Unknown(String),
}

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(None);

    /// Finds a zone by its name; case matters.
    ///
    /// # Errors
    ///
    /// Returns Go's error for a name that is not in the database.
    pub fn load(name: &str) -> Result<Self, ZoneError> {
        if matches!(name, "" | "UTC" | "Local") {
            return Ok(Self::UTC);
        }
        if name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| part == "..") {
            return Err(ZoneError::Invalid);
        }
        let zone = TimeZoneDatabase::bundled().get(name).ok();
        let exact = zone.filter(|zone| zone.iana_name() == Some(name));
        exact.map(|zone| Self(Some(zone))).ok_or_else(|| ZoneError::Unknown(name.to_owned()))
    }

    /// Returns how many seconds the zone's clocks are ahead of UTC.
    pub(super) fn offset(&self, unix_seconds: i64) -> i64 {
        match &self.0 {
            Some(zone) => i64::from(zone.to_offset(timestamp(unix_seconds)).seconds()),
            None => 0,
        }
    }

    /// Returns the zone's abbreviation at a time, such as `CEST` or `-03`.
    pub(super) fn abbreviation(&self, unix_seconds: i64) -> String {
        match &self.0 {
            Some(zone) => zone.to_offset_info(timestamp(unix_seconds)).abbreviation().to_owned(),
            None => "UTC".to_owned(),
        }
    }

    /// Turns seconds on the zone's clocks into seconds since 1970. Where clocks are set
    /// back or forward, the choice is Go's: the offset found by taking the reading for UTC
    /// holds if it also holds at the time it leads to.
    pub(super) fn to_utc(&self, local_seconds: i64) -> i64 {
        let Some(zone) = &self.0 else {
            return local_seconds;
        };
        let offset = self.offset(local_seconds);
        if offset == 0 {
            return local_seconds;
        }
        let utc = local_seconds.wrapping_sub(offset);
        let start = zone.preceding(timestamp(local_seconds.saturating_add(1))).next();
        let end = zone.following(timestamp(local_seconds)).next();
        let after_start = start.is_none_or(|start| start.timestamp().as_second() <= utc);
        let before_end = end.is_none_or(|end| utc < end.timestamp().as_second());
        if after_start && before_end { utc } else { local_seconds.wrapping_sub(self.offset(utc)) }
    }
}

fn timestamp(unix_seconds: i64) -> Timestamp {
    let bounded = unix_seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(bounded).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_by_name() {
        let error = |name| Zone::load(name).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error("Nowhere/Land"), "unknown time zone Nowhere/Land");
        assert_eq!(error("europe/berlin"), "unknown time zone europe/berlin");
        assert_eq!(error("../UTC"), "time: invalid location name");
        let zone = Zone::load("America/Sao_Paulo").unwrap();
        assert_eq!((zone.offset(0), zone.abbreviation(0)), (-10_800, "-03".to_owned()));
    }
}
