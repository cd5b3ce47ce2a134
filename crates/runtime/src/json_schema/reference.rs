//! References of schemas: URLs whose fragment may be a JSON pointer.
//!
//! Apart from the pool, which knows what they lead to.

use crate::go::url::Url;
use crate::go_text::lossy;

/// A URL or a part of one, with the pointer in its fragment.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    url: Url,
    /// The tokens of the pointer; none if the fragment is no pointer.
    pub(super) tokens: Vec<String>,
}

impl Reference {
    /// Reads a reference.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let url = Url::parse(text)?;
        let fragment = lossy(&url.fragment).into_owned();
        let tokens = match fragment.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(str::to_owned).collect(),
            None => Vec::new(),
        };
        Ok(Self { url, tokens })
    }

    pub(super) fn text(&self) -> String {
        self.url.to_string()
    }

    /// Returns the reference without its fragment.
    pub(super) fn base_text(&self) -> String {
        let mut url = self.url.clone();
        url.drop_fragment();
        url.to_string()
    }

    /// Says whether it names a document by itself.
    pub(super) fn is_canonical(&self) -> bool {
        if self.url.scheme == "file" {
            self.url.path.starts_with(b"/")
        } else {
            !self.url.scheme.is_empty() && !self.url.host.is_empty()
        }
    }

    /// Resolves another reference that stands where this one is the base.
    pub(super) fn resolve(&self, other: &Self) -> Result<Self, String> {
        let mut base = self.url.clone();
        base.drop_fragment();
        Self::read(&base.resolve(&other.url).to_string())
    }
}
