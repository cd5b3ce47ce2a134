//! Signatures: the algorithms that tokens and certificates name, on keys of this crate.
//!
//! Two faces, because Go's are two: a function a scheme, as the `verify_*` built-ins call them (any salt, numbers
//! of any length), and [`Algorithm::verify`], which also holds the key's kind and the exact lengths.

use num_bigint::BigUint;

use crate::backend;
use crate::curve::{Curve, p224_verify};
use crate::hash::{Hash, hmac};
use crate::key::{EcPublicKey, EdwardsKey, PrivateKey, PublicKey, RsaPublicKey};
use crate::rsa::{self, Padding};

pub use crate::rsa::Salt;

/// A key of any sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnyKey {
    /// A public key.
    Public(PublicKey),
    /// A private key; it verifies what it would sign.
    Private(PrivateKey),
    /// A shared secret.
    Secret(Vec<u8>),
}

/// An algorithm of signed tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// A code under a shared secret.
    Hmac(Hash),
    /// RSA with PKCS #1 v1.5 padding.
    RsaPkcs1(Hash),
    /// RSA with PSS padding.
    RsaPss(Hash),
    /// ECDSA; the curve is the key's.
    Ecdsa(Hash),
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    /// Returns the algorithm of a name as tokens write it; names count letter by letter.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if name == "EdDSA" {
            return Some(Self::EdDsa);
        }
        let hash = match name.get(2..)? {
            "256" => Hash::Sha256,
            "384" => Hash::Sha384,
            "512" => Hash::Sha512,
            _ => return None,
        };
        match name.get(..2)? {
            "HS" => Some(Self::Hmac(hash)),
            "RS" => Some(Self::RsaPkcs1(hash)),
            "PS" => Some(Self::RsaPss(hash)),
            "ES" => Some(Self::Ecdsa(hash)),
            _ => None,
        }
    }

    /// Verifies a signature with a key; a key of another kind verifies nothing.
    #[must_use]
    pub fn verify(self, key: &AnyKey, message: &[u8], signature: &[u8]) -> bool {
        let public = match (self, key) {
            (Self::Hmac(hash), AnyKey::Secret(secret)) => {
                return hmac(hash, secret, message).is_some_and(|it| equal_in_constant_time(&it, signature));
            }
            (_, AnyKey::Secret(_)) => return false,
            (_, AnyKey::Public(key)) => key.clone(),
            (_, AnyKey::Private(key)) => key.public(),
        };
        match (self, &public) {
            (Self::RsaPkcs1(hash), PublicKey::Rsa(key)) => rsa_pkcs1(key, hash, message, signature),
            (Self::RsaPss(hash), PublicKey::Rsa(key)) => rsa_pss(key, hash, Salt::Digest, message, signature),
            (Self::Ecdsa(hash), PublicKey::Ec(key)) => {
                signature.len() == 2 * key.curve.size() && ecdsa(key, hash, message, signature)
            }
            (Self::EdDsa, PublicKey::Ed25519(key)) => ed25519(key, message, signature),
            _ => false,
        }
    }

    /// Signs a message.
    ///
    /// # Errors
    /// If the key is of another kind or is refused, with Go's message where there is one.
    pub fn sign(self, key: &AnyKey, message: &[u8]) -> Result<Vec<u8>, String> {
        match (self, key) {
            (Self::Hmac(hash), AnyKey::Secret(secret)) => hmac(hash, secret, message).ok_or_else(no_back_end),
            (Self::RsaPkcs1(hash), AnyKey::Private(PrivateKey::Rsa(key))) => {
                rsa::sign(key, Padding::Pkcs1, hash, message)
            }
            (Self::RsaPss(hash), AnyKey::Private(PrivateKey::Rsa(key))) => {
                rsa::sign(key, Padding::Pss, hash, message)
            }
            (Self::Ecdsa(hash), AnyKey::Private(PrivateKey::Ec(key))) => {
                sign_ecdsa(key.public.curve, &key.d, hash, message)
            }
            (Self::EdDsa, AnyKey::Private(PrivateKey::Ed25519(EdwardsKey { secret, .. }))) => {
                backend::ed25519_sign(secret, message).ok_or_else(no_back_end)
            }
            _ => Err("key of another kind".to_owned()),
        }
    }
}

fn no_back_end() -> String {
    "no back end for signatures".to_owned()
}

/// Verifies RSA with PKCS #1 v1.5 padding.
#[must_use]
pub fn rsa_pkcs1(key: &RsaPublicKey, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
    rsa::verify_pkcs1(key, hash, message, signature)
}

/// Verifies RSA with PSS padding.
#[must_use]
pub fn rsa_pss(key: &RsaPublicKey, hash: Hash, salt: Salt, message: &[u8], signature: &[u8]) -> bool {
    rsa::verify_pss(key, hash, salt, message, signature)
}

/// Verifies ECDSA; the signature is two numbers of equal length, whatever that is.
#[must_use]
pub fn ecdsa(key: &EcPublicKey, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
    let (r, s) = signature.split_at(signature.len() / 2);
    let (r, s) = (BigUint::from_bytes_be(r), BigUint::from_bytes_be(s));
    ecdsa_numbers(key, hash, message, &r, &s)
}

/// Verifies ECDSA with the two numbers of the signature.
pub(crate) fn ecdsa_numbers(key: &EcPublicKey, hash: Hash, message: &[u8], r: &BigUint, s: &BigUint) -> bool {
    let curve = key.curve;
    let order = curve.order();
    if *r == BigUint::ZERO || *s == BigUint::ZERO || *r >= order || *s >= order {
        return false;
    }
    let Some(digest) = hash.digest(&[message]).map(|it| curve.fit_digest(&it)) else { return false };
    if !curve.has_point(&key.x, &key.y) {
        return false;
    }
    if curve == Curve::P224 {
        return p224_verify(&(key.x.clone(), key.y.clone()), &digest, r, s);
    }
    let (Some(point), Some(mut signature), Some(second)) =
        (curve.point(&key.x, &key.y), curve.pad(r), curve.pad(s))
    else {
        return false;
    };
    signature.extend(second);
    backend::ecdsa_verify(curve, &point, &digest, &signature).unwrap_or(false)
}

fn sign_ecdsa(curve: Curve, d: &BigUint, hash: Hash, message: &[u8]) -> Result<Vec<u8>, String> {
    let order = curve.order();
    if d.bits() > order.bits() {
        return Err("failed to sign payload using ecdsa: ecdsa: private key scalar too large".to_owned());
    }
    if *d == BigUint::ZERO {
        return Err(
            "failed to sign payload using ecdsa: ecdsa: private key scalar is zero or negative".to_owned()
        );
    }
    if *d >= order {
        return Err("failed to sign payload using ecdsa: input overflows the modulus".to_owned());
    }
    let digest = hash.digest(&[message]).map(|it| curve.fit_digest(&it));
    let signature = digest
        .and_then(|digest| curve.pad(d).and_then(|scalar| backend::ecdsa_sign(curve, &scalar, &digest)));
    signature.ok_or_else(no_back_end)
}

/// Verifies Ed25519.
#[must_use]
pub fn ed25519(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    key.len() == 32 && backend::ed25519_verify(key, message, signature).unwrap_or(false)
}

/// Compares without telling by the time taken where the first difference is.
#[must_use]
pub fn equal_in_constant_time(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
