//! The one thing that is read from a certificate here: from when to when it holds.
//!
//! Apart because it walks bytes that anyone may have sent. What it cannot read has no times, and then does not hold.

use jiff::civil::DateTime;

use crate::civil::EPOCH;

/// Returns the seconds of the first and of the last time at which a certificate holds.
pub(crate) fn validity(certificate: &[u8]) -> Option<(u64, u64)> {
    const SEQUENCE: u8 = 0x30;
    const VERSION: u8 = 0xa0;
    let (certificate, _) = element(certificate, SEQUENCE)?;
    let (mut rest, _) = element(certificate, SEQUENCE)?;
    if rest.first() == Some(&VERSION) {
        rest = skip(rest)?;
    }
    // Number, algorithm, issuer.
    for _ in 0..3 {
        rest = skip(rest)?;
    }
    let (times, _) = element(rest, SEQUENCE)?;
    let (first, rest) = time(times)?;
    let (last, _) = time(rest)?;
    Some((first, last))
}

/// Returns the contents of an element of the kind, and what follows it.
fn element(bytes: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    if bytes.first() != Some(&kind) {
        return None;
    }
    split(bytes)
}

fn skip(bytes: &[u8]) -> Option<&[u8]> {
    split(bytes).map(|it| it.1)
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = usize::from(*bytes.get(1)?);
    let (len, start) = if first < 0x80 {
        (first, 2)
    } else {
        let count = first & 0x7f;
        if count == 0 || count > 4 {
            return None;
        }
        let digits = bytes.get(2..2 + count)?;
        (digits.iter().fold(0, |len, it| len << 8 | usize::from(*it)), 2 + count)
    };
    let rest = bytes.get(start..)?;
    (len <= rest.len()).then(|| rest.split_at(len))
}

/// Reads a time of either form: `YYMMDDhhmmssZ` or with four digits for the year.
fn time(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let kind = *bytes.first()?;
    let (text, rest) = split(bytes)?;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    if !text.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let (year, text) = match kind {
        0x17 => {
            let year: i16 = text.get(..2)?.parse().ok()?;
            (if year < 50 { 2_000 + year } else { 1_900 + year }, text.get(2..)?)
        }
        0x18 => (text.get(..4)?.parse().ok()?, text.get(4..)?),
        _ => return None,
    };
    if text.len() != 10 {
        return None;
    }
    let part = |at: usize| text.get(at..at + 2)?.parse::<i8>().ok();
    let time = DateTime::new(year, part(0)?, part(2)?, part(4)?, part(6)?, part(8)?, 0).ok()?;
    let seconds = time.duration_since(EPOCH).as_secs();
    Some((u64::try_from(seconds).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::rfc3339;

    #[test]
    fn times_are_read_in_both_forms() {
        let one = |kind: u8, text: &str| {
            let len = u8::try_from(text.len()).expect("a short text");
            let bytes = [[kind, len].as_slice(), text.as_bytes()].concat();
            time(&bytes).map(|it| rfc3339(it.0))
        };
        assert_eq!(one(0x17, "200229235959Z").as_deref(), Some("2020-02-29T23:59:59Z"));
        assert_eq!(one(0x17, "700101000000Z").as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(one(0x18, "21261231000000Z").as_deref(), Some("2126-12-31T00:00:00Z"));
        for bad in ["500101000000Z", "201301000000Z", "2002292359Z", "20022923595+Z", "200229235959"] {
            assert_eq!(one(0x17, bad), None, "{bad}");
        }
    }

    #[test]
    fn garbage_has_no_times() {
        for bytes in [&b""[..], b"\x30", b"\x30\x84\xff\xff\xff\xff", b"\x30\x80\x30\x00", &[0x30; 64]] {
            assert_eq!(validity(bytes), None);
        }
    }
}
