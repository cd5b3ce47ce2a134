//! The merged base data, immutable and shared.
//!
//! A generation holds one; a request sees the same from start to end. Writes make a new one (`write`).

use lictor_value::{Document, Value};

/// Is base data that no longer changes; cloning shares.
#[derive(Clone, Debug)]
pub struct Snapshot {
    document: Document,
    /// How often it was edited since that was gathered.
    edits: u32,
    /// The bytes of the document when it was whole.
    whole_bytes: usize,
}

impl Snapshot {
    /// Returns the snapshot of a document, which must be an object.
    #[must_use]
    pub fn new(document: Document) -> Self {
        let whole_bytes = document.bytes();
        Self { document, edits: 0, whole_bytes }
    }

    pub(crate) fn after(&self, document: Document, edits: u32) -> Self {
        Self { document, edits, whole_bytes: self.whole_bytes }
    }

    pub(crate) fn edits(&self) -> u32 {
        self.edits
    }

    pub(crate) fn whole_bytes(&self) -> usize {
        self.whole_bytes
    }

    /// Returns the snapshot without data.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(Document::empty_object())
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
