//! Faults of rules that depend on themselves.

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
