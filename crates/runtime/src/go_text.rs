//! Text as Go shows it: bytes that are not UTF-8, and quoted texts.
//!
//! Apart from the standard library's conversions, which make one U+FFFD of several bytes and quote otherwise.

use std::borrow::Cow;

use crate::go;

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

/// Quotes a text as Go's `%q` does; bytes that are not UTF-8 show as numbers.
pub(crate) fn quote(text: impl AsRef<[u8]>) -> String {
    let mut out = "\"".to_owned();
    for chunk in text.as_ref().utf8_chunks() {
        let quoted = go::quote::quote(chunk.valid());
        out.push_str(quoted.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(&quoted));
        out.extend(chunk.invalid().iter().map(|it| format!("\\x{it:02x}")));
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
