//! Keeps members back until the bundle's signature has been verified.
//!
//! An archive may carry its signature behind the members, so what comes before is held and nothing of it is read as
//! policy or data until its digest is known to be signed. What comes after is checked one by one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::BundleError;
use crate::hash::{hex, member_digest, unhex};
use crate::patch;
use crate::pattern::name_matches;
use crate::reader::YamlReader;
use crate::signatures::{Signatures, SignedFile, Verification, signature_error};

/// Says what a bundle's signature counts for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// A signature is not looked at.
    #[default]
    Unchecked,
    /// There is no key: signed bundles are refused, as nobody can say whether the signature is right.
    Unsigned,
    /// A signature is verified, and the members must be what was signed.
    Signed(Arc<Verification>),
}

/// Is a member that waits: its path and content.
pub(crate) type Held = (String, Vec<u8>);

/// Is the state of one bundle's verification.
#[derive(Debug)]
pub(crate) struct Guard {
    trust: Trust,
    /// Path of the signatures' member.
    member: Option<String>,
    /// The files that were signed and have not come yet; nothing before the signature was verified.
    files: Option<BTreeMap<String, SignedFile>>,
    held: Vec<Held>,
    /// Whether a delta came that may go unsigned.
    is_delta: bool,
}

impl Guard {
    pub(crate) fn new(trust: Trust) -> Self {
        Self { trust, member: None, files: None, held: Vec::new(), is_delta: false }
    }

    /// Says whether every member counts, also those that nobody reads.
    pub(crate) fn wants_all(&self) -> bool {
        matches!(self.trust, Trust::Signed(_))
    }

    /// Takes the signatures' member and returns what was held, to be checked and taken in turn.
    pub(crate) fn unlock(&mut self, path: &str, bytes: &[u8]) -> Result<Vec<Held>, BundleError> {
        if self.trust == Trust::Unchecked {
            return Ok(Vec::new());
        }
        if let Some(first) = &self.member {
            let message = format!("bundle contains multiple signatures files: {first:?} and {path:?}");
            return Err(signature_error(message));
        }
        self.member = Some(path.to_owned());
        let Some(signatures) = Signatures::read(bytes)? else {
            return Ok(Vec::new());
        };
        let Trust::Signed(verification) = &self.trust else {
            return Err(signature_error("verification key not provided"));
        };
        self.files = Some(signatures.verify(verification)?);
        Ok(std::mem::take(&mut self.held))
    }

    /// Lets a member pass, or holds it. `name` is the one that signatures know it by.
    pub(crate) fn admit(
        &mut self,
        path: &str,
        name: &str,
        bytes: Vec<u8>,
        yaml: YamlReader,
    ) -> Result<Option<Vec<u8>>, BundleError> {
        let Trust::Signed(verification) = &self.trust else {
            return Ok(Some(bytes));
        };
        if path.rsplit('/').next() == Some(patch::FILE_NAME) && !patch::read(&bytes)?.is_empty() {
            if !verification.optional && !verification.unsigned_deltas {
                return Err(signature_error("delta bundles do not support signature verification"));
            }
            self.is_delta = true;
        }
        let Some(files) = &mut self.files else {
            self.held.push((path.to_owned(), bytes));
            return Ok(None);
        };
        let signed = files.remove(name);
        if !verification.exclude.iter().any(|it| name_matches(it, name)) {
            check(name, &bytes, signed.as_ref(), yaml).map_err(signature_error)?;
        }
        Ok(Some(bytes))
    }

    /// Ends the bundle: it was signed if it had to be, and everything signed was there. What still waits of a
    /// bundle that needs no signature comes back.
    pub(crate) fn finish(&mut self) -> Result<Vec<Held>, BundleError> {
        let Trust::Signed(verification) = &self.trust else {
            return Ok(Vec::new());
        };
        let names: Vec<&str> = match &self.files {
            None if verification.optional || self.is_delta => return Ok(std::mem::take(&mut self.held)),
            None => return Err(signature_error("bundle missing .signatures.json file")),
            Some(files) => files.keys().map(String::as_str).collect(),
        };
        if names.is_empty() {
            return Ok(Vec::new());
        }
        Err(signature_error(format!(
            "file(s) [{}] specified in bundle signatures but not found in the target bundle",
            names.join(" ")
        )))
    }
}

fn check(name: &str, bytes: &[u8], signed: Option<&SignedFile>, yaml: YamlReader) -> Result<(), String> {
    let signed = signed.ok_or_else(|| format!("file {name} not included in bundle signature"))?;
    if signed.algorithm.is_empty() {
        return Err(format!("no hashing algorithm provided for file {name}"));
    }
    let got = member_digest(&signed.algorithm, name, bytes, yaml)?;
    let want = unhex(&signed.hash)?;
    if want == got {
        return Ok(());
    }
    Err(format!("{name}: digest mismatch (want: {}, got: {})", hex(&want), hex(&got)))
}
