//! Go's quoted strings and characters (`strconv.Quote` and its relatives).
//!
//! Apart from the format verbs because error texts quote with `%q` as well.

use super::unicode::is_print;

/// Returns the text as a Go string literal in double quotes.
pub fn quote(text: &str) -> String {
    quoted(text, '"', false)
}

/// Returns the text as a Go string literal that holds only ASCII.
pub fn quote_ascii(text: &str) -> String {
    quoted(text, '"', true)
}

/// Returns the character as a Go character literal, only ASCII if `ascii`.
pub(super) fn quote_char(c: char, ascii: bool) -> String {
    quoted(c.encode_utf8(&mut [0; 4]), '\'', ascii)
}

/// Says whether the text can stand in backquotes as it is.
pub(super) fn can_backquote(text: &str) -> bool {
    let fits = |c: char| (c >= ' ' || c == '\t') && !matches!(c, '`' | '\u{7f}' | '\u{feff}');
    text.chars().all(fits)
}

fn quoted(text: &str, mark: char, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(mark);
    for c in text.chars() {
        if c == mark || c == '\\' {
            out.push('\\');
            out.push(c);
        } else if (c.is_ascii() || !ascii) && is_print(c) {
            out.push(c);
        } else {
            escape(c, &mut out);
        }
    }
    out.push(mark);
    out
}

fn escape(c: char, out: &mut String) {
    let code = u32::from(c);
    let short = match c {
        '\u{7}' => "\\a",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{b}' => "\\v",
        _ if c < ' ' || c == '\u{7f}' => return out.push_str(&format!("\\x{code:02x}")),
        _ if code < 0x10000 => return out.push_str(&format!("\\u{code:04x}")),
        _ => return out.push_str(&format!("\\U{code:08x}")),
    };
    out.push_str(short);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_go() {
        assert_eq!(quote("a\"\\\n\u{1}é\u{ad}\u{7f}"), r#""a\"\\\n\x01é\u00ad\x7f""#);
        assert_eq!(quote_ascii("é😀"), r#""\u00e9\U0001f600""#);
        assert_eq!(quote_char('\'', false), r"'\''");
        assert!(!can_backquote("a`b") && can_backquote("a\tb") && !can_backquote("\n"));
    }
}
