//! A table of known values in one segment, read by number.
//!
//! Apart from `document` because an engine reads it at every step: one load, no reference count.

use crate::cell::Cell;
use crate::document::{Document, DocumentBuilder};
use crate::raw::Segment;
use crate::value::Value;

/// Values by number; equal strings in them stand once.
#[derive(Debug)]
pub struct Constants {
    document: Document,
    cells: Vec<Cell>,
}

impl Constants {
    /// Copies the values into one table.
    #[must_use]
    pub fn new<'e>(values: impl Iterator<Item = Value<'e>>) -> Self {
        let mut builder = DocumentBuilder::new();
        let cells: Vec<Cell> = values.map(|it| builder.copy(it).0).collect();
        let root = builder.null();
        Self { document: builder.finish(root), cells }
    }

    /// Returns a value by number; `null` if there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, number: u32) -> Value<'_> {
        let segment: &Segment = self.document.segment();
        self.cells.get(number as usize).map_or(Value::NULL, |it| Value::load(segment, *it))
    }

    /// The bytes that the values occupy.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.document.bytes() + self.cells.len() * 8
    }
}
