//! The checks of a type: its fields, members, values and name.
//!
//! What §3.6 to §3.10 ask of each definition by itself. What two definitions mean to each other is in the files
//! beside this one.

use foldhash::{HashMap, HashMapExt};

use crate::go::quote::quote;
use crate::graphql::fault::Fault;
use crate::graphql::limits::Budget;
use crate::graphql::schema::directives::{self, Place};
use crate::graphql::schema::{Schema, SchemaType, check_name, implements};
use crate::graphql::tree::{DefinitionKind, DirectiveDefinition, FieldDefinition, Type};

/// Checks a type.
pub(super) fn check(schema: &Schema, ty: &SchemaType, budget: &mut Budget) -> Result<(), Fault> {
    let definition = &ty.definition;
    for field in &definition.fields {
        budget.spend(1)?;
        check_name(field.position, &field.name)?;
        check_reference(schema, &field.ty)?;
        check_arguments(schema, &field.arguments, None, budget)?;
        let place = match definition.kind {
            DefinitionKind::InputObject => Place::single("INPUT_FIELD_DEFINITION"),
            _ => Place::single("FIELD_DEFINITION"),
        };
        directives::check(schema, &field.directives, &place, budget)?;
    }
    check_members(schema, ty)?;
    for interface in &definition.interfaces {
        implements::check(schema, ty, interface, budget)?;
    }
    match definition.kind {
        DefinitionKind::Object | DefinitionKind::Interface => check_output(schema, ty)?,
        DefinitionKind::Enum => check_enum(schema, ty, budget)?,
        DefinitionKind::InputObject => check_input(schema, ty)?,
        DefinitionKind::Scalar | DefinitionKind::Union | DefinitionKind::Other(_) => {}
    }
    check_repeated(ty)?;
    if !definition.built_in {
        check_name(definition.position, &definition.name)?;
    }
    // The directives of a type and of its extensions stand in one list, so that repetition is not a fault here.
    directives::check(schema, &definition.directives, &Place::merged(definition.kind.shown()), budget)
}

fn check_reference(schema: &Schema, ty: &Type) -> Result<(), Fault> {
    if schema.types.get(ty.name()).is_none() {
        return Err(Fault::in_schema(ty.position, format!("Undefined type {}.", ty.name())));
    }
    Ok(())
}

/// Checks the arguments of a field, or of the directive given.
pub(super) fn check_arguments(
    schema: &Schema,
    arguments: &[FieldDefinition],
    of: Option<&DirectiveDefinition>,
    budget: &mut Budget,
) -> Result<(), Fault> {
    for argument in arguments {
        budget.spend(1)?;
        check_name(argument.position, &argument.name)?;
        check_reference(schema, &argument.ty)?;
        if let Some(ty) = schema.types.get(argument.ty.name()).filter(|it| !it.kind().is_input()) {
            let message = format!(
                "cannot use {} as argument {} because {} is not a valid input type",
                argument.ty,
                argument.name,
                ty.kind().shown()
            );
            return Err(Fault::in_schema(argument.position, message));
        }
        let place = Place::single("ARGUMENT_DEFINITION").inside(of.map(|it| it.name.as_str()));
        directives::check(schema, &argument.directives, &place, budget)?;
    }
    Ok(())
}

/// Checks the members of a union.
fn check_members(schema: &Schema, ty: &SchemaType) -> Result<(), Fault> {
    let definition = &ty.definition;
    for member in &definition.types {
        let message = match schema.types.get(member).map(SchemaType::kind) {
            Some(DefinitionKind::Object) => continue,
            Some(_) => format!("{} type {} must be OBJECT.", definition.kind.shown(), quote(member)),
            None => format!("Undefined type {}.", quote(member)),
        };
        return Err(Fault::in_schema(definition.position, message));
    }
    Ok(())
}

fn check_output(schema: &Schema, ty: &SchemaType) -> Result<(), Fault> {
    let definition = &ty.definition;
    let head = || format!("{} {}:", definition.kind.shown(), definition.name);
    if definition.fields.is_empty() {
        let message = format!("{} must define one or more fields.", head());
        return Err(Fault::in_schema(definition.position, message));
    }
    for field in &definition.fields {
        let kind = schema.types.get(field.ty.name()).map(SchemaType::kind);
        if kind.is_some_and(|it| !it.is_leaf() && !it.is_composite()) {
            let kinds = "SCALAR, OBJECT, INTERFACE, UNION, ENUM";
            let message = format!("{} field must be one of {kinds}.", head());
            return Err(Fault::in_schema(field.position, message));
        }
    }
    Ok(())
}

fn check_enum(schema: &Schema, ty: &SchemaType, budget: &mut Budget) -> Result<(), Fault> {
    let definition = &ty.definition;
    let head = || format!("{} {}:", definition.kind.shown(), definition.name);
    if definition.values.is_empty() {
        let message = format!("{} must define one or more unique enum values.", head());
        return Err(Fault::in_schema(definition.position, message));
    }
    for value in &definition.values {
        if matches!(value.name.as_str(), "true" | "false" | "null") {
            let message = format!("{} non-enum value {}.", head(), value.name);
            return Err(Fault::in_schema(definition.position, message));
        }
        directives::check(schema, &value.directives, &Place::single("ENUM_VALUE"), budget)?;
    }
    Ok(())
}

fn check_input(schema: &Schema, ty: &SchemaType) -> Result<(), Fault> {
    let definition = &ty.definition;
    if definition.fields.is_empty() {
        let kind = definition.kind.shown();
        let message = format!("{kind} {}: must define one or more input fields.", definition.name);
        return Err(Fault::in_schema(definition.position, message));
    }
    for field in &definition.fields {
        if let Some(ty) = schema.types.get(field.ty.name()).filter(|it| !it.kind().is_input()) {
            let kind = ty.kind().shown();
            let message = format!("{kind} {}: field must be one of SCALAR, ENUM, INPUT_OBJECT.", field.name);
            return Err(Fault::in_schema(field.position, message));
        }
    }
    Ok(())
}

fn check_repeated(ty: &SchemaType) -> Result<(), Fault> {
    let definition = &ty.definition;
    let name = &definition.name;
    if let Some(second) = repeated(definition.fields.iter().map(|it| it.name.as_str()))
        && let Some(field) = definition.fields.get(second)
    {
        let message = format!("Field {name}.{} can only be defined once.", field.name);
        return Err(Fault::in_schema(field.position, message));
    }
    if let Some(second) = repeated(definition.values.iter().map(|it| it.name.as_str()))
        && let Some(value) = definition.values.get(second)
    {
        let message = format!("Enum value {name}.{} can only be defined once.", value.name);
        return Err(Fault::in_schema(value.position, message));
    }
    if let Some(second) = repeated(definition.types.iter().map(String::as_str))
        && let Some(member) = definition.types.get(second)
    {
        let known = definition.type_positions.len() == definition.types.len();
        let own = definition.type_positions.get(second).copied().filter(|_| known);
        let message = format!("Union type {name} can only include type {member} once.");
        return Err(Fault::in_schema(own.or(definition.position), message));
    }
    Ok(())
}

/// Returns where the first name that stands twice is repeated: the second place of the name whose first place comes
/// first.
fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<usize> {
    // The first place of each name, and the second if there is one.
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut found: Option<(usize, usize)> = None;
    for (at, name) in names.enumerate() {
        let first = *places.entry(name).or_insert(at);
        if first != at && found.is_none_or(|it| first < it.0) {
            found = Some((first, at));
        }
    }
    found.map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_repetition_is_that_of_the_first_name() {
        assert_eq!(repeated(["a", "b", "b", "a", "a"].into_iter()), Some(3));
        assert_eq!(repeated(["a", "b"].into_iter()), None);
    }
}
