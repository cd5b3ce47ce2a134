//! The merged base data, immutable and shared.
//!
//! A generation holds one; a request sees the same from start to end. Writes make a new one (there are none yet
//! but a whole replacement).

use lictor_value::{Document, Value};

/// Is base data that no longer changes; cloning shares.
#[derive(Clone, Debug)]
pub struct Snapshot {
    document: Document,
}

impl Snapshot {
    pub(crate) fn new(document: Document) -> Self {
        Self { document }
    }

    /// Returns the snapshot without data.
    #[must_use]
    pub fn empty() -> Self {
        Self { document: Document::empty_object() }
    }

    /// Returns the tree.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        self.document.root()
    }

    /// Returns the tree as a document, which shares it.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Says whether there is a value at a path below `data`; a scalar above it counts as none.
    #[must_use]
    pub fn holds(&self, path: &[&str]) -> bool {
        let mut value = self.root();
        for key in path {
            let Some(below) = value.as_object().and_then(|it| it.get_str(key)) else {
                return false;
            };
            value = below;
        }
        true
    }
}
