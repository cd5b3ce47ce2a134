//! What a client signs to prove who it is: a token of its own (RFC 7523), under a key of the configuration.
//!
//! Apart because keys and claims have rules of their own. A key that cannot sign is found when the configuration is
//! read.

use std::collections::BTreeMap;

use lictor::{Arena, Value};
use lictor_crypto::base64::{Alphabet, Fill, encode};
use lictor_crypto::key::PrivateKey;
use lictor_crypto::pem::next_block;
use lictor_crypto::signature::{Algorithm, AnyKey};
use lictor_crypto::{parse_ec, parse_pkcs1, parse_pkcs8};

use crate::services::credentials::aws;
use crate::services::credentials::aws::kms::KmsKey;
use crate::services::fields::Fields;
use crate::services::world::World;

/// How long what is signed holds.
const LIFE_SECONDS: i64 = 600;
/// The algorithm of a key that names none.
const DEFAULT_ALGORITHM: &str = "RS256";

/// Signs claims.
#[derive(Clone)]
pub(crate) struct Signer {
    algorithm_name: String,
    key: Key,
    /// Digest of the certificate that goes with the key, as the header has it.
    x5t: Option<String>,
    /// Further claims, as JSON.
    claims: BTreeMap<String, String>,
    scopes: String,
    include_jti: bool,
}

/// What signs.
#[derive(Clone)]
enum Key {
    /// A key of the configuration.
    Own(Algorithm, AnyKey),
    /// One that Amazon's key service keeps.
    Kms(KmsKey),
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("algorithm", &self.algorithm_name).finish_non_exhaustive()
    }
}

impl Signer {
    /// Reads how to sign; the inner fault is one that OPA tells when something is sent.
    pub(crate) fn read(
        fields: &Fields<'_>,
        keys: Option<Value<'_>>,
        scopes: &[String],
    ) -> Result<Result<Self, String>, String> {
        let id = fields.text("signing_key")?;
        let kms = fields.below("aws_kms", "awsKmsKeyConfig")?;
        let kms = kms.map(|it| Ok::<_, String>((it.text("name")?, it.text("algorithm")?))).transpose()?;
        let thumbprint = fields.text("thumbprint")?;
        let claims = fields.json_map("additional_claims")?;
        let include_jti = fields.flag("include_jti_claim")?;
        let scopes = scopes.join(" ");
        let key = match kms {
            Some((name, algorithm)) if id.is_empty() => KmsKey::new(quoted(&name), &algorithm)
                .map(|it| (it.token_algorithm().to_owned(), Key::Kms(it))),
            _ => signing_key(&id, keys),
        };
        Ok(key.and_then(|(algorithm_name, key)| {
            let x5t = x5t(&thumbprint)?;
            Ok(Self { algorithm_name, key, x5t, claims, scopes, include_jti })
        }))
    }

    /// Returns a token that holds from now. The key service is asked with the signer that is given.
    pub(crate) async fn sign(
        &self,
        kms: Option<&aws::Signer>,
        world: &World,
        now_ns: i64,
    ) -> Result<String, String> {
        let x5t = self.x5t.as_ref().map(|it| format!(",\"x5t\":\"{it}\"")).unwrap_or_default();
        let header = format!("{{\"alg\":\"{}\",\"typ\":\"JWT\"{x5t}}}", self.algorithm_name);
        let to_sign =
            format!("{}.{}", unpadded(header.as_bytes()), unpadded(self.payload(world, now_ns).as_bytes()));
        let signature = match (&self.key, kms) {
            (Key::Own(algorithm, key), _) => algorithm.sign(key, to_sign.as_bytes())?,
            (Key::Kms(key), Some(signer)) => key.sign(signer, to_sign.as_bytes(), world).await?,
            (Key::Kms(_), None) => {
                return Err("missing AWS credentials, failed to sign the assertion with kms".to_owned());
            }
        };
        Ok(format!("{to_sign}.{}", unpadded(&signature)))
    }

    fn payload(&self, world: &World, now_ns: i64) -> String {
        let now = now_ns.div_euclid(1_000_000_000);
        let mut claims =
            BTreeMap::from([("iat", now.to_string()), ("exp", now.saturating_add(LIFE_SECONDS).to_string())]);
        claims.extend(self.claims.iter().map(|it| (it.0.as_str(), it.1.clone())));
        if !self.scopes.is_empty() {
            claims.insert("scope", quoted(&self.scopes));
        }
        if self.include_jti {
            claims.insert("jti", quoted(&identifier(world)));
        }
        let claims = claims.iter().map(|(name, value)| format!("{}:{value}", quoted(name)));
        format!("{{{}}}", claims.collect::<Vec<_>>().join(","))
    }
}

fn signing_key(id: &str, keys: Option<Value<'_>>) -> Result<(String, Key), String> {
    if id.is_empty() {
        return Err("signing_key required for jwt_bearer grant type".to_owned());
    }
    let key = keys.and_then(|it| it.as_object()).and_then(|it| it.get_str(id)).and_then(|it| it.as_object());
    let key = key.ok_or("signing_key refers to non-existent key")?;
    let text =
        |name: &str| key.get_str(name).and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
    let (private, mut algorithm) = (text("private_key"), text("algorithm"));
    if private.is_empty() {
        return Err("referenced signing_key does not include a private key".to_owned());
    }
    if algorithm.is_empty() {
        DEFAULT_ALGORITHM.clone_into(&mut algorithm);
    }
    let named =
        Algorithm::named(&algorithm).ok_or_else(|| format!("unknown signature algorithm: {algorithm}"))?;
    let key = if let Algorithm::Hmac(_) = named {
        AnyKey::Secret(private.into_bytes())
    } else {
        AnyKey::Private(private_key(private.as_bytes())?)
    };
    Ok((algorithm, Key::Own(named, key)))
}

fn private_key(text: &[u8]) -> Result<PrivateKey, String> {
    let (block, _) = next_block(text).ok_or("failed to decode PEM key")?;
    match block.label.as_str() {
        "RSA PRIVATE KEY" => parse_pkcs1(&block.bytes).map(PrivateKey::Rsa),
        "PRIVATE KEY" => parse_pkcs8(&block.bytes),
        "EC PRIVATE KEY" => parse_ec(&block.bytes).map(PrivateKey::Ec),
        label => Err(format!("unsupported key type: {label}")),
    }
}

/// Returns the header's text for a digest in hexadecimal digits; padded, as OPA sends it.
fn x5t(thumbprint: &str) -> Result<Option<String>, String> {
    if thumbprint.is_empty() {
        return Ok(None);
    }
    let digits = thumbprint.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> = digits
        .map(|it| u8::from_str_radix(std::str::from_utf8(it).ok().filter(|it| it.len() == 2)?, 16).ok())
        .collect();
    let bytes = bytes.ok_or("thumbprint: encoding/hex: invalid or odd digits")?;
    Ok(Some(encode(&bytes, Alphabet::Url, Fill::Padded)))
}

fn unpadded(bytes: &[u8]) -> String {
    encode(bytes, Alphabet::Url, Fill::Raw)
}

fn quoted(text: &str) -> String {
    Arena::new().string(text).to_json()
}

/// Returns a random identifier (UUID, version 4).
fn identifier(world: &World) -> String {
    let mut bytes = [0; 16];
    (world.random)(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut out = String::new();
    for (idx, byte) in bytes.iter().enumerate() {
        if matches!(idx, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        out.push_str(&format!("{byte:02x}"));
    }
    out
}
