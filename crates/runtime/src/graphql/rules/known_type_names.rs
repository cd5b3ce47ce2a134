//! Variables and fragments must be of types that exist.
//!
//! The specification's rule "Fragment Spread Type Existence" (§5.5.1.2, edition of October 2021). Extended to the
//! types of variables, as gqlparser has it.

use crate::graphql::rules::Checked;
use crate::graphql::schema::SchemaType;
use crate::graphql::suggestion::{near, question};
use crate::graphql::tree::{Fragment, InlineFragment, VariableDefinition};
use crate::graphql::validate::Pass;

pub(super) fn variable<'a>(pass: &mut Pass<'a>, variable: &'a VariableDefinition) -> Checked {
    let name = variable.ty.name();
    if pass.schema.types.get(name).is_some() {
        return Ok(());
    }
    pass.fault(variable.position, unknown(name))
}

pub(super) fn inline_fragment<'a>(pass: &mut Pass<'a>, fragment: &'a InlineFragment) -> Checked {
    let name = &fragment.type_condition;
    if name.is_empty() || pass.schema.types.get(name).is_some() {
        return Ok(());
    }
    pass.fault(fragment.position, unknown(name))
}

pub(super) fn fragment<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment) -> Checked {
    let name = &fragment.type_condition;
    if pass.schema.types.get(name).is_some() {
        return Ok(());
    }
    // OPA proposes types that are equally near in no certain order; here it is that of the names.
    let types = pass.schema.types.sorted();
    let names = near(name, types.into_iter().map(SchemaType::name), &mut pass.budget)?;
    pass.fault(fragment.position, unknown(name) + &question("Did you mean", &names))
}

fn unknown(name: &str) -> String {
    format!("Unknown type \"{name}\".")
}
