//! Text as Go shows it in the messages of this crate.
//!
//! A small copy of quoting: what is quoted here is ASCII, or should have been.

/// Quotes ASCII as Go's `%q` does; other bytes show as numbers.
pub(crate) fn quote(text: impl AsRef<[u8]>) -> String {
    let mut out = "\"".to_owned();
    for it in text.as_ref().iter().map(|it| char::from(*it)) {
        match it {
            '"' | '\\' => out.extend(['\\', it]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(it),
            other => out += &format!("\\x{:02x}", u32::from(other)),
        }
    }
    out.push('"');
    out
}

/// Writes bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}
