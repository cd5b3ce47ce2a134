//! JSON text as Go writes it: strings with the characters of HTML escaped, bytes in base 64.
//!
//! Apart because it knows JSON only, no nodes. It does not check what is written where.

use std::fmt::Write as _;

/// Appends a string.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for point in text.chars() {
        match point {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{0}'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(point));
            }
            _ => out.push(point),
        }
    }
    out.push('"');
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends bytes as a string in base 64.
pub(crate) fn base64(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for chunk in bytes.chunks(3) {
        let byte = |idx: usize| u32::from(chunk.get(idx).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for idx in 0..4_usize {
            if idx > chunk.len() {
                out.push('=');
            } else {
                let digit = (bits >> (18 - 6 * idx)) & 63;
                out.push(char::from(ALPHABET.get(digit as usize).copied().unwrap_or(b'=')));
            }
        }
    }
    out.push('"');
}

/// Tells whether a text is a number of JSON.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
}

/// Appends a number of a metadata block as Go prints what it has read there.
pub(crate) fn yaml_number(out: &mut String, text: &str) {
    if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
        return out.push_str(text);
    }
    match text.parse::<f64>() {
        Ok(number) => float(out, number),
        Err(_) => out.push_str(text),
    }
}

/// Appends a float: the shortest digits, with an exponent if it is very large or small.
fn float(out: &mut String, number: f64) {
    let size = number.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, places) = match exponent.strip_prefix('-') {
            Some(places) => ('-', places),
            None => ('+', exponent),
        };
        let _ = write!(out, "{digits}e{sign}{places:0>2}");
    } else {
        let _ = write!(out, "{number}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_base_64() {
        for (bytes, want) in [
            ("", "\"\""),
            ("a", "\"YQ==\""),
            ("ab", "\"YWI=\""),
            ("abc", "\"YWJj\""),
            ("\u{ff}\u{3ff}", "\"w7/Pvw==\""),
        ] {
            let mut out = String::new();
            base64(&mut out, bytes.as_bytes());
            assert_eq!(out, want);
        }
    }

    #[test]
    fn numbers_of_blocks() {
        for (text, want) in [
            ("1", "1"),
            ("2.50", "2.5"),
            ("1e3", "1000"),
            ("1e21", "1e+21"),
            ("1e-7", "1e-07"),
            ("-0.0", "-0"),
        ] {
            let mut out = String::new();
            yaml_number(&mut out, text);
            assert_eq!(out, want);
        }
    }
}
