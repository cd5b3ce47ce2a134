//! Faults of safety: variables that nothing binds.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::{Diagnostic, Source, Span, diagnostics::codes};

/// Names that are keywords once imported.
const KEYWORDS: [&str; 7] = ["contains", "every", "if", "in", "and", "or", "not"];

/// Reports a variable; `scope` is ` in rule …` where the place alone does not tell the rule.
pub(crate) fn unsafe_var(source: &Source, span: Span, name: &str, scope: &str) -> Diagnostic {
    let mut message = format!("var {name} is unsafe{scope}");
    if KEYWORDS.contains(&name) {
        message.push_str(&format!(" (hint: `import future.keywords.{name}` to import a future keyword)"));
    }
    Diagnostic::new(codes::UNSAFE_VAR, "unsafe-variable", source, span, message)
        .with_help("something that is neither negated nor an argument of a built-in must give it a value")
}

pub(crate) fn unsafe_head_var(source: &Source, span: Span, name: &str, scope: &str) -> Diagnostic {
    let message = format!("var {name} is unsafe{scope}");
    Diagnostic::new(codes::UNSAFE_VAR, "unsafe-variable", source, span, message)
        .with_help("the body must give it a value")
}

pub(crate) fn unsafe_expression(source: &Source, span: Span, scope: &str) -> Diagnostic {
    let message = format!("expression is unsafe{scope}");
    Diagnostic::new(codes::UNSAFE_VAR, "unsafe-expression", source, span, message)
}
