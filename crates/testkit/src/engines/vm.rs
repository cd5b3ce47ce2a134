//! The VM on plans in OPA's form, and what the adapters share.
//!
//! A plan goes through the importer and is run as it is, so that the machine sees what any other maker
//! of plans would give it.

use std::sync::Arc;

use lictor_runtime::{BuiltinFn, Host};
use lictor_syntax::ast;
use lictor_value::{Arena, Document, Value};
use lictor_vm::{Decision, EvalError, Input, Limits, Request, Scratch};

use super::Clock;
use crate::conformance::case::{CompileCase, EvalCase, Fault, ParseCase, Version};
use crate::conformance::{Engine, Outcome, Parsed};
use crate::json::{self, Json};

/// Runs the plan that a case carries.
#[derive(Default)]
pub(super) struct PlanEngine {
    scratch: Scratch,
}

impl Engine for PlanEngine {
    fn eval(&mut self, case: &EvalCase) -> Outcome {
        match self.decide(case) {
            Ok(outcome) => outcome,
            Err(text) => Outcome::Refused(text),
        }
    }

    fn compile(&mut self, _: &CompileCase) -> Vec<Fault> {
        Vec::new()
    }

    fn parse(&mut self, _: &ParseCase, _: Version) -> Parsed {
        Parsed::default()
    }

    fn builtins(&self) -> Option<Vec<String>> {
        Some(lictor_runtime::builtins::table().iter().map(|it| it.name.to_owned()).collect())
    }
}

impl PlanEngine {
    fn decide(&mut self, case: &EvalCase) -> Result<Outcome, String> {
        let plan = case.plan.as_deref().ok_or("the case has no plan")?;
        let mut plan = lictor_plan::opa::import::import(plan).map_err(|err| err.to_string())?;
        // The plans were made with other names for the modules than the ones that the cases' errors show.
        for file in &mut plan.files {
            if let Some(number) = file.strip_prefix("module-") {
                *file = format!("test-{number}").into();
            }
        }
        let program = lictor_vm::compile(&plan, link).map_err(|err| err.to_string())?;
        let data = case.data.as_ref().map_or_else(Document::empty_object, document);
        let input = input(case)?;
        let entrypoint = program.entrypoint("eval").ok_or("no entrypoint `eval`")?;
        let request = Request {
            entrypoint,
            input: input.as_ref().map_or(Input::Undefined, |it| Input::Value(it.root())),
            data: data.root(),
            derived: None,
            host: &Clock as &dyn Host,
            limits: Limits::default(),
            strict: case.strict_errors,
            allow_net: None,
        };
        let outcome = self.scratch.eval(&program, request, solutions);
        Ok(outcome.unwrap_or_else(|err| error(&err)))
    }
}

/// Returns the input of a case.
pub(super) fn input(case: &EvalCase) -> Result<Option<Document>, String> {
    let Some(text) = &case.input_term else { return Ok(case.input.as_ref().map(document)) };
    let options = lictor_syntax::ParseOptions::default();
    let term = lictor_syntax::parse_term(text, &options).tree.ok_or("the input term does not parse")?;
    let arena = Arena::new();
    let value = ground(&term, &arena).ok_or("the input term is not ground")?;
    Ok(Some(Document::from_value(value)))
}

fn ground<'e>(term: &ast::Term, arena: &'e Arena) -> Option<Value<'e>> {
    let all = |items: &[ast::Term]| items.iter().map(|it| ground(it, arena)).collect::<Option<Vec<_>>>();
    Some(match &term.kind {
        ast::TermKind::Null => Value::NULL,
        ast::TermKind::Bool(it) => Value::bool(*it),
        ast::TermKind::Number(it) => arena.number_text(it),
        ast::TermKind::String(it) => arena.string(&it.value),
        ast::TermKind::Array(items) => arena.array(&all(items)?),
        ast::TermKind::Set(items) => arena.set(&mut all(items)?),
        ast::TermKind::Object(pairs) => {
            let pairs = pairs.iter().map(|it| Some((ground(&it.0, arena)?, ground(&it.1, arena)?)));
            arena.object(&mut pairs.collect::<Option<Vec<_>>>()?)
        }
        _ => return None,
    })
}

/// Finds built-ins of the product, and those that cases need besides.
pub(super) fn link(name: &str) -> Option<BuiltinFn> {
    if name == "test.sleep" {
        return Some(|_, _| Ok(Some(Value::NULL)));
    }
    lictor_runtime::builtin_named(name).map(|it| it.1.function)
}

/// Returns the solutions of a query.
pub(super) fn solutions(decision: Decision<'_, '_>) -> Outcome {
    let values = match decision {
        Decision::Value(value) => value.into_iter().collect(),
        Decision::Bindings(values) => values.to_vec(),
    };
    Outcome::Results(values.iter().filter_map(|it| json::parse(&it.to_json()).ok()).collect())
}

/// Returns how an evaluation failed.
pub(super) fn error(error: &EvalError) -> Outcome {
    Outcome::Error { code: error.code().as_str().to_owned(), text: error.to_string() }
}

/// Returns a document of the product.
pub(super) fn document(json: &Json) -> Document {
    let arena = Arena::new();
    Document::from_value(value(json, &arena))
}

fn value<'e>(json: &Json, arena: &'e Arena) -> Value<'e> {
    match json {
        Json::Null => Value::NULL,
        Json::Bool(it) => Value::bool(*it),
        Json::Number(_) => arena.number_text(&json.to_string()),
        Json::String(it) => arena.string(it),
        Json::Array(items) => {
            let items: Vec<Value<'e>> = items.iter().map(|it| value(it, arena)).collect();
            arena.array(&items)
        }
        Json::Object(entries) => {
            let mut pairs = entries.iter().map(|(key, it)| (arena.string(key), value(it, arena))).collect();
            arena.object(&mut pairs)
        }
    }
}

/// Makes the engine.
pub(super) fn maker() -> crate::conformance::run::Maker {
    Arc::new(|| Box::new(PlanEngine::default()))
}
