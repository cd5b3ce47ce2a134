//! `io.jwt.encode_sign` and `io.jwt.encode_sign_raw`: making tokens.
//!
//! The key comes as JSON. ECDSA and PSS draw random numbers, so their tokens differ from call to call, as in OPA.

use lictor_crypto::base64::{Alphabet, Fill, encode_into};
use lictor_crypto::signature::Algorithm;
use lictor_value::{Value, json};

use crate::builtins::operands::{Answer, answer, any, string};
use crate::context::Context;
use crate::error::BuiltinError;

use super::fast_json::Fields;
use super::jwk;

pub(super) fn encode_sign<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let text = |index: usize| ctx.json_text(any(args, index));
    let token = sign(ctx, &text(0), &text(1), &text(2)).map_err(BuiltinError::value)?;
    answer(ctx.arena.string(&token))
}

pub(super) fn encode_sign_raw<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let key = string(args, 2)?;
    let token = sign(ctx, string(args, 0)?, string(args, 1)?, key).map_err(BuiltinError::value)?;
    answer(ctx.arena.string(&token))
}

fn sign(ctx: Context<'_>, header: &str, payload: &str, key: &str) -> Result<String, String> {
    let key = jwk::parse_signing_key(ctx, key)?;
    let fields = Fields::read(header);
    let alg = fields.text("alg").map_err(|it| format!("missing or invalid 'alg' header: {it}"))?;
    let algorithm = Algorithm::named(&alg).ok_or_else(|| format!("unknown JWS algorithm: {alg}"))?;
    let is_jwt = fields.text("typ").map_or(true, |it| it == "JWT");
    if is_jwt && !json::is_valid(payload.as_bytes()) {
        return Err("type is JWT but payload is not JSON".to_owned());
    }
    let mut token = String::with_capacity((header.len() + payload.len()) / 3 * 4 + 400);
    encode_into(header.as_bytes(), Alphabet::Url, Fill::Raw, &mut token);
    token.push('.');
    encode_into(payload.as_bytes(), Alphabet::Url, Fill::Raw, &mut token);
    let signature = key.sign(algorithm, token.as_bytes())?;
    token.push('.');
    encode_into(&signature, Alphabet::Url, Fill::Raw, &mut token);
    Ok(token)
}
