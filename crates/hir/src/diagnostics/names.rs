//! Faults of imports and of names that hide `input` and `data`.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::{Diagnostic, Source, Span};

use super::compile_error;

pub(crate) fn duplicate_import(source: &Source, span: Span, first: &str) -> Diagnostic {
    compile_error(source, span, "duplicate-import", format!("import must not shadow {first}"))
        .with_help("give one of them another name with `as`")
}

pub(crate) fn unused_import(source: &Source, span: Span, import: &str) -> Diagnostic {
    compile_error(source, span, "unused-import", format!("{import} unused"))
}

pub(crate) fn shadowing_rule(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("rules must not shadow {name} (use a different rule name)");
    compile_error(source, span, "rule-shadows-root", message)
}

pub(crate) fn shadowing_argument(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("args must not shadow {name} (use a different variable name)");
    compile_error(source, span, "argument-shadows-root", message)
}

pub(crate) fn shadowing_variable(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("variables must not shadow {name} (use a different variable name)");
    compile_error(source, span, "variable-shadows-root", message)
}
