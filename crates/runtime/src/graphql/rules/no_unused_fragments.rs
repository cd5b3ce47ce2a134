//! A fragment must be used by an operation, perhaps through another.
//!
//! The specification's rule "Fragments Must Be Used" (§5.5.1.4, edition of October 2021). Needs nothing of the
//! schema.

use foldhash::HashSet;

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Fragment, FragmentSpread};
use crate::graphql::validate::Pass;

/// The fragments used.
#[derive(Default, Debug)]
pub(super) struct Uses<'a> {
    names: HashSet<&'a str>,
    /// Whether the walk over fragments goes on after its first: their spreads no longer count.
    closed: bool,
}

pub(super) fn spread<'a>(pass: &mut Pass<'a>, spread: &'a FragmentSpread) {
    let uses = &mut pass.memory.unused_fragments;
    if !uses.closed {
        uses.names.insert(spread.name.as_str());
    }
}

pub(super) fn fragment<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment) -> Checked {
    let uses = &mut pass.memory.unused_fragments;
    uses.closed = true;
    if uses.names.contains(fragment.name.as_str()) {
        return Ok(());
    }
    pass.fault(fragment.position, format!("Fragment \"{}\" is never used.", fragment.name))
}
