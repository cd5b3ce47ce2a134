//! `io.jwt.decode_verify`: a token's content, if its signature and all constraints hold.
//!
//! Everything that does not hold gives the same answer, false with empty objects; only a malformed token or
//! constraint is an error. Time is the constraint's or the evaluation's.

use std::cmp::Ordering;
use std::sync::Arc;

use lictor_crypto::signature::{Algorithm, AnyKey};
use lictor_value::{Kind, Object, Value, compare};

use crate::builtins::operands::{Answer, answer, object, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go_text::lossy;

use super::header::Header;
use super::keys::{KeySet, keys_of};
use super::{JsonObject, Token, json_object};

/// What a token must meet; empty means that anything will do, but for `aud`, where nothing will.
#[derive(Default)]
struct Constraints {
    keys: Option<Arc<KeySet>>,
    secret: String,
    alg: String,
    iss: String,
    aud: String,
    time_ns: Option<f64>,
}

impl Constraints {
    /// Reads the constraints in the order of their names; one that is not known is refused.
    fn read<'e>(ctx: Context<'e>, object: Object<'e>) -> Result<Self, BuiltinError> {
        let mut out = Self::default();
        for (key, value) in object.iter() {
            let name = key.as_str().unwrap_or_default();
            let text = || match value.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(BuiltinError::value(format!("{name} constraint: must be a string"))),
            };
            match name {
                "cert" => out.keys = Some(keys_of(ctx, &text()?)?),
                "secret" => out.secret = text()?,
                "alg" => out.alg = text()?,
                "iss" => out.iss = text()?,
                "aud" => out.aud = text()?,
                "time" => out.time_ns = Some(read_time(value)?),
                _ => {
                    return Err(BuiltinError::value(format!("unknown token validation constraint: {name}")));
                }
            }
        }
        match (&out.keys, out.secret.is_empty()) {
            (Some(_), false) => Err(BuiltinError::value("duplicate key constraints")),
            (None, true) => Err(BuiltinError::value("no key constraint")),
            _ => Ok(out),
        }
    }

    /// Says whether one of the trusted keys made the signature under the header's algorithm.
    fn verify(&self, header: &Header, message: &[u8], signature: &[u8]) -> bool {
        let Some(algorithm) = algorithm(&header.alg) else { return false };
        let holds = |key: &AnyKey| algorithm.verify(key, message, signature);
        match &self.keys {
            Some(keys) => keys.any_verifies(header, holds),
            None => holds(&AnyKey::Secret(self.secret.clone().into_bytes())),
        }
    }

    /// Says whether the audience is met: it must be in both or in neither.
    fn meets_audience(&self, aud: Option<Value<'_>>) -> bool {
        let is = |it: Value<'_>| it.as_str() == Some(self.aud.as_str());
        match aud {
            None => self.aud.is_empty(),
            Some(aud) if aud.is_string() => is(aud),
            Some(aud) => aud.as_array().is_some_and(|it| it.iter().any(is)),
        }
    }
}

/// Returns the algorithm of a name. Beside the usual names OPA's library knows one for Ed25519 alone and names of
/// its own, written out.
fn algorithm(name: &str) -> Option<Algorithm> {
    let short = match name {
        "Ed25519" => "EdDSA",
        "HMAC_WITH_SHA256" => "HS256",
        "HMAC_WITH_SHA384" => "HS384",
        "HMAC_WITH_SHA512" => "HS512",
        "RSA_PKCS1v15_WITH_SHA256" => "RS256",
        "RSA_PKCS1v15_WITH_SHA384" => "RS384",
        "RSA_PKCS1v15_WITH_SHA512" => "RS512",
        "RSA_PSS_WITH_SHA256" => "PS256",
        "RSA_PSS_WITH_SHA384" => "PS384",
        "RSA_PSS_WITH_SHA512" => "PS512",
        "ECDSA_WITH_P256_AND_SHA256" => "ES256",
        "ECDSA_WITH_P384_AND_SHA384" => "ES384",
        "ECDSA_WITH_P521_AND_SHA512" => "ES512",
        usual => usual,
    };
    Algorithm::named(short)
}

fn read_time(value: Value<'_>) -> Result<f64, BuiltinError> {
    if value.kind() != Kind::Number {
        return Err(BuiltinError::value("token time constraint: must be a number"));
    }
    let time = value.number_text().and_then(|it| it.parse::<f64>().ok()).filter(|it| it.is_finite());
    let time = time.ok_or_else(|| BuiltinError::value("token time constraint: unvalid float64"))?;
    if time < 0.0 {
        return Err(BuiltinError::value("token time constraint: must not be negative"));
    }
    Ok(time)
}

pub(super) fn decode_verify<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let constraints = Constraints::read(ctx, object(args, 1)?)?;
    let unverified =
        || answer(ctx.arena.array(&[Value::FALSE, Value::empty_object(), Value::empty_object()]));
    // Each round shortens the text by a quarter, so nesting ends by itself.
    let mut text = string(args, 0)?.to_owned();
    loop {
        let token = Token::split(&text)?;
        let object = token.header(ctx)?;
        let header = Header::read(object)?;
        if !header.is_valid() || (!constraints.alg.is_empty() && constraints.alg != header.alg) {
            return unverified();
        }
        let signature = token.signature()?;
        if !constraints.verify(&header, token.signed.as_bytes(), &signature) {
            return unverified();
        }
        let payload = token.payload()?;
        if header.cty.eq_ignore_ascii_case("JWT") {
            text = lossy(&payload).into_owned();
            continue;
        }
        let payload = json_object(ctx, &payload)?;
        if !claims_hold(ctx, &constraints, payload)? {
            return unverified();
        }
        return answer(ctx.arena.array(&[Value::TRUE, object.0, payload.0]));
    }
}

/// Checks issuer, audience and times.
fn claims_hold(
    ctx: Context<'_>,
    constraints: &Constraints,
    payload: JsonObject<'_>,
) -> Result<bool, BuiltinError> {
    if !constraints.iss.is_empty() {
        let Some(issuer) = payload.get("iss") else { return Ok(false) };
        // OPA fails as a whole where the issuer is no text.
        let issuer = issuer.as_str().ok_or_else(|| BuiltinError::value("iss: must be a string"))?;
        if issuer != constraints.iss {
            return Ok(false);
        }
    }
    if !constraints.meets_audience(payload.get("aud")) {
        return Ok(false);
    }
    let seconds = now_seconds(ctx, constraints);
    let order = |name: &'static str| match payload.get(name) {
        None => Ok(None),
        Some(value) if value.kind() == Kind::Number => Ok(Some(compare(seconds, value))),
        Some(_) => Err(BuiltinError::value(format!("{name} value must be a number"))),
    };
    if order("exp")?.is_some_and(|it| it != Ordering::Less) {
        return Ok(false);
    }
    Ok(order("nbf")? != Some(Ordering::Less))
}

/// Returns the time in seconds, rounded as a float of nanoseconds divided is.
fn now_seconds<'e>(ctx: Context<'e>, constraints: &Constraints) -> Value<'e> {
    #[expect(clippy::cast_precision_loss, reason = "OPA counts the nanoseconds as a float too")]
    let now = || ctx.caches.now_ns(ctx.host) as f64;
    let seconds = constraints.time_ns.unwrap_or_else(now) / 1_000_000_000.0;
    ctx.arena.number_text(&format!("{seconds}"))
}
