//! Base documents of several sources, merged into one.

use lictor_value::{Arena, Document, Value, json};

/// Why base data cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct DataError {
    message: String,
}

impl DataError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Reads JSON.
pub(crate) fn read_json(name: &str, bytes: &[u8]) -> Result<Document, DataError> {
    json::read_document(bytes).map_err(|err| DataError::new(format!("{name}: {err}")))
}

/// Reads YAML, of which only one document is taken.
pub(crate) fn read_yaml(name: &str, _bytes: &[u8]) -> Result<Document, DataError> {
    Err(DataError::new(format!("{name}: YAML cannot be read")))
}

/// Puts a document at a path of another one; objects on both sides are merged.
pub(crate) fn merge(base: &Document, path: &[&str], added: &Document) -> Result<Document, DataError> {
    if base.root().collection_len() == Some(0) && path.is_empty() && added.root().as_object().is_some() {
        return Ok(added.clone());
    }
    let arena = Arena::new();
    let mut whole = added.root();
    for name in path.iter().rev() {
        whole = arena.object(&mut vec![(arena.string(name), whole)]);
    }
    let merged = merged(&arena, base.root(), whole, &mut Vec::new())?;
    Ok(Document::from_value(merged))
}

fn merged<'e>(
    arena: &'e Arena,
    base: Value<'e>,
    added: Value<'e>,
    path: &mut Vec<String>,
) -> Result<Value<'e>, DataError> {
    let (Some(left), Some(right)) = (base.as_object(), added.as_object()) else {
        if path.is_empty() {
            return Err(DataError::new("the root of the data must be an object"));
        }
        return Err(DataError::new(format!("conflicting values at `{}`", path.join("/"))));
    };
    let mut changes = Vec::with_capacity(right.len());
    for (key, value) in right.iter() {
        let value = match left.get(key) {
            None => value,
            Some(known) => {
                path.push(key.as_str().map_or_else(|| key.to_json(), str::to_owned));
                let inner = merged(arena, known, value, path)?;
                path.pop();
                inner
            }
        };
        changes.push((key, Some(value)));
    }
    Ok(arena.object_with(base, &changes))
}
