//! Fields of one response name must be the same, so that one value can answer them all.
//!
//! Fields of a selection set are compared with each other, with those of the fragments that it spreads, and those of
//! fragments with each other; and so on below each pair of fields. The order, and what is remembered as compared,
//! are those of OPA's library: they decide which conflicts are named. The work can be exponential; the budget of
//! the pass ends it.

use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::graphql::fault::Position;
use crate::graphql::limits::Limit;
use crate::graphql::rules::Checked;
use crate::graphql::rules::collect::{Collected, collect};
use crate::graphql::schema::Schema;
use crate::graphql::tree::{
    Argument, Child, DefinitionKind, Field, Fragment, FragmentSpread, InlineFragment, Operation, Selection,
    Type, Value, ValueKind,
};
use crate::graphql::validate::Pass;

/// The steps that comparing two fields costs, without what is below them.
const FIELDS_STEPS: usize = 4;
/// The steps that a pair of fragments costs, which is remembered.
const PAIR_STEPS: usize = 16;

/// What was compared.
#[derive(Default, Debug)]
pub(super) struct Compared<'a> {
    /// Pairs of fragments, and whether they were compared as ones that never answer together.
    pairs: HashMap<(&'a str, &'a str), Exclusion>,
    /// Fragments compared with the fields at hand.
    fragments: HashSet<&'a str>,
}

/// Whether two fields can be of one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exclusion {
    /// They may be.
    Together,
    /// Their types are different objects: they need only have the same shape.
    Apart,
}

/// Two fields that cannot be merged.
#[derive(Debug)]
struct Conflict<'a> {
    name: &'a str,
    reason: String,
    position: Option<Position>,
}

pub(super) fn operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    check(pass, &operation.selections)
}

pub(super) fn field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    // The fields of fragments were checked with the operations that use them.
    if pass.current.is_none() { Ok(()) } else { check(pass, &field.selections) }
}

pub(super) fn inline_fragment<'a>(pass: &mut Pass<'a>, fragment: &'a InlineFragment) -> Checked {
    check(pass, &fragment.selections)
}

pub(super) fn fragment<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment) -> Checked {
    check(pass, &fragment.selections)
}

fn check<'a>(pass: &mut Pass<'a>, selections: &'a [Selection]) -> Checked {
    if selections.is_empty() {
        return Ok(());
    }
    let mut conflicts = Vec::new();
    within(pass, selections, &mut conflicts)?;
    for Conflict { name, reason, position } in conflicts {
        let advice = "Use different aliases on the fields to fetch both if this was intentional.";
        pass.fault(position, format!("Fields \"{name}\" conflict because {reason}. {advice}"))?;
    }
    Ok(())
}

type Conflicts<'a> = Vec<Conflict<'a>>;

fn within<'a>(pass: &mut Pass<'a>, selections: &'a [Selection], out: &mut Conflicts<'a>) -> Checked {
    let collected = collect(pass, selections)?;
    for fields in &collected.groups {
        for (index, first) in fields.iter().enumerate() {
            for second in fields.get(index + 1..).unwrap_or(&[]) {
                out.extend(conflict(pass, Exclusion::Together, first, second)?);
            }
        }
    }
    pass.memory.overlapping.fragments.clear();
    for (index, spread) in collected.spreads.iter().enumerate() {
        with_fragment(pass, Exclusion::Together, &collected, spread, out)?;
        for other in collected.spreads.get(index + 1..).unwrap_or(&[]) {
            fragments(pass, Exclusion::Together, spread, other, out)?;
        }
    }
    Ok(())
}

/// Compares fields with those of a fragment and of the fragments that it spreads.
fn with_fragment<'a>(
    pass: &mut Pass<'a>,
    exclusion: Exclusion,
    fields: &Rc<Collected<'a>>,
    spread: &'a FragmentSpread,
    out: &mut Conflicts<'a>,
) -> Checked {
    pass.budget.enter()?;
    if pass.memory.overlapping.fragments.insert(spread.name.as_str())
        && let Some(fragment) = pass.spread_fragment(spread)
    {
        let others = collect(pass, &fragment.selections)?;
        pass.budget.spend(fields.groups.len().min(others.groups.len()))?;
        if !fields.same_fields(&others) {
            between(pass, exclusion, fields, &others, out)?;
            for inner in others.spreads.iter().filter(|it| it.name != spread.name) {
                with_fragment(pass, exclusion, fields, inner, out)?;
            }
        }
    }
    pass.budget.leave();
    Ok(())
}

/// Compares two fragments, and each with what the other spreads.
fn fragments<'a>(
    pass: &mut Pass<'a>,
    exclusion: Exclusion,
    first: &'a FragmentSpread,
    second: &'a FragmentSpread,
    out: &mut Conflicts<'a>,
) -> Checked {
    pass.budget.spend(1)?;
    if first.name == second.name || !remember(pass, exclusion, first, second) {
        return Ok(());
    }
    pass.budget.spend(PAIR_STEPS)?;
    let (Some(first_fragment), Some(second_fragment)) =
        (pass.spread_fragment(first), pass.spread_fragment(second))
    else {
        return Ok(());
    };
    pass.budget.enter()?;
    let first_fields = collect(pass, &first_fragment.selections)?;
    let second_fields = collect(pass, &second_fragment.selections)?;
    between(pass, exclusion, &first_fields, &second_fields, out)?;
    for inner in &second_fields.spreads {
        fragments(pass, exclusion, first, inner, out)?;
    }
    for inner in &first_fields.spreads {
        fragments(pass, exclusion, inner, second, out)?;
    }
    pass.budget.leave();
    Ok(())
}

/// Notes a pair of fragments; false if it was compared as strictly before.
fn remember<'a>(
    pass: &mut Pass<'a>,
    exclusion: Exclusion,
    first: &'a FragmentSpread,
    second: &'a FragmentSpread,
) -> bool {
    let (first, second) = (first.name.as_str(), second.name.as_str());
    let pairs = &mut pass.memory.overlapping.pairs;
    let known = pairs.get(&(first, second)).copied();
    if known == Some(Exclusion::Together) || (known.is_some() && exclusion == Exclusion::Apart) {
        return false;
    }
    pairs.insert((first, second), exclusion);
    pairs.insert((second, first), exclusion);
    true
}

/// Compares the fields of one set with those of the other.
fn between<'a>(
    pass: &mut Pass<'a>,
    exclusion: Exclusion,
    first: &Rc<Collected<'a>>,
    second: &Rc<Collected<'a>>,
    out: &mut Conflicts<'a>,
) -> Checked {
    pass.budget.spend(first.groups.len())?;
    for fields in &first.groups {
        let Some(name) = fields.first().map(|it| it.response_name()) else { continue };
        for field in fields {
            for other in second.named(name) {
                out.extend(conflict(pass, exclusion, field, other)?);
            }
        }
    }
    Ok(())
}

/// Compares two fields of one response name.
fn conflict<'a>(
    pass: &mut Pass<'a>,
    exclusion: Exclusion,
    first: &'a Field,
    second: &'a Field,
) -> Result<Option<Conflict<'a>>, Limit> {
    pass.budget.enter()?;
    let reason = differ(pass, exclusion, first, second)?;
    pass.budget.leave();
    let (name, position) = (first.response_name(), second.position);
    Ok(reason.map(|reason| Conflict { name, reason, position }))
}

/// Returns why two fields cannot be merged.
fn differ<'a>(
    pass: &mut Pass<'a>,
    exclusion: Exclusion,
    first: &'a Field,
    second: &'a Field,
) -> Result<Option<String>, Limit> {
    pass.budget.spend(FIELDS_STEPS)?;
    let (first_note, second_note) = (pass.note(first), pass.note(second));
    let (Some(first_parent), Some(second_parent)) = (first_note.parent, second_note.parent) else {
        return Ok(None);
    };
    let definitions = first_note.definition.zip(second_note.definition);
    let objects = [first_parent, second_parent].iter().all(|it| *it.kind() == DefinitionKind::Object);
    let apart = objects && first_parent.name() != second_parent.name() && definitions.is_some();
    let exclusion = if apart { Exclusion::Apart } else { exclusion };
    if exclusion == Exclusion::Together {
        if first.name != second.name {
            let (first, second) = (&first.name, &second.name);
            return Ok(Some(format!("\"{first}\" and \"{second}\" are different fields")));
        }
        if !same_arguments(pass, &first.arguments, &second.arguments)? {
            return Ok(Some("they have differing arguments".to_owned()));
        }
    }
    if let Some((first, second)) = definitions
        && types_differ(pass.schema, &first.ty, &second.ty)
    {
        let (first, second) = (&first.ty, &second.ty);
        return Ok(Some(format!("they return conflicting types \"{first}\" and \"{second}\"")));
    }
    if first.selections.is_empty() && second.selections.is_empty() {
        return Ok(None);
    }
    let mut conflicts = Vec::new();
    below(pass, exclusion, &first.selections, &second.selections, &mut conflicts)?;
    let mut reason = String::new();
    for inner in &conflicts {
        let joint = if reason.is_empty() { "" } else { " and " };
        reason.push_str(&format!("{joint}subfields \"{}\" conflict because {}", inner.name, inner.reason));
    }
    pass.budget.spend(reason.len() / 16)?;
    Ok(Some(reason).filter(|_| !conflicts.is_empty()))
}

/// Compares the selections of two fields.
fn below<'a>(
    pass: &mut Pass<'a>,
    exclusion: Exclusion,
    first: &'a [Selection],
    second: &'a [Selection],
    out: &mut Conflicts<'a>,
) -> Checked {
    let first = collect(pass, first)?;
    let second = collect(pass, second)?;
    between(pass, exclusion, &first, &second, out)?;
    for (fields, spreads) in [(&first, &second.spreads), (&second, &first.spreads)] {
        for spread in spreads {
            pass.memory.overlapping.fragments.clear();
            with_fragment(pass, exclusion, fields, spread, out)?;
        }
    }
    for spread in &first.spreads {
        for other in &second.spreads {
            fragments(pass, exclusion, spread, other, out)?;
        }
    }
    Ok(())
}

fn same_arguments(pass: &mut Pass<'_>, first: &[Argument], second: &[Argument]) -> Result<bool, Limit> {
    if first.len() != second.len() {
        return Ok(false);
    }
    pass.budget.spend(first.len().saturating_mul(second.len()))?;
    for argument in first {
        let mut matched = false;
        for other in second.iter().filter(|it| it.name == argument.name) {
            if same_value(pass, &argument.value, &other.value)? {
                matched = true;
                break;
            }
        }
        if !matched {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Says whether two values are the same; the order of an object's fields does not count.
fn same_value(pass: &mut Pass<'_>, first: &Value, second: &Value) -> Result<bool, Limit> {
    pass.budget.spend(1 + first.raw.len() / 64 + first.children.len())?;
    let alike =
        first.kind == second.kind && first.raw == second.raw && first.children.len() == second.children.len();
    if !alike {
        return Ok(false);
    }
    let ordered = |value: &'_ Value| -> Vec<usize> {
        let mut order: Vec<usize> = (0..value.children.len()).collect();
        if value.kind == ValueKind::Object {
            order.sort_by_key(|it| value.children.get(*it).map(|it| it.name.as_str()));
        }
        order
    };
    for (first_at, second_at) in ordered(first).into_iter().zip(ordered(second)) {
        let (Some(one), Some(other)) = (first.children.get(first_at), second.children.get(second_at)) else {
            continue;
        };
        let (one, other): (&Child, &Child) = (one, other);
        if one.name != other.name || !same_value(pass, &one.value, &other.value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Says whether values of two types cannot stand for one another: other lists, other nulls, other leaves.
fn types_differ(schema: &Schema, first: &Type, second: &Type) -> bool {
    match (&first.element, &second.element) {
        (Some(first), Some(second)) => return types_differ(schema, first, second),
        (Some(_), None) | (None, Some(_)) => return true,
        (None, None) => {}
    }
    if first.non_null != second.non_null {
        return true;
    }
    let leaf = |it: &Type| schema.types.get(&it.named).is_some_and(|it| it.kind().is_leaf());
    leaf(first) && leaf(second) && first.named != second.named
}
