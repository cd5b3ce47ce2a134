//! Text as Go shows it: bytes that are not UTF-8, and quoted texts.
//!
//! Apart from the standard library's conversions, which make one U+FFFD of several bytes and quote otherwise.

use std::borrow::Cow;

/// Returns the bytes as text, with U+FFFD for each byte that is not UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(out)
}

/// Quotes a text as Go's `%q` does.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for it in text.chars() {
        match it {
            '"' | '\\' => out.extend(['\\', it]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            _ if u32::from(it) < 0x20 || u32::from(it) == 0x7f => {
                out.push_str(&format!("\\x{:02x}", u32::from(it)));
            }
            _ => out.push(it),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_go_s() {
        assert_eq!(quote("a\"\\\n\u{1}é"), r#""a\"\\\n\x01é""#);
    }

    #[test]
    fn each_bad_byte_counts() {
        assert_eq!(lossy(b"a\xe2\x82b"), "a\u{fffd}\u{fffd}b");
        assert_eq!(lossy("é".as_bytes()), "é");
    }
}
