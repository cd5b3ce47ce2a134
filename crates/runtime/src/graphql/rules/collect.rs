//! What a selection set holds once inline fragments are opened: fields by response name, and spreads.
//!
//! Several rules ask for the fields of a response, so it is worked out here, once. It follows no spread: whoever asks
//! knows which fragments were seen.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use crate::graphql::limits::{Budget, Limit};
use crate::graphql::tree::{Field, FragmentSpread, Selection};
use crate::graphql::validate::Pass;

/// Fields and spreads of a selection set.
#[derive(Default, Debug)]
pub(in crate::graphql) struct Collected<'a> {
    /// The fields of each response name, in the order of the names' first fields.
    pub(super) groups: Vec<Vec<&'a Field>>,
    places: HashMap<&'a str, usize>,
    pub(super) spreads: Vec<&'a FragmentSpread>,
}

impl<'a> Collected<'a> {
    /// Returns the fields of a response name.
    pub(super) fn named(&self, name: &str) -> &[&'a Field] {
        self.places.get(name).and_then(|it| self.groups.get(*it)).map_or(&[], Vec::as_slice)
    }

    /// Says whether the other holds the very same fields.
    pub(super) fn same_fields(&self, other: &Self) -> bool {
        let same = |a: &Vec<&Field>, b: &Vec<&Field>| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| std::ptr::eq(*a, *b))
        };
        self.groups.len() == other.groups.len()
            && self.groups.iter().zip(&other.groups).all(|(a, b)| same(a, b))
    }

    fn add(&mut self, selections: &'a [Selection], budget: &mut Budget) -> Result<(), Limit> {
        budget.spend(selections.len())?;
        for selection in selections {
            match selection {
                Selection::Field(field) => {
                    let fresh = self.groups.len();
                    let place = *self.places.entry(field.response_name()).or_insert(fresh);
                    if place == fresh {
                        self.groups.push(Vec::new());
                    }
                    if let Some(group) = self.groups.get_mut(place) {
                        group.push(field);
                    }
                }
                Selection::Inline(fragment) => self.add(&fragment.selections, budget)?,
                Selection::Spread(spread) => self.spreads.push(spread),
            }
        }
        Ok(())
    }
}

/// Returns what a selection set holds, from memory the second time.
pub(super) fn collect<'a>(
    pass: &mut Pass<'a>,
    selections: &'a [Selection],
) -> Result<Rc<Collected<'a>>, Limit> {
    let address = selections.as_ptr().addr();
    if let Some(known) = pass.collected.get(&address).filter(|_| !selections.is_empty()) {
        return Ok(Rc::clone(known));
    }
    let mut collected = Collected { groups: Vec::new(), places: HashMap::new(), spreads: Vec::new() };
    collected.add(selections, &mut pass.budget)?;
    let collected = Rc::new(collected);
    if !selections.is_empty() {
        pass.collected.insert(address, Rc::clone(&collected));
    }
    Ok(collected)
}
