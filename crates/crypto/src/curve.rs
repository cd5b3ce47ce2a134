//! The four elliptic curves of Go's standard library: their numbers, and whether a point lies on one.
//!
//! Points that come from policies are judged here, the same with every back end. P-224, which back ends lack, has
//! its arithmetic in `p224`.

use num_bigint::BigUint;

mod p224;

pub(crate) use p224::{public as p224_public, verify as p224_verify};

/// A curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Curve {
    /// P-224: read and verified, never signed with.
    P224,
    /// P-256.
    P256,
    /// P-384.
    P384,
    /// P-521.
    P521,
}

impl Curve {
    /// Returns the curve of an object identifier.
    pub(crate) fn of_oid(components: &[u32]) -> Option<Self> {
        match components {
            [1, 3, 132, 0, 33] => Some(Self::P224),
            [1, 2, 840, 10045, 3, 1, 7] => Some(Self::P256),
            [1, 3, 132, 0, 34] => Some(Self::P384),
            [1, 3, 132, 0, 35] => Some(Self::P521),
            _ => None,
        }
    }

    /// Returns the name, with its dash.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::P224 => "P-224",
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
        }
    }

    /// Returns how many bits a coordinate has.
    #[must_use]
    pub fn bits(self) -> u64 {
        match self {
            Self::P224 => 224,
            Self::P256 => 256,
            Self::P384 => 384,
            Self::P521 => 521,
        }
    }

    /// Returns how many bytes a coordinate or a scalar has.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::P224 => 28,
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// Returns how many bytes of digest go into a signature on this curve, at least and at most.
    pub(crate) fn digest_size(self) -> usize {
        self.size().min(64)
    }

    /// Returns the number of points.
    pub(crate) fn order(self) -> BigUint {
        number(match self {
            Self::P224 => "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
            Self::P256 => "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            Self::P384 => {
                "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"
            }
            Self::P521 => {
                "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa\
                 51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
            }
        })
    }

    /// Returns the prime of the field.
    pub(crate) fn prime(self) -> BigUint {
        let power = |bits: u32| BigUint::from(1_u8) << bits;
        match self {
            Self::P224 => power(224) - power(96) + 1_u8,
            Self::P256 => power(256) - power(224) + power(192) + power(96) - 1_u8,
            Self::P384 => power(384) - power(128) - power(96) + power(32) - 1_u8,
            Self::P521 => power(521) - 1_u8,
        }
    }

    fn b(self) -> BigUint {
        number(match self {
            Self::P224 => "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
            Self::P256 => "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
            Self::P384 => {
                "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"
            }
            Self::P521 => {
                "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e1\
                 56193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00"
            }
        })
    }

    /// Says whether the point lies on the curve, its coordinates below the prime.
    #[must_use]
    pub fn has_point(self, x: &BigUint, y: &BigUint) -> bool {
        let p = self.prime();
        if *x >= p || *y >= p {
            return false;
        }
        let right = (x * x * x + (&p - 3_u8) * x + self.b()) % &p;
        (y * y) % &p == right
    }

    /// Says in Go's words what is wrong with coordinates that are no point.
    #[must_use]
    pub fn point_fault(self, x: &BigUint, y: &BigUint) -> &'static str {
        let prime = self.prime();
        match (self, *x < prime && *y < prime) {
            (Self::P224, true) => "P224 point not on curve",
            (Self::P224, false) => "invalid P224Element encoding",
            (Self::P256, true) => "P256 point not on curve",
            (Self::P256, false) => "invalid P256 element encoding",
            (Self::P384, true) => "P384 point not on curve",
            (Self::P384, false) => "invalid P384Element encoding",
            (Self::P521, true) => "P521 point not on curve",
            (Self::P521, false) => "invalid P521Element encoding",
        }
    }

    /// Returns a number in the bytes of a coordinate, if it fits.
    #[must_use]
    pub fn pad(self, number: &BigUint) -> Option<Vec<u8>> {
        let bytes = number.to_bytes_be();
        let mut out = vec![0; self.size().checked_sub(bytes.len())?];
        out.extend(bytes);
        Some(out)
    }

    /// Returns the point uncompressed.
    pub(crate) fn point(self, x: &BigUint, y: &BigUint) -> Option<Vec<u8>> {
        let mut out = vec![4];
        out.extend(self.pad(x)?);
        out.extend(self.pad(y)?);
        Some(out)
    }

    /// Fits a digest to the curve: cut at the right or filled with zeros at the left, which is the same number.
    pub(crate) fn fit_digest(self, digest: &[u8]) -> Vec<u8> {
        let size = self.digest_size();
        let kept = digest.get(..size).unwrap_or(digest);
        let mut out = vec![0; size - kept.len()];
        out.extend(kept);
        out
    }
}

/// Reads the digits of a constant; blanks are none.
fn number(hex: &str) -> BigUint {
    let digits: Vec<u8> =
        hex.chars().filter_map(|it| it.to_digit(16)).filter_map(|it| u8::try_from(it).ok()).collect();
    BigUint::from_radix_be(&digits, 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_lie_on_their_curves() {
        let (x, y) = p224::generator();
        assert!(Curve::P224.has_point(&x, &y));
        let x = number("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296");
        let y = number("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");
        assert!(Curve::P256.has_point(&x, &y));
        assert!(!Curve::P256.has_point(&y, &x));
        for (curve, bits) in [(Curve::P224, 224), (Curve::P256, 256), (Curve::P384, 384), (Curve::P521, 521)]
        {
            assert_eq!((curve.prime().bits(), curve.order().bits()), (bits, bits));
        }
    }
}
