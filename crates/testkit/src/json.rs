//! JSON for comparing answers: numbers keep their text and are equal by value.
//!
//! It stands apart from the product's reader on purpose: what judges the product must not share its
//! faults, and `f64` would call different integers equal. It is small and not fast. Nesting is bounded
//! by `DEPTH_MAX`; the run happens on a thread with a stack to match.

use std::{cmp::Ordering, collections::BTreeMap, fmt};

/// The deepest nesting that is read.
const DEPTH_MAX: usize = 20_000;

/// A JSON value whose order and equality are those of the values, not of the texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number of any size, see [`Number`].
    Number(Number),
    /// A string; lone surrogates have become U+FFFD.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object; of a repeated key the last value stands.
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Returns the member `key` of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.get(key),
            _ => None,
        }
    }

    /// Returns the text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the items of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the truth value of a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(it) => Some(*it),
            _ => None,
        }
    }

    /// Returns a number as a small integer, if it is one.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Json::Number(number) => number.text.parse().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(it) => write!(f, "{it}"),
            Json::Number(number) => f.write_str(&number.text),
            Json::String(text) => f.write_str(&quote(text)),
            Json::Array(items) => {
                f.write_str("[")?;
                for (idx, item) in items.iter().enumerate() {
                    let comma = if idx == 0 { "" } else { "," };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{")?;
                for (idx, (key, value)) in members.iter().enumerate() {
                    let comma = if idx == 0 { "" } else { "," };
                    write!(f, "{comma}{}:{value}", quote(key))?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A number by its text, equal to another if both name the same point of the number line.
#[derive(Debug, Clone)]
pub struct Number {
    text: String,
    is_negative: bool,
    /// The significant digits, without zeros on either side; empty for zero.
    digits: String,
    /// The power of ten of the first digit.
    exponent: i64,
}

impl Number {
    /// Reads the text of a JSON number.
    #[must_use]
    pub fn parse(text: &str) -> Option<Number> {
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let leading = all.len() - all.trim_start_matches('0').len();
        let digits = all.trim_matches('0').to_owned();
        let first = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?;
        let exponent = if digits.is_empty() { 0 } else { exponent.saturating_add(first) };
        let is_negative = is_negative && !digits.is_empty();
        Some(Number { text: text.to_owned(), is_negative, digits, exponent })
    }
}

fn exponent_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    // Past 18 digits the sign is all that a comparison needs.
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        let sign = |it: &Number| match (it.digits.is_empty(), it.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let magnitude = |it: &Number| (it.exponent, it.digits.clone());
        sign(self).cmp(&sign(other)).then_with(|| {
            let order = magnitude(self).cmp(&magnitude(other));
            if self.is_negative { order.reverse() } else { order }
        })
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

/// Reads one JSON document.
///
/// # Errors
///
/// Says at which byte the text stops being JSON.
pub fn parse(text: &str) -> Result<Json, String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    if reader.at == text.len() { Ok(value) } else { Err(reader.fault("the end")) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn fault(&self, wanted: &str) -> String {
        format!("byte {}: expected {wanted}", self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEPTH_MAX {
            return Err(self.fault("less nesting"));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Json, String> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))]
        {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.fault("a value"))
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        Number::parse(text).map(Json::Number).ok_or_else(|| self.fault("a number"))
    }

    /// Finds the end of a string here and leaves its escapes to `serde_json`.
    fn string(&mut self) -> Result<String, String> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(self.fault("the end of a string")),
            }
        }
        self.at += 1;
        let literal = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(literal)
            .or_else(|err| lossy_string(literal).ok_or_else(|| format!("byte {start}: {err}")))
    }

    fn array(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            if !self.take(b',') {
                return Err(self.fault("`,` or `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut members = BTreeMap::new();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key"));
            }
            let key = self.string()?;
            if !self.take(b':') {
                return Err(self.fault("`:`"));
            }
            members.insert(key, self.value(depth + 1)?);
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.take(b',') {
                return Err(self.fault("`,` or `}`"));
            }
        }
    }
}

/// Reads a string literal that holds lone surrogates, which become U+FFFD as in Go.
fn lossy_string(literal: &str) -> Option<String> {
    let mut units = Vec::new();
    let mut rest = literal.strip_prefix('"')?.strip_suffix('"')?.chars();
    while let Some(next) = rest.next() {
        if next != '\\' {
            units.extend_from_slice(next.encode_utf16(&mut [0; 2]));
            continue;
        }
        let unit = match rest.next()? {
            'u' => {
                let hex: String = rest.by_ref().take(4).collect();
                u16::from_str_radix(&hex, 16).ok()?
            }
            'n' => u16::from(b'\n'),
            't' => u16::from(b'\t'),
            'r' => u16::from(b'\r'),
            'b' => 8,
            'f' => 12,
            other @ ('"' | '\\' | '/') => u16::try_from(u32::from(other)).ok()?,
            _ => return None,
        };
        units.push(unit);
    }
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_by_value() {
        let cases = [
            ("1", "1.0", true),
            ("1", "10e-1", true),
            ("-0", "0", true),
            ("0.10", "1e-1", true),
            ("12345678901234567890123", "12345678901234567890124", false),
            ("1e400", "1e401", false),
            ("1e99999999999999999999", "1e99999999999999999999", true),
            ("0e5", "0", true),
            ("100", "1e2", true),
        ];
        for (a, b, wanted) in cases {
            assert_eq!(parse(a).unwrap() == parse(b).unwrap(), wanted, "{a} = {b}");
        }
    }

    #[test]
    fn numbers_are_ordered() {
        let ordered = ["-1e3", "-12", "-1.5", "-0.1", "0", "1e-9", "0.1", "0.11", "9", "10", "1e3"];
        for pair in ordered.windows(2) {
            assert!(parse(pair[0]).unwrap() < parse(pair[1]).unwrap(), "{pair:?}");
        }
    }

    #[test]
    fn documents_are_read_and_printed() {
        for text in [r#"{"a":[1,2.50,"x\n",null],"b":{}}"#, "[]", r#""\\""#, "[true,false]"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        for text in ["", "[1,]", "{\"a\":}", "[1 2]", "nul", "1 2", "\"a", "{a:1}", "-"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse(r#""\ud800""#).unwrap(), Json::String("\u{FFFD}".to_owned()));
    }
}
