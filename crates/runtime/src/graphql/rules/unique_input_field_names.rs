//! A field of an input object is given once.
//!
//! The specification's rule "Input Object Field Uniqueness" (§5.6.3, edition of October 2021). Needs nothing of the
//! schema.

use foldhash::{HashSet, HashSetExt};

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Value, ValueKind};
use crate::graphql::validate::Pass;

pub(super) fn value<'a>(pass: &mut Pass<'a>, value: &'a Value) -> Checked {
    if value.kind != ValueKind::Object || value.children.len() < 2 {
        return Ok(());
    }
    let mut seen = HashSet::new();
    for child in &value.children {
        if !seen.insert(child.name.as_str()) {
            let message = format!("There can be only one input field named \"{}\".", child.name);
            pass.fault(child.position, message)?;
        }
    }
    Ok(())
}
