//! Schemas that were built of late, by their text.
//!
//! Apart from the cache of patterns because schemas are large: few are kept, and none of a long text. It belongs to
//! one thread.

use std::sync::Arc;

use crate::graphql::schema::Schema;

/// OPA keeps so many.
const SCHEMAS_MAX: usize = 10;
/// A longer text is built again each time.
const TEXT_BYTES_MAX: usize = 1 << 18;

/// Schemas by their text, the latest use last.
#[derive(Default, Debug)]
pub(crate) struct RecentSchemas {
    schemas: Vec<(Box<str>, Arc<Schema>)>,
}

impl RecentSchemas {
    /// Returns the schema of a text, or builds it; errors are not kept.
    pub(crate) fn get_or_build<E>(
        &mut self,
        text: &str,
        build: impl FnOnce() -> Result<Schema, E>,
    ) -> Result<Arc<Schema>, E> {
        if let Some(found) = self.schemas.iter().position(|it| it.0.as_ref() == text) {
            let entry = self.schemas.remove(found);
            let schema = Arc::clone(&entry.1);
            self.schemas.push(entry);
            return Ok(schema);
        }
        let schema = Arc::new(build()?);
        if text.len() <= TEXT_BYTES_MAX {
            if self.schemas.len() >= SCHEMAS_MAX {
                self.schemas.remove(0);
            }
            self.schemas.push((text.into(), Arc::clone(&schema)));
        }
        Ok(schema)
    }
}
