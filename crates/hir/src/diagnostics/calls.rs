//! Faults of calls: unknown, absent, deprecated and void functions, numbers of arguments.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::{Diagnostic, Source, Span, diagnostics::Details};

use super::{compile_error, type_error};

/// The name of the fault that a called function is unknown.
pub(crate) const UNDEFINED: &str = "undefined-function";

pub(crate) fn undefined(source: &Source, span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    let out = type_error(source, span, UNDEFINED, format!("undefined function {name}"));
    match near {
        Some(near) => out.with_help(format!("did you mean `{near}`?")),
        None => out,
    }
}

/// Refuses a call of a function that OPA has and this build does not.
pub(crate) fn not_available(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("built-in function {name} is not available yet");
    type_error(source, span, "built-in-not-available", message)
}

pub(crate) fn arity(source: &Source, span: Span, name: &str, want: usize, have: usize) -> Diagnostic {
    let noun = if have == 1 { "argument" } else { "arguments" };
    let message = format!("function {name} has arity {want}, got {have} {noun}");
    type_error(source, span, "wrong-arity", message)
}

/// Reports how many operands a built-in was given and wants.
pub(crate) fn builtin_arity(source: &Source, span: Span, name: &str, details: Details) -> Diagnostic {
    type_error(source, span, "wrong-arity", format!("{name}: arity mismatch")).with_details(details)
}

pub(crate) fn void_value(source: &Source, span: Span, call: &str) -> Diagnostic {
    type_error(source, span, "void-as-value", format!("{call} used as value"))
}

pub(crate) fn deprecated(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("deprecated built-in function calls in expression: {name}");
    type_error(source, span, "deprecated-built-in", message)
}

pub(crate) fn not_safe(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("unsafe built-in function calls in expression: {name}");
    type_error(source, span, "unsafe-built-in", message)
}

pub(crate) fn relation_in_template(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("illegal call to relation built-in '{name}' that may cause multiple outputs");
    compile_error(source, span, "relation-in-template", message)
}
