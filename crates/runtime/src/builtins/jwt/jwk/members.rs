//! Members of a key's JSON object, each with the faults that the library tells.
//!
//! Apart from what keys are made of: here are types, base64 and the members that every kind may have.

use lictor_crypto::base64::{Alphabet, Fill, decode};
use lictor_crypto::x509;
use lictor_value::{Kind, Value};

use crate::builtins::x509::uri_host;
use crate::go_text::quote;

/// A chain in `x5c` has no more certificates, and none of more bytes.
const CHAIN_MAX: usize = 10;
const CERTIFICATE_BYTES_MAX: usize = 256 * 1024;

/// Every name that is known to stand for an algorithm, for signing or not.
const ALGORITHMS: &[&str] = &[
    "A128CBC-HS256",
    "A128GCM",
    "A128GCMKW",
    "A128KW",
    "A192CBC-HS384",
    "A192GCM",
    "A192GCMKW",
    "A192KW",
    "A256CBC-HS512",
    "A256GCM",
    "A256GCMKW",
    "A256KW",
    "ECDH-ES",
    "ECDH-ES+A128KW",
    "ECDH-ES+A192KW",
    "ECDH-ES+A256KW",
    "ES256",
    "ES256K",
    "ES384",
    "ES512",
    "Ed25519",
    "EdDSA",
    "HS256",
    "HS384",
    "HS512",
    "PBES2-HS256+A128KW",
    "PBES2-HS384+A192KW",
    "PBES2-HS512+A256KW",
    "PS256",
    "PS384",
    "PS512",
    "RS256",
    "RS384",
    "RS512",
    "RSA-OAEP",
    "RSA-OAEP-256",
    "RSA-OAEP-384",
    "RSA-OAEP-512",
    "RSA1_5",
    "dir",
    "none",
];

/// Returns Go's word for the kind of a JSON value.
pub(super) fn go_kind(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Boolean => "bool",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array | Kind::Set => "array",
        Kind::Object => "object",
    }
}

/// The object of a key.
#[derive(Clone, Copy)]
pub(super) struct Members<'e>(pub(super) Value<'e>);

impl<'e> Members<'e> {
    fn get(self, name: &str) -> Option<Value<'e>> {
        self.0.as_object()?.get_str(name)
    }

    /// Returns a text; null counts as the empty one.
    fn text(self, name: &str) -> Result<Option<String>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None if value.is_null() => Ok(Some(String::new())),
            None => Err(format!("json: cannot unmarshal {} into Go value of type string", go_kind(value))),
        }
    }

    /// Returns a member that is base64 of whatever alphabet.
    pub(super) fn bytes(self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let fault = |it: &str| format!("failed to decode value for key {name}: {it}");
        let text = self.text(name).map_err(|it| fault(&format!("error reading next value: {it}")))?;
        let Some(text) = text else { return Ok(None) };
        let fill = if text.ends_with('=') { Fill::Padded } else { Fill::Raw };
        let alphabet = if text.contains(['+', '/']) { Alphabet::Standard } else { Alphabet::Url };
        let bytes = decode(text.as_bytes(), alphabet, fill);
        bytes.map(Some).map_err(|_| fault("expected base64 encoded []byte (string)"))
    }

    /// Returns the private member; where it only exists under a name in other letters it is missing.
    pub(super) fn private(self, is_private: bool, name: &str) -> Result<Option<Vec<u8>>, String> {
        if !is_private {
            return Ok(None);
        }
        self.bytes(name)?.map(Some).ok_or_else(|| format!("required field {name} is missing"))
    }

    pub(super) fn algorithm(self) -> Result<String, String> {
        let fault = |it: &str| format!("failed to decode value for key alg: {it}");
        let Some(name) = self.text("alg").map_err(|it| fault(&it))? else { return Ok(String::new()) };
        if ALGORITHMS.contains(&name.as_str()) {
            return Ok(name);
        }
        let mut shown: String = name.chars().take(64).collect();
        if shown.len() < name.len() {
            shown.push_str("...");
        }
        Err(fault(&format!("invalid key value: {}: invalid key algorithm", quote(&shown))))
    }

    pub(super) fn curve(self) -> Result<Option<String>, String> {
        let fault = |it: &str| format!("failed to decode value for key crv: {it}");
        let name = self.text("crv");
        let name = name.map_err(|it| fault(&format!("failed to unmarshal EllipticCurveAlgorithm: {it}")))?;
        match name.as_deref() {
            None | Some("Ed25519" | "Ed448" | "P-256" | "P-384" | "P-521" | "X25519" | "X448") => Ok(name),
            Some(other) => Err(fault(&format!("unknown EllipticCurveAlgorithm: {}", quote(other)))),
        }
    }

    /// Checks the members that every kind may have; returns the identifier.
    pub(super) fn rest(self, kty: &str) -> Result<String, String> {
        let text = |name: &str| {
            let text = self.text(name);
            text.map_err(|it| {
                format!("failed to decode value for key {name}: error reading next value: {it}")
            })
        };
        let kid = text("kid")?.unwrap_or_default();
        self.operations().map_err(|it| format!("failed to decode value for key key_ops: {it}"))?;
        if let Some(own) = self.get("kty").and_then(|it| it.as_str().map(str::to_owned))
            && own != kty
        {
            return Err(format!("invalid kty value for {kty} key ({own})"));
        }
        text("use")?;
        self.chain().map_err(|it| format!("failed to decode value for key x5c: {it}"))?;
        for name in ["x5t", "x5t#S256", "x5u"] {
            text(name)?;
        }
        Ok(kid)
    }

    fn operations(self) -> Result<(), String> {
        let Some(value) = self.get("key_ops").filter(|it| !it.is_null()) else { return Ok(()) };
        let unfit = |it: Value<'_>, ty: &str| {
            Err(format!("json: cannot unmarshal {} into Go value of type {ty}", go_kind(it)))
        };
        let Some(list) = value.as_array() else { return unfit(value, "jwk.KeyOperationList") };
        let wrong = list.iter().find(|it| !it.is_string() && !it.is_null());
        wrong.map_or(Ok(()), |it| unfit(it, "jwk.KeyOperation"))
    }

    /// Reads the certificates that come with a key; the key does not come from them.
    fn chain(self) -> Result<(), String> {
        let Some(value) = self.get("x5c") else { return Ok(()) };
        let Some(list) = value.as_array() else {
            return Err("failed to unmarshal certificate chain: expected JSON array".to_owned());
        };
        if list.len() > CHAIN_MAX {
            return Err(format!(
                "failed to unmarshal certificate chain: certificate chain length {} exceeds limit {CHAIN_MAX}",
                CHAIN_MAX + 1
            ));
        }
        for (at, it) in list.iter().enumerate() {
            certificate(it).map_err(|it| format!("failed to decode certificate at index {at}: {it}"))?;
        }
        Ok(())
    }
}

fn certificate(value: Value<'_>) -> Result<(), String> {
    let Some(text) = value.as_str() else {
        return Err(format!("json: cannot unmarshal {} into Go value of type string", go_kind(value)));
    };
    let is_space = |it: &u8| matches!(it, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c);
    let text: Vec<u8> = text.bytes().filter(|it| !is_space(it)).collect();
    let der = decode(&text, Alphabet::Standard, Fill::Padded)
        .map_err(|it| format!("failed to base64 decode the certificate: {it}"))?;
    if der.len() > CERTIFICATE_BYTES_MAX {
        return Err(format!("certificate size {} exceeds limit {CERTIFICATE_BYTES_MAX}", der.len()));
    }
    x509::parse_certificate(&der, uri_host)
        .map(|_| ())
        .map_err(|it| format!("failed to parse x509 certificate: {it}"))
}
