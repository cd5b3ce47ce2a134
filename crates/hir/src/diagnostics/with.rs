//! Faults of `with`: targets that cannot be replaced.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::{Diagnostic, Source, Span};

use super::{compile_error, type_error};

pub(crate) fn bad_target(source: &Source, span: Span) -> Diagnostic {
    let message = "with keyword target must reference existing input, data, or a function";
    type_error(source, span, "with-target", message)
}

pub(crate) fn partial_replacement(source: &Source, span: Span) -> Diagnostic {
    let message = "with keyword cannot partially replace virtual document(s)";
    compile_error(source, span, "with-below-rule", message)
}

pub(crate) fn bad_builtin(source: &Source, span: Span, reason: &str) -> Diagnostic {
    let message = format!("with keyword replacing built-in function: {reason}");
    compile_error(source, span, "with-built-in", message)
}
