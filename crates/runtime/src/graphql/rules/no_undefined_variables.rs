//! A variable must be one of the operation's.
//!
//! The specification's rule "All Variable Uses Defined" (§5.8.3, edition of October 2021). Uses inside fragments
//! count for each operation that spreads them.

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Value, ValueKind};
use crate::graphql::validate::Pass;

pub(super) fn value<'a>(pass: &mut Pass<'a>, value: &'a Value) -> Checked {
    let Some(operation) = pass.current.filter(|_| value.kind == ValueKind::Variable) else { return Ok(()) };
    if pass.variable_of(value).is_some() {
        return Ok(());
    }
    let message = match operation.name.as_str() {
        "" => format!("Variable \"{value}\" is not defined."),
        name => format!("Variable \"{value}\" is not defined by operation \"{name}\"."),
    };
    pass.fault(value.position, message)
}
