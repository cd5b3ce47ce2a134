//! Paths and files as they stand on command lines, with Go's words for the system's faults.
//!
//! Apart because texts of system errors differ from Rust's and users compare them. It reads bytes and knows nothing of
//! what they hold.

use std::fs::File;
use std::io::{self, Read as _};
use std::time::Instant;

use lictor::Document;
use lictor::json::{self, StreamError};

use crate::timers::{DATA_PARSE, Timers};

/// Returns the path of a `file://` address, any other text as it is.
pub(crate) fn clean(path: &str) -> Result<String, String> {
    let Some((scheme, rest)) = path.split_once("://") else {
        return Ok(path.to_owned());
    };
    if scheme != "file" {
        return Err(format!("unsupported URL scheme: {path}"));
    }
    let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Ok(percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned())
}

/// Refuses paths that name another machine.
pub(super) fn check_local(path: &str) -> Result<(), String> {
    match path.as_bytes() {
        [b'/' | b'\\', b'/' | b'\\', ..] => Err(format!("UNC path read is not allowed: {path}")),
        _ => Ok(()),
    }
}

/// Splits `a.b:path` into where its content goes and the path. An address without a prefix has none.
pub(super) fn split_prefix(path: &str) -> (Vec<String>, &str) {
    match path.split_once(':') {
        Some((prefix, rest)) if !prefix.is_empty() && !rest.starts_with("//") => {
            (prefix.split('.').map(str::to_owned).collect(), rest)
        }
        _ => (Vec::new(), path),
    }
}

/// Returns the words of a fault of the system's without the operation.
pub(crate) fn go_error(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Reads a whole file.
pub(crate) fn read_file(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::IsADirectory => format!("read {path}: {}", go_error(&error)),
        _ => format!("open {path}: {}", go_error(&error)),
    })
}

/// Opens a file that is read piece by piece.
pub(super) fn open_file(path: &str) -> Result<File, String> {
    File::open(path).map_err(|error| format!("open {path}: {}", go_error(&error)))
}

/// Reads the whole standard input.
pub(crate) fn read_stdin() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("read stdin: {}", go_error(&error)))?;
    Ok(bytes)
}

/// Reads an input document: JSON, or YAML if it is not.
pub(crate) fn input_document(bytes: &[u8]) -> Result<Document, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match json::read_document(bytes) {
        Ok(document) => Ok(document),
        Err(_) if bytes.is_empty() => json::read_document(b"null").map_err(|error| error.to_string()),
        Err(_) => lictor::document_of_yaml(bytes),
    }
}

/// Reads a JSON file while it comes.
pub(super) fn json_stream(name: &str, mut file: File, timers: &mut Timers) -> Result<Document, String> {
    let start = Instant::now();
    let document = json::stream_document(&mut file).map_err(|error| match error {
        StreamError::Read(error) => format!("read {name}: {}", go_error(&error)),
        StreamError::Json(error) => format!("{name}: {error}"),
    });
    timers.add(DATA_PARSE, start);
    document
}

/// Reads a text that may be JSON.
pub(super) fn json_document(name: &str, bytes: &[u8], timers: &mut Timers) -> Result<Document, String> {
    let start = Instant::now();
    let document = json::read_document(bytes).map_err(|error| format!("{name}: {error}"));
    timers.add(DATA_PARSE, start);
    document
}

/// Reads a YAML file.
pub(super) fn yaml_document(name: &str, bytes: &[u8], timers: &mut Timers) -> Result<Document, String> {
    let start = Instant::now();
    let document = lictor::document_of_yaml(bytes)
        .map_err(|error| format!("{name}: error converting YAML to JSON: {error}"));
    timers.add(DATA_PARSE, start);
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths() {
        assert_eq!(clean("file:///a/b%20c.json").as_deref(), Ok("/a/b c.json"));
        assert_eq!(clean("a/b").as_deref(), Ok("a/b"));
        assert!(clean("http://x/a").is_err());
    }

    #[test]
    fn prefixes_are_split_off() {
        assert_eq!(split_prefix("a.b:c/d"), (vec!["a".to_owned(), "b".to_owned()], "c/d"));
        assert_eq!(split_prefix("c/d"), (Vec::new(), "c/d"));
        assert_eq!(split_prefix(":c"), (Vec::new(), ":c"));
        assert_eq!(split_prefix("file:///c"), (Vec::new(), "file:///c"));
        assert_eq!(split_prefix("a:file:///c"), (vec!["a".to_owned()], "file:///c"));
    }

    #[test]
    fn empty_input_is_null() {
        assert!(input_document(b"").expect("nothing").root().is_null());
    }
}
