//! Policies as OPA's plan JSON, for whoever runs plans elsewhere.
//!
//! Apart from preparing queries because such a plan is lowered and never optimized, its entrypoints are named by whoever
//! asks, and what depends on them may come along.

use std::collections::BTreeSet;

use lictor_hir::reach::{Step, dependents, reach};
use lictor_plan::Lowering;
use lictor_plan::opa::export::export;
use lictor_syntax::Diagnostic;
use lictor_syntax::diagnostics::codes;

use crate::build;
use crate::faults::Faults;
use crate::policy::{Policy, QueryOptions};

impl Policy {
    /// Returns OPA's plan JSON with a plan for each entrypoint: its name and its keys below `data`.
    ///
    /// # Errors
    /// An entrypoint is a function, cannot be there, or no rule makes it.
    pub fn plan_json(&self, entrypoints: &[(String, Vec<String>)]) -> Result<String, Faults> {
        let rules = self.rules();
        if !rules.capabilities.mounts().is_empty() {
            return Err(fault("plan-export", "a plan cannot ask for external documents".to_owned()));
        }
        let lookup = rules.capabilities.lookup_declared();
        let mut lowering = Lowering::new(rules.hir.clone(), lookup);
        entrypoints.iter().try_for_each(|it| self.check_entrypoint(it))?;
        for (_, keys) in entrypoints {
            lowering.entrypoint(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let mut plan = lowering.into_plan();
        if plan.entrypoints.len() != entrypoints.len() {
            let message = "two entrypoints have the same path with slashes".to_owned();
            return Err(fault("plan-export", message));
        }
        for (entrypoint, (name, _)) in plan.entrypoints.iter_mut().zip(entrypoints) {
            entrypoint.name = name.as_str().into();
        }
        export(&plan).map_err(|error| fault("plan-export", error.to_string()))
    }

    /// Returns the keys of all documents that depend on one of the given ones, in order, without those given.
    #[must_use]
    pub fn dependents(&self, entrypoints: &[Vec<String>]) -> Vec<Vec<String>> {
        let mut found = BTreeSet::new();
        for keys in entrypoints {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            found.extend(dependents(&self.rules().hir, &keys));
        }
        let name = |step: Step| match step {
            Step::String(text) => Some(String::from(text)),
            _ => None,
        };
        let paths = found.into_iter().filter_map(|it| it.steps.into_iter().map(name).collect());
        paths.filter(|it: &Vec<String>| !entrypoints.contains(it)).collect()
    }

    fn check_entrypoint(&self, (name, keys): &(String, Vec<String>)) -> Result<(), Faults> {
        let rules = self.rules();
        let mut text = "result = data".to_owned();
        for key in keys {
            text.push('[');
            lictor_syntax::diagnostics::write_json_string(key, &mut text);
            text.push(']');
        }
        let scope = (&*rules.index, &*rules.types);
        let options = QueryOptions::default();
        let query = build::query(&text, &options, scope, &rules.capabilities, &rules.options);
        let query = query.map_err(|faults| {
            // The query stands in no file of the user's.
            let unplaced = |it: &Diagnostic| Diagnostic { location: None, ..it.clone() };
            Faults::new(faults.diagnostics().iter().map(unplaced).collect())
        })?;
        if reach(&rules.hir, &query).rules.is_empty() {
            let message = format!("entrypoint {name:?} does not refer to a rule or policy decision");
            return Err(fault("unknown-entrypoint", message));
        }
        Ok(())
    }
}

fn fault(name: &'static str, message: String) -> Faults {
    Faults::new(vec![Diagnostic::unplaced(codes::COMPILE, name, message)])
}
