//! Introspection must not go through lists of lists of lists: such answers explode.
//!
//! Not a rule of the specification; gqlparser has it against answers that grow without bound. Depth counts the lists
//! of the introspection that hold each other.

use crate::graphql::limits::Limit;
use crate::graphql::rules::Checked;
use crate::graphql::tree::{Field, Selection};
use crate::graphql::validate::Pass;

/// Lists nest less deep.
const LISTS_MAX: u32 = 3;

pub(super) fn field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    if !matches!(field.name.as_str(), "__schema" | "__type") {
        return Ok(());
    }
    if field_too_deep(pass, field, &mut Vec::new(), 0)? {
        pass.fault(field.position, "Maximum introspection depth exceeded".to_owned())?;
    }
    Ok(())
}

fn field_too_deep<'a>(
    pass: &mut Pass<'a>,
    field: &'a Field,
    inside: &mut Vec<&'a str>,
    lists: u32,
) -> Result<bool, Limit> {
    let list = matches!(field.name.as_str(), "fields" | "interfaces" | "possibleTypes" | "inputFields");
    let lists = lists + u32::from(list);
    if list && lists >= LISTS_MAX {
        return Ok(true);
    }
    too_deep(pass, &field.selections, inside, lists)
}

/// Says whether a selection set goes too deep; `inside` are the fragments around it.
fn too_deep<'a>(
    pass: &mut Pass<'a>,
    selections: &'a [Selection],
    inside: &mut Vec<&'a str>,
    lists: u32,
) -> Result<bool, Limit> {
    for selection in selections {
        pass.budget.enter()?;
        let found = match selection {
            Selection::Field(field) => field_too_deep(pass, field, inside, lists)?,
            Selection::Inline(fragment) => too_deep(pass, &fragment.selections, inside, lists)?,
            Selection::Spread(spread) => {
                pass.budget.spend(inside.len())?;
                match pass.spread_fragment(spread).filter(|_| !inside.contains(&spread.name.as_str())) {
                    None => false,
                    Some(fragment) => {
                        inside.push(spread.name.as_str());
                        let found = too_deep(pass, &fragment.selections, inside, lists)?;
                        inside.pop();
                        found
                    }
                }
            }
        };
        pass.budget.leave();
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
