//! Answers to errands: objects of JSON whose fields are texts and numbers.
//!
//! Apart because each credential reads its own fields. Texts of faults name fields and kinds, never values.

use lictor::{Document, json};

use crate::services::fields::Fields;

/// An answer that was read.
pub(crate) struct Answer(Document);

impl Answer {
    /// Reads an answer.
    ///
    /// # Errors
    ///
    /// What is wrong with it, without what it says.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Err("unexpected end of JSON input".to_owned());
        }
        json::read_document(body).map(Self).map_err(|_| "the answer is no valid JSON".to_owned())
    }

    /// Returns the fields; the owner is Go's type for the object.
    pub(crate) fn fields(&self, owner: &'static str) -> Result<Fields<'_>, String> {
        Fields::outermost(self.0.root(), owner)
    }
}
