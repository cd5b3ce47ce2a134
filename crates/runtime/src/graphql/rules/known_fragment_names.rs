//! A spread must name a fragment.
//!
//! The specification's rule "Fragment Spread Target Defined" (§5.5.2.1, edition of October 2021). Needs nothing of
//! the schema.

use crate::graphql::rules::Checked;
use crate::graphql::tree::FragmentSpread;
use crate::graphql::validate::Pass;

pub(super) fn spread<'a>(pass: &mut Pass<'a>, spread: &'a FragmentSpread) -> Checked {
    if pass.fragment_named(&spread.name).is_some() {
        return Ok(());
    }
    pass.fault(spread.position, format!("Unknown fragment \"{}\".", spread.name))
}
