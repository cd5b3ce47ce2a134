//! Values of any simple type, as attributes of names in certificate requests may hold.
//!
//! Apart because what Go makes of each type is a list of its own; the rest of the reader knows shapes.

use crate::oid::Oid;
use crate::text::quote;
use crate::x509::Time;

use super::header::Header;
use super::{bit_string, boolean, int_64, object_identifier, syntax};

/// A value whose type the bytes decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnyValue {
    /// A type that is not looked into.
    Nothing,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A text of any of the types of text.
    Text(String),
    /// Bytes.
    Octets(Vec<u8>),
    /// Bits: the bytes and how many bits count.
    Bits(Vec<u8>, usize),
    /// An object identifier.
    Oid(Oid),
    /// A time.
    Time(Time),
}

impl AnyValue {
    pub(super) fn read(header: Header, content: &[u8]) -> Result<Self, String> {
        let text = |valid: fn(u8) -> bool, what: &str| {
            if content.iter().all(|it| valid(*it)) {
                Ok(Self::Text(String::from_utf8_lossy(content).into_owned()))
            } else {
                syntax(what)
            }
        };
        Ok(match header.simple() {
            Some(1) => Self::Bool(boolean(content)?),
            Some(2) => Self::Int(int_64(content)?),
            Some(3) => {
                let bits = bit_string(content)?;
                Self::Bits(bits.bytes.to_vec(), bits.len)
            }
            Some(4) => Self::Octets(content.to_vec()),
            Some(6) => Self::Oid(object_identifier(content)?),
            Some(12) => match std::str::from_utf8(content) {
                Ok(text) => Self::Text(text.to_owned()),
                Err(_) => return Err("asn1: invalid UTF-8 string".to_owned()),
            },
            Some(18) => {
                text(|it| it.is_ascii_digit() || it == b' ', "NumericString contains invalid character")?
            }
            Some(19) => text(is_printable, "PrintableString contains invalid character")?,
            Some(20) => Self::Text(content.iter().map(|it| char::from(*it)).collect()),
            Some(22) => text(|it| it.is_ascii(), "IA5String contains invalid character")?,
            Some(23) => {
                Self::Time(Time::utc(content).ok_or_else(|| no_time(content, "060102150405Z0700", "06"))?)
            }
            Some(24) => Self::Time(
                Time::generalized(content)
                    .ok_or_else(|| no_time(content, "20060102150405.999999999Z0700", "2006"))?,
            ),
            Some(30) => Self::Text(bmp_text(content).ok_or("invalid BMPString")?),
            _ => Self::Nothing,
        })
    }
}

/// The message for a text that does not even begin as a time.
fn no_time(content: &[u8], layout: &str, first: &str) -> String {
    let shown = quote(content);
    format!("parsing time {shown} as \"{layout}\": cannot parse {shown} as \"{first}\"")
}

/// Says whether a byte may stand in a PrintableString; `*` and `&` may, as real certificates have them.
pub(crate) fn is_printable(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"'()+,-./ :=?*&".contains(&byte)
}

/// Reads text of two bytes a character; surrogates and numbers that are no characters are refused.
pub(crate) fn bmp_text(content: &[u8]) -> Option<String> {
    if !content.len().is_multiple_of(2) {
        return None;
    }
    let content = content.strip_suffix(&[0, 0]).unwrap_or(content);
    let points = content.chunks(2).map(|it| it.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)));
    points.map(|it| char::from_u32(it).filter(|_| !matches!(it, 0xfffe | 0xffff | 0xfdd0..=0xfdef))).collect()
}
