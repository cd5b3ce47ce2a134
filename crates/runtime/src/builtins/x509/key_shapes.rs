//! Keys in the shapes of Go's JSON, and private keys as JWK.
//!
//! A curve shows as an empty object there, whichever it is; a JWK names it.

use lictor_crypto::Curve;
use lictor_crypto::base64::{Alphabet, Fill, encode};
use lictor_crypto::key::{EcPublicKey, EdwardsKey, PrivateKey, PublicKey, RsaPrivateKey};
use lictor_value::Value;
use num_bigint::BigUint;

use crate::error::BuiltinError;

use super::shapes::Shaper;

impl<'e> Shaper<'e> {
    pub(super) fn public_key(self, key: &PublicKey) -> Value<'e> {
        match key {
            PublicKey::Rsa(key) => self.object(&[("N", self.number(&key.n)), ("E", self.number(&key.e))]),
            PublicKey::Ec(key) => self.object(&self.point(key)),
            PublicKey::Ed25519(key) => self.bytes(key),
            PublicKey::X25519(_) => Value::empty_object(),
            PublicKey::Dsa(key) => self.object(&[
                ("P", self.number(&key.p)),
                ("Q", self.number(&key.q)),
                ("G", self.number(&key.g)),
                ("Y", self.number(&key.y)),
            ]),
        }
    }

    fn point(self, key: &EcPublicKey) -> [(&'static str, Value<'e>); 3] {
        [("Curve", Value::empty_object()), ("X", self.number(&key.x)), ("Y", self.number(&key.y))]
    }

    pub(super) fn private_key(self, key: &PrivateKey) -> Value<'e> {
        match key {
            PrivateKey::Rsa(key) => self.rsa(key),
            PrivateKey::Ec(key) => {
                let mut fields = self.point(&key.public).to_vec();
                fields.push(("D", self.number(&key.d)));
                self.object(&fields)
            }
            PrivateKey::Ed25519(EdwardsKey { secret, public }) => {
                self.bytes(&[secret.as_slice(), public.as_slice()].concat())
            }
            PrivateKey::X25519(_) => Value::empty_object(),
        }
    }

    fn rsa(self, key: &RsaPrivateKey) -> Value<'e> {
        let given = &key.precomputed;
        let number = |it: &Option<BigUint>| it.as_ref().map_or(Value::NULL, |it| self.number(it));
        let further = given.further.iter().map(|[exponent, coefficient, product]| {
            self.object(&[
                ("Exp", self.number(exponent)),
                ("Coeff", self.number(coefficient)),
                ("R", self.number(product)),
            ])
        });
        let precomputed = [
            ("Dp", number(&given.dp)),
            ("Dq", number(&given.dq)),
            ("Qinv", number(&given.qinv)),
            ("CRTValues", self.list(further)),
        ];
        self.object(&[
            ("N", self.number(&key.public.n)),
            ("E", self.number(&key.public.e)),
            ("D", self.number(&key.d)),
            ("Primes", self.list(key.primes.iter().map(|it| self.number(it)))),
            ("Precomputed", self.object(&precomputed)),
        ])
    }

    /// Shows a private key as JWK.
    pub(super) fn jwk(self, key: &PrivateKey) -> Result<Value<'e>, BuiltinError> {
        Ok(match key {
            PrivateKey::Rsa(key) => self.rsa_jwk(key)?,
            PrivateKey::Ec(key) => {
                let curve = key.public.curve;
                if curve == Curve::P224 {
                    return Err(BuiltinError::value(
                        "failed to initialize *jwk.ecdsaPrivateKey from *ecdsa.PrivateKey: jwk: failed to get \
                         algorithm for converting ECDSA private key to JWK: unknown elliptic curve: P-224",
                    ));
                }
                let padded = |it: &BigUint| self.jwk_bytes(&curve.pad(it).unwrap_or_default());
                self.object(&[
                    ("kty", self.text("EC")),
                    ("crv", self.text(curve.name())),
                    ("x", padded(&key.public.x)),
                    ("y", padded(&key.public.y)),
                    ("d", padded(&key.d)),
                ])
            }
            PrivateKey::Ed25519(key) => self.okp_jwk("Ed25519", key),
            PrivateKey::X25519(key) => self.okp_jwk("X25519", key),
        })
    }

    fn jwk_bytes(self, bytes: &[u8]) -> Value<'e> {
        self.text(&encode(bytes, Alphabet::Url, Fill::Raw))
    }

    fn okp_jwk(self, curve: &str, key: &EdwardsKey) -> Value<'e> {
        self.object(&[
            ("kty", self.text("OKP")),
            ("crv", self.text(curve)),
            ("x", self.jwk_bytes(&key.public)),
            ("d", self.jwk_bytes(&key.secret)),
        ])
    }

    fn rsa_jwk(self, key: &RsaPrivateKey) -> Result<Value<'e>, BuiltinError> {
        let [p, q] = key.primes.as_slice() else {
            return Err(BuiltinError::value(format!(
                "failed to initialize *jwk.rsaPrivateKey from *rsa.PrivateKey: invalid number of primes in \
                 rsa.PrivateKey: need 0 to 2, but got {}",
                key.primes.len()
            )));
        };
        let number = |it: &BigUint| self.jwk_bytes(&it.to_bytes_be());
        let given = &key.precomputed;
        let mut fields = vec![
            ("kty", self.text("RSA")),
            ("n", number(&key.public.n)),
            ("e", self.jwk_bytes(&key.public.e_bytes())),
            ("d", number(&key.d)),
            ("p", number(p)),
            ("q", number(q)),
        ];
        for (name, it) in [("dp", &given.dp), ("dq", &given.dq), ("qi", &given.qinv)] {
            fields.extend(it.as_ref().map(|it| (name, number(it))));
        }
        Ok(self.object(&fields))
    }
}
