//! Our own plans in OPA's form: lowered, exported, imported again and run.
//!
//! What comes out must be what the plan gave before, so every case of the language tries the exporter
//! and the importer too. Everything after the export is the engine that runs OPA's own plans.

use std::sync::Arc;

use lictor_hir::{Capabilities, Flags};
use lictor_plan::{BuiltinFacts, Lowering, Plan, Solutions, opa, verify};
use lictor_runtime::builtins;
use lictor_syntax::{ParseOptions, parse_module_bytes, parse_query};

use super::{lictor::rego_version, vm::PlanEngine};
use crate::conformance::case::{CompileCase, EvalCase, Fault, ParseCase, Version};
use crate::conformance::{Engine, Outcome, Parsed};

/// Runs cases on plans that went through OPA's form.
#[derive(Default)]
pub(super) struct RoundTrip {
    engine: PlanEngine,
}

impl Engine for RoundTrip {
    fn eval(&mut self, case: &EvalCase) -> Outcome {
        match exported(case) {
            Ok(plan) => self.engine.eval(&EvalCase { plan: Some(plan), ..case.clone() }),
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
        self.engine.builtins()
    }
}

fn exported(case: &EvalCase) -> Result<String, String> {
    let plan = lower(case)?;
    verify(&plan).map_err(|it| format!("verify: {it:?}"))?;
    opa::export::export(&plan).map_err(|it| format!("export: {it}"))
}

/// Lowers the query of a case over its modules, without passes.
fn lower(case: &EvalCase) -> Result<Plan, String> {
    let mut modules = Vec::new();
    for (idx, text) in case.modules.iter().enumerate() {
        let options = ParseOptions { version: rego_version(case.version), ..ParseOptions::default() };
        let parsed = parse_module_bytes(&format!("test-{idx}.rego"), text.as_bytes(), &options);
        refuse(&parsed.diagnostics)?;
        modules.extend(parsed.tree);
    }
    let capabilities = capabilities()?;
    let options = lictor_hir::Options {
        capabilities: &capabilities,
        absent: &[],
        strict: false,
        print: false,
        error_limit: 0,
        test_cases: false,
        schemas: None,
        unsafe_builtins: &[],
        workers: None,
        lenient: false,
    };
    let lowered = lictor_hir::lower(&Arc::new(lictor_hir::Modules(modules)), &options);
    refuse(&lowered.diagnostics)?;
    let parsed = parse_query(&case.query, &ParseOptions::default());
    refuse(&parsed.diagnostics)?;
    let body = parsed.tree.ok_or("the query has no body")?;
    let scope =
        lictor_hir::Scope { index: &lowered.index, types: &lowered.types, package: &[], imports: &[] };
    let (query, faults) = lictor_hir::lower_query(&body, &parsed.source, &scope, &options);
    refuse(&faults)?;
    let facts = move |name: &str| {
        let known = capabilities.get(name);
        BuiltinFacts {
            relation: known.is_some_and(|it| it.flags.relation),
            void: known.is_some_and(|it| it.result.is_none()),
            declaration: Box::default(),
        }
    };
    let mut lowering = Lowering::new(Arc::new(lowered.hir), Arc::new(facts));
    lowering.query("eval", &query, Solutions::Bindings);
    Ok(lowering.into_plan())
}

fn capabilities() -> Result<Capabilities, String> {
    let rows = builtins::table().iter().map(|it| {
        let flags = Flags { deprecated: false, relation: it.name == "walk", impure: it.impure };
        (it.name, it.declaration, flags)
    });
    let sleep = ("test.sleep", "str -> null", Flags { impure: true, ..Flags::default() });
    Capabilities::from_declarations(rows.chain([sleep])).map_err(|it| format!("built-in table: {it:?}"))
}

fn refuse(faults: &[lictor_syntax::Diagnostic]) -> Result<(), String> {
    faults.first().map_or(Ok(()), |it| Err(it.message.clone()))
}
