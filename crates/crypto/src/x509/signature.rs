//! The algorithms that certificates name, and the check of one certificate's signature by another's key.
//!
//! Numbers of algorithms are Go's, because its JSON shows them.

use num_bigint::BigUint;

use crate::asn1::{self, Field, Shape};
use crate::der::{Reader, SEQUENCE};
use crate::hash::Hash;
use crate::key::PublicKey;
use crate::key_der::{ALGORITHM, DSA, ECDSA, ED25519, RSA};
use crate::oid::Oid;
use crate::signature::{Salt, ecdsa_numbers, ed25519, rsa_pkcs1, rsa_pss};

/// What kind of key a certificate holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PublicKeyAlgorithm {
    /// One that is not read.
    #[default]
    Unknown,
    /// RSA.
    Rsa,
    /// DSA.
    Dsa,
    /// ECDSA.
    Ecdsa,
    /// Ed25519.
    Ed25519,
}

impl PublicKeyAlgorithm {
    /// Returns Go's number.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::Unknown => 0,
            Self::Rsa => 1,
            Self::Dsa => 2,
            Self::Ecdsa => 3,
            Self::Ed25519 => 4,
        }
    }

    pub(crate) fn of(oid: &Oid) -> Self {
        match oid.0.as_slice() {
            RSA => Self::Rsa,
            DSA => Self::Dsa,
            ECDSA => Self::Ecdsa,
            ED25519 => Self::Ed25519,
            _ => Self::Unknown,
        }
    }
}

/// What a certificate is signed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SignatureAlgorithm {
    /// One that is not known.
    #[default]
    Unknown,
    /// One that is known and refused: its number in Go.
    Refused(i64),
    /// RSA with PKCS #1 v1.5 padding.
    RsaPkcs1(Hash),
    /// RSA with PSS padding.
    RsaPss(Hash),
    /// ECDSA.
    Ecdsa(Hash),
    /// Ed25519.
    Ed25519,
}

impl SignatureAlgorithm {
    /// Returns Go's number.
    #[must_use]
    pub fn number(self) -> i64 {
        let of_hash = |hash: Hash| match hash {
            Hash::Sha256 => 0,
            Hash::Sha384 => 1,
            Hash::Sha512 => 2,
        };
        match self {
            Self::Unknown => 0,
            Self::Refused(number) => number,
            Self::RsaPkcs1(hash) => 4 + of_hash(hash),
            Self::Ecdsa(hash) => 10 + of_hash(hash),
            Self::RsaPss(hash) => 13 + of_hash(hash),
            Self::Ed25519 => 16,
        }
    }

    /// Returns the algorithm of an identifier and its parameters.
    pub(crate) fn of(oid: &Oid, parameters: &[u8]) -> Self {
        match oid.0.as_slice() {
            [1, 2, 840, 113_549, 1, 1, 4] => Self::Refused(2),
            [1, 2, 840, 113_549, 1, 1, 5] | [1, 3, 14, 3, 2, 29] => Self::Refused(3),
            [1, 2, 840, 113_549, 1, 1, 11] => Self::RsaPkcs1(Hash::Sha256),
            [1, 2, 840, 113_549, 1, 1, 12] => Self::RsaPkcs1(Hash::Sha384),
            [1, 2, 840, 113_549, 1, 1, 13] => Self::RsaPkcs1(Hash::Sha512),
            [1, 2, 840, 113_549, 1, 1, 10] => pss_hash(parameters).map_or(Self::Unknown, Self::RsaPss),
            [1, 2, 840, 10040, 4, 3] => Self::Refused(7),
            [2, 16, 840, 1, 101, 3, 4, 3, 2] => Self::Refused(8),
            [1, 2, 840, 10045, 4, 1] => Self::Refused(9),
            [1, 2, 840, 10045, 4, 3, 2] => Self::Ecdsa(Hash::Sha256),
            [1, 2, 840, 10045, 4, 3, 3] => Self::Ecdsa(Hash::Sha384),
            [1, 2, 840, 10045, 4, 3, 4] => Self::Ecdsa(Hash::Sha512),
            ED25519 if parameters.is_empty() => Self::Ed25519,
            _ => Self::Unknown,
        }
    }

    /// Says whether a key made this signature. SHA-1, MD5 and DSA verify nothing.
    pub(crate) fn verify(self, key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
        match (self, key) {
            (Self::RsaPkcs1(hash), PublicKey::Rsa(key)) => rsa_pkcs1(key, hash, message, signature),
            (Self::RsaPss(hash), PublicKey::Rsa(key)) => rsa_pss(key, hash, Salt::Digest, message, signature),
            (Self::Ecdsa(hash), PublicKey::Ec(key)) => {
                ecdsa_pair(signature).is_some_and(|[r, s]| ecdsa_numbers(key, hash, message, &r, &s))
            }
            (Self::Ed25519, PublicKey::Ed25519(key)) => ed25519(key, message, signature),
            _ => false,
        }
    }
}

/// Reads the two numbers of a signature in DER.
fn ecdsa_pair(signature: &[u8]) -> Option<[BigUint; 2]> {
    let mut outer = Reader(signature);
    let mut inner = outer.inside(SEQUENCE).filter(|_| outer.is_empty())?;
    let (r, s) = (inner.big_int()?.to_biguint()?, inner.big_int()?.to_biguint()?);
    inner.is_empty().then_some([r, s])
}

const PSS: Shape = Shape::Struct(
    "pssParameters",
    &[
        Field::explicit(ALGORITHM, 0),
        Field::explicit(ALGORITHM, 1),
        Field::explicit(Shape::Int, 2),
        Field::explicit_optional(Shape::Int, 3),
    ],
);

/// Returns the hash function of PSS parameters, if they are of the one kind that is taken: the same function
/// twice, a salt as long as its digests, and the usual trailer.
fn pss_hash(parameters: &[u8]) -> Option<Hash> {
    let (node, _) = asn1::read(parameters, PSS).ok()?;
    let (outer, mask) = (node.field(0), node.field(1));
    let (inner, _) = asn1::read(mask.field(1).bytes(), ALGORITHM).ok()?;
    let plain = |it: &[u8]| it.is_empty() || it == [5, 0];
    let trailer = node.field(3);
    if !plain(outer.field(1).bytes())
        || !plain(inner.field(1).bytes())
        || !mask.field(0).oid().is(&[1, 2, 840, 113_549, 1, 1, 8])
        || inner.field(0).oid() != outer.field(0).oid()
        || !matches!(trailer, asn1::Node::Absent | asn1::Node::Int(1))
    {
        return None;
    }
    match (outer.field(0).oid().0.as_slice(), node.field(2).int()) {
        ([2, 16, 840, 1, 101, 3, 4, 2, 1], 32) => Some(Hash::Sha256),
        ([2, 16, 840, 1, 101, 3, 4, 2, 2], 48) => Some(Hash::Sha384),
        ([2, 16, 840, 1, 101, 3, 4, 2, 3], 64) => Some(Hash::Sha512),
        _ => None,
    }
}
