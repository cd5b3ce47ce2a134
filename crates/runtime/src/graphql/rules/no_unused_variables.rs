//! A variable must be used.
//!
//! The specification's rule "All Variables Used" (§5.8.4, edition of October 2021). Uses inside fragments count for
//! each operation that spreads them.

use crate::graphql::rules::Checked;
use crate::graphql::tree::Operation;
use crate::graphql::validate::Pass;

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    for variable in &operation.variables {
        if pass.is_used(variable) {
            continue;
        }
        let name = &variable.variable;
        let message = match operation.name.as_str() {
            "" => format!("Variable \"${name}\" is never used."),
            operation => format!("Variable \"${name}\" is never used in operation \"{operation}\"."),
        };
        pass.fault(variable.position, message)?;
    }
    Ok(())
}
