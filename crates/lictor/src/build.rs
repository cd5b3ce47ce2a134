//! The stages in their order: check, lower, optimize, compile; and the built-ins that they know.
//!
//! Apart because every path from text to a program runs through here: modules, queries and entrypoints alike. It holds
//! no state; what it makes is owned by `policy` and `query`.

use std::sync::{Arc, OnceLock};

use lictor_hir::Flags;
use lictor_hir::tree::{Hir, Query};
use lictor_hir::types::DeclarationError;
use lictor_plan::passes::{self, Folded, Optimize};
use lictor_plan::{BuiltinFacts, BuiltinLookup, Plan};
use lictor_runtime::{BuiltinFn, NullHost, builtins};
use lictor_syntax::ast::{Import, Module, Statement, TermKind};
use lictor_syntax::{Diagnostic, ParseOptions, parse_query, parse_statements, parse_term};
use lictor_value::{Document, Value};
use lictor_vm::{Decision, Derived, Input, Limits, Program, Request, Scratch};

use crate::engine::Options;
use crate::faults::Faults;
use crate::names;
use crate::policy::QueryOptions;

/// What a rule may take that is evaluated while compiling.
const FOLD_LIMITS: Limits = Limits { steps_max: 1_000_000, bytes_max: 64 << 20, depth_max: 1_000 };

/// Deprecated built-ins.
const DEPRECATED: &[&str] = &[
    "all",
    "any",
    "cast_array",
    "cast_boolean",
    "cast_null",
    "cast_object",
    "cast_set",
    "cast_string",
    "net.cidr_overlap",
    "re_match",
    "set_diff",
];

/// A built-in of the embedder.
#[derive(Clone, Debug)]
pub struct CustomBuiltin {
    /// The name as policies write it, `acme.lookup`.
    pub name: String,
    /// Operand and result types: `str, [any*] -> bool`; see [`lictor_hir::types`].
    pub declaration: String,
    /// The function.
    pub function: BuiltinFn,
    /// Whether equal operands may give different results.
    pub impure: bool,
}

/// The built-ins that modules are checked against.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities {
    declared: Arc<lictor_hir::Capabilities>,
    /// OPA's built-ins that are not there yet.
    absent: Vec<&'static str>,
    custom: Vec<CustomBuiltin>,
}

impl Capabilities {
    /// Returns the built-ins of the table.
    pub(crate) fn standard() -> Arc<Self> {
        static STANDARD: OnceLock<Arc<Capabilities>> = OnceLock::new();
        Arc::clone(STANDARD.get_or_init(|| {
            let table = Self::with(Vec::new());
            Arc::new(table.expect("a test reads the declarations of the table"))
        }))
    }

    /// Returns the built-ins of the table and others, which win.
    pub(crate) fn with(custom: Vec<CustomBuiltin>) -> Result<Self, DeclarationError> {
        let own = builtins::table().iter().map(|it| {
            let flags = Flags {
                deprecated: DEPRECATED.contains(&it.name),
                relation: it.name == "walk",
                impure: it.impure,
            };
            (it.name, it.declaration, flags)
        });
        let others = custom.iter().map(|it| {
            let flags = Flags { impure: it.impure, ..Flags::default() };
            (it.name.as_str(), it.declaration.as_str(), flags)
        });
        let declared = lictor_hir::Capabilities::from_declarations(own.chain(others))?;
        let absent = names::OPA.iter().copied().filter(|it| declared.get(it).is_none()).collect();
        Ok(Self { declared: Arc::new(declared), absent, custom })
    }

    /// The embedder's own.
    pub(crate) fn custom(&self) -> &[CustomBuiltin] {
        &self.custom
    }

    /// Finds the function of a built-in.
    fn function(&self, name: &str) -> Option<BuiltinFn> {
        let custom = self.custom.iter().find(|it| it.name == name).map(|it| it.function);
        custom.or_else(|| lictor_runtime::builtin_named(name).map(|it| it.1.function))
    }

    /// Says whether a built-in depends on the world or has effects.
    pub(crate) fn is_impure(&self, name: &str) -> bool {
        matches!(name, "internal.print" | "trace") || self.declared.get(name).is_none_or(|it| it.flags.impure)
    }

    /// Returns what lowering asks.
    pub(crate) fn lookup(&self) -> BuiltinLookup {
        let declared = Arc::clone(&self.declared);
        Arc::new(move |name| {
            let known = declared.get(name);
            BuiltinFacts {
                relation: known.is_some_and(|it| it.flags.relation),
                void: known.is_some_and(|it| it.result.is_none()),
                declaration: Box::default(),
            }
        })
    }
}

fn check_options<'a>(capabilities: &'a Capabilities, options: &Options) -> lictor_hir::Options<'a> {
    lictor_hir::Options {
        capabilities: &capabilities.declared,
        absent: &capabilities.absent,
        strict: options.strict,
        print: options.print,
        error_limit: options.error_limit,
    }
}

/// Checks modules.
pub(crate) fn check(
    modules: &[Module],
    capabilities: &Capabilities,
    options: &Options,
) -> Result<Hir, Vec<Diagnostic>> {
    let lowered = lictor_hir::lower(modules, &check_options(capabilities, options));
    if lowered.diagnostics.is_empty() { Ok(lowered.hir) } else { Err(lowered.diagnostics) }
}

/// Reads a query.
pub(crate) fn query(
    text: &str,
    query_options: &QueryOptions,
    modules: &[Module],
    capabilities: &Capabilities,
    options: &Options,
) -> Result<Query, Faults> {
    let parse = ParseOptions { version: query_options.version, ..ParseOptions::default() };
    let parsed = parse_query(text, &parse);
    let body = match parsed.tree {
        Some(body) if parsed.diagnostics.is_empty() => body,
        _ => return Err(Faults::new(parsed.diagnostics)),
    };
    let package = query_options.package.as_deref().unwrap_or("");
    let package = path_names(package)?;
    let package: Vec<&str> = package.iter().map(String::as_str).collect();
    let imports = imports(&query_options.imports, &parse)?;
    let (query, diagnostics) = lictor_hir::lower_query(
        &body,
        &parsed.source,
        modules,
        &package,
        &imports,
        &check_options(capabilities, options),
    );
    if diagnostics.is_empty() { Ok(query) } else { Err(Faults::new(diagnostics)) }
}

/// Reads import clauses given without the keyword.
fn imports(texts: &[String], parse: &ParseOptions) -> Result<Vec<Import>, Faults> {
    let mut out = Vec::with_capacity(texts.len());
    for text in texts {
        let parsed = parse_statements(&format!("import {text}"), parse);
        if !parsed.diagnostics.is_empty() {
            return Err(Faults::new(parsed.diagnostics));
        }
        out.extend(parsed.tree.into_iter().flatten().filter_map(|it| match it {
            Statement::Import(import) => Some(import),
            _ => None,
        }));
    }
    Ok(out)
}

/// Returns the names of a path: `data.a.b`, `data.a["b c"]` or `a/b`; the leading `data` is left out.
pub(crate) fn path_names(path: &str) -> Result<Vec<String>, Faults> {
    if path.is_empty() || path == "data" {
        return Ok(Vec::new());
    }
    if !path.starts_with("data.") && !path.starts_with("data[") {
        let separator = if path.contains('/') { '/' } else { '.' };
        return Ok(path.split(separator).filter(|it| !it.is_empty()).map(str::to_owned).collect());
    }
    let parsed = parse_term(path, &ParseOptions::default());
    let Some(TermKind::Ref(reference)) = parsed.tree.map(|it| it.kind) else {
        return Err(Faults::new(parsed.diagnostics));
    };
    let names = reference.parts.iter().map(|it| it.as_str().map(str::to_owned));
    names.collect::<Option<_>>().ok_or_else(|| {
        let fault =
            Diagnostic::unplaced("rego_parse_error", "path", format!("`{path}` is not a path of names"));
        Faults::new(vec![fault])
    })
}

/// Runs the passes.
pub(crate) fn optimize(plan: &mut Plan, options: &Options, capabilities: &Capabilities) {
    passes::optimize(
        plan,
        Optimize {
            passes: options.passes,
            strict: options.strict_builtin_errors,
            evaluate: &|it| evaluate(it, capabilities),
            impure: &|it| capabilities.is_impure(it),
        },
    );
}

/// Evaluates the entrypoints of a plan that needs no documents.
fn evaluate(plan: &Plan, capabilities: &Capabilities) -> Vec<Folded> {
    let Ok(program) = compile(plan, capabilities) else {
        return plan.entrypoints.iter().map(|_| Folded::Unknown).collect();
    };
    let mut scratch = Scratch::new();
    let derived = Derived::new(program.functions());
    let mut one = |name: &str| {
        let Some(entrypoint) = program.entrypoint(name) else { return Folded::Unknown };
        let request = Request {
            entrypoint,
            input: Input::Undefined,
            data: Value::empty_object(),
            derived: Some(&derived),
            host: &NullHost,
            limits: FOLD_LIMITS,
            strict: true,
        };
        let outcome = scratch.eval(&program, request, |it| match it {
            Decision::Value(Some(value)) => Folded::Value(Document::from_value(value)),
            Decision::Value(None) => Folded::Undefined,
            Decision::Bindings(_) => Folded::Unknown,
        });
        outcome.unwrap_or(Folded::Unknown)
    };
    plan.entrypoints.iter().map(|it| one(&it.name)).collect()
}

/// Compiles a plan with the built-ins of the table.
pub(crate) fn compile(plan: &Plan, capabilities: &Capabilities) -> Result<Program, Faults> {
    lictor_vm::compile(plan, |it| capabilities.function(it))
        .map_err(|err| Faults::new(vec![Diagnostic::unplaced("rego_compile_error", "plan", err.to_string())]))
}
