//! Schemas for the type checker: one file, or a folder with a file a schema.
//!
//! A file by itself is the schema of the input. In a folder each file counts, whatever its name ends with, and its
//! path without that end names the schema. A schema may be written in YAML.

use std::fs;

use lictor::{SchemaSet, document_of_yaml, json};

use super::files::{folder_names, join};
use super::paths::{clean, go_error, read_file};

/// Folders are not followed deeper.
const DEPTH_MAX: usize = 64;

/// Reads the schemas at a path.
pub(crate) fn read_schemas(path: &str) -> Result<SchemaSet, String> {
    let path = clean(path)?;
    let found = fs::metadata(&path).map_err(|error| format!("stat {path}: {}", go_error(&error)))?;
    let mut set = SchemaSet::new();
    if found.is_dir() {
        add_folder(&path, &mut Vec::new(), &mut set)?;
    } else {
        set.add(&[], read_schema(&path)?);
    }
    Ok(set)
}

fn add_folder(folder: &str, keys: &mut Vec<String>, set: &mut SchemaSet) -> Result<(), String> {
    for name in folder_names(folder)? {
        let path = join(folder, &name);
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
        let stem = match name.rfind('.') {
            Some(at) if !is_folder => name.get(..at).unwrap_or_default(),
            _ => name.as_str(),
        };
        keys.push(stem.to_owned());
        if is_folder && keys.len() <= DEPTH_MAX {
            add_folder(&path, keys, set)?;
        } else if !is_folder {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            set.add(&keys, read_schema(&path)?);
        }
        keys.pop();
    }
    Ok(())
}

/// Returns a schema as JSON.
fn read_schema(path: &str) -> Result<Vec<u8>, String> {
    let bytes = read_file(path)?;
    if json::is_valid(&bytes) {
        return Ok(bytes);
    }
    let document = document_of_yaml(&bytes).map_err(|error| format!("{path}: {error}"))?;
    Ok(document.root().to_json().into_bytes())
}
