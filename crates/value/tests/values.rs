//! Values through the crate's face: JSON text in and out, and edits of documents.
//!
//! One binary, a file a subject. What is inside of a module is tested there.

mod values {
    mod edit;
    mod json;
}
