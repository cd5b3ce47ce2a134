//! The back end that is not there: nothing is verified and nothing signed.
//!
//! Apart so that a build without a library of cryptography still reads keys and certificates.

use crate::curve::Curve;
use crate::hash::Hash;
use crate::key::RsaPrivateKey;
use crate::rsa::Padding;

pub(crate) fn aes_cbc_decrypt(_key: &[u8], _iv: [u8; 16], _data: &[u8]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn digest(_hash: Hash, _parts: &[&[u8]]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn hmac(_hash: Hash, _key: &[u8], _message: &[u8]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn random(_bytes: &mut [u8]) -> Option<()> {
    None
}

pub(crate) fn rsa_verify(
    _n: &[u8],
    _e: &[u8],
    _padding: Padding,
    _hash: Hash,
    _message: &[u8],
    _signature: &[u8],
) -> Option<bool> {
    None
}

pub(crate) fn rsa_sign(
    _key: &RsaPrivateKey,
    _padding: Padding,
    _hash: Hash,
    _message: &[u8],
) -> Option<Vec<u8>> {
    None
}

pub(crate) fn ecdsa_verify(_curve: Curve, _point: &[u8], _digest: &[u8], _signature: &[u8]) -> Option<bool> {
    None
}

pub(crate) fn ecdsa_sign(_curve: Curve, _scalar: &[u8], _digest: &[u8]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn ec_public(_curve: Curve, _scalar: &[u8]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn ed25519_verify(_key: &[u8], _message: &[u8], _signature: &[u8]) -> Option<bool> {
    None
}

pub(crate) fn ed25519_public(_seed: &[u8]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn ed25519_sign(_seed: &[u8], _message: &[u8]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn x25519_public(_scalar: &[u8]) -> Option<Vec<u8>> {
    None
}
