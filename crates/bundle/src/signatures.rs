//! The `.signatures.json` member: one signed token that names every file with its digest.
//!
//! Apart from reading members because a token is judged on its own: who signed it, for which scope, and what it
//! says. Faults are OPA's in cause and words. More is refused than OPA refuses: a header that is none, that names
//! another algorithm than the key's or asks for what we do not know, and a file that is named twice or not at all.

use std::collections::{BTreeMap, BTreeSet};

use lictor_crypto::base64::{Alphabet, Fill, decode};
use lictor_value::{Arena, json};

use crate::error::{BundleError, BundleErrorKind};
use crate::fields::Fields;
use crate::keys;

/// Is the last part of the member's path, wherever it stands.
pub(crate) const FILE_NAME: &str = ".signatures.json";
/// Is the one plugin there is: the signature described here.
pub(crate) const DEFAULT_PLUGIN: &str = "_default";

/// Is a key that signatures are verified with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VerificationKey {
    /// A shared secret, or a public key or certificate in PEM.
    pub key: String,
    /// Name of the algorithm, as tokens write it.
    pub algorithm: String,
    /// What the key is for; empty for anything without a scope.
    pub scope: String,
}

/// Says how a bundle's signature is verified.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verification {
    /// Keys by their identifiers.
    pub keys: BTreeMap<String, VerificationKey>,
    /// The key that counts; if empty, the token says which.
    pub key_id: String,
    /// The scope that the token must have; if empty, the key's counts.
    pub scope: String,
    /// Patterns of files that need no digest.
    pub exclude: Vec<String>,
    /// Takes bundles that are not signed, and verifies those that are.
    pub optional: bool,
    /// Takes deltas, which cannot be signed.
    pub unsigned_deltas: bool,
}

/// Is what a member must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SignedFile {
    pub(crate) hash: String,
    pub(crate) algorithm: String,
}

/// Is the content of `.signatures.json`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Signatures {
    tokens: Vec<String>,
    plugin: String,
}

impl Signatures {
    /// Reads the member; nothing if it says nothing.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, BundleError> {
        let arena = Arena::new();
        let read = || {
            let value = json::read_first(bytes, &arena).map_err(|it| it.to_string())?;
            let fields = Fields::new(value, "SignaturesConfig")?;
            Ok((fields.texts("signatures")?, fields.text("plugin")?))
        };
        let (tokens, plugin) = read().map_err(|message: String| {
            signature_error(format!("bundle load failed on signatures decode: {message}"))
        })?;
        if tokens.is_none() && plugin.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { tokens: tokens.unwrap_or_default(), plugin }))
    }

    /// Verifies the token and returns the files that it names.
    pub(crate) fn verify(
        &self,
        verification: &Verification,
    ) -> Result<BTreeMap<String, SignedFile>, BundleError> {
        if !matches!(self.plugin.as_str(), "" | DEFAULT_PLUGIN) {
            return Err(signature_error(format!("no verifier exists under id {}", self.plugin)));
        }
        let message = match self.tokens.as_slice() {
            [token] => return verified_files(token, verification).map_err(signature_error),
            [] => ".signatures.json: missing JWT (expected exactly one)",
            _ => ".signatures.json: multiple JWTs not supported (expected exactly one)",
        };
        Err(signature_error(message))
    }
}

pub(crate) fn signature_error(message: impl Into<String>) -> BundleError {
    BundleError::new(BundleErrorKind::Signature, message)
}

fn verified_files(token: &str, verification: &Verification) -> Result<BTreeMap<String, SignedFile>, String> {
    let parts: Vec<&str> = token.split('.').collect();
    let [header_text, payload_text, signature_text] = parts.as_slice() else {
        return Err("failed to split compact JWT: jwsbb: invalid number of segments".to_owned());
    };
    let header = Header::read(header_text);
    let mut key_id = verification.key_id.clone();
    if key_id.is_empty() {
        key_id =
            header.as_ref().map_err(|it| format!("failed to extract key ID from headers: {it}"))?.kid()?;
    }
    let payload = part(payload_text).map_err(|it| format!("failed to base64 decode JWT payload: {it}"))?;
    let payload = Payload::read(&payload)?;
    if key_id.is_empty() {
        key_id.clone_from(&payload.key_id);
    }
    if key_id.is_empty() {
        return Err("verification key ID is empty".to_owned());
    }
    let key = verification.keys.get(&key_id);
    let key = key.ok_or_else(|| format!("verification key corresponding to ID {key_id} not found"))?;
    let algorithm = keys::algorithm(&key.algorithm)?;
    let parsed = keys::verification_key(&key.key, algorithm)?;
    let signature =
        part(signature_text).map_err(|it| format!("failed to base64 decode JWT signature: {it}"))?;
    let signed = token.len() - signature_text.len() - 1;
    let message = token.as_bytes().get(..signed).unwrap_or_default();
    if !algorithm.verify(&parsed, message, &signature) {
        return Err(format!("failed to verify JWT signature: {}", keys::mismatch(algorithm)));
    }
    header?.check(&key.algorithm)?;
    let scope = if verification.scope.is_empty() { &key.scope } else { &verification.scope };
    if payload.scope != *scope {
        return Err("scope mismatch".to_owned());
    }
    payload.files()
}

/// Decodes a part of a token. Line ends, which decoding passes over, are no part of one.
fn part(text: &str) -> Result<Vec<u8>, String> {
    if let Some(at) = text.find(['\r', '\n']) {
        return Err(format!("illegal base64 data at input byte {at}"));
    }
    decode(text.as_bytes(), Alphabet::Url, Fill::Raw).map_err(|it| it.to_string())
}

/// Is the first part of a token, as far as it counts here.
struct Header {
    algorithm: Option<String>,
    /// Nothing if there is none; its word if it is no text.
    kid: Option<Result<String, &'static str>>,
    /// Parts that a reader must know, or refuse the token.
    has_critical: bool,
}

impl Header {
    fn read(text: &str) -> Result<Self, String> {
        let bytes = part(text)?;
        let arena = Arena::new();
        let value = json::read(&bytes, &arena).map_err(|it| format!("cannot parse JSON: {it}"))?;
        let object = value.as_object().ok_or("signature header is no object")?;
        let text = |name: &str| object.get_str(name).map(|it| it.as_str().map(str::to_owned));
        let kid = object.get_str("kid").map(|it| match it.as_str() {
            Some(kid) => Ok(kid.to_owned()),
            None => Err(it.kind().name()),
        });
        Ok(Self {
            algorithm: text("alg").flatten(),
            kid,
            has_critical: object.get_str("crit").is_some() || object.get_str("b64").is_some(),
        })
    }

    fn kid(&self) -> Result<String, String> {
        match &self.kid {
            None => Ok(String::new()),
            Some(Ok(kid)) => Ok(kid.clone()),
            Some(Err(kind)) => Err(format!(
                "failed to extract key ID from headers: value doesn't contain string; it contains {kind}"
            )),
        }
    }

    fn check(&self, wanted: &str) -> Result<(), String> {
        self.kid()?;
        if self.has_critical {
            return Err("signature header has critical parameters, which are not supported".to_owned());
        }
        match &self.algorithm {
            Some(named) if named == wanted => Ok(()),
            Some(named) => Err(format!("signature names algorithm `{named}`, the key is for `{wanted}`")),
            None => Err(format!("signature names no algorithm, the key is for `{wanted}`")),
        }
    }
}

/// Is the second part of a token.
struct Payload {
    files: Vec<(String, SignedFile)>,
    key_id: String,
    scope: String,
}

impl Payload {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        use lictor_value::json::JsonErrorKind::{Empty, UnexpectedEnd};
        let arena = Arena::new();
        let value = json::read(bytes, &arena).map_err(|it| match it.kind() {
            Empty | UnexpectedEnd => "unexpected end of JSON input".to_owned(),
            _ => it.to_string(),
        })?;
        let fields = Fields::new(value, "DecodedSignature")?;
        let mut files = Vec::new();
        for file in fields.items("files", "FileInfo", "files.")? {
            let signed = SignedFile { hash: file.text("hash")?, algorithm: file.text("algorithm")? };
            files.push((file.text("name")?, signed));
        }
        let (key_id, scope) = (fields.text("keyid")?, fields.text("scope")?);
        fields.integer("iat", "int64")?;
        fields.text("iss")?;
        Ok(Self { files, key_id, scope })
    }

    /// Returns the files by name; each has one, and its own.
    fn files(self) -> Result<BTreeMap<String, SignedFile>, String> {
        let mut seen = BTreeSet::new();
        for (name, _) in &self.files {
            if name.is_empty() {
                return Err("signature names a file without a name".to_owned());
            }
            if !seen.insert(name.as_str()) {
                return Err(format!("signature names file {name} more than once"));
            }
        }
        Ok(self.files.into_iter().collect())
    }
}
