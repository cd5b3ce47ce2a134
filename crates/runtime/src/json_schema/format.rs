//! The formats of strings that OPA knows, checked as it checks them; others always hold.
//!
//! Apart from the keyword, and a function a format: they stand on Go's ways to read times, URLs, addresses and mail.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::email;
use crate::go::layout::{TimeError, parse};
use crate::go::regex::Regex;
use crate::go::url::Url;

/// A format that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Date,
    Time,
    DateTime,
    Hostname,
    Email,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    UriTemplate,
    Uuid,
    Regex,
    JsonPointer,
    RelativeJsonPointer,
}

impl Format {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "date" => Self::Date,
            "time" => Self::Time,
            "date-time" => Self::DateTime,
            "hostname" => Self::Hostname,
            "email" | "idn-email" => Self::Email,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "uri" | "iri" => Self::Uri,
            "uri-reference" | "iri-reference" => Self::UriReference,
            "uri-template" => Self::UriTemplate,
            "uuid" => Self::Uuid,
            "regex" => Self::Regex,
            "json-pointer" => Self::JsonPointer,
            "relative-json-pointer" => Self::RelativeJsonPointer,
            _ => return None,
        })
    }

    pub(super) fn accepts(self, text: &str) -> bool {
        let url = || Url::parse(text).ok().filter(|_| !text.contains('\\'));
        match self {
            Self::Date => is_time(&["2006-01-02"], text),
            Self::Time => is_time(&["15:04:05Z07:00", "15:04:05"], text),
            Self::DateTime => {
                is_time(&["15:04:05", "15:04:05Z07:00", "2006-01-02", "2006-01-02T15:04:05Z07:00"], text)
            }
            Self::Hostname => is_hostname(text),
            Self::Email => email::is_address(text),
            Self::Ipv4 => is_ip(text) && text.contains('.'),
            Self::Ipv6 => is_ip(text) && text.contains(':'),
            Self::Uri => url().is_some_and(|it| !it.scheme.is_empty()),
            Self::UriReference => url().is_some(),
            Self::UriTemplate => url().is_some_and(|it| has_paired_braces(&it.path)),
            Self::Uuid => is_uuid(text),
            Self::Regex => Regex::is_valid(text),
            Self::JsonPointer => is_pointer(text),
            Self::RelativeJsonPointer => is_relative_pointer(text),
        }
    }
}

fn is_time(layouts: &[&str], text: &str) -> bool {
    // A time out of the range of nanoseconds is a time all the same.
    layouts.iter().any(|it| matches!(parse(it, text), Ok(_) | Err(TimeError::OutOfRange(_))))
}

/// Says whether a text is an address as Go reads them, without a zone.
pub(super) fn is_ip(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok() || text.parse::<Ipv6Addr>().is_ok()
}

fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        let inner = |it: u8| it.is_ascii_alphanumeric() || it == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() < 256 && text.split('.').all(is_label)
}

/// Says whether every opening brace of a path is closed before the next one... as far as OPA looks.
fn has_paired_braces(path: &[u8]) -> bool {
    let mut open = false;
    for byte in path {
        match byte {
            b'{' if !open => open = true,
            b'}' if open => open = false,
            _ => {}
        }
    }
    !open
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    let is_group =
        |(group, len): (&&str, usize)| group.len() == len && group.bytes().all(|it| it.is_ascii_hexdigit());
    groups.len() == lengths.len() && groups.iter().zip(lengths).all(is_group)
}

fn is_pointer(text: &str) -> bool {
    let is_token = |it: &str| it.split('~').skip(1).all(|it| it.starts_with(['0', '1']));
    text.is_empty() || text.strip_prefix('/').is_some_and(|it| it.split('/').all(is_token))
}

fn is_relative_pointer(text: &str) -> bool {
    let digits = text.len() - text.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    let is_number = !number.is_empty() && (number == "0" || !number.starts_with('0'));
    is_number && (rest == "#" || is_pointer(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_checked_as_opa_does() {
        for (format, good, bad) in [
            (Format::Date, vec!["2024-02-29", "0001-01-01"], vec!["2023-02-29", "2024-1-1", ""]),
            (Format::Time, vec!["10:00:00", "10:00:00Z", "10:00:00.5+01:00"], vec!["25:00:00", "10:00"]),
            (
                Format::DateTime,
                vec!["2024-01-01T00:00:00Z", "10:00:00", "2024-01-01"],
                vec!["2024-01-01T00:00:00"],
            ),
            (Format::Hostname, vec!["a", "a-b.c1"], vec!["", "-a", "a-", "a..b", "a_b", "é"]),
            (Format::Ipv4, vec!["1.2.3.4", "::ffff:1.2.3.4"], vec!["1.2.3", "01.2.3.4", "::1"]),
            (Format::Ipv6, vec!["::1", "fe80::1"], vec!["1.2.3.4", "fe80::1%eth0"]),
            (Format::Uri, vec!["http://a", "a:b"], vec!["/a", "a b:c", "http://a\\b"]),
            (Format::UriTemplate, vec!["/a/{b}", "/a}", "/{{}"], vec!["/{a"]),
            (Format::Uuid, vec!["00000000-0000-0000-0000-00000000000F"], vec!["00000000"]),
            (Format::JsonPointer, vec!["", "/", "/a~0b/~1"], vec!["a", "/~", "/~2"]),
            (Format::RelativeJsonPointer, vec!["0", "1#", "12/a"], vec!["", "01", "/a", "1a"]),
        ] {
            good.iter().for_each(|it| assert!(format.accepts(it), "{format:?} {it}"));
            bad.iter().for_each(|it| assert!(!format.accepts(it), "{format:?} {it}"));
        }
    }
}
