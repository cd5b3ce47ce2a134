//! The back end over aws-lc.
//!
//! It takes raw numbers and bytes and holds no rules: what Go accepts is decided by the callers. It answers
//! nothing for key sizes and curves that the library does not take.

use aws_lc_rs::agreement::{self, ECDH_P256, ECDH_P384, ECDH_P521, X25519};
use aws_lc_rs::cipher::{AES_128, AES_192, AES_256, DecryptingKey, DecryptionContext, UnboundCipherKey};
use aws_lc_rs::digest::{self, Digest, SHA256, SHA384, SHA512};
use aws_lc_rs::iv::FixedLength;
use aws_lc_rs::rand::{self, SystemRandom};
use aws_lc_rs::rsa::{KeyPair, KeyPairComponents};
use aws_lc_rs::signature::{
    self, ED25519, EcdsaKeyPair, EcdsaSigningAlgorithm, EcdsaVerificationAlgorithm, Ed25519KeyPair,
    RsaParameters, RsaPublicKeyComponents, RsaSignatureEncoding, UnparsedPublicKey,
};

use crate::curve::Curve;
use crate::hash::Hash;
use crate::key::RsaPrivateKey;
use crate::rsa::Padding;

fn algorithm(hash: Hash) -> &'static digest::Algorithm {
    match hash {
        Hash::Sha256 => &SHA256,
        Hash::Sha384 => &SHA384,
        Hash::Sha512 => &SHA512,
    }
}

/// Decrypts whole blocks, whose padding stays; the length of the key chooses the cipher.
pub(crate) fn aes_cbc_decrypt(key: &[u8], iv: [u8; 16], data: &[u8]) -> Option<Vec<u8>> {
    let algorithm = match key.len() {
        16 => &AES_128,
        24 => &AES_192,
        32 => &AES_256,
        _ => return None,
    };
    let key = DecryptingKey::cbc(UnboundCipherKey::new(algorithm, key).ok()?).ok()?;
    let mut data = data.to_vec();
    let context = DecryptionContext::Iv128(FixedLength::from(iv));
    let bytes = key.decrypt(&mut data, context).ok()?.len();
    data.truncate(bytes);
    Some(data)
}

/// Returns the digest of the concatenated parts.
pub(crate) fn digest(hash: Hash, parts: &[&[u8]]) -> Option<Vec<u8>> {
    let mut context = digest::Context::new(algorithm(hash));
    parts.iter().for_each(|it| context.update(it));
    Some(context.finish().as_ref().to_vec())
}

/// Returns the message's code under a key.
pub(crate) fn hmac(hash: Hash, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    let algorithm = match hash {
        Hash::Sha256 => aws_lc_rs::hmac::HMAC_SHA256,
        Hash::Sha384 => aws_lc_rs::hmac::HMAC_SHA384,
        Hash::Sha512 => aws_lc_rs::hmac::HMAC_SHA512,
    };
    let key = aws_lc_rs::hmac::Key::new(algorithm, key);
    Some(aws_lc_rs::hmac::sign(&key, message).as_ref().to_vec())
}

/// Fills the buffer with random bytes.
pub(crate) fn random(bytes: &mut [u8]) -> Option<()> {
    rand::fill(bytes).ok()
}

/// Verifies with a key of 2048 to 8192 bits; a salt must be as long as a digest.
pub(crate) fn rsa_verify(
    n: &[u8],
    e: &[u8],
    padding: Padding,
    hash: Hash,
    message: &[u8],
    signature: &[u8],
) -> Option<bool> {
    if !(2048..=8192).contains(&(n.len() * 8)) || n.first().is_none_or(|it| it & 0x80 == 0) {
        return None;
    }
    let parameters: &RsaParameters = match (padding, hash) {
        (Padding::Pkcs1, Hash::Sha256) => &signature::RSA_PKCS1_2048_8192_SHA256,
        (Padding::Pkcs1, Hash::Sha384) => &signature::RSA_PKCS1_2048_8192_SHA384,
        (Padding::Pkcs1, Hash::Sha512) => &signature::RSA_PKCS1_2048_8192_SHA512,
        (Padding::Pss, Hash::Sha256) => &signature::RSA_PSS_2048_8192_SHA256,
        (Padding::Pss, Hash::Sha384) => &signature::RSA_PSS_2048_8192_SHA384,
        (Padding::Pss, Hash::Sha512) => &signature::RSA_PSS_2048_8192_SHA512,
    };
    let key = RsaPublicKeyComponents { n, e };
    Some(key.verify(parameters, message, signature).is_ok())
}

/// Signs with a key of 2048 to 8192 bits; a salt is as long as a digest.
pub(crate) fn rsa_sign(key: &RsaPrivateKey, padding: Padding, hash: Hash, message: &[u8]) -> Option<Vec<u8>> {
    let crt = key.crt()?;
    let pair = KeyPair::from_components(&KeyPairComponents {
        public_key: RsaPublicKeyComponents { n: key.public.n.to_bytes_be(), e: key.public.e_bytes() },
        d: key.d.to_bytes_be(),
        p: crt.p.to_bytes_be(),
        q: crt.q.to_bytes_be(),
        dP: crt.dp.to_bytes_be(),
        dQ: crt.dq.to_bytes_be(),
        qInv: crt.qinv.to_bytes_be(),
    })
    .ok()?;
    let encoding: &'static RsaSignatureEncoding = match (padding, hash) {
        (Padding::Pkcs1, Hash::Sha256) => &signature::RSA_PKCS1_SHA256,
        (Padding::Pkcs1, Hash::Sha384) => &signature::RSA_PKCS1_SHA384,
        (Padding::Pkcs1, Hash::Sha512) => &signature::RSA_PKCS1_SHA512,
        (Padding::Pss, Hash::Sha256) => &signature::RSA_PSS_SHA256,
        (Padding::Pss, Hash::Sha384) => &signature::RSA_PSS_SHA384,
        (Padding::Pss, Hash::Sha512) => &signature::RSA_PSS_SHA512,
    };
    let mut out = vec![0; pair.public_modulus_len()];
    pair.sign(encoding, &SystemRandom::new(), message, &mut out).ok()?;
    Some(out)
}

/// The digest as this library takes it: as long as the curve's own hash function makes them.
fn import(curve: Curve, digest: &[u8]) -> Option<Digest> {
    let algorithm = match curve {
        Curve::P224 => return None,
        Curve::P256 => &SHA256,
        Curve::P384 => &SHA384,
        Curve::P521 => &SHA512,
    };
    Digest::import_less_safe(digest, algorithm).ok()
}

/// Verifies a signature of two numbers of the curve's length, over a digest of [`Curve::digest_size`] bytes.
pub(crate) fn ecdsa_verify(curve: Curve, point: &[u8], digest: &[u8], signature: &[u8]) -> Option<bool> {
    let algorithm: &'static EcdsaVerificationAlgorithm = match curve {
        Curve::P224 => return None,
        Curve::P256 => &signature::ECDSA_P256_SHA256_FIXED,
        Curve::P384 => &signature::ECDSA_P384_SHA384_FIXED,
        Curve::P521 => &signature::ECDSA_P521_SHA512_FIXED,
    };
    let digest = import(curve, digest)?;
    Some(UnparsedPublicKey::new(algorithm, point).verify_digest(&digest, signature).is_ok())
}

/// Signs a digest of [`Curve::digest_size`] bytes; the scalar has the curve's length.
pub(crate) fn ecdsa_sign(curve: Curve, scalar: &[u8], digest: &[u8]) -> Option<Vec<u8>> {
    let algorithm: &'static EcdsaSigningAlgorithm = match curve {
        Curve::P224 => return None,
        Curve::P256 => &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
        Curve::P384 => &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
        Curve::P521 => &signature::ECDSA_P521_SHA512_FIXED_SIGNING,
    };
    let point = ec_public(curve, scalar)?;
    let pair = EcdsaKeyPair::from_private_key_and_public_key(algorithm, scalar, &point).ok()?;
    Some(pair.sign_digest(&import(curve, digest)?).ok()?.as_ref().to_vec())
}

/// Returns the uncompressed public point of a scalar of the curve's length.
pub(crate) fn ec_public(curve: Curve, scalar: &[u8]) -> Option<Vec<u8>> {
    let algorithm = match curve {
        Curve::P224 => return None,
        Curve::P256 => &ECDH_P256,
        Curve::P384 => &ECDH_P384,
        Curve::P521 => &ECDH_P521,
    };
    let key = agreement::PrivateKey::from_private_key(algorithm, scalar).ok()?;
    Some(key.compute_public_key().ok()?.as_ref().to_vec())
}

/// Verifies an Ed25519 signature.
pub(crate) fn ed25519_verify(key: &[u8], message: &[u8], signature: &[u8]) -> Option<bool> {
    Some(UnparsedPublicKey::new(&ED25519, key).verify(message, signature).is_ok())
}

/// Returns the public key of a seed.
pub(crate) fn ed25519_public(seed: &[u8]) -> Option<Vec<u8>> {
    use aws_lc_rs::signature::KeyPair as _;
    Some(Ed25519KeyPair::from_seed_unchecked(seed).ok()?.public_key().as_ref().to_vec())
}

/// Signs with the key of a seed.
pub(crate) fn ed25519_sign(seed: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    Some(Ed25519KeyPair::from_seed_unchecked(seed).ok()?.sign(message).as_ref().to_vec())
}

/// Returns the X25519 public key of a scalar.
pub(crate) fn x25519_public(scalar: &[u8]) -> Option<Vec<u8>> {
    let key = agreement::PrivateKey::from_private_key(&X25519, scalar).ok()?;
    Some(key.compute_public_key().ok()?.as_ref().to_vec())
}
