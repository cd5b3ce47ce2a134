//! A variable must be of a type that values can be given for.
//!
//! The specification's rule "Variables Are Input Types" (§5.8.2, edition of October 2021). A type that is not there
//! is another rule's fault.

use crate::graphql::rules::Checked;
use crate::graphql::tree::Operation;
use crate::graphql::validate::Pass;

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    for variable in &operation.variables {
        let ty = pass.schema.types.get(variable.ty.name());
        if ty.is_some_and(|it| !it.kind().is_input()) {
            let (name, ty) = (&variable.variable, &variable.ty);
            pass.fault(
                variable.position,
                format!("Variable \"${name}\" cannot be non-input type \"{ty}\"."),
            )?;
        }
    }
    Ok(())
}
