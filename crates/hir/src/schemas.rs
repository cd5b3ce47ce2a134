//! Schemas, as the type checker asks for them: by name, or by the text that stands in an annotation.
//!
//! Apart because schemas are read above this crate: whoever can read one says what type it describes. What annotations
//! say of schemas is in `check`.

use std::{fmt::Debug, sync::Arc};

use crate::types::Type;

/// The type that a schema describes.
#[derive(Clone, Debug)]
pub struct SchemaType {
    /// The type.
    pub ty: Type,
    /// Definitions in it that refer to themselves; they live as long as these.
    pub definitions: Vec<Arc<Type>>,
}

/// Schemas by their names.
pub trait Schemas: Debug + Sync {
    /// Returns what a schema describes: `schema.a.b` has the path `a`, `b`, that of the input is empty. None if there
    /// is no such schema; the fault, in OPA's words, if it is no schema.
    fn named(&self, path: &[&str]) -> Option<Result<SchemaType, String>>;

    /// Tells whether any names are known; if not, annotations with names say nothing.
    fn has_names(&self) -> bool;

    /// Returns what a schema in an annotation describes, or the fault.
    ///
    /// # Errors
    /// The fault, in OPA's words.
    fn inline(&self, text: &str) -> Result<SchemaType, String>;
}
