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
