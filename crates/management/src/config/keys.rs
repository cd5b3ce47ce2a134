//! Keys of a configuration and the `signing` of its bundles: whose signature a bundle must have.
//!
//! Keys alone verify bundles that are signed; a `signing` block, even an empty one, demands a signature. Texts of
//! faults are OPA's.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor::Value;
use lictor::bundle::{Trust, Verification, VerificationKey};

use super::{Fields, kind, member};

/// Keys that verify, by their identifiers.
pub type Keys = BTreeMap<String, VerificationKey>;

/// Algorithms of bundle signatures.
const ALGORITHMS: [&str; 12] = [
    "ES256", "ES384", "ES512", "HS256", "HS384", "HS512", "PS256", "PS384", "PS512", "RS256", "RS384",
    "RS512",
];
/// The algorithm of a key that names none.
const DEFAULT_ALGORITHM: &str = "RS256";

/// Reads `keys` of a configuration.
///
/// # Errors
///
/// A key is none, or names an algorithm that does not verify bundles.
pub fn keys(root: Value<'_>) -> Result<Keys, String> {
    let Some(value) = member(root, "keys") else { return Ok(Keys::new()) };
    let map = value.as_object().ok_or_else(|| {
        format!("json: cannot unmarshal {} into Go value of type map[string]json.RawMessage", kind(value))
    })?;
    let named = |(id, it): (Value<'_>, Value<'_>)| {
        let id = id.as_str().unwrap_or_default();
        Ok((id.to_owned(), key(id, it)?))
    };
    map.iter().map(named).collect()
}

fn key(id: &str, value: Value<'_>) -> Result<VerificationKey, String> {
    let fields = Fields::new(value, "Config", "keys.Config")?;
    let (key, private, scope) = (fields.text("key")?, fields.text("private_key")?, fields.text("scope")?);
    let mut algorithm = fields.text("algorithm")?;
    if key.is_empty() && private.is_empty() {
        return Err(format!("invalid keys configuration: no keys provided for key ID {id}"));
    }
    if algorithm.is_empty() {
        DEFAULT_ALGORITHM.clone_into(&mut algorithm);
    }
    if !ALGORITHMS.contains(&algorithm.as_str()) {
        return Err(format!("unsupported algorithm '{algorithm}'"));
    }
    Ok(VerificationKey { key, algorithm, scope })
}

/// Says what the signature of a bundle counts for, by the bundle's own part of the configuration.
///
/// # Errors
///
/// The `signing` of the bundle is none, or names a key that is not there.
pub fn trust(bundle: Value<'_>, keys: &Keys) -> Result<Trust, String> {
    if member(bundle, "signing").is_none() {
        return Ok(unless_signed(keys));
    }
    let source = Fields::new(bundle, "Source", "bundle.Source")?;
    let signing = source.below("signing", "Source.signing", "bundle.VerificationConfig")?;
    let (key_id, scope) = (signing.text("keyid")?, signing.text("scope")?);
    if keys.is_empty() && key_id.is_empty() {
        return Err("no verification keys configured".to_owned());
    }
    if !key_id.is_empty() && !keys.contains_key(&key_id) {
        return Err(format!("key id {key_id} not found"));
    }
    let exclude = signing.texts("exclude_files")?;
    let unsigned_deltas = signing.flag("allow_unsigned_delta_bundles")?;
    let keys = keys.clone();
    let verification = Verification { keys, key_id, scope, exclude, optional: false, unsigned_deltas };
    Ok(Trust::Signed(Arc::new(verification)))
}

/// Says what signatures count for where nothing is said of signing.
#[must_use]
pub fn unless_signed(keys: &Keys) -> Trust {
    if keys.is_empty() {
        return Trust::Unsigned;
    }
    Trust::Signed(Arc::new(Verification { keys: keys.clone(), optional: true, ..Verification::default() }))
}
