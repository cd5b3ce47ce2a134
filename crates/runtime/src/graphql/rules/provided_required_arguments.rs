//! Arguments that take no null and have no default must be given.
//!
//! The specification's rule "Required Arguments" (§5.4.2.1, edition of October 2021). Holds for fields and for
//! directives.

use foldhash::HashSet;

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Argument, Directive, Field, FieldDefinition};
use crate::graphql::validate::Pass;

pub(super) fn field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    let Some(definition) = pass.note(field).definition else { return Ok(()) };
    let what = || format!("Field \"{}\"", field.name);
    for argument in missing(pass, &field.arguments, &definition.arguments)? {
        pass.fault(field.position, required(&what(), argument))?;
    }
    Ok(())
}

pub(super) fn directive<'a>(pass: &mut Pass<'a>, directive: &'a Directive) -> Checked {
    let Some(definition) = pass.schema.directive(&directive.name) else { return Ok(()) };
    let what = || format!("Directive \"@{}\"", definition.name);
    for argument in missing(pass, &directive.arguments, &definition.arguments)? {
        pass.fault(directive.position, required(&what(), argument))?;
    }
    Ok(())
}

fn missing<'a>(
    pass: &mut Pass<'a>,
    given: &[Argument],
    expected: &'a [FieldDefinition],
) -> Result<Vec<&'a FieldDefinition>, crate::graphql::limits::Limit> {
    pass.budget.spend(expected.len())?;
    let required = expected.iter().filter(|it| it.ty.non_null && it.default.is_none());
    if expected.is_empty() {
        return Ok(Vec::new());
    }
    let given: HashSet<&str> = given.iter().map(|it| it.name.as_str()).collect();
    Ok(required.filter(|it| !given.contains(it.name.as_str())).collect())
}

fn required(what: &str, argument: &FieldDefinition) -> String {
    let (name, ty) = (&argument.name, &argument.ty);
    format!("{what} argument \"{name}\" of type \"{ty}\" is required, but it was not provided.")
}
