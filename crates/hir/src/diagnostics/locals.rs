//! Faults of local variables: declared twice, too late or for nothing.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::{Diagnostic, Source, Span};

use super::compile_error;
use crate::scope::Occurrence;

pub(crate) fn redeclared(source: &Source, span: Span, name: &str, before: Occurrence) -> Diagnostic {
    let message = match before {
        Occurrence::Argument => format!("arg {name} redeclared"),
        Occurrence::Seen => format!("var {name} referenced above"),
        Occurrence::Assigned => format!("var {name} assigned above"),
        Occurrence::Declared => format!("var {name} declared above"),
    };
    let help = match before {
        Occurrence::Argument => "`=` compares with the argument; another name makes a new variable",
        Occurrence::Seen => "a variable is declared before its first use",
        Occurrence::Assigned | Occurrence::Declared => "a name is declared once in a body; `==` compares",
    };
    compile_error(source, span, "variable-redeclared", message).with_help(help)
}

pub(crate) fn assigned_in_domain(source: &Source, span: Span, name: &str) -> Diagnostic {
    compile_error(source, span, "variable-in-own-domain", format!("var {name} assigned before"))
}

pub(crate) fn unused_declared(source: &Source, span: Span, name: &str) -> Diagnostic {
    compile_error(source, span, "unused-variable", format!("declared var {name} unused"))
        .with_help("use `_` for a value that is not needed")
}

pub(crate) fn unused_assigned(source: &Source, span: Span, name: &str) -> Diagnostic {
    compile_error(source, span, "unused-assignment", format!("assigned var {name} unused"))
}

pub(crate) fn unused_argument(source: &Source, span: Span, name: &str) -> Diagnostic {
    let message = format!("unused argument {name}. (hint: use _ (wildcard variable) instead)");
    compile_error(source, span, "unused-argument", message)
}

/// Refuses `:=` to a term that is no pattern; `kind` is OPA's word for the term.
pub(crate) fn cannot_assign(source: &Source, span: Span, kind: &str) -> Diagnostic {
    compile_error(source, span, "assignment-to-value", format!("cannot assign to {kind}"))
        .with_help("`==` compares two values")
}

/// Refuses `:=` in a place whose variables nobody could see.
pub(crate) fn assigned_inside(source: &Source, span: Span, place: &str) -> Diagnostic {
    compile_error(source, span, "assignment-in-operand", format!("cannot assign vars inside {place}"))
}

pub(crate) fn call_in_arguments(source: &Source, span: Span) -> Diagnostic {
    compile_error(source, span, "call-in-arguments", "rule arguments cannot contain calls")
}

pub(crate) fn called_shadowed(source: &Source, span: Span, callee: &str) -> Diagnostic {
    compile_error(source, span, "shadowed-function", format!("called function {callee} shadowed"))
        .with_help("a variable of the same name hides the function; rename the variable")
}

pub(crate) fn undeclared(source: &Source, span: Span, name: &str) -> Diagnostic {
    compile_error(source, span, "undeclared-variable", format!("var {name} is undeclared"))
}

/// Refuses an operand that a template string cannot show; `kind` is OPA's name of the node.
pub(crate) fn bad_template_part(source: &Source, span: Span, kind: &str) -> Diagnostic {
    let message = format!("unexpected template-string expression type: {kind}");
    compile_error(source, span, "template-part", message)
}
