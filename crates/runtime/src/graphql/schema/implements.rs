//! The checks of a type against an interface that it implements.
//!
//! The specification's §3.6.1, `IsValidImplementation`: every field there with a type that is at least as narrow,
//! every argument there with the same type.

use crate::go::quote::quote;
use crate::graphql::fault::Fault;
use crate::graphql::limits::{Budget, Limit};
use crate::graphql::schema::{Schema, SchemaType};
use crate::graphql::tree::{DefinitionKind, FieldDefinition, Type, find};

/// Checks a type against one of its interfaces.
pub(super) fn check(
    schema: &Schema,
    ty: &SchemaType,
    interface: &str,
    budget: &mut Budget,
) -> Result<(), Fault> {
    let position = ty.definition.position;
    let Some(required) = schema.types.get(interface) else {
        return Err(Fault::in_schema(position, format!("Undefined type {}.", quote(interface))));
    };
    if *required.kind() != DefinitionKind::Interface {
        let kind = required.kind().shown();
        let message = format!("{} is a non interface type {kind}.", quote(interface));
        return Err(Fault::in_schema(position, message));
    }
    for field in &required.definition.fields {
        budget.spend(1)?;
        let head = format!("For {} to implement {}", ty.name(), required.name());
        let Some(found) = ty.field(&field.name) else {
            let message = format!("{head} it must have a field called {}.", field.name);
            return Err(Fault::in_schema(position, message));
        };
        if !covariant(schema, &field.ty, &found.ty, budget)? {
            let message = format!("{head} the field {} must have type {}.", field.name, field.ty);
            return Err(Fault::in_schema(found.position, message));
        }
        check_arguments(field, found, &head, budget)?;
    }
    check_ancestors(ty, required, budget)
}

fn check_arguments(
    required: &FieldDefinition,
    found: &FieldDefinition,
    head: &str,
    budget: &mut Budget,
) -> Result<(), Fault> {
    let field = &required.name;
    budget.spend(required.arguments.len().saturating_mul(found.arguments.len()).saturating_mul(2))?;
    for argument in &required.arguments {
        let Some(own) = find(&found.arguments, &argument.name) else {
            let what = format!("it is missing {}", argument.name);
            let message = format!("{head} the field {field} must have the same arguments but {what}.");
            return Err(Fault::in_schema(found.position, message));
        };
        if !argument.ty.fits(&own.ty, own.ty.non_null) {
            let what = format!("{} has the wrong type", argument.name);
            let message = format!("{head} the field {field} must have the same arguments but {what}.");
            return Err(Fault::in_schema(own.position, message));
        }
    }
    for own in &found.arguments {
        if own.ty.non_null && own.default.is_none() && find(&required.arguments, &own.name).is_none() {
            let what = format!("any additional arguments on {} must be optional", found.name);
            let message = format!("{head} {what} or have a default value but {} is required.", own.name);
            return Err(Fault::in_schema(own.position, message));
        }
    }
    Ok(())
}

/// Checks that a type implements what its interface implements.
fn check_ancestors(ty: &SchemaType, interface: &SchemaType, budget: &mut Budget) -> Result<(), Fault> {
    let (name, own) = (ty.name(), &ty.definition.interfaces);
    budget.spend(own.len().saturating_mul(interface.definition.interfaces.len()))?;
    if let Some(ancestor) = interface.definition.interfaces.iter().find(|it| !own.contains(it)) {
        let interface = interface.name();
        let message = if ancestor == name {
            format!("Type {name} cannot implement {interface} because it would create a circular reference.")
        } else {
            format!("Type {name} must implement {ancestor} because it is implemented by {interface}.")
        };
        return Err(Fault::in_schema(ty.definition.position, message));
    }
    Ok(())
}

/// Says whether a field of a type may stand where a field of the other is required.
fn covariant(schema: &Schema, required: &Type, actual: &Type, budget: &mut Budget) -> Result<bool, Limit> {
    if required.non_null && !actual.non_null {
        return Ok(false);
    }
    if required.named.is_empty() {
        return match (&required.element, &actual.element) {
            (Some(required), Some(actual)) => covariant(schema, required, actual, budget),
            _ => Ok(false),
        };
    }
    if required.named == actual.named {
        return Ok(true);
    }
    let possible = schema.types.get(&required.named).map_or(&[][..], |it| &it.possible);
    budget.spend(possible.len())?;
    let named = |it: &usize| schema.types.at(*it).is_some_and(|it| it.name() == actual.named);
    Ok(possible.iter().any(named))
}
