//! An argument is given once.
//!
//! The specification's rule "Argument Uniqueness" (§5.4.2, edition of October 2021). Holds for fields and for
//! directives; needs nothing of the schema.

use foldhash::{HashMap, HashMapExt};

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Argument, Directive, Field};
use crate::graphql::validate::Pass;

pub(super) fn field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    check(pass, &field.arguments)
}

pub(super) fn directive<'a>(pass: &mut Pass<'a>, directive: &'a Directive) -> Checked {
    check(pass, &directive.arguments)
}

fn check<'a>(pass: &mut Pass<'a>, arguments: &'a [Argument]) -> Checked {
    if arguments.len() < 2 {
        return Ok(());
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for argument in arguments {
        let count = counts.entry(argument.name.as_str()).or_default();
        *count += 1;
        // Only the second is reported.
        if *count == 2 {
            let message = format!("There can be only one argument named \"{}\".", argument.name);
            pass.fault(argument.position, message)?;
        }
    }
    Ok(())
}
