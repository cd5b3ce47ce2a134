//! The checks of directives in a schema: their definitions and their uses.
//!
//! A schema's own rules about directives (§3.13). Directives of queries are held by the rules of queries, which know
//! more places.

use foldhash::{HashSet, HashSetExt};

use crate::graphql::fault::Fault;
use crate::graphql::limits::Budget;
use crate::graphql::schema::{Schema, check_name, definitions};
use crate::graphql::tree::{Directive, DirectiveDefinition, ValueKind, find};

/// Where directives stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    location: &'a str,
    /// The directive whose definition this is.
    inside: Option<&'a str>,
    /// Whether the directives were written at one place, so that only repeatable ones may stand there twice.
    single: bool,
}

impl<'a> Place<'a> {
    /// Returns a place in a text.
    pub(super) fn single(location: &'a str) -> Self {
        Self { location, inside: None, single: true }
    }

    /// Returns the place inside the definition of a directive.
    pub(super) fn inside(self, directive: Option<&'a str>) -> Self {
        Self { inside: directive, ..self }
    }

    /// Returns the places of a type and its extensions together.
    pub(super) fn merged(location: &'a str) -> Self {
        Self { location, inside: None, single: false }
    }
}

/// Checks all definitions.
pub(super) fn check_definitions(schema: &Schema, budget: &mut Budget) -> Result<(), Fault> {
    let mut names: Vec<&str> = schema.directives.keys().map(String::as_str).collect();
    names.sort_unstable();
    for directive in names.into_iter().filter_map(|it| schema.directive(it)) {
        check_name(directive.position, &directive.name)?;
        definitions::check_arguments(schema, &directive.arguments, Some(directive), budget)?;
    }
    Ok(())
}

/// Checks directives where they are used.
pub(super) fn check(
    schema: &Schema,
    directives: &[Directive],
    place: &Place<'_>,
    budget: &mut Budget,
) -> Result<(), Fault> {
    let mut seen: HashSet<&str> = HashSet::new();
    for directive in directives {
        let name = directive.name.as_str();
        let fault = |message: String| Err(Fault::in_schema(directive.position, message));
        budget.spend(1)?;
        check_name(directive.position, name)?;
        if place.inside == Some(name) {
            return fault(format!("Directive {name} cannot refer to itself."));
        }
        let Some(definition) = schema.directive(name) else {
            return fault(format!("Undefined directive {name}."));
        };
        if place.single && !seen.insert(name) && !definition.repeatable {
            return fault(format!("The directive {name} can only be used once at this location."));
        }
        if !definition.locations.iter().any(|it| it == place.location) {
            return fault(format!("Directive {name} is not applicable on {}.", place.location));
        }
        check_arguments(directive, definition, budget)?;
    }
    Ok(())
}

fn check_arguments(
    directive: &Directive,
    definition: &DirectiveDefinition,
    budget: &mut Budget,
) -> Result<(), Fault> {
    let name = &directive.name;
    budget.spend(directive.arguments.len().saturating_mul(definition.arguments.len()))?;
    for argument in &directive.arguments {
        if find(&definition.arguments, &argument.name).is_none() {
            let message = format!("Undefined argument {} for directive {name}.", argument.name);
            return Err(Fault::in_schema(argument.position, message));
        }
    }
    for expected in definition.arguments.iter().filter(|it| it.ty.non_null && it.default.is_none()) {
        let given = find(&directive.arguments, &expected.name);
        if given.is_none_or(|it| it.value.kind == ValueKind::Null) {
            let message = format!("Argument {} for directive {name} cannot be null.", expected.name);
            return Err(Fault::in_schema(directive.position, message));
        }
    }
    Ok(())
}
