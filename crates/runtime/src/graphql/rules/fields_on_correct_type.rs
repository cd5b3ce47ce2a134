//! A field must be one of its type's.
//!
//! The specification's rule "Field Selections" (§5.3.1, edition of October 2021). The text proposes types and fields
//! that are near, as gqlparser does.

use std::collections::BTreeMap;

use crate::graphql::rules::Checked;
use crate::graphql::schema::SchemaType;
use crate::graphql::suggestion::{near, question};
use crate::graphql::tree::{DefinitionKind, Field};
use crate::graphql::validate::Pass;

pub(super) fn field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    let note = pass.note(field);
    let (Some(parent), None) = (note.parent, note.definition) else { return Ok(()) };
    let name = field.name.as_str();
    let mut message = format!("Cannot query field \"{name}\" on type \"{}\".", parent.name());
    let types = types_with(pass, parent, name)?;
    if !types.is_empty() {
        message.push_str(&question("Did you mean to use an inline fragment on", &types));
    } else if matches!(parent.kind(), DefinitionKind::Object | DefinitionKind::Interface) {
        let names = parent.definition.fields.iter().map(|it| it.name.as_str());
        let names = near(name, names, &mut pass.budget)?;
        message.push_str(&question("Did you mean", &names));
    }
    pass.fault(field.position, message)
}

/// Returns the types that a value of an abstract type may be and that have the field, with their interfaces that
/// have it; interfaces of many come first.
fn types_with<'a>(
    pass: &mut Pass<'a>,
    parent: &'a SchemaType,
    name: &str,
) -> Result<Vec<&'a str>, crate::graphql::limits::Limit> {
    if !parent.kind().is_abstract() {
        return Ok(Vec::new());
    }
    let types = &pass.schema.types;
    let mut found = Vec::new();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for possible in parent.possible.iter().filter_map(|it| types.at(*it)) {
        pass.budget.spend(1)?;
        if possible.field(name).is_none() {
            continue;
        }
        found.push(possible.name());
        for interface in &possible.definition.interfaces {
            pass.budget.spend(1)?;
            if types.get(interface).is_some_and(|it| it.field(name).is_some()) {
                *uses.entry(interface.as_str()).or_default() += 1;
            }
        }
    }
    found.extend(uses.keys());
    let count = |it: &str| uses.get(it).copied().unwrap_or(0);
    found.sort_by(|a, b| count(b).cmp(&count(a)).then(a.cmp(b)));
    Ok(found)
}
