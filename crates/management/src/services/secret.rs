//! A text that nobody may see: tokens, passwords, keys.
//!
//! Apart so that what holds one can be shown without a second thought. It leaves this type by [`Secret::expose`]
//! alone, which is easy to look for.

use std::fmt;

/// A text that shows as stars.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the text, for what goes over the wire.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
