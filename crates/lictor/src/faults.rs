//! The faults of a policy, as OPA lists them.
//!
//! Apart because it is the error type of three operations. It keeps diagnostics as the stages made them and chooses
//! none.

use std::fmt;

use lictor_syntax::Diagnostic;

/// What is wrong with modules or a query; never empty.
#[derive(Clone, Debug)]
pub struct Faults {
    diagnostics: Vec<Diagnostic>,
}

impl Faults {
    pub(crate) fn new(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics }
    }

    /// The faults, in OPA's order.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&lictor_syntax::diagnostics::list_text(&self.diagnostics))
    }
}

impl std::error::Error for Faults {}
