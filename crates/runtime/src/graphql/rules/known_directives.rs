//! A directive must be defined, and for the place where it stands.
//!
//! The specification's rule "Directives Are Defined, In Valid Locations" (§5.7.1, §5.7.2, edition of October 2021). A
//! directive that is wrong at one place is named once, however often it stands there.

use foldhash::HashSet;

use crate::graphql::fault::Position;
use crate::graphql::rules::Checked;
use crate::graphql::validate::{DirectiveUse, Pass};

/// The uses that were reported; a fragment is walked several times.
#[derive(Default, Debug)]
pub(super) struct Reported<'a>(HashSet<(&'a str, i32, i32)>);

pub(super) fn directive<'a>(pass: &mut Pass<'a>, used: DirectiveUse<'a>) -> Checked {
    let DirectiveUse { directive, location } = used;
    let Some(definition) = pass.schema.directive(&directive.name) else {
        return pass.fault(directive.position, format!("Unknown directive \"@{}\".", directive.name));
    };
    if definition.locations.iter().any(|it| it == location) {
        return Ok(());
    }
    let Position { line, column, .. } = directive.position.unwrap_or_default();
    if !pass.memory.known_directives.0.insert((directive.name.as_str(), line, column)) {
        return Ok(());
    }
    let message = format!("Directive \"@{}\" may not be used on {location}.", directive.name);
    pass.fault(directive.position, message)
}
