//! What a generation keeps: values of rules that read no input, computed once and shared by all threads.
//!
//! Apart from the program because it belongs to a state of the data as well. It is filled by whoever computes a value
//! first and never changes after.

use std::sync::OnceLock;

use lictor_value::{Document, Kind, Value};

/// Larger values are computed anew for each evaluation instead of copied.
const KEPT_NODES_MAX: usize = 100_000;

/// Results that hold for one program and one state of the data.
#[derive(Debug)]
pub struct Derived {
    slots: Vec<OnceLock<Option<Document>>>,
}

impl Derived {
    /// Returns an empty table for a program of so many functions.
    #[must_use]
    pub fn new(functions: usize) -> Self {
        Self { slots: (0..functions).map(|_| OnceLock::new()).collect() }
    }

    #[inline]
    pub(crate) fn get(&self, function: u32) -> Option<Option<Value<'_>>> {
        let slot = self.slots.get(function as usize)?.get()?;
        Some(slot.as_ref().map(Document::root))
    }

    /// Keeps a value; says whether it did.
    pub(crate) fn put(&self, function: u32, value: Option<Value<'_>>) -> bool {
        let Some(slot) = self.slots.get(function as usize) else { return false };
        if value.is_some_and(|it| nodes(it, KEPT_NODES_MAX) >= KEPT_NODES_MAX) {
            return false;
        }
        slot.set(value.map(Document::from_value)).is_ok()
    }
}

/// Counts the values inside a value, up to a limit.
fn nodes(value: Value<'_>, limit: usize) -> usize {
    let mut count = 1;
    let mut add = |it: Value<'_>| {
        if count < limit {
            count += nodes(it, limit - count);
        }
    };
    match value.kind() {
        Kind::Array => value.as_array().iter().flat_map(|it| it.iter()).for_each(add),
        Kind::Set => value.as_set().iter().flat_map(|it| it.iter()).for_each(add),
        Kind::Object => value.as_object().iter().flat_map(|it| it.iter()).for_each(|it| {
            add(it.0);
            add(it.1);
        }),
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String => {}
    }
    count
}
