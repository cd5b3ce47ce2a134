//! Keywords of objects: `properties`, `additionalProperties`, `patternProperties`, `propertyNames`, the counts and
//! `required`.
//!
//! Apart as a family. The members are read before the counts, because other keywords' faults come between; the
//! properties are checked last of all.

use lictor_value::{Object, Value};

use super::array::Additional;
use super::check::{Checker, Halt, Step};
use super::document::{Node, NodeId};
use super::meta::Draft;
use super::outcome::Outcome;
use super::read::{PartId, Place, Reader, invalid_type};
use crate::go::regex::Regex;

/// What members must be.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Sorted by name.
    properties: Vec<(String, PartId)>,
    additional: Additional,
    patterns: Vec<(Regex, PartId)>,
    names: Option<PartId>,
}

impl Members {
    pub(super) fn read(reader: &mut Reader<'_>, place: Place) -> Result<Self, String> {
        let mut members = Self::default();
        if let Some(node) = reader.member(place, "properties") {
            let fault = || "Properties must be of type object".to_owned();
            for (name, node) in pairs(reader, node).ok_or_else(fault)? {
                members.properties.push((name, reader.child(Place { node, ..place })?));
            }
        }
        members.additional = Additional::read(reader, place, "additionalProperties")?;
        if let Some(node) = reader.member(place, "patternProperties") {
            let fault = || invalid_type("Valid Schema", "patternProperties");
            for (pattern, node) in pairs(reader, node).ok_or_else(fault)? {
                let regex = Regex::new(&pattern).map_err(|_| format!("Invalid regex pattern '{pattern}'"))?;
                members.patterns.push((regex, reader.child(Place { node, ..place })?));
            }
        }
        if let Some(node) = reader.member(place, "propertyNames")
            && place.draft >= Draft::Six
        {
            if !reader.pool.nodes.may_be_schema(node) {
                // OPA names the other keyword here.
                return Err(invalid_type("Valid Schema", "patternProperties"));
            }
            members.names = Some(reader.child(Place { node, ..place })?);
        }
        Ok(members)
    }

    fn is_empty(&self) -> bool {
        self.properties.is_empty()
            && matches!(self.additional, Additional::Free)
            && self.patterns.is_empty()
            && self.names.is_none()
    }
}

fn pairs(reader: &Reader<'_>, node: NodeId) -> Option<Vec<(String, NodeId)>> {
    let members = reader.pool.nodes.object(node)?;
    Some(members.iter().map(|(key, value)| (key.clone(), *value)).collect())
}

/// What objects must be.
#[derive(Debug)]
pub(super) struct Rules {
    members: Members,
    min_properties: Option<u64>,
    max_properties: Option<u64>,
    required: Vec<String>,
}

impl Rules {
    pub(super) fn read(reader: &Reader<'_>, place: Place, members: Members) -> Result<Option<Self>, String> {
        let min_properties = reader.count(place, "minProperties")?;
        let max_properties = reader.count(place, "maxProperties")?;
        if min_properties.zip(max_properties).is_some_and(|(min, max)| min > max) {
            return Err("minProperties cannot be greater than maxProperties".to_owned());
        }
        let mut required: Vec<String> = Vec::new();
        for node in reader.list(place, "required")?.unwrap_or_default() {
            let Node::Str(name) = reader.pool.nodes.get(node) else {
                return Err(invalid_type("string", "required"));
            };
            if required.contains(name) {
                return Err("required items must be unique".to_owned());
            }
            required.push(name.clone());
        }
        let any = !members.is_empty()
            || min_properties.is_some()
            || max_properties.is_some()
            || !required.is_empty();
        Ok(any.then_some(Self { members, min_properties, max_properties, required }))
    }

    /// Returns the schemas of properties.
    pub(super) fn properties(&self) -> &[(String, PartId)] {
        &self.members.properties
    }

    pub(super) fn check<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let Some(object) = value.as_object() else { return Ok(()) };
        let len = u64::try_from(object.len()).unwrap_or(u64::MAX);
        if let Some(min) = self.min_properties.filter(|it| len < *it) {
            checker.fail(out, "array_min_properties", format!("Must have at least {min} properties"));
        }
        if let Some(max) = self.max_properties.filter(|it| len > *it) {
            checker.fail(out, "array_max_properties", format!("Must have at most {max} properties"));
        }
        for name in &self.required {
            if object.get_str(name).is_some() {
                out.count();
            } else {
                checker.fail(out, "required", format!("{name} is required"));
            }
        }
        if !self.members.patterns.is_empty() || !matches!(self.members.additional, Additional::Free) {
            for (key, member) in object.iter() {
                self.check_member(checker, key, member, out)?;
            }
        }
        if let Some(part) = self.members.names {
            check_names(checker, part, object, out)?;
        }
        out.count();
        Ok(())
    }

    /// Checks a member against the patterns, and as an additional one if nothing else speaks of it.
    fn check_member<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        key: Value<'v>,
        member: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let name = key.as_str().unwrap_or("");
        let mut matched = false;
        for (pattern, part) in &self.members.patterns {
            if pattern.is_match(name) {
                matched = true;
                out.merge(checker.inner(*part, Step::Key(key), member)?);
            }
        }
        if matched {
            out.count();
            return Ok(());
        }
        if self.members.properties.binary_search_by(|it| it.0.as_str().cmp(name)).is_ok() {
            return Ok(());
        }
        match self.members.additional {
            Additional::Free => {}
            Additional::Forbidden => {
                let text = format!("Additional property {name} is not allowed");
                checker.fail(out, "additional_property_not_allowed", text);
            }
            Additional::Schema(part) => out.merge(checker.inner(part, Step::Key(key), member)?),
        }
        Ok(())
    }

    /// Checks the members that have a schema of their own.
    pub(super) fn check_properties<'s, 'v>(
        &'s self,
        checker: &mut Checker<'s, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let Some(object) = value.as_object() else { return Ok(()) };
        for (name, part) in &self.members.properties {
            if let Some(member) = object.get_str(name) {
                checker.with_step(Step::Name(name), |checker| checker.check(*part, member, out))?;
            }
        }
        Ok(())
    }
}

fn check_names<'v>(
    checker: &mut Checker<'_, 'v>,
    part: PartId,
    object: Object<'v>,
    out: &mut Outcome,
) -> Result<(), Halt> {
    for (key, _) in object.iter() {
        let outcome = checker.outcome(part, key)?;
        if !outcome.is_valid() {
            let name = key.as_str().unwrap_or("");
            checker.fail(out, "invalid_property_name", format!("Property name of \"{name}\" does not match"));
            out.merge(outcome);
        }
    }
    Ok(())
}
