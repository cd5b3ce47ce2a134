//! Strings as Go's JSON encoder writes them.
//!
//! Apart because messages, diagnostics and plans quote text in the same way. It knows nothing of values, only of
//! text and of the cell that a short one stands in.

use crate::cell::Cell;
use crate::raw::scan;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends a JSON string as Go's encoder writes it; `html` escapes `<`, `>` and `&` too.
pub fn write_string(text: &str, out: &mut Vec<u8>, html: bool) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, tail) = rest.split_at(scan::unescaped_len(rest, html));
        out.extend_from_slice(plain);
        let Some(first) = tail.first() else { break };
        rest = tail.get(write_special(*first, tail, out)..).unwrap_or(&[]);
    }
    out.push(b'"');
}

/// Appends the string that stands inside a cell.
#[inline]
pub(crate) fn write_short_string(cell: Cell, out: &mut Vec<u8>, html: bool) {
    let len = cell.inline_len();
    if scan::unescaped_len(&(cell.0 >> 8).to_le_bytes(), html) < len {
        return write_string(crate::raw::inline_text(&cell), out, html);
    }
    // A quote in the place of the tag, then the text: one word, of which the part behind the text is cut off.
    let start = out.len();
    out.extend_from_slice(&(cell.0 & !0xff | u64::from(b'"')).to_le_bytes());
    out.truncate(start + 1 + len);
    out.push(b'"');
}

/// Appends the string as Go quotes it in messages; the function knows which characters beyond ASCII are printable.
pub(crate) fn write_quoted(text: &str, out: &mut Vec<u8>, is_print: fn(char) -> bool) {
    out.push(b'"');
    let mut utf8 = [0; 4];
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend_from_slice(&[b'\\', u8::try_from(c).unwrap_or(b'?')]),
            ' '..='~' => out.push(u8::try_from(c).unwrap_or(b'?')),
            '\u{7}' => out.extend_from_slice(b"\\a"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\u{b}' => out.extend_from_slice(b"\\v"),
            '\0'..='\u{7f}' => out.extend_from_slice(format!("\\x{:02x}", u32::from(c)).as_bytes()),
            _ if is_print(c) => out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
            '\u{80}'..='\u{ffff}' => out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes()),
            _ => out.extend_from_slice(format!("\\U{:08x}", u32::from(c)).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Appends what stands for a byte that is not plain and returns how many bytes it was.
fn write_special(byte: u8, tail: &[u8], out: &mut Vec<u8>) -> usize {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0c => out.extend_from_slice(b"\\f"),
        0x80.. => return write_beyond_ascii(tail, out),
        _ => {
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEX[high], HEX[low]]);
        }
    }
    1
}

/// Appends a run of text beyond ASCII, in which only U+2028 and U+2029 are escaped.
fn write_beyond_ascii(tail: &[u8], out: &mut Vec<u8>) -> usize {
    match tail {
        [0xe2, 0x80, last @ (0xa8 | 0xa9), ..] => {
            out.extend_from_slice(if *last == 0xa8 { b"\\u2028" } else { b"\\u2029" });
            3
        }
        _ => {
            // An E2 only ever starts a character.
            let end = tail.iter().skip(1).position(|it| it.is_ascii() || *it == 0xe2);
            let len = end.map_or(tail.len(), |it| it + 1);
            out.extend_from_slice(tail.get(..len).unwrap_or(&[]));
            len
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_escaped_or_not() {
        for html in [false, true] {
            for code in (0..0x100).chain([0x2027, 0x2028, 0x2029, 0x202a, 0x4e2d, 0xfffd, 0x1_f600]) {
                let c = char::from_u32(code).expect("a character");
                let escaped = match c {
                    '"' | '\\' => format!("\\{c}"),
                    '\n' => "\\n".to_owned(),
                    '\r' => "\\r".to_owned(),
                    '\t' => "\\t".to_owned(),
                    '\u{8}' => "\\b".to_owned(),
                    '\u{c}' => "\\f".to_owned(),
                    '<' | '>' | '&' if !html => c.to_string(),
                    '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{code:04x}"),
                    _ => c.to_string(),
                };
                for before in ["", "abc", "0123456789abcdef0", "\u{e9}\u{2026}"] {
                    let text = format!("{before}{c}{before}");
                    let mut out = Vec::new();
                    write_string(&text, &mut out, html);
                    assert_eq!(String::from_utf8_lossy(&out), format!("\"{before}{escaped}{before}\""));
                    if let Some(cell) = Cell::inline(crate::cell::tag::STRING, text.as_bytes()) {
                        let mut short = Vec::new();
                        write_short_string(cell, &mut short, html);
                        assert_eq!(short, out);
                    }
                }
            }
        }
    }
}
