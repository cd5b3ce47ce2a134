//! Signs bundles: digests of their members, the token that names them, and the file it stands in.
//!
//! What is written is what OPA writes, field by field, so that each verifies what the other signed. The clock is
//! not asked: a token says when it was made only if its claims do.

use std::collections::BTreeMap;
use std::io::Read;

use lictor_crypto::base64::{Alphabet, Fill, encode};
use lictor_value::{Arena, Document, Value, json};

use crate::error::BundleError;
use crate::hash::{DEFAULT, hex, member_digest};
use crate::keys;
use crate::limits::Limits;
use crate::meter::{Members, Meter};
use crate::reader::{YamlReader, join};
use crate::signatures::{DEFAULT_PLUGIN, FILE_NAME, signature_error};

/// Says with what a bundle is signed.
#[derive(Clone, Debug, Default)]
pub struct Signing {
    /// A shared secret, or a private key in PEM.
    pub key: String,
    /// Name of the algorithm, as tokens write it.
    pub algorithm: String,
    /// What the token says beside the files.
    pub claims: Option<Document>,
    /// Identifier of the key; empty for none.
    pub key_id: String,
    /// Who signs; empty for what is described here, and there is no other.
    pub plugin: String,
}

/// Is a file of a bundle with its digest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileDigest {
    /// The name that signatures know the file by.
    pub name: String,
    /// The digest in hexadecimal digits.
    pub hash: String,
}

impl FileDigest {
    /// Makes the digest of a file.
    ///
    /// # Errors
    ///
    /// The file is JSON or YAML by its name and cannot be read.
    pub fn new(name: &str, bytes: &[u8], yaml: YamlReader) -> Result<Self, BundleError> {
        let hash = member_digest(DEFAULT, name, bytes, yaml).map_err(signature_error)?;
        Ok(Self { name: name.to_owned(), hash: hex(&hash) })
    }
}

/// Makes the digests of all members of a bundle; signatures that are there are passed over.
#[derive(Debug)]
pub struct Digests {
    folder: String,
    yaml: YamlReader,
    meter: Meter,
    files: Vec<FileDigest>,
}

impl Digests {
    /// Returns a list without files. `folder` stands before the names, empty for an archive.
    #[must_use]
    pub fn new(folder: &str, limits: Limits, yaml: YamlReader) -> Self {
        Self { folder: folder.to_owned(), yaml, meter: Meter::new(limits), files: Vec::new() }
    }

    /// Returns the digests in the order that the members came in.
    #[must_use]
    pub fn into_files(self) -> Vec<FileDigest> {
        self.files
    }
}

impl Members for Digests {
    fn wants(&self, path: &str) -> bool {
        path.rsplit('/').next() != Some(FILE_NAME)
    }

    fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    fn add(&mut self, path: &str, content: &mut dyn Read) -> Result<(), BundleError> {
        let bytes = self.meter.read(path, content)?;
        let name = join(&self.folder, path);
        let file = FileDigest::new(name.strip_prefix('/').unwrap_or(&name), &bytes, self.yaml)?;
        self.files.push(file);
        Ok(())
    }
}

/// Signs files and returns the token.
///
/// # Errors
///
/// The key is none or is of another kind than the algorithm, or a claim is of a wrong type.
pub fn sign(files: &[FileDigest], signing: &Signing) -> Result<String, BundleError> {
    if !matches!(signing.plugin.as_str(), "" | DEFAULT_PLUGIN) {
        return Err(signature_error(format!("no signer exists under id {}", signing.plugin)));
    }
    token(files, signing).map_err(signature_error)
}

/// Returns the content of the signatures file. `plugin` is named if it is not empty.
#[must_use]
pub fn signatures_file(token: &str, plugin: &str) -> Vec<u8> {
    let mut text = format!("{{\n \"signatures\": [\n  \"{token}\"\n ]");
    if !plugin.is_empty() {
        text.push_str(&format!(",\n \"plugin\": {}", quoted(plugin)));
    }
    text.push_str("\n}");
    text.into_bytes()
}

fn token(files: &[FileDigest], signing: &Signing) -> Result<String, String> {
    let payload = payload(files, signing)?;
    let algorithm = keys::algorithm(&signing.algorithm)?;
    let key = keys::signing_key(&signing.key, algorithm)?;
    let kid = match signing.key_id.as_str() {
        "" => String::new(),
        id => format!("\"kid\":{},", quoted(id)),
    };
    let header = format!("{{\"alg\":{},{kid}\"typ\":\"JWT\"}}", quoted(&signing.algorithm));
    let part = |bytes: &[u8]| encode(bytes, Alphabet::Url, Fill::Raw);
    let signed = format!("{}.{}", part(header.as_bytes()), part(payload.as_bytes()));
    let signature = algorithm
        .sign(&key, signed.as_bytes())
        .map_err(|it| format!("failed to sign payload with {}: {it}", signing.algorithm))?;
    Ok(format!("{signed}.{}", part(&signature)))
}

/// Returns the token's second part: claims by name, the files among them.
fn payload(files: &[FileDigest], signing: &Signing) -> Result<String, String> {
    let mut claims = BTreeMap::from([("files".to_owned(), files_text(files))]);
    match &signing.claims {
        Some(given) => add_claims(given, &mut claims)?,
        None if signing.key_id.is_empty() => {}
        None => {
            claims.insert("keyid".to_owned(), quoted(&signing.key_id));
        }
    }
    let pairs: Vec<String> = claims.iter().map(|(name, text)| format!("{}:{text}", quoted(name))).collect();
    Ok(format!("{{{}}}", pairs.join(",")))
}

fn files_text(files: &[FileDigest]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for (at, FileDigest { name, hash }) in files.iter().enumerate() {
        // The same path may have been given twice.
        if files.get(..at).is_some_and(|it| it.iter().any(|it| it.name == *name && it.hash == *hash)) {
            continue;
        }
        texts.push(format!("{{\"name\":{},\"hash\":\"{hash}\",\"algorithm\":\"{DEFAULT}\"}}", quoted(name)));
    }
    format!("[{}]", texts.join(","))
}

fn add_claims(given: &Document, claims: &mut BTreeMap<String, String>) -> Result<(), String> {
    let root = given.root();
    if root.is_null() {
        return Ok(());
    }
    let object = root.as_object().ok_or_else(|| {
        let kind = root.kind().name();
        format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
    })?;
    for (name, value) in object.iter() {
        let name = name.as_str().unwrap_or_default().to_owned();
        let text =
            claim(&name, value).ok_or_else(|| format!("failed to set claim {name:?}: invalid value"))?;
        claims.insert(name, text);
    }
    Ok(())
}

/// Returns the text of a claim; those that all tokens know have a form of their own.
fn claim(name: &str, value: Value<'_>) -> Option<String> {
    match name {
        "iss" | "jti" | "sub" => value.as_str().map(quoted),
        "aud" if value.is_string() => Some(format!("[{}]", value.to_json())),
        "aud" => value.as_array()?.iter().all(Value::is_string).then(|| value.to_json()),
        // Seconds since 1970; parts of one are dropped.
        "exp" | "iat" | "nbf" => {
            let text = value.number_text()?.to_string();
            let whole = text.split('.').next()?;
            whole.parse::<i64>().ok().map(|it| it.to_string())
        }
        _ => Some(value.to_json()),
    }
}

fn quoted(text: &str) -> String {
    let mut builder = lictor_value::DocumentBuilder::new();
    let root = builder.string(text);
    builder.finish(root).root().to_json()
}

/// Reads the content of a file of claims.
///
/// # Errors
///
/// The text is no JSON.
pub fn read_claims(bytes: &[u8]) -> Result<Document, BundleError> {
    let arena = Arena::new();
    let value = json::read(bytes, &arena).map_err(|it| signature_error(it.to_string()))?;
    Ok(Document::from_value(value))
}
