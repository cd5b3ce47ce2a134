//! A value must be of the type expected.
//!
//! A type that is not known, a type of one's own scalar, and a variable take any value here.

use std::num::IntErrorKind;

use foldhash::HashSet;

use crate::graphql::rules::Checked;
use crate::graphql::schema::SchemaType;
use crate::graphql::suggestion::{near, question};
use crate::graphql::tree::{DefinitionKind, Type, Value, ValueKind};
use crate::graphql::validate::{Expected, Pass};

pub(super) fn value<'a>(pass: &mut Pass<'a>, value: &'a Value, expected: Expected<'a>) -> Checked {
    let (Some(ty), Some(definition)) = (expected.ty, expected.definition) else { return Ok(()) };
    if value.kind == ValueKind::Null && ty.non_null {
        pass.fault(value.position, format!("Expected value of type \"{ty}\", found {value}."))?;
    }
    let is = |names: &[&str]| names.contains(&definition.name());
    let enumerated = *definition.kind() == DefinitionKind::Enum;
    if *definition.kind() == DefinitionKind::Scalar && !is(&["Int", "Float", "String", "Boolean", "ID"]) {
        return Ok(());
    }
    let unexpected = |pass: &mut Pass<'a>| pass.fault(value.position, mismatch(value, ty, definition));
    if pass.overflows(value) {
        unexpected(pass)?;
    }
    let fits = match value.kind {
        ValueKind::Null | ValueKind::Variable => true,
        ValueKind::List => ty.element.is_some(),
        ValueKind::Int => is(&["Int", "Float", "ID"]),
        ValueKind::Float => is(&["Float"]),
        ValueKind::Boolean => is(&["Boolean"]),
        ValueKind::String | ValueKind::Block if enumerated => {
            let message = format!("Enum \"{ty}\" cannot represent non-enum value: {value}.");
            return near_value(pass, value, definition, message);
        }
        ValueKind::String | ValueKind::Block => is(&["String", "ID"]),
        ValueKind::Enum if !enumerated => false,
        ValueKind::Enum if definition.has_value(&value.raw) => true,
        ValueKind::Enum => {
            let message = format!("Value \"{value}\" does not exist in \"{ty}\" enum.");
            return near_value(pass, value, definition, message);
        }
        ValueKind::Object => return object(pass, value, definition),
    };
    if fits { Ok(()) } else { unexpected(pass) }
}

/// Reports a value, with the values of an enum that are near to it.
fn near_value<'a>(
    pass: &mut Pass<'a>,
    value: &'a Value,
    definition: &'a SchemaType,
    message: String,
) -> Checked {
    let names = definition.definition.values.iter().map(|it| it.name.as_str());
    let names = near(&value.raw, names, &mut pass.budget)?;
    let proposal = question("Did you mean the enum value", &names);
    pass.fault(value.position, message + &proposal)
}

fn object<'a>(pass: &mut Pass<'a>, value: &'a Value, definition: &'a SchemaType) -> Checked {
    let name = definition.name();
    let fields = &definition.definition.fields;
    pass.budget.spend(fields.len())?;
    let given: HashSet<&str> = value.children.iter().map(|it| it.name.as_str()).collect();
    for field in fields.iter().filter(|it| it.ty.non_null && it.default.is_none()) {
        if !given.contains(field.name.as_str()) {
            let (field, ty) = (&field.name, &field.ty);
            let message = format!("Field \"{name}.{field}\" of required type \"{ty}\" was not provided.");
            pass.fault(value.position, message)?;
        }
    }
    for _ in definition.definition.directives.iter().filter(|it| it.name == "oneOf") {
        one_of(pass, value, definition)?;
    }
    for child in &value.children {
        if definition.field(&child.name).is_none() {
            let message = format!("Field \"{}\" is not defined by type \"{name}\".", child.name);
            let names = near(&child.name, fields.iter().map(|it| it.name.as_str()), &mut pass.budget)?;
            pass.fault(child.position, message + &question("Did you mean", &names))?;
        }
    }
    Ok(())
}

/// Checks an object of which exactly one field is given.
fn one_of<'a>(pass: &mut Pass<'a>, value: &'a Value, definition: &'a SchemaType) -> Checked {
    let name = definition.name();
    let [only] = value.children.as_slice() else {
        let message = format!("OneOf Input Object \"{name}\" must specify exactly one key.");
        return pass.fault(value.position, message);
    };
    if only.value.kind != ValueKind::Null {
        return Ok(());
    }
    // The field named is the type's first, whichever was given.
    let first = definition.definition.fields.first().map_or("", |it| it.name.as_str());
    pass.fault(only.value.position, format!("Field \"{name}.{first}\" must be non-null."))
}

fn mismatch(value: &Value, ty: &Type, definition: &SchemaType) -> String {
    let ty = ty.to_string();
    let what = match ty.as_str() {
        "Int" | "Int!" if beyond_32_bits(&value.raw) => {
            "Int cannot represent non 32-bit signed integer value"
        }
        "Int" | "Int!" => "Int cannot represent non-integer value",
        "String" | "String!" | "[String]" => "String cannot represent a non string value",
        "Boolean" | "Boolean!" => "Boolean cannot represent a non boolean value",
        "Float" | "Float!" => "Float cannot represent non numeric value",
        "ID" | "ID!" => "ID cannot represent a non-string and non-integer value",
        _ if *definition.kind() == DefinitionKind::Enum => {
            return format!("Enum \"{ty}\" cannot represent non-enum value: {value}.");
        }
        _ => return format!("Expected value of type \"{ty}\", found {value}."),
    };
    format!("{what}: {value}")
}

fn beyond_32_bits(raw: &str) -> bool {
    let kind = raw.parse::<i32>().map_err(|it| *it.kind());
    matches!(kind, Err(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow))
}
