//! A fragment must not hold itself.
//!
//! The specification's rule "Fragment Spreads Must Not Form Cycles" (§5.5.2.2, edition of October 2021). Each cycle
//! is named once, with the way that it goes.

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::graphql::rules::Checked;
use crate::graphql::tree::{Fragment, FragmentSpread, Selection};
use crate::graphql::validate::Pass;

/// The fragments that were followed.
#[derive(Default, Debug)]
pub(super) struct Visited<'a>(HashSet<&'a str>);

/// The way from a fragment to where the search is.
struct Way<'a> {
    spreads: Vec<&'a FragmentSpread>,
    /// Where on the way each fragment on it begins.
    places: HashMap<&'a str, usize>,
}

pub(super) fn fragment<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment) -> Checked {
    follow(pass, fragment, &mut Way { spreads: Vec::new(), places: HashMap::new() })
}

fn follow<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment, way: &mut Way<'a>) -> Checked {
    if !pass.memory.fragment_cycles.0.insert(fragment.name.as_str()) {
        return Ok(());
    }
    let spreads = spreads_in(pass, &fragment.selections)?;
    if spreads.is_empty() {
        return Ok(());
    }
    pass.budget.enter()?;
    way.places.insert(fragment.name.as_str(), way.spreads.len());
    for spread in spreads {
        let begin = way.places.get(spread.name.as_str()).copied();
        way.spreads.push(spread);
        match begin {
            None => {
                if let Some(next) = pass.fragment_named(&spread.name) {
                    follow(pass, next, way)?;
                }
            }
            Some(begin) => report(pass, spread, way.spreads.get(begin..).unwrap_or(&[]))?,
        }
        way.spreads.pop();
    }
    way.places.remove(fragment.name.as_str());
    pass.budget.leave();
    Ok(())
}

/// Reports a cycle that the spread closes.
fn report<'a>(pass: &mut Pass<'a>, spread: &'a FragmentSpread, cycle: &[&FragmentSpread]) -> Checked {
    let between = cycle.split_last().map_or(&[][..], |it| it.1);
    let names: Vec<String> = between.iter().map(|it| format!("\"{}\"", it.name)).collect();
    let via = if names.is_empty() { String::new() } else { format!(" via {}", names.join(", ")) };
    let message = format!("Cannot spread fragment \"{}\" within itself{via}.", spread.name);
    pass.fault(spread.position, message)
}

/// Returns the spreads below a selection set: those of the set itself first, then those of the last set in it.
fn spreads_in<'a>(
    pass: &mut Pass<'a>,
    selections: &'a [Selection],
) -> Result<Vec<&'a FragmentSpread>, crate::graphql::limits::Limit> {
    let mut spreads = Vec::new();
    let mut waiting = vec![selections];
    while let Some(selections) = waiting.pop() {
        pass.budget.spend(selections.len())?;
        for selection in selections {
            match selection {
                Selection::Spread(spread) => spreads.push(spread),
                Selection::Field(field) => waiting.push(&field.selections),
                Selection::Inline(fragment) => waiting.push(&fragment.selections),
            }
        }
    }
    Ok(spreads)
}
