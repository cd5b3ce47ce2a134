//! From the members of a key to one that verifies or signs.
//!
//! Apart because a key may be read, and shown, that cannot be used; the faults here are told later.

use lictor_crypto::key::{
    EcPrivateKey, EcPublicKey, EdwardsKey, Precomputed, PrivateKey, PublicKey, RsaPrivateKey, RsaPublicKey,
};
use lictor_crypto::signature::{Algorithm, AnyKey};
use num_bigint::BigUint;

use super::{EcMembers, Material, OkpMembers, RsaMembers};

/// Returns the key, whatever it may be used for.
pub(super) fn export(material: &Material) -> Result<AnyKey, String> {
    let key = match material {
        Material::Rsa(it) => rsa(it),
        Material::Ec(it) => ec(it),
        Material::Okp(it) => okp(it),
        Material::Oct(k) => Ok(AnyKey::Secret(k.clone())),
    };
    key.map_err(|it| format!("jwk.Export: failed to export jwk.Key to raw format: {it}"))
}

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

/// Checks modulus and exponent.
pub(super) fn rsa_public(it: &RsaMembers) -> Result<RsaPublicKey, String> {
    let (n, e) = (number(&it.n), number(&it.e));
    if n == BigUint::ZERO {
        return Err("missing \"n\" value".to_owned());
    }
    if e == BigUint::ZERO {
        return Err("missing \"e\" value".to_owned());
    }
    if !e.bit(0) {
        return Err("invalid rsa public exponent: must be a positive odd integer".to_owned());
    }
    match u64::try_from(&e).ok().filter(|it| i64::try_from(*it).is_ok()) {
        Some(e) => Ok(RsaPublicKey { n, e }),
        None => Err(format!("rsa public exponent too large for this platform: {} bits (max 63)", e.bits())),
    }
}

fn rsa(it: &RsaMembers) -> Result<AnyKey, String> {
    let Some(d) = &it.d else { return Ok(AnyKey::Public(PublicKey::Rsa(rsa_public(it)?))) };
    let missing = |name: &str| format!("missing \"{name}\" value");
    let q = it.q.as_ref().ok_or_else(|| missing("q"))?;
    let p = it.p.as_ref().ok_or_else(|| missing("p"))?;
    let public = rsa_public(it).map_err(|it| format!("failed to build rsa.PublicKey: {it}"))?;
    let optional = |it: &Option<Vec<u8>>| it.as_deref().map(number);
    let precomputed = Precomputed {
        dp: optional(&it.dp),
        dq: optional(&it.dq),
        qinv: optional(&it.qi),
        further: Vec::new(),
    };
    let primes = vec![number(p), number(q)];
    Ok(AnyKey::Private(PrivateKey::Rsa(RsaPrivateKey { public, d: number(d), primes, precomputed })))
}

/// Checks that the point lies on the curve.
pub(super) fn ec_point(it: &EcMembers) -> Result<EcPublicKey, String> {
    let (curve, x, y) = (it.curve()?, number(&it.x), number(&it.y));
    if x == BigUint::ZERO && y == BigUint::ZERO {
        return Err("invalid ECDSA public key: identity point is not a valid public key".to_owned());
    }
    for (name, it_is) in [("x", &x), ("y", &y)] {
        let (bits, max, curve) = (it_is.bits(), curve.bits(), curve.name());
        if bits > max {
            return Err(format!(
                "invalid ECDSA public key: {name} coordinate is {bits} bits, exceeds curve \"{curve}\" field \
                 size of {max} bits"
            ));
        }
    }
    if !curve.has_point(&x, &y) {
        let fault = curve.point_fault(&x, &y);
        return Err(format!("invalid ECDSA public key: {fault}"));
    }
    Ok(EcPublicKey { curve, x, y })
}

fn ec(it: &EcMembers) -> Result<AnyKey, String> {
    let public = ec_point(it).map_err(|it| format!("jwk: {it}"))?;
    Ok(match &it.d {
        None => AnyKey::Public(PublicKey::Ec(public)),
        Some(d) => AnyKey::Private(PrivateKey::Ec(EcPrivateKey { public, d: number(d) })),
    })
}

fn okp(it: &OkpMembers) -> Result<AnyKey, String> {
    let Some(d) = &it.d else {
        let wrap = |it: &str| format!("jwk.OKPPublicKey: failed to build public key: {it}");
        return match it.crv.as_str() {
            "Ed25519" => Ok(AnyKey::Public(PublicKey::Ed25519(it.x.clone()))),
            "X25519" => Ok(AnyKey::Public(PublicKey::X25519(it.x.clone()))),
            other => Err(wrap(&format!("invalid curve algorithm {other}"))),
        };
    };
    let wrap = |it: &str| format!("jwk.OKPPrivateKey: failed to build private key: {it}");
    match it.crv.as_str() {
        "Ed25519" => {
            let key = EdwardsKey::ed25519(d).filter(|key| key.public == it.x);
            key.map(|it| AnyKey::Private(PrivateKey::Ed25519(it)))
                .ok_or_else(|| wrap("ed25519: invalid x value given d value"))
        }
        "X25519" => EdwardsKey::x25519(d)
            .map(|it| AnyKey::Private(PrivateKey::X25519(it)))
            .ok_or_else(|| wrap("no back end for X25519")),
        other => Err(wrap(&format!("invalid curve algorithm {other}"))),
    }
}

/// Returns the key for an algorithm to sign with.
///
/// A code may be made with an Ed25519 key, whose bytes then are the secret: OPA does so, and it makes no key
/// weaker, as tokens are not verified so.
pub(super) fn for_algorithm(material: &Material, algorithm: Algorithm) -> Result<AnyKey, String> {
    let (wanted, name, words, kinds) = match algorithm {
        Algorithm::Hmac(_) => ("[]byte", "[]byte", "keyconv: failed to produce", &["oct", "OKP"][..]),
        Algorithm::RsaPkcs1(_) | Algorithm::RsaPss(_) => {
            ("*rsa.PrivateKey", "rsa.PrivateKey", "failed to produce", &["RSA"][..])
        }
        Algorithm::Ecdsa(_) => {
            ("*ecdsa.PrivateKey", "ecdsa.PrivateKey", "keyconv: failed to produce", &["EC"][..])
        }
        Algorithm::EdDsa => ("ed25519.PrivateKey", "ed25519.PrivateKey", "failed to produce", &["OKP"][..]),
    };
    let kind = material.go_type();
    let fault = |it: &str| {
        format!("jwsbb.Sign: invalid key type {kind}. {wanted} is required: {words} {name} from {kind}: {it}")
    };
    // Keys of bytes are made before it is asked what for.
    let is_okp = material.name() == "OKP";
    let usable =
        is_okp || (kinds.contains(&material.name()) && (material.is_private() || kinds.contains(&"oct")));
    if !usable {
        return Err(fault(&format!("jwk.Export: no suitable exporter found for key type '{kind}'")));
    }
    let key = export(material).map_err(|it| fault(&it))?;
    match (&key, algorithm) {
        (AnyKey::Private(PrivateKey::Ed25519(key)), Algorithm::Hmac(_)) => {
            Ok(AnyKey::Secret([key.secret.as_slice(), key.public.as_slice()].concat()))
        }
        (AnyKey::Public(PublicKey::Ed25519(key)), Algorithm::Hmac(_)) => Ok(AnyKey::Secret(key.clone())),
        (AnyKey::Private(PrivateKey::Ed25519(_)), Algorithm::EdDsa) => Ok(key),
        _ if !is_okp => Ok(key),
        _ => {
            let got = match &key {
                AnyKey::Private(PrivateKey::Ed25519(_)) => "ed25519.PrivateKey",
                AnyKey::Public(PublicKey::Ed25519(_)) => "ed25519.PublicKey",
                AnyKey::Private(_) => "*ecdh.PrivateKey",
                _ => "*ecdh.PublicKey",
            };
            let target = match algorithm {
                Algorithm::Hmac(_) => "*[]uint8".to_owned(),
                _ => format!("*{name}"),
            };
            Err(fault(&format!(
                "jwk.Export: failed to assign key: argument to AssignIfCompatible() must be compatible with \
                 {got} (was {target})"
            )))
        }
    }
}
