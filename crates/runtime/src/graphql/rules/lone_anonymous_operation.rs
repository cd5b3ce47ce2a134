//! An operation without a name must be alone.
//!
//! The specification's rule "Lone Anonymous Operation" (§5.2.2.1, edition of October 2021). Needs nothing of the
//! schema.

use crate::graphql::rules::Checked;
use crate::graphql::tree::Operation;
use crate::graphql::validate::Pass;

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    if !operation.name.is_empty() || pass.document.operations.len() <= 1 {
        return Ok(());
    }
    let message = "This anonymous operation must be the only defined operation.";
    pass.fault(operation.position, message.to_owned())
}
