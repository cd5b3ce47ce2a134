//! Keywords of arrays: `items`, `additionalItems`, `minItems`, `maxItems`, `uniqueItems`, `contains`.
//!
//! Apart as a family. The members are read before the counts, because other keywords' faults come between.

use std::collections::HashMap;

use lictor_value::Value;

use super::canonical::canonical;
use super::check::{Checker, Halt, Step};
use super::document::Node;
use super::meta::Draft;
use super::outcome::{Outcome, better};
use super::read::{PartId, Place, Reader, invalid_type};

/// What items must be.
#[derive(Debug, Default)]
pub(super) struct Members {
    items: Items,
    additional: Additional,
}

#[derive(Debug, Default)]
enum Items {
    #[default]
    Any,
    /// All are alike.
    One(PartId),
    /// Each by its position.
    Each(Vec<PartId>),
}

/// What is beyond those that have a schema of their own.
#[derive(Debug, Default)]
pub(super) enum Additional {
    #[default]
    Free,
    Forbidden,
    Schema(PartId),
}

impl Additional {
    /// Reads true, false or a schema.
    pub(super) fn read(reader: &mut Reader<'_>, place: Place, key: &str) -> Result<Self, String> {
        let Some(node) = reader.member(place, key) else { return Ok(Self::Free) };
        match reader.pool.nodes.get(node) {
            Node::Bool(true) => Ok(Self::Free),
            Node::Bool(false) => Ok(Self::Forbidden),
            Node::Object(_) => reader.child(Place { node, ..place }).map(Self::Schema),
            _ => Err(invalid_type("boolean/Valid Schema", key)),
        }
    }
}

impl Members {
    pub(super) fn read(reader: &mut Reader<'_>, place: Place) -> Result<Self, String> {
        let mut items = Items::Any;
        if let Some(node) = reader.member(place, "items") {
            items = match reader.pool.nodes.get(node).clone() {
                Node::Array(nodes) => {
                    let mut each = Vec::with_capacity(nodes.len());
                    for node in nodes {
                        if !reader.pool.nodes.may_be_schema(node) {
                            return Err(invalid_type("Valid Schema/Array Of Schemas", "items"));
                        }
                        each.push(reader.child(Place { node, ..place })?);
                    }
                    Items::Each(each)
                }
                Node::Object(_) | Node::Bool(_) => Items::One(reader.child(Place { node, ..place })?),
                _ => return Err(invalid_type("Valid Schema/Array Of Schemas", "items")),
            };
        }
        Ok(Self { items, additional: Additional::read(reader, place, "additionalItems")? })
    }
}

/// What arrays must be.
#[derive(Debug)]
pub(super) struct Rules {
    members: Members,
    min_items: Option<u64>,
    max_items: Option<u64>,
    unique: bool,
    contains: Option<PartId>,
}

impl Rules {
    pub(super) fn read(
        reader: &mut Reader<'_>,
        place: Place,
        members: Members,
    ) -> Result<Option<Self>, String> {
        let min_items = reader.count(place, "minItems")?;
        let max_items = reader.count(place, "maxItems")?;
        let unique = match reader.member(place, "uniqueItems").map(|it| reader.pool.nodes.get(it)) {
            None => false,
            Some(Node::Bool(unique)) => *unique,
            Some(_) => return Err("uniqueItems must be of a boolean".to_owned()),
        };
        let contains = match reader.member(place, "contains") {
            Some(node) if place.draft >= Draft::Six => Some(reader.child(Place { node, ..place })?),
            _ => None,
        };
        let any = !matches!(members.items, Items::Any)
            || min_items.is_some()
            || max_items.is_some()
            || unique
            || contains.is_some();
        Ok(any.then_some(Self { members, min_items, max_items, unique, contains }))
    }

    /// Returns the schemas of items, and whether one stands for all of them.
    pub(super) fn items(&self) -> (Vec<PartId>, bool) {
        match &self.members.items {
            Items::Any => (Vec::new(), false),
            Items::One(all) => (vec![*all], true),
            Items::Each(each) => (each.clone(), false),
        }
    }

    pub(super) fn check<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let items: Vec<Value<'v>> = value.as_array().into_iter().flat_map(|it| it.iter()).collect();
        self.check_items(checker, &items, out)?;
        let len = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if let Some(min) = self.min_items.filter(|it| len < *it) {
            checker.fail(out, "array_min_items", format!("Array must have at least {min} items"));
        }
        if let Some(max) = self.max_items.filter(|it| len > *it) {
            checker.fail(out, "array_max_items", format!("Array must have at most {max} items"));
        }
        if self.unique {
            check_unique(checker, &items, out);
        }
        if let Some(part) = self.contains {
            check_contains(checker, part, &items, out)?;
        }
        out.count();
        Ok(())
    }

    fn check_items<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        items: &[Value<'v>],
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let each = match &self.members.items {
            Items::Any => return Ok(()),
            Items::One(part) => {
                return items.iter().enumerate().try_for_each(|(index, item)| {
                    out.merge(checker.inner(*part, Step::Index(index), *item)?);
                    Ok(())
                });
            }
            Items::Each(each) => each,
        };
        for (index, (part, item)) in each.iter().zip(items).enumerate() {
            out.merge(checker.inner(*part, Step::Index(index), *item)?);
        }
        let beyond = items.iter().enumerate().skip(each.len());
        match self.members.additional {
            // Without a schema at all there is no position to be beyond of.
            _ if each.is_empty() => {}
            Additional::Free => {}
            Additional::Forbidden if items.len() > each.len() => {
                checker.fail(out, "array_no_additional_items", "No additional items allowed on array");
            }
            Additional::Forbidden => {}
            Additional::Schema(part) => {
                for (index, item) in beyond {
                    out.merge(checker.inner(part, Step::Index(index), *item)?);
                }
            }
        }
        Ok(())
    }
}

fn check_unique(checker: &Checker<'_, '_>, items: &[Value<'_>], out: &mut Outcome) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let text = match canonical(&item.to_json()) {
            Ok(text) => text,
            Err(fault) => return checker.fail(out, "internal", format!("Internal Error {fault}")),
        };
        if let Some(before) = seen.insert(text, index) {
            checker.fail(out, "unique", format!("array items[{before},{index}] must be unique"));
        }
    }
}

fn check_contains<'v>(
    checker: &mut Checker<'_, 'v>,
    part: PartId,
    items: &[Value<'v>],
    out: &mut Outcome,
) -> Result<(), Halt> {
    let mut best = None;
    for (index, item) in items.iter().enumerate() {
        let outcome = checker.inner(part, Step::Index(index), *item)?;
        if outcome.is_valid() {
            return Ok(());
        }
        better(&mut best, outcome);
    }
    checker.fail(out, "contains", "At least one of the items must match");
    if let Some(best) = best {
        out.merge(best);
    }
    Ok(())
}
