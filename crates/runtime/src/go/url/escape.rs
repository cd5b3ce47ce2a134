//! Percent escapes, by the part of a URL that a text stands in.
//!
//! Apart from the parts themselves because queries and forms need escapes alone. Escapes may stand for any byte,
//! so unescaped text is bytes here.

use crate::go_text::quote;

/// The part of a URL that a text stands in; each has its own characters that stand for themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The path as a whole, with its slashes.
    Path,
    /// The host and its port.
    Host,
    /// The zone of an IPv6 address.
    Zone,
    /// A user's name or password.
    UserPassword,
    /// A name or value in the query.
    Query,
    /// What follows `#`.
    Fragment,
}

impl Part {
    /// Says whether a byte stands for itself.
    #[must_use]
    pub fn keeps(self, byte: u8) -> bool {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            return true;
        }
        let kept: &[u8] = match self {
            Self::Path => b"$&+,/:;=@",
            Self::Host | Self::Zone => b"!\"$&'()*+,:;<=>[]",
            Self::UserPassword => b"$&+,;=",
            Self::Query => b"",
            Self::Fragment => b"!$&()*+,/:;=?@",
        };
        kept.contains(&byte)
    }
}

/// Appends bytes, escaped where they do not stand for themselves.
pub fn escape(bytes: &[u8], part: Part, out: &mut String) {
    for byte in bytes {
        match byte {
            b' ' if part == Part::Query => out.push('+'),
            byte if part.keeps(*byte) => out.push(char::from(*byte)),
            byte => {
                out.push('%');
                for digit in [byte >> 4, byte & 15] {
                    let digit = char::from_digit(u32::from(digit), 16).unwrap_or('0');
                    out.push(digit.to_ascii_uppercase());
                }
            }
        }
    }
}

/// Returns bytes as text, escaped where they do not stand for themselves.
#[must_use]
pub fn escaped(bytes: &[u8], part: Part) -> String {
    let mut out = String::with_capacity(bytes.len());
    escape(bytes, part, &mut out);
    out
}

fn hex(byte: Option<&u8>) -> Option<u8> {
    char::from(*byte?).to_digit(16).and_then(|it| u8::try_from(it).ok())
}

/// Returns the bytes that a text stands for.
///
/// # Errors
///
/// Returns Go's text if an escape is broken, or a byte may not stand in the part.
pub fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let in_host = matches!(part, Part::Host | Part::Zone);
    let bad_escape = |at: usize| {
        let shown = bytes.get(at..(at + 3).min(bytes.len())).unwrap_or(&[]);
        Err(format!("invalid URL escape {}", quote(shown)))
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'%' => {
                let (Some(high), Some(low)) = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) else {
                    return bad_escape(at);
                };
                let value = high << 4 | low;
                let refused = match part {
                    Part::Host => high < 8 && value != b'%',
                    Part::Zone => value != b'%' && value != b' ' && !Part::Host.keeps(value),
                    Part::Path | Part::UserPassword | Part::Query | Part::Fragment => false,
                };
                if refused {
                    return bad_escape(at);
                }
                out.push(value);
                at += 2;
            }
            b'+' if part == Part::Query => out.push(b' '),
            byte if in_host && byte.is_ascii() && !part.keeps(*byte) => {
                let shown = char::from(*byte).to_string();
                return Err(format!("invalid character {} in host name", quote(shown)));
            }
            byte => out.push(*byte),
        }
        at += 1;
    }
    Ok(out)
}

/// Says whether every byte of an escaped path or fragment may stand there as it is.
pub(super) fn is_escaped(text: &str, part: Part) -> bool {
    text.bytes().all(|it| b"!$&'()*+,;=:@[]%".contains(&it) || part.keeps(it))
}
