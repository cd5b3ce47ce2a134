//! Literal IP addresses as Go's `net/netip` reads them, with its words for what is wrong.
//!
//! Apart from URLs, whose hosts may be such addresses in brackets. The standard library tells only that something is
//! wrong. Knows nothing of networks.

use crate::go_text::quote;

/// The kind of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Four bytes.
    V4,
    /// Sixteen bytes, perhaps with a zone.
    V6,
}

/// What is wrong, and the rest of the text from there.
type Fault<'t> = (&'static str, &'t str);

/// Reads an address and returns its kind.
///
/// # Errors
///
/// Returns Go's text, which begins with `ParseAddr("…"): `.
pub fn parse_address(text: &str) -> Result<Family, String> {
    let read = match text.find(['.', ':', '%']).map(|it| text.as_bytes().get(it)) {
        Some(Some(b'.')) => read_v4(text).map(|()| Family::V4),
        Some(Some(b':')) => read_v6(text).map(|()| Family::V6),
        Some(Some(b'%')) => Err(("missing IPv6 address", "")),
        _ => Err(("unable to parse IP", "")),
    };
    read.map_err(|(what, at)| {
        let place = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
        format!("ParseAddr({}): {what}{place}", quote(text))
    })
}

fn read_v4(text: &str) -> Result<(), Fault<'_>> {
    let (mut fields, mut value, mut digits) = (0, 0_u32, 0);
    let rest_at = |at: usize| text.get(at..).unwrap_or("");
    for (at, c) in text.char_indices() {
        if let Some(digit) = c.to_digit(10) {
            if digits == 1 && value == 0 {
                return Err(("IPv4 field has octet with leading zero", ""));
            }
            value = value * 10 + digit;
            digits += 1;
            if value > 255 {
                return Err(("IPv4 field has value >255", ""));
            }
        } else if c == '.' {
            if digits == 0 || at + 1 == text.len() {
                return Err(("IPv4 field must have at least one digit", rest_at(at)));
            }
            if fields == 3 {
                return Err(("IPv4 address too long", ""));
            }
            fields += 1;
            (value, digits) = (0, 0);
        } else {
            return Err(("unexpected character", rest_at(at)));
        }
    }
    if fields < 3 { Err(("IPv4 address too short", "")) } else { Ok(()) }
}

fn read_v6(text: &str) -> Result<(), Fault<'_>> {
    let mut rest = match text.split_once('%') {
        Some((_, "")) => return Err(("zone must be a non-empty string", "")),
        Some((address, _)) => address,
        None => text,
    };
    // How many bytes stand before the gap.
    let mut gap = None;
    if let Some(after) = rest.strip_prefix("::") {
        if after.is_empty() {
            return Ok(());
        }
        (gap, rest) = (Some(0), after);
    }
    let mut bytes = 0;
    while bytes < 16 {
        let digits = hex_digits(rest)?;
        let after = rest.get(digits..).unwrap_or("");
        if after.starts_with('.') {
            if gap.is_none() && bytes != 12 {
                let what = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err((what, rest));
            }
            if bytes + 4 > 16 {
                let what = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err((what, rest));
            }
            read_v4(rest)?;
            rest = "";
            bytes += 4;
            break;
        }
        bytes += 2;
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return Err(("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Err(("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if gap.is_some() {
                return Err(("multiple :: in address", rest));
            }
            gap = Some(bytes);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    match (rest, bytes, gap) {
        ("", 16, Some(_)) => Err(("the :: must expand to at least one field of zeros", "")),
        ("", 16, None) | ("", _, Some(_)) => Ok(()),
        ("", _, None) => Err(("address string too short", "")),
        (rest, ..) => Err(("trailing garbage after address", rest)),
    }
}

/// Returns how many digits a field has.
fn hex_digits(rest: &str) -> Result<usize, Fault<'_>> {
    let count = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    match count {
        0 => Err(("each colon-separated field must have at least one digit", rest)),
        1..=4 => Ok(count),
        _ => Err(("each group must have 4 or less digits", rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_in_go() {
        for (text, want) in [
            ("1.2.3.4", ""),
            ("::", ""),
            ("::1%eth0", ""),
            ("::ffff:1.2.3.4", ""),
            ("1:2:3:4:5:6:7:8", ""),
            ("a", "unable to parse IP"),
            ("1.2.3", "IPv4 address too short"),
            ("01.2.3.4", "IPv4 field has octet with leading zero"),
            ("1..2.3", "IPv4 field must have at least one digit (at \".2.3\")"),
            ("::1%", "zone must be a non-empty string"),
            ("1:2", "address string too short"),
            ("12345::", "each group must have 4 or less digits (at \"12345::\")"),
            ("1::2::3", "multiple :: in address (at \":3\")"),
            ("1:2:3:4:5:6:7:8:9", "trailing garbage after address (at \"9\")"),
            (
                "1:1.2.3.4",
                "embedded IPv4 address must replace the final 2 fields of the address (at \"1.2.3.4\")",
            ),
        ] {
            let got = parse_address(text).err().unwrap_or_default();
            let got = got.split_once("): ").map_or("", |it| it.1);
            assert_eq!(got, want, "{text}");
        }
    }
}
