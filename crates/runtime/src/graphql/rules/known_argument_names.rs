//! An argument must be one of the field's or the directive's.
//!
//! The specification's rule "Argument Names" (§5.4.1, edition of October 2021). The text proposes names that are
//! near, as gqlparser does.

use crate::graphql::rules::Checked;
use crate::graphql::suggestion::{near, question};
use crate::graphql::tree::{Argument, Directive, Field, FieldDefinition, find};
use crate::graphql::validate::Pass;

pub(super) fn field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    let note = pass.note(field);
    let (Some(definition), Some(parent)) = (note.definition, note.parent) else { return Ok(()) };
    for argument in unknown(&field.arguments, &definition.arguments) {
        let (name, parent) = (&argument.name, parent.name());
        let message = format!("Unknown argument \"{name}\" on field \"{parent}.{}\".", field.name);
        let message = message + &proposal(pass, name, &definition.arguments)?;
        pass.fault(field.position, message)?;
    }
    Ok(())
}

pub(super) fn directive<'a>(pass: &mut Pass<'a>, directive: &'a Directive) -> Checked {
    let Some(definition) = pass.schema.directive(&directive.name) else { return Ok(()) };
    for argument in unknown(&directive.arguments, &definition.arguments) {
        let name = &argument.name;
        let message = format!("Unknown argument \"{name}\" on directive \"@{}\".", directive.name);
        let message = message + &proposal(pass, name, &definition.arguments)?;
        pass.fault(directive.position, message)?;
    }
    Ok(())
}

/// Returns the arguments without a definition. Their number was counted when their values were walked.
fn unknown<'a>(
    arguments: &'a [Argument],
    expected: &'a [FieldDefinition],
) -> impl Iterator<Item = &'a Argument> {
    arguments.iter().filter(|it| find(expected, &it.name).is_none())
}

fn proposal(
    pass: &mut Pass<'_>,
    name: &str,
    expected: &[FieldDefinition],
) -> Result<String, crate::graphql::limits::Limit> {
    let names = near(name, expected.iter().map(|it| it.name.as_str()), &mut pass.budget)?;
    Ok(question("Did you mean", &names))
}
