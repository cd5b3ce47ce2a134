//! `rego.metadata`: what rules say of themselves is put in their place by the compiler.
//!
//! Who calls one of them here stands in a query, which is no rule. The functions are apart for their declarations.

use crate::builtin::Builtin;
use crate::builtins::operands::Answer;
use crate::error::{BuiltinError, ErrorKind};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::impure("rego.metadata.chain", "-> [any*]", |_, _| outside("rego.metadata.chain")),
    Builtin::impure("rego.metadata.rule", "-> any", |_, _| outside("rego.metadata.rule")),
];

fn outside<'e>(name: &str) -> Answer<'e> {
    let message = format!("the {name} function must only be called within the scope of a rule");
    Err(BuiltinError::new(ErrorKind::Value, message))
}
