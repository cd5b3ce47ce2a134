//! Why a document cannot be added to the base data.
//!
//! The path is part of the error, so that a loader can name the two files that contradict.

use std::fmt;

/// Says what is wrong with a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataErrorKind {
    /// The document at the root is no object.
    RootNotObject,
    /// A key of an object is no string, which `data` cannot hold.
    KeyNotString,
    /// Two sources give the same path a value, and not both are objects.
    Conflict,
}

/// Is a refusal of a document; the data is as it was before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataError {
    kind: DataErrorKind,
    path: Vec<String>,
}

impl DataError {
    pub(crate) fn new(kind: DataErrorKind, path: Vec<String>) -> Self {
        Self { kind, path }
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn kind(&self) -> DataErrorKind {
        self.kind
    }

    /// Returns the path below `data` at which it is wrong.
    #[must_use]
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// Returns the path as Rego writes it: `data.a["b c"]`.
    #[must_use]
    pub fn reference(&self) -> String {
        let mut out = b"data".to_vec();
        for key in &self.path {
            if is_plain(key) {
                out.push(b'.');
                out.extend_from_slice(key.as_bytes());
            } else {
                out.push(b'[');
                lictor_value::write_string(key, &mut out, false);
                out.push(b']');
            }
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            DataErrorKind::RootNotObject => f.write_str("root value must be object"),
            DataErrorKind::KeyNotString => {
                write!(f, "an object at {} has a key that is no string", self.reference())
            }
            DataErrorKind::Conflict => write!(f, "conflicting values at {}", self.reference()),
        }
    }
}

impl std::error::Error for DataError {}

fn is_plain(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes.next().is_some_and(|it| it == b'_' || it.is_ascii_alphabetic())
        && bytes.all(|it| it == b'_' || it.is_ascii_alphanumeric())
}
