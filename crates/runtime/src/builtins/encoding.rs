//! Base64 and hexadecimal text, with Go's rules and error texts.
//!
//! Go's decoder skips line ends, takes spare bits, and names the byte that is at fault.

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::unicode::is_print;
use crate::go_text::lossy;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("base64.encode", "str -> str", |ctx, args| encode_base64(ctx, args, STANDARD, true)),
    Builtin::pure("base64.decode", "str -> str", |ctx, args| {
        decoded(ctx, decode_base64(string(args, 0)?.as_bytes(), STANDARD))
    }),
    Builtin::pure("base64.is_valid", "str -> bool", |_, args| {
        let valid = |it: &str| decode_base64(it.as_bytes(), STANDARD).is_ok();
        answer_bool(any(args, 0).as_str().is_some_and(valid))
    }),
    Builtin::pure("base64url.encode", "str -> str", |ctx, args| encode_base64(ctx, args, URL, true)),
    Builtin::pure("base64url.encode_no_pad", "str -> str", |ctx, args| encode_base64(ctx, args, URL, false)),
    Builtin::pure("base64url.decode", "str -> str", decode_base64url),
    Builtin::pure("hex.encode", "str -> str", |ctx, args| {
        answer(hex_value(ctx, string(args, 0)?.as_bytes()))
    }),
    Builtin::pure("hex.decode", "str -> str", |ctx, args| {
        let bytes = decode_hex(string(args, 0)?.as_bytes())?;
        answer(ctx.arena.string(&lossy(&bytes)))
    }),
];

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn encode_base64<'e>(ctx: Context<'e>, args: &[Value<'e>], alphabet: &[u8; 64], pad: bool) -> Answer<'e> {
    let mut out = ctx.text();
    for chunk in string(args, 0)?.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at <= chunk.len() {
                out.push(char::from(alphabet[(word >> (18 - 6 * at) & 63) as usize]));
            } else if pad {
                out.push('=');
            }
        }
    }
    answer(ctx.arena.string(&out))
}

/// The position in the text of the byte that is at fault.
struct CorruptAt(usize);

fn decoded<'e>(ctx: Context<'e>, result: Result<Vec<u8>, CorruptAt>) -> Answer<'e> {
    match result {
        Ok(bytes) => answer(ctx.arena.string(&lossy(&bytes))),
        Err(CorruptAt(at)) => Err(BuiltinError::value(format!("illegal base64 data at input byte {at}"))),
    }
}

/// Padding may be missing.
fn decode_base64url<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut text = string(args, 0)?.to_owned();
    if !text.ends_with('=') {
        match text.len() % 4 {
            0 => {}
            2 => text.push_str("=="),
            3 => text.push('='),
            _ => return Err(BuiltinError::value(format!("illegal base64url string: {text}"))),
        }
    }
    decoded(ctx, decode_base64(text.as_bytes(), URL))
}

fn decode_base64(text: &[u8], alphabet: &[u8; 64]) -> Result<Vec<u8>, CorruptAt> {
    let mut values = [0xff_u8; 256];
    for (value, byte) in (0..).zip(alphabet) {
        values[usize::from(*byte)] = value;
    }
    let is_line_end = |it: u8| it == b'\n' || it == b'\r';
    let skip = |from: usize| {
        from + text.get(from..).unwrap_or(&[]).iter().take_while(|it| is_line_end(**it)).count()
    };
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    // The bits of the group so far, and how many characters it has.
    let (mut word, mut count, mut at) = (0_u32, 0_usize, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        let value = values[usize::from(*byte)];
        if value != 0xff {
            word = word << 6 | u32::from(value);
            count += 1;
            if count == 4 {
                out.extend(word.to_be_bytes().get(1..).unwrap_or(&[]));
                (word, count) = (0, 0);
            }
            continue;
        }
        if is_line_end(*byte) {
            continue;
        }
        if *byte != b'=' || count < 2 {
            return Err(CorruptAt(at - 1));
        }
        if count == 2 {
            at = skip(at);
            match text.get(at) {
                None => return Err(CorruptAt(text.len())),
                Some(b'=') => at += 1,
                Some(_) => return Err(CorruptAt(at - 1)),
            }
        }
        at = skip(at);
        if at < text.len() {
            return Err(CorruptAt(at));
        }
        let bytes = (word << (6 * (4 - count))).to_be_bytes();
        out.extend(bytes.get(1..count).unwrap_or(&[]));
        return Ok(out);
    }
    if count == 0 { Ok(out) } else { Err(CorruptAt(at - count)) }
}

/// Returns the bytes as a string of lower-case hexadecimal digits.
pub(crate) fn hex_value<'e>(ctx: Context<'e>, bytes: &[u8]) -> Value<'e> {
    let mut out = ctx.text();
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    ctx.arena.string(&out)
}

fn decode_hex(text: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    let digit = |it: u8| {
        let value = char::from(it).to_digit(16).and_then(|it| u8::try_from(it).ok());
        // Go shows the byte as the code point of that number.
        value.ok_or_else(|| {
            let shown = char::from(it);
            let quoted = if is_print(shown) { format!(" '{shown}'") } else { String::new() };
            BuiltinError::value(format!("encoding/hex: invalid byte: U+{:04X}{quoted}", u32::from(it)))
        })
    };
    let mut out = Vec::with_capacity(text.len() / 2);
    for pair in text.chunks(2) {
        match pair {
            [high, low] => out.push(digit(*high)? << 4 | digit(*low)?),
            [last, ..] => {
                digit(*last)?;
                return Err(BuiltinError::value("encoding/hex: odd length hex string"));
            }
            [] => {}
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_faults_name_the_byte() {
        let cases = [
            ("YQ", Err(0)),
            ("YQ==", Ok("a")),
            ("YR==", Ok("a")),
            ("Y\nQ=\r\n=\n", Ok("a")),
            ("YWI=", Ok("ab")),
            ("YQ==x", Err(4)),
            ("YQ=a", Err(2)),
            ("Y!Q=", Err(1)),
            ("====", Err(0)),
            ("A===", Err(1)),
            ("YWJjZ", Err(4)),
            ("AAA=A", Err(4)),
            ("YQ=", Err(3)),
        ];
        for (text, want) in cases {
            let got = decode_base64(text.as_bytes(), STANDARD).map_err(|it| it.0);
            assert_eq!(got, want.map(|it| it.as_bytes().to_vec()), "{text}");
        }
    }
}
