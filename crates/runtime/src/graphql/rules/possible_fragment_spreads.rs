//! A fragment must be on a type that a value there may be.
//!
//! The specification's rule "Fragment Spread Is Possible" (§5.5.2.3, edition of October 2021). Two types fit if some
//! object type is of both.

use foldhash::HashSet;

use crate::graphql::rules::Checked;
use crate::graphql::schema::SchemaType;
use crate::graphql::tree::{DefinitionKind, FragmentSpread, InlineFragment};
use crate::graphql::validate::Pass;

pub(super) fn inline_fragment<'a>(
    pass: &mut Pass<'a>,
    fragment: &'a InlineFragment,
    parent: Option<&'a SchemaType>,
) -> Checked {
    let condition = &fragment.type_condition;
    let Some(parent) = parent else { return Ok(()) };
    if may_be(pass, parent, condition)? {
        return Ok(());
    }
    let message = impossible("Fragment", parent.name(), condition);
    pass.fault(fragment.position, message)
}

pub(super) fn spread<'a>(
    pass: &mut Pass<'a>,
    spread: &'a FragmentSpread,
    parent: Option<&'a SchemaType>,
) -> Checked {
    let (Some(parent), Some(fragment)) = (parent, pass.fragment_named(&spread.name)) else { return Ok(()) };
    if may_be(pass, parent, &fragment.type_condition)? {
        return Ok(());
    }
    let what = format!("Fragment \"{}\"", spread.name);
    let message = impossible(&what, parent.name(), &fragment.type_condition);
    pass.fault(spread.position, message)
}

fn impossible(what: &str, parent: &str, condition: &str) -> String {
    format!(
        "{what} cannot be spread here as objects of type \"{parent}\" can never be of type \"{condition}\"."
    )
}

/// Says whether a value of the type may be of the other; types without fields are another rule's affair.
fn may_be<'a>(
    pass: &mut Pass<'a>,
    parent: &'a SchemaType,
    condition: &str,
) -> Result<bool, crate::graphql::limits::Limit> {
    let types = &pass.schema.types;
    let Some(ty) = types.get(condition).filter(|it| it.kind().is_composite()) else { return Ok(true) };
    match parent.kind() {
        // An object is what it is, whatever else implements it as an interface.
        DefinitionKind::Object => {
            pass.budget.spend(ty.possible.len())?;
            let same = |it: &usize| types.at(*it).is_some_and(|it| it.name() == parent.name());
            Ok(ty.possible.iter().any(same))
        }
        DefinitionKind::Interface | DefinitionKind::Union => {
            if parent.name() == condition && !ty.possible.is_empty() {
                return Ok(true);
            }
            pass.budget.spend(parent.possible.len() + ty.possible.len())?;
            let (few, many) = if parent.possible.len() <= ty.possible.len() {
                (&parent.possible, &ty.possible)
            } else {
                (&ty.possible, &parent.possible)
            };
            let few: HashSet<usize> = few.iter().copied().collect();
            Ok(many.iter().any(|it| few.contains(it)))
        }
        _ => Ok(true),
    }
}
