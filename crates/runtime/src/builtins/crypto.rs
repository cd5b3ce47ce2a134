//! Digests: `crypto.md5`, `crypto.sha1`, `crypto.sha256` and `crypto.hmac.*`. All answer hexadecimal text.
//!
//! The algorithms are those of small pure crates, which also build for wasm. Certificates, keys and tokens are no
//! business of this file.

use hmac::{Hmac, KeyInit, Mac};
use lictor_value::Value;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use crate::builtin::Builtin;
use crate::builtins::encoding::hex_value;
use crate::builtins::operands::{Answer, answer, answer_bool, string};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("crypto.md5", "str -> str", digest::<Md5>),
    Builtin::pure("crypto.sha1", "str -> str", digest::<Sha1>),
    Builtin::pure("crypto.sha256", "str -> str", digest::<Sha256>),
    Builtin::pure("crypto.hmac.md5", "str, str -> str", mac::<Hmac<Md5>>),
    Builtin::pure("crypto.hmac.sha1", "str, str -> str", mac::<Hmac<Sha1>>),
    Builtin::pure("crypto.hmac.sha256", "str, str -> str", mac::<Hmac<Sha256>>),
    Builtin::pure("crypto.hmac.sha512", "str, str -> str", mac::<Hmac<Sha512>>),
    Builtin::pure("crypto.hmac.equal", "str, str -> bool", |_, args| {
        answer_bool(equal_in_constant_time(string(args, 0)?.as_bytes(), string(args, 1)?.as_bytes()))
    }),
];

fn digest<'e, D: Digest>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    answer(hex_value(ctx, &D::digest(string(args, 0)?.as_bytes())))
}

fn mac<'e, M: Mac + KeyInit>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (message, key) = (string(args, 0)?, string(args, 1)?);
    let mut mac =
        <M as KeyInit>::new_from_slice(key.as_bytes()).map_err(|it| BuiltinError::value(it.to_string()))?;
    mac.update(message.as_bytes());
    answer(hex_value(ctx, &mac.finalize().into_bytes()))
}

/// Compares without telling by the time taken where the first difference is.
fn equal_in_constant_time(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
