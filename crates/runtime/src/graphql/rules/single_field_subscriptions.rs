//! A subscription has one field at the top, and not one of introspection.
//!
//! The specification's rule "Single Root Field" (§5.2.3.1, edition of October 2021). Fragments count as what they
//! hold.

use foldhash::{HashSet, HashSetExt};

use crate::go::quote::quote;
use crate::graphql::rules::Checked;
use crate::graphql::tree::{Field, Operation, Selection};
use crate::graphql::validate::Pass;

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    if operation.operation != "subscription" || pass.schema.root("subscription").is_none() {
        return Ok(());
    }
    let mut fields = Vec::new();
    gather(pass, &operation.selections, &mut HashSet::new(), &mut fields)?;
    let mut seen = HashSet::new();
    fields.retain(|it| seen.insert(it.name.as_str()));
    let name = match operation.name.as_str() {
        "" => "Anonymous Subscription".to_owned(),
        name => format!("Subscription {}", quote(name)),
    };
    if let Some(second) = fields.get(1) {
        pass.fault(second.position, format!("{name} must select only one top level field."))?;
    }
    for field in fields.into_iter().filter(|it| it.name.starts_with("__")) {
        pass.fault(field.position, format!("{name} must not select an introspection top level field."))?;
    }
    Ok(())
}

/// Gathers the fields of a selection set and its fragments; a fragment that does not exist ends its set.
fn gather<'a>(
    pass: &mut Pass<'a>,
    selections: &'a [Selection],
    entered: &mut HashSet<&'a str>,
    out: &mut Vec<&'a Field>,
) -> Checked {
    for selection in selections {
        pass.budget.enter()?;
        match selection {
            Selection::Field(field) => out.push(field),
            Selection::Inline(fragment) => gather(pass, &fragment.selections, entered, out)?,
            Selection::Spread(spread) => match pass.fragment_named(&spread.name) {
                None => {
                    pass.budget.leave();
                    return Ok(());
                }
                Some(fragment) => {
                    if entered.insert(fragment.name.as_str()) {
                        gather(pass, &fragment.selections, entered, out)?;
                    }
                }
            },
        }
        pass.budget.leave();
    }
    Ok(())
}
