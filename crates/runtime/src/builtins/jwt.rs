//! `io.jwt.*`: signed tokens, with OPA's leniencies and refusals.
//!
//! The rows and what all of them share: how a token falls into parts. Keys come from certificates, PEM and JSON
//! (`keys`, `jwk`); what makes a token valid stands in `verify` and `constraints`. Cryptography is the crypto
//! crate's; a failure there is an invalid token, never an accepted one.

use lictor_crypto::Hash;
use lictor_crypto::base64::{Alphabet, Fill, decode};
use lictor_value::{Value, json};

use crate::builtin::Builtin;
use crate::builtins::json::check_numbers;
use crate::builtins::operands::string;
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go_text::lossy;

mod constraints;
mod decoded;
mod fast_json;
mod header;
mod jwk;
pub(crate) mod keys;
mod sign;
mod verify;

use verify::{Scheme, verify_hmac, verify_with};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("io.jwt.decode", "str -> [{any:any},{any:any},str]", decoded::decode),
    Builtin::impure(
        "io.jwt.decode_verify",
        "str, {str:any} -> [bool,{any:any},{any:any}]",
        constraints::decode_verify,
    ),
    Builtin::impure("io.jwt.encode_sign", "{str:any}, {str:any}, {str:any} -> str", sign::encode_sign),
    Builtin::impure("io.jwt.encode_sign_raw", "str, str, str -> str", sign::encode_sign_raw),
    Builtin::pure("io.jwt.verify_eddsa", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::EdDsa)
    }),
    Builtin::pure("io.jwt.verify_es256", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Ecdsa(Hash::Sha256))
    }),
    Builtin::pure("io.jwt.verify_es384", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Ecdsa(Hash::Sha384))
    }),
    Builtin::pure("io.jwt.verify_es512", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Ecdsa(Hash::Sha512))
    }),
    Builtin::pure("io.jwt.verify_hs256", "str, str -> bool", |_, args| verify_hmac(args, Hash::Sha256)),
    Builtin::pure("io.jwt.verify_hs384", "str, str -> bool", |_, args| verify_hmac(args, Hash::Sha384)),
    Builtin::pure("io.jwt.verify_hs512", "str, str -> bool", |_, args| verify_hmac(args, Hash::Sha512)),
    Builtin::pure("io.jwt.verify_ps256", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Pss(Hash::Sha256))
    }),
    Builtin::pure("io.jwt.verify_ps384", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Pss(Hash::Sha384))
    }),
    Builtin::pure("io.jwt.verify_ps512", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Pss(Hash::Sha512))
    }),
    Builtin::pure("io.jwt.verify_rs256", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Pkcs1(Hash::Sha256))
    }),
    Builtin::pure("io.jwt.verify_rs384", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Pkcs1(Hash::Sha384))
    }),
    Builtin::pure("io.jwt.verify_rs512", "str, str -> bool", |ctx, args| {
        verify_with(ctx, args, Scheme::Pkcs1(Hash::Sha512))
    }),
];

/// A token as text: three parts, none of them read.
struct Token<'a> {
    header: &'a str,
    payload: &'a str,
    signature: &'a str,
    /// What is signed: the first two parts with the dot between them.
    signed: &'a str,
}

impl<'a> Token<'a> {
    /// Splits the text of a token.
    fn split(text: &'a str) -> Result<Self, BuiltinError> {
        if !text.contains('.') {
            return Err(BuiltinError::value("encoded JWT had no period separators"));
        }
        let mut parts = text.split('.');
        let three = (parts.next(), parts.next(), parts.next(), parts.next());
        let (Some(header), Some(payload), Some(signature), None) = three else {
            let count = text.split('.').count();
            return Err(BuiltinError::value(format!("encoded JWT must have 3 sections, found {count}")));
        };
        let signed = text.get(..header.len() + 1 + payload.len()).unwrap_or(text);
        Ok(Self { header, payload, signature, signed })
    }

    /// Splits the token that is the first operand.
    fn operand(args: &'a [Value<'_>]) -> Result<Self, BuiltinError> {
        Self::split(string(args, 0)?)
    }

    /// Reads the header.
    fn header<'e>(&self, ctx: Context<'e>) -> Result<JsonObject<'e>, BuiltinError> {
        let bytes = part(self.header).map_err(|it| prefixed("JWT header had invalid encoding", &it))?;
        let header = json_object(ctx, &bytes).map_err(|it| prefixed("bad JWT header", &it))?;
        if header.get("enc").is_some() {
            return Err(BuiltinError::value("JWT is a JWE object, which is not supported"));
        }
        Ok(header)
    }

    /// Decodes the payload.
    fn payload(&self) -> Result<Vec<u8>, BuiltinError> {
        part(self.payload).map_err(|it| prefixed("JWT payload had invalid encoding", &it))
    }

    /// Decodes the signature.
    fn signature(&self) -> Result<Vec<u8>, BuiltinError> {
        part(self.signature)
    }
}

/// Decodes a part of a token; its padding may be missing.
fn part(text: &str) -> Result<Vec<u8>, BuiltinError> {
    let mut text = text.to_owned();
    if !text.ends_with('=') {
        match text.len() % 4 {
            0 => {}
            2 => text.push_str("=="),
            3 => text.push('='),
            _ => return Err(BuiltinError::value(format!("illegal base64url string: {text}"))),
        }
    }
    decode(text.as_bytes(), Alphabet::Url, Fill::Padded).map_err(|it| BuiltinError::value(it.to_string()))
}

/// Puts words before an error's text.
fn prefixed(words: &str, error: &BuiltinError) -> BuiltinError {
    BuiltinError::new(error.kind(), format!("{words}: {error}"))
}

/// A value that is an object.
#[derive(Clone, Copy)]
struct JsonObject<'e>(Value<'e>);

impl<'e> JsonObject<'e> {
    fn get(self, name: &str) -> Option<Value<'e>> {
        self.0.as_object()?.get_str(name)
    }
}

/// Reads a JSON object; of a repeated key the last value stays.
fn json_object<'e>(ctx: Context<'e>, bytes: &[u8]) -> Result<JsonObject<'e>, BuiltinError> {
    let invalid = |it: &dyn std::fmt::Display| BuiltinError::value(format!("invalid JSON: {it}"));
    let value = json::read(bytes, ctx.arena).map_err(|it| invalid(&it))?;
    check_numbers(ctx, &lossy(bytes), value).map_err(|it| invalid(&it))?;
    let object = value.as_object().map(|_| JsonObject(value));
    object.ok_or_else(|| BuiltinError::value("decoded JSON type was not an Object"))
}
