//! A thread's working memory, and the input of a decision.
//!
//! Apart because it is the only mutable thing that a decision needs; each thread owns one. It knows neither policies
//! nor programs.

use std::sync::Arc;

use lictor_runtime::{Host, NullHost};
use lictor_value::Value;
use lictor_vm::{EvalError, MakeInput, Scratch};

/// What one thread needs to decide; reused, so that a warm decision allocates nothing.
pub struct Session {
    pub(crate) scratch: Scratch,
    pub(crate) host: Arc<dyn Host>,
}

impl Session {
    /// Returns a session that asks this host for time, randomness and whether to go on.
    #[must_use]
    pub fn new(host: Arc<dyn Host>) -> Self {
        Self { scratch: Scratch::new(), host }
    }

    /// Asks that decisions note errors of built-ins that only make something undefined. Passes may drop calls that
    /// cannot matter; prepare queries without them to see all errors.
    pub fn collect_builtin_errors(&mut self) {
        self.scratch.collect_builtin_errors();
    }

    /// Returns the errors of built-ins that were noted since they were taken last.
    pub fn take_builtin_errors(&mut self) -> Vec<EvalError> {
        self.scratch.take_builtin_errors()
    }
}

impl Default for Session {
    /// Returns a session whose host has no world: see [`NullHost`].
    fn default() -> Self {
        Self::new(Arc::new(NullHost))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// The input of a decision.
#[derive(Clone, Copy)]
pub enum Input<'r> {
    /// None: references to `input` are undefined.
    Undefined,
    /// JSON text. All of it is validated; only what the policy can read is built.
    Json(&'r [u8]),
    /// A value, of a [`lictor_value::Document`] for example.
    Value(Value<'r>),
    /// Whatever makes the value, of `serde` types for example.
    Make(&'r dyn MakeInput),
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Undefined => "Undefined",
            Self::Json(_) => "Json",
            Self::Value(_) => "Value",
            Self::Make(_) => "Make",
        })
    }
}
