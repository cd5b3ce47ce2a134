//! Faults of rules that cannot stand beside each other.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::{Diagnostic, Source, Span};

use super::type_error;

pub(crate) fn kinds(source: &Source, span: Span, name: &str) -> Diagnostic {
    type_error(source, span, "conflicting-rules", format!("conflicting rules {name} found"))
        .with_help("rules of one name define one kind of document with one number of arguments")
}

/// Reports rules inside of another one's value: their paths and places.
pub(crate) fn rule_inside(
    source: &Source,
    span: Span,
    name: &str,
    inside: &[(String, String)],
) -> Diagnostic {
    let lines: Vec<String> = inside.iter().map(|(rule, place)| format!("  rule {rule} at {place}")).collect();
    let message = format!("rule {name} conflicts with:\n{}", lines.join("\n"));
    type_error(source, span, "rule-inside-rule", message)
}

pub(crate) fn defaults(source: &Source, span: Span, name: &str, places: &str) -> Diagnostic {
    let message = format!("multiple default rules {name} found at {places}");
    type_error(source, span, "several-defaults", message)
}

pub(crate) fn package(source: &Source, span: Span, package: &str, rule: &str, place: &str) -> Diagnostic {
    let message = format!("{package} conflicts with rule {rule} defined at {place}");
    type_error(source, span, "package-inside-rule", message)
}
