//! `io.jwt.verify_*`: whether the signature of a token holds under a scheme that the policy names.
//!
//! The header decides nothing here but which key of a set is tried: its algorithm counts only against a key that
//! names one. So a token cannot choose how it is verified.

use lictor_crypto::key::PublicKey;
use lictor_crypto::signature::{AnyKey, Salt, ecdsa, ed25519, equal_in_constant_time, rsa_pkcs1, rsa_pss};
use lictor_crypto::{Hash, hmac};
use lictor_value::Value;

use crate::builtins::operands::{Answer, answer_bool, string};
use crate::context::Context;

use super::Token;
use super::header::Header;
use super::keys::keys_of;

/// A scheme of signatures with public keys.
#[derive(Clone, Copy)]
pub(super) enum Scheme {
    Pkcs1(Hash),
    Pss(Hash),
    Ecdsa(Hash),
    EdDsa,
}

impl Scheme {
    /// A private key is no public key here, and any other kind of key verifies nothing.
    fn verify(self, key: &AnyKey, message: &[u8], signature: &[u8]) -> bool {
        let AnyKey::Public(key) = key else { return false };
        match (self, key) {
            (Self::Pkcs1(hash), PublicKey::Rsa(key)) => rsa_pkcs1(key, hash, message, signature),
            (Self::Pss(hash), PublicKey::Rsa(key)) => rsa_pss(key, hash, Salt::Any, message, signature),
            (Self::Ecdsa(hash), PublicKey::Ec(key)) => ecdsa(key, hash, message, signature),
            (Self::EdDsa, PublicKey::Ed25519(key)) => ed25519(key, message, signature),
            _ => false,
        }
    }
}

/// Verifies a token with the keys that are the second operand.
pub(super) fn verify_with<'e>(ctx: Context<'e>, args: &[Value<'e>], scheme: Scheme) -> Answer<'e> {
    let token = Token::operand(args)?;
    let keys = keys_of(ctx, string(args, 1)?)?;
    let signature = token.signature()?;
    let header = Header::read(token.header(ctx)?)?;
    let verifies = |key: &AnyKey| scheme.verify(key, token.signed.as_bytes(), &signature);
    answer_bool(keys.any_verifies(&header, verifies))
}

/// Verifies a token with the secret that is the second operand; its header is not even read.
pub(super) fn verify_hmac<'e>(args: &[Value<'e>], hash: Hash) -> Answer<'e> {
    let text = string(args, 0)?;
    let secret = string(args, 1)?;
    let token = Token::split(text)?;
    let signature = token.signature()?;
    let code = hmac(hash, secret.as_bytes(), token.signed.as_bytes());
    answer_bool(code.is_some_and(|it| equal_in_constant_time(&it, &signature)))
}
