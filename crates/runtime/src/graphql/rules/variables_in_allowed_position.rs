//! A variable must be of a type that fits where it stands.
//!
//! The specification's rule "All Variable Usages Are Allowed" (§5.8.5, edition of October 2021). A default value on
//! either side lets a variable that takes null stand where none is taken.

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Value, ValueKind};
use crate::graphql::validate::{Expected, Pass};

pub(super) fn value<'a>(pass: &mut Pass<'a>, value: &'a Value, expected: Expected<'a>) -> Checked {
    if value.kind == ValueKind::Variable && pass.current.is_some() {
        variable(pass, value, expected)?;
    }
    if value.kind == ValueKind::Object {
        one_of(pass, value, expected)?;
    }
    Ok(())
}

fn variable<'a>(pass: &mut Pass<'a>, value: &'a Value, expected: Expected<'a>) -> Checked {
    let (Some(ty), Some(variable)) = (expected.ty, pass.variable_of(value)) else { return Ok(()) };
    // Where there is a default, on either side, a variable may be null.
    let defaults = variable.default.as_ref().is_some_and(|it| it.kind != ValueKind::Null);
    let non_null = ty.non_null && !defaults && !expected.has_default;
    if variable.ty.fits(ty, non_null) {
        return Ok(());
    }
    let own = &variable.ty;
    let message = format!("Variable \"{value}\" of type \"{own}\" used in position expecting type \"{ty}\".");
    pass.fault(value.position, message)
}

/// Checks variables of an object of which exactly one field is given: none may be null.
fn one_of<'a>(pass: &mut Pass<'a>, value: &'a Value, expected: Expected<'a>) -> Checked {
    let Some(definition) = expected.definition else { return Ok(()) };
    if !definition.definition.directives.iter().any(|it| it.name == "oneOf") {
        return Ok(());
    }
    for child in value.children.iter().filter(|it| it.value.kind == ValueKind::Variable) {
        let Some(variable) = pass.variable_of(&child.value).filter(|it| !it.ty.non_null) else { continue };
        let (own, object, value) = (&variable.ty, definition.name(), &child.value);
        let rule = "must be non-nullable to be used for OneOf Input Object";
        let message = format!("Variable \"{value}\" is of type \"{own}\" but {rule} \"{object}\".");
        pass.fault(variable.position.or(child.value.position), message)?;
    }
    Ok(())
}
