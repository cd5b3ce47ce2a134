//! Keys as JSON (JWK) and sets of them, with the checks and the texts of OPA's library.
//!
//! Reading a key and making it usable are two steps there, with texts of their own: the first refuses a form, the
//! second numbers that do not fit together. One key of a set that cannot be read refuses the whole set.

use lictor_crypto::Curve;
use lictor_crypto::signature::{Algorithm, AnyKey};
use lictor_value::{Arena, Kind, Value, json};

use crate::context::Context;
use crate::go_text::quote;

use super::fast_json::Fields;
use super::keys::Key;

mod export;
mod members;

use members::{Members, go_kind};

/// Sets of more keys are refused.
const KEYS_MAX: usize = 1000;

/// A key as it was read.
struct Jwk {
    alg: String,
    kid: String,
    material: Material,
}

/// What makes a key, by its kind. Members are as many bytes as they were given.
enum Material {
    Rsa(RsaMembers),
    Ec(EcMembers),
    Okp(OkpMembers),
    Oct(Vec<u8>),
}

/// The members of an RSA key; private if there is `d`.
struct RsaMembers {
    n: Vec<u8>,
    e: Vec<u8>,
    d: Option<Vec<u8>>,
    p: Option<Vec<u8>>,
    q: Option<Vec<u8>>,
    dp: Option<Vec<u8>>,
    dq: Option<Vec<u8>>,
    qi: Option<Vec<u8>>,
}

/// The members of a key on a curve of points; private if there is `d`.
struct EcMembers {
    crv: String,
    x: Vec<u8>,
    y: Vec<u8>,
    d: Option<Vec<u8>>,
}

/// The members of a key on a curve whose keys are bytes; private if there is `d`.
struct OkpMembers {
    crv: String,
    x: Vec<u8>,
    d: Option<Vec<u8>>,
}

impl Material {
    /// Returns the library's name for the kind.
    fn go_type(&self) -> &'static str {
        go_type(self.name(), self.is_private())
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RSA",
            Self::Ec(_) => "EC",
            Self::Okp(_) => "OKP",
            Self::Oct(_) => "oct",
        }
    }

    fn is_private(&self) -> bool {
        match self {
            Self::Rsa(it) => it.d.is_some(),
            Self::Ec(it) => it.d.is_some(),
            Self::Okp(it) => it.d.is_some(),
            Self::Oct(_) => false,
        }
    }
}

fn go_type(kty: &str, is_private: bool) -> &'static str {
    match (kty, is_private) {
        ("RSA", true) => "*jwk.rsaPrivateKey",
        ("RSA", false) => "*jwk.rsaPublicKey",
        ("EC", true) => "*jwk.ecdsaPrivateKey",
        ("EC", false) => "*jwk.ecdsaPublicKey",
        ("OKP", true) => "*jwk.okpPrivateKey",
        ("OKP", false) => "*jwk.okpPublicKey",
        _ => "*jwk.symmetricKey",
    }
}

/// Reads keys to verify with. Those for algorithms that no token is signed with are left out.
pub(super) fn parse_verification_keys(ctx: Context<'_>, text: &str) -> Result<Vec<Key>, String> {
    let keys = parse_set(ctx, text).map_err(|it| {
        format!("failed to parse a JWK key (set): jwk.ParseString: failed to parse string: {it}")
    })?;
    let mut out = Vec::with_capacity(keys.len());
    for key in keys {
        let usable = export::export(&key.material)?;
        if key.alg.is_empty() || Algorithm::named(&key.alg).is_some() {
            out.push(Key { alg: key.alg, kid: key.kid, key: Some(usable) });
        }
    }
    Ok(out)
}

/// Reads the key to sign with: the first of a set.
pub(super) fn parse_signing_key(ctx: Context<'_>, text: &str) -> Result<SigningKey, String> {
    let first = parse_set(ctx, text)?.into_iter().next();
    first.map(|it| SigningKey(it.material)).ok_or_else(|| "no keys found in JWK set".to_owned())
}

/// A key that is to sign.
pub(super) struct SigningKey(Material);

impl SigningKey {
    /// Signs, if the algorithm is one for this kind of key.
    pub(super) fn sign(&self, algorithm: Algorithm, message: &[u8]) -> Result<Vec<u8>, String> {
        let key: AnyKey = export::for_algorithm(&self.0, algorithm)?;
        algorithm.sign(&key, message)
    }
}

fn parse_set(ctx: Context<'_>, text: &str) -> Result<Vec<Jwk>, String> {
    // What is read here is gone when the key is made, so it has an arena of its own, as limited as the context's.
    let arena = Arena::new();
    if !ctx.arena.has_room(text.len().saturating_mul(8)) {
        return Err("jwk.Parse: key set is larger than what the evaluation may keep".to_owned());
    }
    let value = json::read_first(text.as_bytes(), &arena);
    if !Fields::read(text).has("keys") {
        let key = value
            .map_err(|it| format!("jwk.Parse: failed to probe data: probe: failed to unmarshal data: {it}"))
            .and_then(parse_key);
        return key
            .map(|it| vec![it])
            .map_err(|it| format!("jwk.Parse: failed to parse sole key: jwk.ParseKey: {it}"));
    }
    let set = |it: &dyn std::fmt::Display| format!("jwk.Parse: failed to unmarshal JWK set: {it}");
    let value = value.map_err(|it| set(&it))?;
    let keys = value.as_object().and_then(|it| it.get_str("keys")).unwrap_or(Value::NULL);
    let Some(keys) = keys.as_array() else {
        let got = if keys.kind() == Kind::Object { "{".to_owned() } else { go_value(keys) };
        return Err(set(&format!("failed to decode \"keys\": expected '[' but got {got}")));
    };
    if keys.len() > KEYS_MAX {
        return Err(set(&format!("too many keys in \"keys\" array: max {KEYS_MAX}")));
    }
    let parse = |(at, it): (usize, Value<'_>)| {
        parse_key(it)
            .map_err(|it| set(&format!("failed to decode key #{at} in \"keys\": jwk.ParseKey: {it}")))
    };
    keys.iter().enumerate().map(parse).collect()
}

/// Writes a scalar as Go's `%v` does.
fn go_value(value: Value<'_>) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None if value.is_null() => "<nil>".to_owned(),
        None => value.to_json(),
    }
}

fn parse_key(value: Value<'_>) -> Result<Jwk, String> {
    let probe = |it: String| {
        format!(
            "jwk.Parse: failed to probe data: probe: failed to unmarshal data: json: cannot unmarshal {it}"
        )
    };
    let object = match (value.as_object(), value.is_null()) {
        (Some(object), _) => Some(object),
        (None, true) => None,
        (None, false) => {
            let shape =
                "struct { Kty string \"json:\\\"kty\\\"\"; D json.RawMessage \"json:\\\"d,omitempty\\\"\" }";
            return Err(probe(format!("{} into Go value of type {shape}", go_kind(value))));
        }
    };
    // The kind is looked up whatever the case of the letters, the members are not. Of several the one in other
    // letters counts, which refuses the key if they differ.
    let loosely = |name: &str| {
        let same = |key: Value<'_>| key.as_str().is_some_and(|it| it.eq_ignore_ascii_case(name));
        object?.iter().find(|(key, _)| same(*key)).map(|it| it.1)
    };
    let kty = match loosely("kty") {
        None => String::new(),
        Some(it) if it.is_null() => String::new(),
        Some(it) => match it.as_str() {
            Some(text) => text.to_owned(),
            None => return Err(probe(format!("{} into Go struct field .kty of type string", go_kind(it)))),
        },
    };
    if !matches!(kty.as_str(), "RSA" | "EC" | "oct" | "OKP") {
        return Err(format!("invalid key type from JSON ({kty})"));
    }
    let is_private = kty != "oct" && loosely("d").is_some();
    let kind = go_type(&kty, is_private);
    let members = Members(value);
    let key = read_members(members, &kty, is_private).map_err(|it| {
        format!(
            "failed to unmarshal JSON into key ({kind}): failed to unmarshal JSON into key ({kind}): {it}"
        )
    })?;
    validate(&key.material).map_err(|it| {
        let (_, name) = kind.split_once('.').unwrap_or(("", kind));
        let name = match name {
            "rsaPublicKey" => "RSAPublicKey",
            "rsaPrivateKey" => "RSAPrivateKey",
            "ecdsaPublicKey" => "ECDSAPublicKey",
            "ecdsaPrivateKey" => "ECDSAPrivateKey",
            "okpPublicKey" => "OKPPublicKey",
            "okpPrivateKey" => "OKPPrivateKey",
            _ => "SymmetricKey",
        };
        format!("jwk.Parse: key validation failed: key validation failed: jwk.{name}: {it}")
    })?;
    Ok(key)
}

fn read_members(members: Members<'_>, kty: &str, is_private: bool) -> Result<Jwk, String> {
    let alg = members.algorithm()?;
    let material = match kty {
        "RSA" => {
            let (d, dp, dq) = (members.private(is_private, "d")?, members.bytes("dp")?, members.bytes("dq")?);
            let e = members.bytes("e")?;
            let kid = members.rest(kty)?;
            let (n, p, q) = (members.bytes("n")?, members.bytes("p")?, members.bytes("q")?);
            let qi = members.bytes("qi")?;
            let (e, n) = (required(e, "e")?, required(n, "n")?);
            return Ok(Jwk { alg, kid, material: Material::Rsa(RsaMembers { n, e, d, p, q, dp, dq, qi }) });
        }
        "EC" => {
            let (crv, d) = (members.curve()?, members.private(is_private, "d")?);
            let (x, y) = (members.bytes("x")?, members.bytes("y")?);
            let crv = required(crv, "crv")?;
            let (x, y) = (required(x, "x")?, required(y, "y")?);
            Material::Ec(EcMembers { crv, x, y, d })
        }
        "OKP" => {
            let (crv, d) = (members.curve()?, members.private(is_private, "d")?);
            let x = members.bytes("x")?;
            let crv = required(crv, "crv")?;
            Material::Okp(OkpMembers { crv, x: required(x, "x")?, d })
        }
        _ => Material::Oct(required(members.bytes("k")?, "k")?),
    };
    Ok(Jwk { alg, kid: members.rest(kty)?, material })
}

fn required<T>(member: Option<T>, name: &str) -> Result<T, String> {
    member.ok_or_else(|| format!("required field {name} is missing"))
}

/// Checks what must hold before a key leaves its reader.
fn validate(material: &Material) -> Result<(), String> {
    match material {
        Material::Rsa(it) => {
            export::rsa_public(it)?;
            let empty = it.d.as_ref().is_some_and(Vec::is_empty);
            if empty { Err("missing \"d\" value".to_owned()) } else { Ok(()) }
        }
        Material::Ec(it) => validate_ec(it),
        Material::Okp(it) => validate_okp(it),
        Material::Oct(k) if k.is_empty() => Err("missing \"k\" field".to_owned()),
        Material::Oct(_) => Ok(()),
    }
}

impl EcMembers {
    fn curve(&self) -> Result<Curve, String> {
        match self.crv.as_str() {
            "P-256" => Ok(Curve::P256),
            "P-384" => Ok(Curve::P384),
            "P-521" => Ok(Curve::P521),
            other => {
                let other = quote(other);
                Err(format!("invalid curve algorithm {other}: unknown elliptic curve algorithm: {other}"))
            }
        }
    }
}

fn validate_ec(it: &EcMembers) -> Result<(), String> {
    let curve = it.curve()?;
    let size = curve.size();
    let check = |name: &str, bytes: &[u8]| {
        if bytes.len() == size {
            return Ok(());
        }
        let curve = quote(curve.name());
        Err(format!("invalid \"{name}\" length ({}) for curve {curve}", bytes.len()))
    };
    check("x", &it.x)?;
    check("y", &it.y)?;
    export::ec_point(it)?;
    it.d.as_ref().map_or(Ok(()), |d| check("d", d))
}

fn validate_okp(it: &OkpMembers) -> Result<(), String> {
    if it.x.is_empty() {
        return Err("missing \"x\" field".to_owned());
    }
    let known = matches!(it.crv.as_str(), "Ed25519" | "X25519");
    let curve = it.crv.to_ascii_lowercase();
    if known && it.x.len() != 32 {
        return Err(format!("{curve}: wrong public key size"));
    }
    let Some(d) = &it.d else { return Ok(()) };
    if d.is_empty() {
        return Err("missing \"d\" field".to_owned());
    }
    if known && d.len() != 32 {
        return Err(format!("{curve}: wrong private key size"));
    }
    Ok(())
}
