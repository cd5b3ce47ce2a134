//! A directive that is not repeatable stands at a place once.
//!
//! The specification's rule "Directives Are Unique Per Location" (§5.7.3, edition of October 2021). Whether one may
//! repeat is in its definition.

use foldhash::{HashSet, HashSetExt};

use crate::graphql::rules::Checked;
use crate::graphql::tree::Directive;
use crate::graphql::validate::Pass;

pub(super) fn directives<'a>(pass: &mut Pass<'a>, directives: &'a [Directive]) -> Checked {
    if directives.len() < 2 {
        return Ok(());
    }
    let mut seen = HashSet::new();
    for directive in directives {
        let name = directive.name.as_str();
        let repeatable = pass.schema.directive(name).is_some_and(|it| it.repeatable);
        if !seen.insert(name) && !repeatable {
            let message = format!("The directive \"@{name}\" can only be used once at this location.");
            pass.fault(directive.position, message)?;
        }
    }
    Ok(())
}
