//! Base64 and hexadecimal text, with Go's rules and error texts.
//!
//! Reading base64 is the crypto crate's, which needs it for keys; here are the built-ins.

use lictor_crypto::base64::{Alphabet, CorruptAt, Fill, decode, encode_into};
use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::unicode::is_print;
use crate::go_text::lossy;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("base64.encode", "str -> str", |ctx, args| {
        encode_base64(ctx, args, Alphabet::Standard, Fill::Padded)
    }),
    Builtin::pure("base64.decode", "str -> str", |ctx, args| {
        decoded(ctx, decode_base64(string(args, 0)?.as_bytes(), Alphabet::Standard))
    }),
    Builtin::pure("base64.is_valid", "str -> bool", |_, args| {
        let valid = |it: &str| decode_base64(it.as_bytes(), Alphabet::Standard).is_ok();
        answer_bool(any(args, 0).as_str().is_some_and(valid))
    }),
    Builtin::pure("base64url.encode", "str -> str", |ctx, args| {
        encode_base64(ctx, args, Alphabet::Url, Fill::Padded)
    }),
    Builtin::pure("base64url.encode_no_pad", "str -> str", |ctx, args| {
        encode_base64(ctx, args, Alphabet::Url, Fill::Raw)
    }),
    Builtin::pure("base64url.decode", "str -> str", decode_base64url),
    Builtin::pure("hex.encode", "str -> str", |ctx, args| {
        answer(hex_value(ctx, string(args, 0)?.as_bytes()))
    }),
    Builtin::pure("hex.decode", "str -> str", |ctx, args| {
        let bytes = decode_hex(string(args, 0)?.as_bytes())?;
        answer(ctx.arena.string(&lossy(&bytes)))
    }),
];

fn encode_base64<'e>(ctx: Context<'e>, args: &[Value<'e>], alphabet: Alphabet, fill: Fill) -> Answer<'e> {
    let mut out = ctx.text();
    encode_into(string(args, 0)?.as_bytes(), alphabet, fill, &mut out);
    answer(ctx.arena.string(&out))
}

fn decode_base64(text: &[u8], alphabet: Alphabet) -> Result<Vec<u8>, CorruptAt> {
    decode(text, alphabet, Fill::Padded)
}

fn decoded<'e>(ctx: Context<'e>, result: Result<Vec<u8>, CorruptAt>) -> Answer<'e> {
    match result {
        Ok(bytes) => answer(ctx.arena.string(&lossy(&bytes))),
        Err(fault) => Err(BuiltinError::value(fault.to_string())),
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
    decoded(ctx, decode_base64(text.as_bytes(), Alphabet::Url))
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
