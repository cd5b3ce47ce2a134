//! Keys of a configuration and the `signing` of its bundles: whose signature a bundle must have.
//!
//! Keys alone verify bundles that are signed; a `signing` block, even an empty one, demands a signature. Texts of
//! faults are OPA's.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_bundle::{Trust, Verification, VerificationKey};

use super::{Map, Node};

type Keys = BTreeMap<String, VerificationKey>;

/// Algorithms of bundle signatures.
const ALGORITHMS: [&str; 12] = [
    "ES256", "ES384", "ES512", "HS256", "HS384", "HS512", "PS256", "PS384", "PS512", "RS256", "RS384",
    "RS512",
];
/// The algorithm of a key that names none.
const DEFAULT_ALGORITHM: &str = "RS256";

/// Reads `keys`.
pub(super) fn keys(root: &Map) -> Result<Keys, String> {
    let map = match root.get("keys") {
        None | Some(Node::Null) => return Ok(Keys::new()),
        Some(Node::Map(map)) => map,
        Some(other) => {
            let kind = kind(other);
            return Err(format!(
                "json: cannot unmarshal {kind} into Go value of type map[string]json.RawMessage"
            ));
        }
    };
    map.iter().map(|(id, node)| Ok((id.clone(), key(id, node)?))).collect()
}

fn key(id: &str, node: &Node) -> Result<VerificationKey, String> {
    let empty = Map::new();
    let fields = match node {
        Node::Null => &empty,
        Node::Map(fields) => fields,
        other => {
            return Err(format!("json: cannot unmarshal {} into Go value of type keys.Config", kind(other)));
        }
    };
    let text = |name: &str| text(fields, name, "Config");
    let (key, private, scope) = (text("key")?, text("private_key")?, text("scope")?);
    let mut algorithm = text("algorithm")?;
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

/// Says what the signature of a bundle counts for.
pub(super) fn trust(bundle: &Map, keys: &Keys) -> Result<Trust, String> {
    let signing = match bundle.get("signing") {
        None | Some(Node::Null) => return Ok(unless_signed(keys)),
        Some(Node::Map(map)) => map,
        Some(other) => {
            let kind = kind(other);
            return Err(format!(
                "json: cannot unmarshal {kind} into Go struct field Source.signing of type bundle.VerificationConfig"
            ));
        }
    };
    let text = |name: &str| text(signing, name, "Source.signing");
    let (key_id, scope) = (text("keyid")?, text("scope")?);
    if keys.is_empty() && key_id.is_empty() {
        return Err("no verification keys configured".to_owned());
    }
    if !key_id.is_empty() && !keys.contains_key(&key_id) {
        return Err(format!("key id {key_id} not found"));
    }
    let (exclude, unsigned_deltas) = (exclude(signing)?, unsigned_deltas(signing)?);
    let keys = keys.clone();
    let verification = Verification { keys, key_id, scope, exclude, optional: false, unsigned_deltas };
    Ok(Trust::Signed(Arc::new(verification)))
}

/// Says what signatures count for where nothing is said of signing.
pub(super) fn unless_signed(keys: &Keys) -> Trust {
    if keys.is_empty() {
        return Trust::Unsigned;
    }
    Trust::Signed(Arc::new(Verification { keys: keys.clone(), optional: true, ..Verification::default() }))
}

fn unsigned_deltas(signing: &Map) -> Result<bool, String> {
    match signing.get("allow_unsigned_delta_bundles") {
        None | Some(Node::Null) => Ok(false),
        Some(Node::Bool(allowed)) => Ok(*allowed),
        Some(other) => Err(format!(
            "json: cannot unmarshal {} into Go struct field Source.signing.allow_unsigned_delta_bundles of type bool",
            kind(other)
        )),
    }
}

fn exclude(signing: &Map) -> Result<Vec<String>, String> {
    let wrong = |node: &Node, wanted: &str| {
        let kind = kind(node);
        format!(
            "json: cannot unmarshal {kind} into Go struct field Source.signing.exclude_files of type {wanted}"
        )
    };
    match signing.get("exclude_files") {
        None | Some(Node::Null) => Ok(Vec::new()),
        Some(Node::List(items)) => items
            .iter()
            .map(|it| match it {
                Node::Text(text) => Ok(text.clone()),
                other => Err(wrong(other, "string")),
            })
            .collect(),
        Some(other) => Err(wrong(other, "[]string")),
    }
}

fn text(fields: &Map, name: &str, owner: &str) -> Result<String, String> {
    match fields.get(name) {
        None | Some(Node::Null) => Ok(String::new()),
        Some(Node::Text(text)) => Ok(text.clone()),
        Some(other) => {
            let kind = kind(other);
            Err(format!("json: cannot unmarshal {kind} into Go struct field {owner}.{name} of type string"))
        }
    }
}

fn kind(node: &Node) -> &'static str {
    match node {
        Node::Null => "null",
        Node::Bool(_) => "bool",
        Node::Number(_) => "number",
        Node::Text(_) => "string",
        Node::List(_) => "array",
        Node::Map(_) => "object",
    }
}
