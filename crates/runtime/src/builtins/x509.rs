//! `crypto.x509.*` and `crypto.parse_private_keys`: certificates, requests and keys in the shapes of Go's JSON.
//!
//! The rows, and how certificates come in: PEM, or base64 of PEM or DER. Reading and judging them is the crypto
//! crate's; `shapes` shows what was read.

use lictor_crypto::base64::{Alphabet, Fill, decode};
use lictor_crypto::x509::{self, Certificate, Options, parse_certificates, parse_request};
use lictor_crypto::{key::PrivateKey, parse_ec, parse_pkcs1, parse_pkcs8, pem};
use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, object, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::url::Url;

mod key_shapes;
mod options;
mod pair;
mod shapes;

use shapes::{Shaper, UriTexts};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("crypto.parse_private_keys", "str -> [{str:any}*]", parse_private_keys),
    // The clock decides too, though OPA counts these as pure.
    Builtin::impure(
        "crypto.x509.parse_and_verify_certificates",
        "str -> [bool,[{str:any}*]]",
        parse_and_verify,
    ),
    Builtin::impure(
        "crypto.x509.parse_and_verify_certificates_with_options",
        "str, {str:any} -> [bool,[{str:any}*]]",
        parse_and_verify_with_options,
    ),
    Builtin::pure("crypto.x509.parse_certificate_request", "str -> {str:any}", certificate_request),
    Builtin::pure("crypto.x509.parse_certificates", "str -> [{str:any}*]", |ctx, args| {
        let certificates = certificates(string(args, 0)?)?;
        answer(Shaper(ctx).certificates(certificates.iter(), UriTexts::Added))
    }),
    Builtin::pure("crypto.x509.parse_keypair", "str, str -> {str:any}", pair::parse_keypair),
    Builtin::pure("crypto.x509.parse_rsa_private_key", "str -> {str:any}", parse_rsa_private_key),
];

const BEGIN: &str = "-----BEGIN";

/// Returns the host of a URI, for whoever reads certificates.
pub(crate) fn uri_host(text: &str) -> Result<Vec<u8>, String> {
    Url::parse(text).map(|it| it.host)
}

/// Decodes base64 with padding.
fn base64(text: &str) -> Result<Vec<u8>, BuiltinError> {
    decode(text.as_bytes(), Alphabet::Standard, Fill::Padded)
        .map_err(|it| BuiltinError::value(it.to_string()))
}

/// Reads certificates in any of their wrappings.
fn certificates(text: &str) -> Result<Vec<Certificate>, BuiltinError> {
    if text.starts_with(BEGIN) {
        return certificates_in_pem(text.as_bytes());
    }
    let bytes = base64(text)?;
    if bytes.starts_with(BEGIN.as_bytes()) {
        return certificates_in_pem(&bytes);
    }
    parse_certificates(&bytes, uri_host).map_err(BuiltinError::value)
}

fn certificates_in_pem(mut data: &[u8]) -> Result<Vec<Certificate>, BuiltinError> {
    let mut der = Vec::new();
    while let Some((block, rest)) = pem::next_block(data) {
        if block.label != "CERTIFICATE" {
            let label = block.label;
            return Err(BuiltinError::value(format!("PEM block type is '{label}', expected CERTIFICATE")));
        }
        der.extend(block.bytes);
        data = rest;
    }
    parse_certificates(&der, uri_host).map_err(BuiltinError::value)
}

/// Looks for a chain from the last certificate over those between to the first.
fn chain<'a>(certificates: &'a [Certificate], options: &Options) -> Option<Vec<&'a Certificate>> {
    let [root, intermediates @ .., leaf] = certificates else { return None };
    x509::verify(root, intermediates, leaf, options).ok()
}

fn unverified(ctx: Context<'_>) -> Value<'_> {
    ctx.arena.array(&[Value::FALSE, Value::empty_array()])
}

fn parse_and_verify<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let text = string(args, 0)?;
    let now_ns = i128::from(ctx.caches.now_ns(ctx.host));
    let Ok(certificates) = certificates(text) else { return answer(unverified(ctx)) };
    let Some(chain) = chain(&certificates, &Options { now_ns, ..Options::default() }) else {
        return answer(unverified(ctx));
    };
    let shown = Shaper(ctx).certificates(chain.into_iter(), UriTexts::Added);
    answer(ctx.arena.array(&[Value::TRUE, shown]))
}

/// Broken certificates come before broken options, as in OPA.
fn parse_and_verify_with_options<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, options) = (string(args, 0)?, object(args, 1)?);
    let Ok(certificates) = certificates(text) else { return answer(unverified(ctx)) };
    let options = options::read(ctx, options)?;
    let Some(chain) = chain(&certificates, &options) else { return answer(unverified(ctx)) };
    let shown = Shaper(ctx).certificates(chain.into_iter(), UriTexts::Absent);
    answer(ctx.arena.array(&[Value::TRUE, shown]))
}

fn certificate_request<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let text = string(args, 0)?;
    let mut bytes = if text.starts_with("-----BEGIN CERTIFICATE REQUEST-----") {
        text.as_bytes().to_vec()
    } else {
        base64(text)?
    };
    if let Some((block, _)) = pem::next_block(&bytes) {
        if block.label != "CERTIFICATE REQUEST" {
            return Err(BuiltinError::value("invalid PEM-encoded certificate signing request"));
        }
        bytes = block.bytes;
    }
    let request = parse_request(&bytes, uri_host).map_err(BuiltinError::value)?;
    answer(Shaper(ctx).request(&request))
}

/// Reads all private keys of a text; blocks of other kinds are passed over.
fn private_keys(text: &str) -> Result<Vec<PrivateKey>, BuiltinError> {
    let decoded = base64(text).ok();
    let mut data = decoded.as_deref().unwrap_or(text.as_bytes());
    let mut keys = Vec::new();
    while let Some((block, rest)) = pem::next_block(data) {
        let key = match block.label.as_str() {
            "RSA PRIVATE KEY" => parse_pkcs1(&block.bytes).map(PrivateKey::Rsa),
            "PRIVATE KEY" => parse_pkcs8(&block.bytes),
            "EC PRIVATE KEY" => parse_ec(&block.bytes).map(PrivateKey::Ec),
            _ => {
                data = rest;
                continue;
            }
        };
        keys.push(key.map_err(BuiltinError::value)?);
        data = rest;
    }
    Ok(keys)
}

fn parse_private_keys<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let text = string(args, 0)?;
    if text.is_empty() {
        return answer(Value::NULL);
    }
    let keys = private_keys(text)?;
    answer(Shaper(ctx).list(keys.iter().map(|it| Shaper(ctx).private_key(it))))
}

/// Answers the first private key as JWK, whatever its kind.
fn parse_rsa_private_key<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let text = string(args, 0)?;
    if text.is_empty() {
        return Err(BuiltinError::value("input PEM data was empty"));
    }
    let decoded;
    let text = if text.starts_with(BEGIN) {
        text
    } else {
        decoded = String::from_utf8_lossy(&base64(text)?).into_owned();
        &decoded
    };
    match private_keys(text)?.first() {
        None => answer(Value::NULL),
        Some(key) => answer(Shaper(ctx).jwk(key)?),
    }
}
