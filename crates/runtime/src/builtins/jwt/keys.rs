//! Keys to verify with, from a certificate, a public key in PEM, or JSON.
//!
//! Reading them is dear and their text changes seldom, so what was read is kept by its text, as OPA keeps it.

use std::sync::Arc;

use lictor_crypto::signature::AnyKey;
use lictor_crypto::{parse_pkix, pem, x509};

use crate::builtins::x509::uri_host;
use crate::context::Context;
use crate::error::BuiltinError;

use super::header::Header;
use super::jwk;

/// A key, and what its set says of it; empty means that it says nothing.
#[derive(Debug)]
pub(crate) struct Key {
    pub(super) alg: String,
    pub(super) kid: String,
    /// Nothing for kinds of keys that are read but not known; they verify nothing.
    pub(super) key: Option<AnyKey>,
}

/// The keys of a text, in order.
#[derive(Debug)]
pub(crate) struct KeySet(Vec<Key>);

impl KeySet {
    /// Says whether a key verifies: the one with the token's identifier, or any whose algorithm is the token's
    /// or that names none.
    pub(super) fn any_verifies(&self, header: &Header, verifies: impl Fn(&AnyKey) -> bool) -> bool {
        let verifies = |it: &Key| it.key.as_ref().is_some_and(&verifies);
        let named = self.0.iter().find(|it| !header.kid.is_empty() && it.kid == header.kid);
        if let Some(key) = named {
            return verifies(key);
        }
        self.0.iter().any(|it| (it.alg.is_empty() || it.alg == header.alg) && verifies(it))
    }
}

/// Texts up to this length are kept with their keys.
const TEXT_KEPT_MAX: usize = 1 << 16;

/// Returns the keys of a text.
pub(super) fn keys_of(ctx: Context<'_>, text: &str) -> Result<Arc<KeySet>, BuiltinError> {
    let read = || read(ctx, text).map(KeySet).map_err(BuiltinError::value);
    if text.len() > TEXT_KEPT_MAX {
        return read().map(Arc::new);
    }
    ctx.caches.keys.borrow_mut().get_or_insert(text, read)
}

fn read(ctx: Context<'_>, text: &str) -> Result<Vec<Key>, String> {
    let Some((block, rest)) = pem::next_block(text.as_bytes()) else {
        return jwk::parse_verification_keys(ctx, text);
    };
    if !rest.is_empty() {
        return Err("extra data after a PEM certificate block".to_owned());
    }
    let key = match block.label.as_str() {
        "CERTIFICATE" => {
            x509::parse_certificate(&block.bytes, uri_host)
                .map_err(|it| format!("failed to parse a PEM certificate: {it}"))?
                .public_key
        }
        "PUBLIC KEY" => {
            Some(parse_pkix(&block.bytes).map_err(|it| format!("failed to parse a PEM public key: {it}"))?)
        }
        _ => return Err("failed to extract a Key from the PEM certificate".to_owned()),
    };
    Ok(vec![Key { alg: String::new(), kid: String::new(), key: key.map(AnyKey::Public) }])
}
