//! A fragment's name is its own.
//!
//! The specification's rule "Fragment Name Uniqueness" (§5.5.1.1, edition of October 2021). Needs nothing of the
//! schema.

use foldhash::HashSet;

use crate::graphql::rules::Checked;
use crate::graphql::tree::Fragment;
use crate::graphql::validate::Pass;

/// The names seen.
#[derive(Default, Debug)]
pub(super) struct Seen<'a>(HashSet<&'a str>);

pub(super) fn fragment<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment) -> Checked {
    if pass.memory.fragment_names.0.insert(fragment.name.as_str()) {
        return Ok(());
    }
    pass.fault(fragment.position, format!("There can be only one fragment named \"{}\".", fragment.name))
}
