//! What the command line says of signatures: the key that verifies bundles and the one that signs them.
//!
//! A key is a file, or the text itself if no file has that name. What keys are and how signing goes is the bundle
//! format's; here are only flags and files.

use std::io::ErrorKind;
use std::sync::Arc;

use lictor_bundle::{Signing, Trust, Verification, VerificationKey, read_claims};

use crate::flags::Parsed;
use crate::load::{go_error, read_file};

/// Returns how the flags say to verify; nothing if they name no key.
pub(crate) fn verification(flags: &Parsed) -> Result<Option<Verification>, String> {
    let given = flags.text("verification-key");
    if given.is_empty() {
        return Ok(None);
    }
    let id = flags.text("verification-key-id").to_owned();
    let scope = flags.text("scope").to_owned();
    let algorithm = flags.text("signing-alg").to_owned();
    let key = VerificationKey { key: key_text(given)?, algorithm, scope: scope.clone() };
    let exclude = flags.list("exclude-files-verify").into_iter().map(str::to_owned).collect();
    let keys = [(id.clone(), key)].into();
    Ok(Some(Verification { keys, key_id: id, scope, exclude, ..Verification::default() }))
}

/// Returns what signatures count for where only flags say it: without a key, signed bundles are refused.
pub(crate) fn trust(verification: Option<Verification>) -> Trust {
    verification.map_or(Trust::Unsigned, |it| Trust::Signed(Arc::new(it)))
}

/// Is what a command line lacks that is to sign.
pub(crate) const INCOMPLETE: &str =
    "specify the secret (HMAC) or path of the PEM file containing the private key (RSA and ECDSA)";

/// Returns how the flags say to sign; nothing if they name no key.
pub(crate) fn signing(flags: &Parsed) -> Result<Option<Signing>, String> {
    let (given, plugin, claims) =
        (flags.text("signing-key"), flags.text("signing-plugin"), flags.text("claims-file"));
    if given.is_empty() {
        let asked = !plugin.is_empty() || !claims.is_empty();
        return if asked { Err(INCOMPLETE.to_owned()) } else { Ok(None) };
    }
    let claims = match claims {
        "" => None,
        path => Some(read_claims(&read_file(path)?).map_err(|error| error.to_string())?),
    };
    let key = if given.starts_with("-----BEGIN") { given.to_owned() } else { key_text(given)? };
    let algorithm = match flags.text("signing-alg") {
        "" => "RS256",
        algorithm => algorithm,
    };
    Ok(Some(Signing {
        key,
        algorithm: algorithm.to_owned(),
        claims,
        plugin: plugin.to_owned(),
        key_id: String::new(),
    }))
}

/// Returns the text of a key: that of a file, or the given one.
fn key_text(given: &str) -> Result<String, String> {
    match std::fs::metadata(given) {
        Ok(_) => read_file(given).map(|it| String::from_utf8_lossy(&it).into_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(given.to_owned()),
        Err(error) => Err(format!("stat {given}: {}", go_error(&error))),
    }
}
