//! The cases of a parametrised test: what its value says of those that it holds, and those that it tried in vain.
//!
//! Apart because merging both is a small tree of its own. It knows values and paths, and nothing of how they were made.

use std::collections::BTreeMap;

use lictor_value::{Kind, Value};

/// Values nested deeper than this are not looked into; their case has failed.
const DEPTH_MAX: usize = 256;

/// Results by the name of their case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SubResults(BTreeMap<String, SubResult>);

/// What became of a case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SubResult {
    /// Its name; empty if its value is null.
    pub name: String,
    /// It failed, or a case below it did.
    pub fail: bool,
    /// The cases below it.
    pub below: SubResults,
}

impl SubResults {
    /// Reads the value of a test.
    pub(super) fn of(value: Value<'_>) -> Self {
        Self::of_object(value, 0)
    }

    fn of_object(value: Value<'_>, depth: usize) -> Self {
        let Some(object) = value.as_object() else { return Self::default() };
        let case = |(key, value): (Value<'_>, Value<'_>)| {
            let name = key.as_str().map_or_else(|| key.to_json(), str::to_owned);
            (name.clone(), SubResult::of(name, value, depth + 1))
        };
        Self(object.iter().map(case).collect())
    }

    /// Notes that a case was tried: unless it is known, it failed.
    pub(super) fn try_case(&mut self, path: &[String]) {
        let Some((first, rest)) = path.split_first() else { return };
        let new = || SubResult { name: first.clone(), fail: true, below: Self::default() };
        let case = self.0.entry(first.clone()).or_insert_with(new);
        if rest.is_empty() || rest.len() > DEPTH_MAX {
            return;
        }
        case.below.try_case(rest);
        if case.below.fails_at(rest) {
            case.fail = true;
        }
    }

    fn fails_at(&self, path: &[String]) -> bool {
        path.first().and_then(|it| self.0.get(it)).is_some_and(|it| match path.get(1..) {
            Some(rest) if !rest.is_empty() => it.below.fails_at(rest),
            _ => it.fail,
        })
    }

    /// Says whether a case failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.0.values().any(|it| it.fail)
    }

    /// Says whether there are no cases.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Goes through the cases in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SubResult)> {
        self.0.iter().map(|it| (it.0.as_str(), it.1))
    }

    /// Calls the function for each case, with the names on the way to it, each before those below it.
    pub fn for_each<'s>(&'s self, visit: &mut dyn FnMut(&[&'s str], &'s SubResult)) {
        self.visit(&mut Vec::new(), visit);
    }

    fn visit<'s>(&'s self, names: &mut Vec<&'s str>, visit: &mut dyn FnMut(&[&'s str], &'s SubResult)) {
        for (name, case) in &self.0 {
            names.push(name);
            visit(names, case);
            case.below.visit(names, visit);
            names.pop();
        }
    }
}

impl SubResult {
    fn of(name: String, value: Value<'_>, depth: usize) -> Self {
        let below = match value.kind() {
            // Nothing is known of it, not even its name.
            Kind::Null => return Self::default(),
            Kind::Object if depth < DEPTH_MAX => SubResults::of_object(value, depth),
            _ => return Self { name, fail: value.as_bool() != Some(true), below: SubResults::default() },
        };
        Self { name, fail: below.has_failed(), below }
    }
}
