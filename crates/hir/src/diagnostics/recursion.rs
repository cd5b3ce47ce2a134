//! Faults of rules that depend on themselves.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::{Diagnostic, Source, Span, diagnostics::codes};

pub(crate) fn recursive(source: &Source, span: Span, rule: &str, cycle: &str) -> Diagnostic {
    let message = format!("rule {rule} is recursive: {cycle}");
    Diagnostic::new(codes::RECURSION, "recursive-rule", source, span, message)
}

/// Reports a cycle that a variable may close; `cause` says how.
pub(crate) fn may_be_recursive(
    source: &Source,
    span: Span,
    rule: &str,
    cycle: &str,
    cause: &str,
) -> Diagnostic {
    let message = format!("rule {rule} may be recursive: {cycle}{cause}");
    Diagnostic::new(codes::RECURSION, "possibly-recursive-rule", source, span, message)
}
