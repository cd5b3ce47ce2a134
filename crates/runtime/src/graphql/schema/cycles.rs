//! Input objects that hold themselves through fields that take no null: no value could end.
//!
//! The specification's §3.10, "Circular References". Apart from the other checks of types because it follows fields
//! from type to type; each type is visited once.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::go::quote::quote;
use crate::graphql::fault::Fault;
use crate::graphql::schema::{Schema, SchemaType};
use crate::graphql::tree::{DefinitionKind, FieldDefinition};

/// A type on the way, with the fields not followed yet.
struct Step<'a> {
    ty: &'a SchemaType,
    fields: std::slice::Iter<'a, FieldDefinition>,
}

/// Finds the first cycle, type by type in the order of their names.
pub(super) fn check(schema: &Schema) -> Result<(), Fault> {
    let mut visited: HashSet<&str> = HashSet::new();
    for ty in schema.types.sorted() {
        if *ty.kind() == DefinitionKind::InputObject && !visited.contains(ty.name()) {
            follow(schema, ty, &mut visited)?;
        }
    }
    Ok(())
}

/// Follows fields from one type; the way is a list, not calls, since it may be long.
fn follow<'a>(schema: &'a Schema, from: &'a SchemaType, visited: &mut HashSet<&'a str>) -> Result<(), Fault> {
    let mut way: Vec<Step<'a>> = Vec::new();
    // The fields that lead from each type on the way to the next.
    let mut path: Vec<&FieldDefinition> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut next = Some(from);
    loop {
        if let Some(ty) = next.take() {
            visited.insert(ty.name());
            places.insert(ty.name(), path.len());
            way.push(Step { ty, fields: ty.definition.fields.iter() });
        }
        let Some(step) = way.last_mut() else { return Ok(()) };
        let Some(field) = step.fields.next() else {
            places.remove(step.ty.name());
            way.pop();
            path.pop();
            continue;
        };
        let Some(target) = holds(schema, field) else { continue };
        path.push(field);
        if let Some(cycle) = places.get(target.name()).and_then(|it| path.get(*it..)) {
            let names: Vec<&str> = cycle.iter().map(|it| it.name.as_str()).collect();
            let message = format!(
                "Cannot reference Input Object {} within itself through a series of non-null fields: {}.",
                quote(target.name()),
                quote(&names.join("."))
            );
            return Err(Fault::in_schema(cycle.first().and_then(|it| it.position), message));
        }
        if visited.contains(target.name()) {
            path.pop();
        } else {
            next = Some(target);
        }
    }
}

/// Returns the input object that a field cannot be without.
fn holds<'a>(schema: &'a Schema, field: &FieldDefinition) -> Option<&'a SchemaType> {
    if !field.ty.non_null || field.ty.named.is_empty() {
        return None;
    }
    schema.types.get(&field.ty.named).filter(|it| *it.kind() == DefinitionKind::InputObject)
}
