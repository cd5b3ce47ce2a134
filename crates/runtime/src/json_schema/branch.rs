//! Keywords that join schemas: `anyOf`, `oneOf`, `allOf`, `not`, `dependencies`, `if`.
//!
//! Apart because these check the same value again. Of alternatives that all fail, the failures of the one that came
//! nearest are shown.

use std::collections::BTreeMap;

use lictor_value::Value;

use super::check::{Checker, Halt};
use super::document::Node;
use super::meta::Draft;
use super::outcome::{Outcome, better};
use super::read::{PartId, Place, Reader};

/// How schemas are joined.
#[derive(Debug, Default)]
pub(super) struct Rules {
    any_of: Vec<PartId>,
    one_of: Vec<PartId>,
    all_of: Vec<PartId>,
    not: Option<PartId>,
    dependencies: Dependencies,
    condition: Option<PartId>,
    then: Option<PartId>,
    otherwise: Option<PartId>,
}

/// What must hold where an object has a key.
pub(super) type Dependencies = BTreeMap<String, Dependency>;

#[derive(Debug)]
pub(super) enum Dependency {
    Keys(Vec<String>),
    Schema(PartId),
}

/// Reads `dependencies`, which comes before the other keywords of this family.
pub(super) fn dependencies(reader: &mut Reader<'_>, place: Place) -> Result<Dependencies, String> {
    let mut all = Dependencies::new();
    let Some(node) = reader.member(place, "dependencies") else { return Ok(all) };
    let members = reader.pool.nodes.object(node).cloned();
    let fault = || "Dependency must be of type Schema Or Array Of Strings".to_owned();
    for (key, node) in members.ok_or("dependencies must be of type object")? {
        let dependency = match reader.pool.nodes.get(node) {
            Node::Array(items) => {
                let names = items.iter().map(|it| reader.pool.nodes.text(*it).map(str::to_owned));
                Dependency::Keys(names.collect::<Option<_>>().ok_or_else(fault)?)
            }
            Node::Bool(_) | Node::Object(_) => Dependency::Schema(reader.child(Place { node, ..place })?),
            Node::Null | Node::Number(_) | Node::Str(_) => return Err(fault()),
        };
        all.insert(key, dependency);
    }
    Ok(all)
}

fn schemas(reader: &mut Reader<'_>, place: Place, key: &str) -> Result<Vec<PartId>, String> {
    let nodes = reader.list(place, key)?.unwrap_or_default();
    nodes.into_iter().map(|node| reader.child(Place { node, ..place })).collect()
}

fn schema(reader: &mut Reader<'_>, place: Place, key: &str) -> Result<Option<PartId>, String> {
    let Some(node) = reader.member(place, key) else { return Ok(None) };
    if !reader.pool.nodes.may_be_schema(node) {
        return Err(format!("{key} must be of an object"));
    }
    reader.child(Place { node, ..place }).map(Some)
}

impl Rules {
    pub(super) fn read(
        reader: &mut Reader<'_>,
        place: Place,
        dependencies: Dependencies,
    ) -> Result<Option<Self>, String> {
        let mut rules = Self { dependencies, ..Self::default() };
        rules.one_of = schemas(reader, place, "oneOf")?;
        rules.any_of = schemas(reader, place, "anyOf")?;
        rules.all_of = schemas(reader, place, "allOf")?;
        rules.not = schema(reader, place, "not")?;
        if place.draft >= Draft::Seven {
            rules.condition = schema(reader, place, "if")?;
            rules.then = schema(reader, place, "then")?;
            rules.otherwise = schema(reader, place, "else")?;
        }
        let any = !rules.any_of.is_empty()
            || !rules.one_of.is_empty()
            || !rules.all_of.is_empty()
            || rules.not.is_some()
            || !rules.dependencies.is_empty()
            || rules.condition.is_some();
        Ok(any.then_some(rules))
    }

    /// Returns the schemas of which one must hold, and those that all must.
    pub(super) fn joined(&self) -> (&[PartId], &[PartId]) {
        (&self.any_of, &self.all_of)
    }

    pub(super) fn check<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        self.check_any(checker, value, out)?;
        self.check_one(checker, value, out)?;
        self.check_all(checker, value, out)?;
        if let Some(part) = self.not
            && checker.outcome(part, value)?.is_valid()
        {
            checker.fail(out, "number_not", "Must not validate the schema (not)");
        }
        self.check_dependencies(checker, value, out)?;
        self.check_condition(checker, value, out)?;
        out.count();
        Ok(())
    }

    fn check_any<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let mut best = None;
        for part in &self.any_of {
            let outcome = checker.outcome(*part, value)?;
            if outcome.is_valid() {
                return Ok(());
            }
            better(&mut best, outcome);
        }
        if let Some(best) = best {
            checker.fail(out, "number_any_of", "Must validate at least one schema (anyOf)");
            out.merge(best);
        }
        Ok(())
    }

    fn check_one<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let mut best = None;
        let mut valid = 0;
        for part in &self.one_of {
            let outcome = checker.outcome(*part, value)?;
            if outcome.is_valid() {
                valid += 1;
            } else if valid == 0 {
                better(&mut best, outcome);
            }
        }
        if valid != 1 && !self.one_of.is_empty() {
            checker.fail(out, "number_one_of", "Must validate one and only one schema (oneOf)");
            if let Some(best) = best.filter(|_| valid == 0) {
                out.merge(best);
            }
        }
        Ok(())
    }

    fn check_all<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let mut all_valid = true;
        for part in &self.all_of {
            let outcome = checker.outcome(*part, value)?;
            all_valid &= outcome.is_valid();
            out.merge(outcome);
        }
        if !all_valid {
            checker.fail(out, "number_all_of", "Must validate all the schemas (allOf)");
        }
        Ok(())
    }

    fn check_dependencies<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let Some(object) = value.as_object() else { return Ok(()) };
        for (key, dependency) in &self.dependencies {
            if object.get_str(key).is_none() {
                continue;
            }
            match dependency {
                Dependency::Schema(part) => checker.check(*part, value, out)?,
                Dependency::Keys(keys) => {
                    for missing in keys.iter().filter(|it| object.get_str(it).is_none()) {
                        checker.fail(out, "missing_dependency", format!("Has a dependency on {missing}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_condition<'v>(
        &self,
        checker: &mut Checker<'_, 'v>,
        value: Value<'v>,
        out: &mut Outcome,
    ) -> Result<(), Halt> {
        let Some(condition) = self.condition else { return Ok(()) };
        let (part, kind, text) = if checker.outcome(condition, value)?.is_valid() {
            (self.then, "condition_then", "Must validate \"then\" as \"if\" was valid")
        } else {
            (self.otherwise, "condition_else", "Must validate \"else\" as \"if\" was not valid")
        };
        let Some(part) = part else { return Ok(()) };
        let outcome = checker.outcome(part, value)?;
        if !outcome.is_valid() {
            checker.fail(out, kind, text);
            out.merge(outcome);
        }
        Ok(())
    }
}
