//! A variable is defined once an operation.
//!
//! The specification's rule "Variable Uniqueness" (§5.8.1, edition of October 2021). Needs nothing of the schema.

use foldhash::{HashMap, HashMapExt};

use crate::graphql::rules::Checked;
use crate::graphql::tree::Operation;
use crate::graphql::validate::Pass;

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for variable in &operation.variables {
        let count = counts.entry(variable.variable.as_str()).or_default();
        *count += 1;
        // Only the second is reported.
        if *count == 2 {
            let message = format!("There can be only one variable named \"${}\".", variable.variable);
            pass.fault(variable.position, message)?;
        }
    }
    Ok(())
}
