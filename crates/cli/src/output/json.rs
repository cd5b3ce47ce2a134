//! Small writers of JSON, compact and escaped as Go's encoder does.
//!
//! Apart because errors and metrics have no value of the engine to print. It writes text into a buffer and neither
//! reads nor allocates values.

pub(crate) use lictor_value::json::indented;

/// Starts the next member of an object that is being written: a comma if there is one before, and the key.
pub(crate) fn key(name: &str, out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{') | None) {
        out.push(b',');
    }
    lictor_value::write_string(name, out, true);
    out.push(b':');
}

/// Starts the next item of an array that is being written.
pub(crate) fn item(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'[') | None) {
        out.push(b',');
    }
}

/// Appends a string as Go's encoder does.
pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    lictor_value::write_string(text, out, true);
}

/// Appends a whole number.
pub(crate) fn number(number: impl Into<i128>, out: &mut Vec<u8>) {
    out.extend_from_slice(number.into().to_string().as_bytes());
}

/// Appends the object of a place.
pub(crate) fn location(file: &str, row: u32, col: u32, out: &mut Vec<u8>) {
    out.push(b'{');
    key("file", out);
    string(file, out);
    key("row", out);
    number(row, out);
    key("col", out);
    number(col, out);
    out.push(b'}');
}

/// Appends, as the next item of an array, a term as OPA's trees have it: its type and its value.
pub(crate) fn term(kind: &str, out: &mut Vec<u8>, value: impl FnOnce(&mut Vec<u8>)) {
    item(out);
    out.push(b'{');
    key("type", out);
    string(kind, out);
    key("value", out);
    value(out);
    out.push(b'}');
}
