//! What scalars stand for: null, truth values, numbers, times, strings.
//!
//! The rules are those of the library that OPA uses: YAML 1.2's core schema, and beside it
//! C-style octals, underscores in numbers and binary literals. Knows single nodes only.

use crate::go::float::{FloatVerb, format_float, format_float32};
use crate::go::layout::{self, RFC3339_NANO};
use crate::go::zone::Zone;

use super::YamlError;
use super::tree::{Kind, Node, Style};

/// A resolved scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(String),
    /// A time that was tagged as one, in JSON's form.
    Time(String),
}

impl Scalar {
    fn tag(&self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool(_) => "!!bool",
            Self::Int(_) | Self::Uint(_) => "!!int",
            Self::Float(_) => "!!float",
            Self::Text(_) => "!!str",
            Self::Time(_) => "!!timestamp",
        }
    }

    /// Returns the text that a key becomes in JSON; none for null and times.
    pub(super) fn key_text(&self) -> Option<String> {
        Some(match self {
            Self::Null | Self::Time(_) => return None,
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Uint(value) => value.to_string(),
            Self::Text(text) => text.clone(),
            Self::Float(value) => match format_float32(*value).as_str() {
                "+Inf" => ".inf".to_owned(),
                "-Inf" => "-.inf".to_owned(),
                "NaN" => ".nan".to_owned(),
                text => text.to_owned(),
            },
        })
    }
}

/// Returns the tag that a plain scalar resolves to.
pub(super) fn plain_tag(text: &str) -> &'static str {
    plain(text).tag()
}

/// Resolves a scalar node by its tag; any other node counts as an empty string.
pub(super) fn resolve(node: &Node) -> Result<Scalar, YamlError> {
    let Kind::Scalar(text) = &node.kind else {
        return Ok(Scalar::Time(String::new()));
    };
    let tag = node.tag.as_str();
    match tag {
        "!!str" => return Ok(Scalar::Text(text.clone())),
        "!!binary" => return binary(text),
        "" | "!!bool" | "!!int" | "!!float" | "!!null" | "!!timestamp" => {}
        _ => return Ok(Scalar::Text(text.clone())),
    }
    if node.style == Style::Plain && tag != "!!timestamp" {
        return Ok(plain(text));
    }
    let found = match (tag, plain(text)) {
        // Only the tag of a time, or none, lets a text be one.
        ("!!int" | "!!float" | "!!bool" | "!!null", Scalar::Time(_)) => Scalar::Text(text.clone()),
        #[expect(clippy::cast_precision_loss, reason = "the tag asks for a float")]
        ("!!float", Scalar::Int(value)) => Scalar::Float(value as f64),
        (_, found) => found,
    };
    if found.tag() == tag {
        return Ok(found);
    }
    Err(YamlError::plain(&format!("cannot decode {} `{text}` as a {tag}", found.tag())))
}

/// Resolves a plain scalar without a tag.
pub(super) fn plain(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Scalar::Float(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let found = match text.as_bytes().first() {
        Some(b'.') if has_fair_underscores(text) => float(&text.replace('_', "")),
        Some(b'+' | b'-' | b'0'..=b'9') => time(text).or_else(|| number(text)),
        _ => None,
    };
    found.unwrap_or_else(|| Scalar::Text(text.to_owned()))
}

fn number(text: &str) -> Option<Scalar> {
    let plain = text.replace('_', "");
    integer(&plain).or_else(|| float(&plain))
}

/// Says whether every underscore stands between two digits.
fn has_fair_underscores(text: &str) -> bool {
    let digit = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_digit());
    let mut parts = text.split('_').peekable();
    while let (Some(part), Some(next)) = (parts.next(), parts.peek()) {
        if !digit(part.bytes().last()) || !digit(next.bytes().next()) {
            return false;
        }
    }
    true
}

/// Reads an integer as Go source would write it, or with the prefix of a binary literal.
fn integer(text: &str) -> Option<Scalar> {
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let lower = digits.get(..2).map(str::to_ascii_lowercase);
    let (radix, digits) = match lower.as_deref() {
        Some("0x") => (16, digits.get(2..)?),
        Some("0o") => (8, digits.get(2..)?),
        Some("0b") => (2, digits.get(2..)?),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    // Go's library reads a sign behind `0b` and `0o` as well.
    if matches!(text.get(..2), Some("0b" | "0o")) && digits.starts_with(['-', '+']) {
        return i64::from_str_radix(digits, radix).ok().map(Scalar::Int);
    }
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let value = if negative { -value } else { value };
    if let Ok(int) = i64::try_from(value) {
        return Some(Scalar::Int(int));
    }
    // Above the range of signed integers Go takes no sign at all.
    let signed = text.starts_with(['-', '+']);
    u64::try_from(value).ok().filter(|_| !signed).map(Scalar::Uint)
}

/// Reads a decimal float: digits with or without a point, and an exponent.
fn float(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fits = digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|text| {
            let text = text.strip_prefix(['-', '+']).unwrap_or(text);
            !text.is_empty() && digits(text)
        });
    let value: f64 = if fits { text.parse().ok()? } else { return None };
    value.is_finite().then_some(Scalar::Float(value))
}

/// Reads a date or a time in one of the forms that the library knows.
fn time(text: &str) -> Option<Scalar> {
    let year = text.bytes().take_while(u8::is_ascii_digit).count();
    if year != 4 || text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let layouts = [
        "2006-1-2T15:4:5.999999999Z07:00",
        "2006-1-2t15:4:5.999999999Z07:00",
        "2006-1-2 15:4:5.999999999",
        "2006-1-2",
    ];
    layouts.into_iter().find_map(|format| match layout::parse(format, text) {
        Ok(ns) => Some(Scalar::Time(layout::format(ns, &Zone::UTC, RFC3339_NANO))),
        Err(layout::TimeError::OutOfRange(_)) => Some(Scalar::Time(text.to_owned())),
        Err(layout::TimeError::Parse(_)) => None,
    })
}

fn binary(text: &str) -> Result<Scalar, YamlError> {
    let invalid = || YamlError::plain("!!binary value contains invalid base64 data");
    let bytes = base64(text).ok_or_else(invalid)?;
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Ok(Scalar::Text(out))
}

/// Decodes padded base64; line breaks do not count.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for quad in text.chunks(4) {
        let bits = quad.iter().try_fold(0_u32, |bits, byte| Some(bits << 6 | u32::from(sextet(*byte)?)));
        let pad = quad.iter().filter(|byte| **byte == b'=').count();
        let [_, bytes @ ..] = bits?.to_be_bytes();
        out.extend(bytes.iter().take(3 - pad));
    }
    // Padding anywhere but at the end would have been taken for data.
    let inner = text.len() - padding;
    (!text.iter().take(inner).any(|byte| *byte == b'=')).then_some(out)
}

fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        b'=' => 0,
        _ => return None,
    })
}

/// Returns a float as JSON text; one that JSON does not know as `NaN`, `+Inf` or `-Inf`.
pub(super) fn json_float(value: f64) -> String {
    if !value.is_finite() {
        return format_float(value, FloatVerb::General('e'), None);
    }
    let size = value.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return format_float(value, FloatVerb::Plain, None);
    }
    let text = format_float(value, FloatVerb::Exponent('e'), None);
    text.replace("e-0", "e-")
}
