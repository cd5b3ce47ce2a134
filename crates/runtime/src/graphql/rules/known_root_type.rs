//! The schema must have a root for the sort of operation.
//!
//! The edition of October 2021 leaves it to execution; gqlparser checks it with the rules, and so do we: OPA's users
//! see the fault.

use crate::graphql::rules::Checked;
use crate::graphql::tree::Operation;
use crate::graphql::validate::Pass;

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    let sort = &operation.operation;
    if pass.schema.root(sort).is_some() {
        return Ok(());
    }
    pass.fault(operation.position, format!("Schema does not support operation type \"{sort}\""))
}
