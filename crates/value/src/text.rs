//! Values as text: JSON as Go writes it, and Rego terms.
//!
//! Writers append to a byte buffer. They recurse to a bounded depth; below it `deep` goes on.

use std::fmt;

use crate::deep::{self, Flat, RECURSION_MAX};
use crate::node::Object;
use crate::value::{Kind, Value};

impl Value<'_> {
    /// Appends the value as OPA's JSON: sorted keys, sets as arrays, `<`, `>` and `&` escaped.
    pub fn write_json(self, out: &mut Vec<u8>) {
        write_json(self, out, Format { html: true, depth: 0 });
    }

    /// Appends the value as JSON with `<`, `>` and `&` as they are.
    pub fn write_json_plain(self, out: &mut Vec<u8>) {
        write_json(self, out, Format { html: false, depth: 0 });
    }

    /// Returns the value as OPA's JSON.
    #[must_use]
    pub fn to_json(self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends the value as a Rego term: `{"a": {1}}`.
    pub fn write_rego(self, out: &mut Vec<u8>) {
        write_rego(self, out, 0);
    }
}

/// How JSON is written, and how many collections are open.
#[derive(Clone, Copy)]
struct Format {
    html: bool,
    depth: u32,
}

impl Format {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::new();
        self.write_rego(&mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

fn write_json(value: Value<'_>, out: &mut Vec<u8>, format: Format) {
    match value.kind() {
        Kind::Array | Kind::Set | Kind::Object if format.depth >= RECURSION_MAX => {
            deep::write_json(value, out, format.html);
        }
        Kind::Array => write_list(value.as_array().iter().flat_map(|it| it.iter()), out, format.deeper()),
        Kind::Set => write_list(value.as_set().iter().flat_map(|it| it.iter()), out, format.deeper()),
        Kind::Object => {
            value.as_object().into_iter().for_each(|it| write_object(it, out, format.deeper()));
        }
        _ => write_json_scalar(value, out, format.html),
    }
}

/// Writes what is no collection.
pub(crate) fn write_json_scalar(value: Value<'_>, out: &mut Vec<u8>, html: bool) {
    match value.kind() {
        Kind::Boolean => out.extend_from_slice(if value.is_true() { b"true" } else { b"false" }),
        Kind::Number => out.extend_from_slice(value.number_text().as_deref().unwrap_or("0").as_bytes()),
        Kind::String => write_string(value.as_str().unwrap_or(""), out, html),
        Kind::Null | Kind::Array | Kind::Object | Kind::Set => out.extend_from_slice(b"null"),
    }
}

fn write_list<'e>(items: impl Iterator<Item = Value<'e>>, out: &mut Vec<u8>, format: Format) {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_json(item, out, format);
    }
    out.push(b']');
}

/// Writes an object with its keys sorted as texts.
fn write_object(object: Object<'_>, out: &mut Vec<u8>, format: Format) {
    out.push(b'{');
    if has_string_keys(object) {
        for (index, (key, item)) in object.iter().enumerate() {
            write_entry(index, key.as_str().unwrap_or(""), item, out, format);
        }
    } else {
        for (index, (key, item)) in json_entries(object, format.html).into_iter().enumerate() {
            write_entry(index, &key, item, out, format);
        }
    }
    out.push(b'}');
}

#[inline]
fn write_entry(index: usize, key: &str, item: Value<'_>, out: &mut Vec<u8>, format: Format) {
    if index > 0 {
        out.push(b',');
    }
    write_string(key, out, format.html);
    out.push(b':');
    write_json(item, out, format);
}

fn has_string_keys(object: Object<'_>) -> bool {
    let is_string = |index: usize| object.nth(index).is_none_or(|it| it.0.is_string());
    // Keys are sorted by type, so the outer ones tell of all.
    is_string(0) && is_string(object.len().saturating_sub(1))
}

/// Returns the entries sorted by the texts of their keys: what is no string becomes its JSON text, and of equal
/// texts the last counts.
pub(crate) fn json_entries(object: Object<'_>, html: bool) -> Vec<(String, Value<'_>)> {
    let mut entries: Vec<(String, Value<'_>)> = object
        .iter()
        .map(|(key, item)| match key.as_str() {
            Some(text) => (text.to_owned(), item),
            None => {
                let mut text = Vec::new();
                write_json(key, &mut text, Format { html, depth: 0 });
                (String::from_utf8(text).unwrap_or_default(), item)
            }
        })
        .collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 = later.1;
        }
        same
    });
    entries
}

/// Appends a JSON string as Go's encoder writes it.
pub fn write_string(text: &str, out: &mut Vec<u8>, html: bool) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut written = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let escape = match byte {
            b'"' | b'\\' | 0..=0x1f => true,
            b'<' | b'>' | b'&' => html,
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
            0xe2 => matches!(bytes.get(index + 1..index + 3), Some([0x80, 0xa8 | 0xa9])),
            _ => false,
        };
        if escape {
            out.extend_from_slice(bytes.get(written..index).unwrap_or(&[]));
            written = index + if *byte == 0xe2 { 3 } else { 1 };
            write_escape(*byte, bytes.get(index + 2).copied(), out);
        }
    }
    out.extend_from_slice(bytes.get(written..).unwrap_or(&[]));
    out.push(b'"');
}

fn write_escape(byte: u8, third: Option<u8>, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0c => out.extend_from_slice(b"\\f"),
        0xe2 => out.extend_from_slice(if third == Some(0xa8) { b"\\u2028" } else { b"\\u2029" }),
        _ => {
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEX[high], HEX[low]]);
        }
    }
}

fn write_rego(value: Value<'_>, out: &mut Vec<u8>, depth: u32) {
    let Some(children) = Flat::of(value).filter(|_| value.collection_len() != Some(0)) else {
        return write_rego_scalar(value, out);
    };
    if depth >= RECURSION_MAX {
        return deep::write_rego(value, out);
    }
    let kind = value.kind();
    out.push(if kind == Kind::Array { b'[' } else { b'{' });
    for (position, child) in children.enumerate() {
        let separator: &[u8] = match (kind, position % 2) {
            _ if position == 0 => b"",
            (Kind::Object, 1) => b": ",
            _ => b", ",
        };
        out.extend_from_slice(separator);
        write_rego(child, out, depth + 1);
    }
    out.push(if kind == Kind::Array { b']' } else { b'}' });
}

/// Writes a scalar or an empty collection.
pub(crate) fn write_rego_scalar(value: Value<'_>, out: &mut Vec<u8>) {
    match value.kind() {
        Kind::Array => out.extend_from_slice(b"[]"),
        Kind::Object => out.extend_from_slice(b"{}"),
        Kind::Set => out.extend_from_slice(b"set()"),
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String => write_json_scalar(value, out, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arena;

    #[test]
    fn strings_are_escaped_as_go_does() {
        let arena = Arena::new();
        let text = arena.string("<a & \"b\">\u{1}\n\u{2028}\u{e9}\u{7f}");
        assert_eq!(text.to_json(), "\"\\u003ca \\u0026 \\\"b\\\"\\u003e\\u0001\\n\\u2028\u{e9}\u{7f}\"");
    }

    #[test]
    fn terms_are_written_as_rego() {
        let arena = Arena::new();
        let set = arena.set(&mut vec![arena.int(2), arena.int(1)]);
        let object = arena.object(&mut vec![(arena.string("a"), set), (arena.int(1), Value::empty_set())]);
        assert_eq!(object.to_string(), r#"{1: set(), "a": {1, 2}}"#);
        assert_eq!(object.to_json(), r#"{"1":[],"a":[1,2]}"#);
    }

    #[test]
    fn keys_are_sorted_as_texts() {
        let arena = Arena::new();
        let mut pairs: Vec<_> = [9, 10].map(|it| (arena.int(it), arena.int(it))).into();
        pairs.push((arena.string("10"), Value::TRUE));
        pairs.push((arena.string("0"), Value::FALSE));
        assert_eq!(arena.object(&mut pairs).to_json(), r#"{"0":false,"10":true,"9":9}"#);
    }
}
