//! The `patch.json` member: the operations of a delta bundle.
//!
//! A bundle with operations is a delta: it has nothing else, and says what is done to data that is already there. Only
//! the form is read here; what operations mean is the store's. Texts of faults are OPA's.

use lictor_value::{Arena, Document, Value, json};

use crate::error::{BundleError, BundleErrorKind};
use crate::fields::Fields;

/// Is the last part of the member's path, wherever it stands.
pub(crate) const FILE_NAME: &str = "patch.json";

/// Is one operation, as it is written.
#[derive(Clone, Debug)]
pub struct PatchOperation {
    /// `upsert`, `replace` or `remove`; others are refused when the bundle is activated.
    pub operation: String,
    /// The way below `data`, keys between slashes.
    pub path: String,
    /// What comes there.
    pub value: Document,
}

/// Reads the member; whatever follows the JSON object is ignored.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<PatchOperation>, BundleError> {
    let fault = |message: String| {
        BundleError::new(BundleErrorKind::Data, format!("bundle load failed on patch decode: {message}"))
    };
    let arena = Arena::new();
    let value = json::read_first(bytes, &arena).map_err(|it| fault(it.to_string()))?;
    operations(value).map_err(fault)
}

fn operations(value: Value<'_>) -> Result<Vec<PatchOperation>, String> {
    let items = Fields::new(value, "Patch")?.items("data", "PatchOperation", "data.")?;
    let operation = |fields: &Fields<'_>| {
        let value = Document::from_value(fields.get("value").unwrap_or(Value::NULL));
        Ok(PatchOperation { operation: fields.text("op")?, path: fields.text("path")?, value })
    };
    items.iter().map(operation).collect()
}

/// Returns the member's text.
#[must_use]
pub fn patch_member(operations: &[PatchOperation]) -> Vec<u8> {
    let mut out = b"{\"data\":[".to_vec();
    let text = |text: &str, out: &mut Vec<u8>| {
        let arena = Arena::new();
        arena.string(text).write_json(out);
    };
    for (at, PatchOperation { operation, path, value }) in operations.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"{\"op\":" } else { b",{\"op\":" });
        text(operation, &mut out);
        out.extend_from_slice(b",\"path\":");
        text(path, &mut out);
        out.extend_from_slice(b",\"value\":");
        value.root().write_json(&mut out);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_and_written() {
        let text =
            r#"{"Data": [{"OP": "upsert", "path": "/a", "value": {"b": [1]}}, {"path": "c"}, null]} rest"#;
        let operations = read(text.as_bytes()).expect("a patch");
        let written = concat!(
            r#"{"data":[{"op":"upsert","path":"/a","value":{"b":[1]}},"#,
            r#"{"op":"","path":"c","value":null},{"op":"","path":"","value":null}]}"#,
            "\n"
        );
        assert_eq!(String::from_utf8_lossy(&patch_member(&operations)), written);
        assert!(read(b"{}").expect("a patch").is_empty());
    }

    #[test]
    fn faults_are_named() {
        for (text, wanted) in [
            ("[]", "json: cannot unmarshal array into Go value of type bundle.Patch"),
            ("{\"data\":", "unexpected EOF"),
            (
                r#"{"data":[{"op":1}]}"#,
                "json: cannot unmarshal number into Go struct field PatchOperation.data.op of type string",
            ),
            (
                r#"{"data":[1]}"#,
                "json: cannot unmarshal number into Go struct field Patch.data of type bundle.PatchOperation",
            ),
        ] {
            let error = read(text.as_bytes()).expect_err("a fault");
            assert_eq!(error.to_string(), format!("bundle load failed on patch decode: {wanted}"));
        }
    }
}
