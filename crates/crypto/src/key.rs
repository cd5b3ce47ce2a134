//! Keys as numbers and bytes, independent of any back end.
//!
//! Fields are open: whether a key may be used is checked where it is used, because Go reads keys that it later
//! refuses.

use num_bigint::{BigInt, BigUint};

use crate::backend;
use crate::curve::{Curve, p224_public};

/// A public key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PublicKey {
    /// An RSA key.
    Rsa(RsaPublicKey),
    /// A point on one of the curves.
    Ec(EcPublicKey),
    /// An Ed25519 key of 32 bytes.
    Ed25519(Vec<u8>),
    /// An X25519 key of 32 bytes; it verifies nothing.
    X25519(Vec<u8>),
    /// A DSA key; it verifies nothing.
    Dsa(DsaPublicKey),
}

/// A modulus and an exponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RsaPublicKey {
    /// The modulus.
    pub n: BigUint,
    /// The exponent.
    pub e: u64,
}

impl RsaPublicKey {
    /// Returns the exponent's bytes, without zeros before.
    #[must_use]
    pub fn e_bytes(&self) -> Vec<u8> {
        BigUint::from(self.e).to_bytes_be()
    }
}

/// A point on a curve.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EcPublicKey {
    /// The curve.
    pub curve: Curve,
    /// The first coordinate.
    pub x: BigUint,
    /// The second coordinate.
    pub y: BigUint,
}

/// The numbers of a DSA key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DsaPublicKey {
    /// The prime of the field.
    pub p: BigInt,
    /// The order.
    pub q: BigInt,
    /// The base.
    pub g: BigInt,
    /// The key.
    pub y: BigInt,
}

/// A private key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PrivateKey {
    /// An RSA key.
    Rsa(RsaPrivateKey),
    /// A scalar with its point.
    Ec(EcPrivateKey),
    /// An Ed25519 key.
    Ed25519(EdwardsKey),
    /// An X25519 key; it signs nothing.
    X25519(EdwardsKey),
}

impl PrivateKey {
    /// Returns the public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        match self {
            Self::Rsa(key) => PublicKey::Rsa(key.public.clone()),
            Self::Ec(key) => PublicKey::Ec(key.public.clone()),
            Self::Ed25519(key) => PublicKey::Ed25519(key.public.clone()),
            Self::X25519(key) => PublicKey::X25519(key.public.clone()),
        }
    }
}

/// An RSA private key, perhaps of more than two primes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RsaPrivateKey {
    /// The public half.
    pub public: RsaPublicKey,
    /// The private exponent.
    pub d: BigUint,
    /// The primes.
    pub primes: Vec<BigUint>,
    /// The exponents and the coefficient for the first two primes, as given or computed.
    pub precomputed: Precomputed,
}

/// Numbers that speed up the private operation; each may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Precomputed {
    /// `d` modulo the first prime less one.
    pub dp: Option<BigUint>,
    /// `d` modulo the second prime less one.
    pub dq: Option<BigUint>,
    /// The inverse of the second prime modulo the first.
    pub qinv: Option<BigUint>,
    /// The same for further primes: exponent, coefficient and the product of the primes before.
    pub further: Vec<[BigUint; 3]>,
}

/// The numbers of a key of two primes.
#[cfg_attr(not(feature = "aws-lc"), expect(dead_code, reason = "back ends sign with the primes"))]
pub(crate) struct Crt {
    pub(crate) p: BigUint,
    pub(crate) q: BigUint,
    pub(crate) dp: BigUint,
    pub(crate) dq: BigUint,
    pub(crate) qinv: BigUint,
}

impl RsaPrivateKey {
    /// Returns the numbers for the faster operation; none for keys of more than two primes.
    pub(crate) fn crt(&self) -> Option<Crt> {
        let [p, q] = self.primes.as_slice() else { return None };
        let one = BigUint::from(1_u8);
        if *p <= one || *q <= one {
            return None;
        }
        let (p, q) = (p.clone(), q.clone());
        // Of the three numbers that may be given all count or none.
        if let Precomputed { dp: Some(dp), dq: Some(dq), qinv: Some(qinv), .. } = self.precomputed.clone() {
            return Some(Crt { p, q, dp, dq, qinv });
        }
        Some(Crt { dp: &self.d % (&p - 1_u8), dq: &self.d % (&q - 1_u8), qinv: q.modinv(&p)?, p, q })
    }
}

/// A scalar and its point; the two are not checked against each other, as in Go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EcPrivateKey {
    /// The point.
    pub public: EcPublicKey,
    /// The scalar.
    pub d: BigUint,
}

impl EcPrivateKey {
    /// Returns the key of a scalar.
    ///
    /// # Errors
    /// If the scalar is no number below the order, with Go's message.
    pub fn of_scalar(curve: Curve, d: BigUint) -> Result<Self, String> {
        if d == BigUint::ZERO {
            return Err("ecdsa: invalid public key encoding".to_owned());
        }
        if d >= curve.order() {
            return Err("input overflows the modulus".to_owned());
        }
        let point = match curve {
            Curve::P224 => p224_public(&d),
            _ => curve.pad(&d).and_then(|it| backend::ec_public(curve, &it)),
        };
        let point = point.ok_or("ecdsa: no back end")?;
        let (x, y) = point.get(1..).unwrap_or(&[]).split_at(curve.size().min(point.len() - 1));
        let public = EcPublicKey { curve, x: BigUint::from_bytes_be(x), y: BigUint::from_bytes_be(y) };
        Ok(Self { public, d })
    }
}

/// A key of a curve whose keys are bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdwardsKey {
    /// The secret bytes.
    pub secret: Vec<u8>,
    /// The public bytes.
    pub public: Vec<u8>,
}

impl EdwardsKey {
    /// Returns the Ed25519 key of a seed of 32 bytes.
    #[must_use]
    pub fn ed25519(seed: &[u8]) -> Option<Self> {
        let public = backend::ed25519_public(seed.get(..32).filter(|it| it.len() == seed.len())?)?;
        Some(Self { secret: seed.to_vec(), public })
    }

    /// Returns the X25519 key of a scalar of 32 bytes.
    #[must_use]
    pub fn x25519(scalar: &[u8]) -> Option<Self> {
        Some(Self { secret: scalar.to_vec(), public: backend::x25519_public(scalar)? })
    }
}
