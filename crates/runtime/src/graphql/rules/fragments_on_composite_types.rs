//! A fragment must be on a type with fields.
//!
//! The specification's rule "Fragments On Composite Types" (§5.5.1.3, edition of October 2021). Holds for named and
//! for inline fragments, whose texts differ.

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Fragment, InlineFragment};
use crate::graphql::validate::Pass;

pub(super) fn inline_fragment<'a>(pass: &mut Pass<'a>, fragment: &'a InlineFragment) -> Checked {
    let condition = &fragment.type_condition;
    if !refused(pass, condition) {
        return Ok(());
    }
    let message = format!("Fragment cannot condition on non composite type \"{condition}\".");
    pass.fault(fragment.position, message)
}

pub(super) fn fragment<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment) -> Checked {
    let condition = &fragment.type_condition;
    if !refused(pass, condition) {
        return Ok(());
    }
    let name = &fragment.name;
    let message = format!("Fragment \"{name}\" cannot condition on non composite type \"{condition}\".");
    pass.fault(fragment.position, message)
}

fn refused(pass: &Pass<'_>, condition: &str) -> bool {
    pass.schema.types.get(condition).is_some_and(|it| !it.kind().is_composite())
}
