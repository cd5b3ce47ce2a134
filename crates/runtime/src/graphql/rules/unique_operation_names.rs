//! An operation's name is its own.
//!
//! The specification's rule "Operation Name Uniqueness" (§5.2.1.1, edition of October 2021). Needs nothing of the
//! schema.

use foldhash::HashSet;

use crate::graphql::rules::Checked;
use crate::graphql::tree::Operation;
use crate::graphql::validate::Pass;

/// The names seen.
#[derive(Default, Debug)]
pub(super) struct Seen<'a>(HashSet<&'a str>);

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    if pass.memory.operation_names.0.insert(operation.name.as_str()) {
        return Ok(());
    }
    pass.fault(operation.position, format!("There can be only one operation named \"{}\".", operation.name))
}
