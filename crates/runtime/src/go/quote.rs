//! Go's quoted strings and characters (`strconv.Quote` and its relatives).
//!
//! Apart from the format verbs because error texts quote with `%q` as well.

use super::unicode::is_print;
use crate::go_text::lossy;

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

/// Returns what a Go string literal in double quotes or backquotes stands for; bytes that are no UTF-8 show as
/// U+FFFD.
pub fn unquote(literal: &str) -> Option<String> {
    if let Some(inside) = literal.strip_prefix('`').and_then(|it| it.strip_suffix('`')) {
        return (!inside.contains('`')).then(|| inside.replace('\r', ""));
    }
    let mut rest = literal.strip_prefix('"').and_then(|it| it.strip_suffix('"'))?;
    if rest.contains('\n') {
        return None;
    }
    let mut out = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let (unit, after) = unquote_unit(rest, '"')?;
        match unit {
            Unit::Char(c) => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
            Unit::Byte(byte) => out.push(byte),
        }
        rest = after;
    }
    Some(lossy(&out).into_owned())
}

/// What one step through a literal stands for.
enum Unit {
    Char(char),
    Byte(u8),
}

/// Reads the first character or escape of a literal in the marks given; returns its code and the rest.
pub(super) fn unquote_code(literal: &str, mark: char) -> Option<(u32, &str)> {
    let (unit, rest) = unquote_unit(literal, mark)?;
    Some(match unit {
        Unit::Char(c) => (u32::from(c), rest),
        Unit::Byte(byte) => (u32::from(byte), rest),
    })
}

fn unquote_unit(literal: &str, mark: char) -> Option<(Unit, &str)> {
    let mut chars = literal.chars();
    let first = chars.next()?;
    if first == mark {
        return None;
    }
    if first != '\\' {
        return Some((Unit::Char(first), chars.as_str()));
    }
    let escape = chars.next()?;
    let after = chars.as_str();
    let plain = |c: char| Some((Unit::Char(c), after));
    let number = |from: &'_ str, count: usize, radix: u32| {
        let digits = from.get(..count)?;
        let valid = digits.chars().all(|it| it.is_digit(radix));
        valid.then(|| u32::from_str_radix(digits, radix).ok()).flatten()
    };
    match escape {
        'a' => plain('\u{7}'),
        'b' => plain('\u{8}'),
        'f' => plain('\u{c}'),
        'n' => plain('\n'),
        'r' => plain('\r'),
        't' => plain('\t'),
        'v' => plain('\u{b}'),
        '\\' => plain('\\'),
        _ if escape == mark => plain(mark),
        'x' => {
            let byte = u8::try_from(number(after, 2, 16)?).ok()?;
            Some((Unit::Byte(byte), after.get(2..)?))
        }
        'u' | 'U' => {
            let count = if escape == 'u' { 4 } else { 8 };
            let c = char::from_u32(number(after, count, 16)?)?;
            Some((Unit::Char(c), after.get(count..)?))
        }
        '0'..='7' => {
            let digits = literal.get(1..)?;
            let byte = u8::try_from(number(digits, 3, 8)?).ok()?;
            Some((Unit::Byte(byte), digits.get(3..)?))
        }
        _ => None,
    }
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

    #[test]
    fn literals_read_as_in_go() {
        for (literal, want) in [
            (r#""a\n\x41\u00e9\101\"""#, Some("a\nAéA\"")),
            ("`a\\\r\nb`", Some("a\\\nb")),
            (r#""\'""#, None),
            (r#""\ud800""#, None),
            (r#""\400""#, None),
            (r#""a"b""#, None),
            ("\"", None),
            ("\"\\", None),
        ] {
            assert_eq!(unquote(literal).as_deref(), want, "{literal}");
        }
    }
}
