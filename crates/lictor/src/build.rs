//! The stages in their order: check, lower, optimize, compile; and the built-ins that they know.
//!
//! Apart because every path from text to a program runs through here: modules, queries and entrypoints alike. It holds
//! no state; what it makes is owned by `policy` and `query`.

use std::sync::{Arc, OnceLock};

use lictor_hir::tree::{Hir, Query};
use lictor_hir::types::DeclarationError;
use lictor_hir::{Declaration, Flags, Index, Modules, Scope, Types};
use lictor_plan::passes::{self, Folded, Optimize};
use lictor_plan::{BuiltinFacts, BuiltinLookup, Plan, external};
use lictor_runtime::{Callee, CustomFn, ExternalCall, Mount, NullHost, builtins};
use lictor_syntax::ast::{Import, RegoVersion, Statement, TermKind};
use lictor_syntax::{Diagnostic, ParseOptions, parse_query, parse_statements, parse_term};
use lictor_value::{Document, Value};
use lictor_vm::{Decision, Derived, Input, Limits, Program, Request, Scratch};

use crate::capabilities;
use crate::custom::CustomBuiltin;
use crate::engine::Options;
use crate::faults::Faults;
use crate::policy::QueryOptions;

/// What a rule may take that is evaluated while compiling.
const FOLD_LIMITS: Limits = Limits { steps_max: 1_000_000, bytes_max: 64 << 20, depth_max: 1_000 };

/// The built-ins that modules are checked against.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities {
    declared: Arc<lictor_hir::Capabilities>,
    /// OPA's built-ins that are not there yet.
    absent: Vec<&'static str>,
    custom: Vec<CustomBuiltin>,
    /// What was given in place of those of this release.
    given: Option<Arc<capabilities::Capabilities>>,
    /// Who keeps parts of `data`.
    mounts: Arc<[Mount]>,
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
        let own = builtins::table().iter().map(|it| capabilities::current_declaration(it)).collect();
        Self::declared(own, custom, true)
    }

    /// Returns the built-ins of given capabilities and others, which win.
    pub(crate) fn of(
        given: &capabilities::Capabilities,
        custom: Vec<CustomBuiltin>,
    ) -> Result<Self, DeclarationError> {
        // What OPA has and this release has not is refused by name; what only the file knows is taken at its word.
        let is_here =
            |name: &str| capabilities::fact(name).is_none() || lictor_runtime::builtin_named(name).is_some();
        let own = given.builtins().filter(|it| is_here(&it.name)).cloned().collect();
        let here = Self::declared(own, custom, given.builtins().any(|it| !is_here(&it.name)))?;
        Ok(Self { given: Some(Arc::new(given.clone())), ..here })
    }

    /// Returns how texts of a version are parsed.
    pub(crate) fn parse_options(&self, version: RegoVersion) -> Result<ParseOptions, Faults> {
        match &self.given {
            Some(given) => given.parse_options(version),
            None => Ok(ParseOptions { version, ..ParseOptions::default() }),
        }
    }

    pub(crate) fn given(&self) -> Option<&capabilities::Capabilities> {
        self.given.as_deref()
    }

    fn declared(
        mut own: Vec<Declaration>,
        custom: Vec<CustomBuiltin>,
        tell_absent: bool,
    ) -> Result<Self, DeclarationError> {
        for it in &custom {
            let flags = Flags { impure: it.impure, ..Flags::default() };
            own.push(Declaration::parse(&it.name, &it.declaration, flags)?);
        }
        let declared = lictor_hir::Capabilities::new(own);
        let is_absent =
            |name: &&str| declared.get(name).is_none() && lictor_runtime::builtin_named(name).is_none();
        let names = capabilities::facts::BUILTINS.iter().map(|it| it.name);
        let absent = if tell_absent { names.filter(is_absent).collect() } else { Vec::new() };
        Ok(Self { declared: Arc::new(declared), absent, custom, given: None, mounts: Arc::default() })
    }

    /// The embedder's own.
    pub(crate) fn custom(&self) -> &[CustomBuiltin] {
        &self.custom
    }

    /// Finds the declaration of a built-in.
    pub(crate) fn declaration(&self, name: &str) -> Option<&Declaration> {
        self.declared.get(name)
    }

    /// Returns the same with other mounted paths.
    pub(crate) fn mounting(self, mounts: Arc<[Mount]>) -> Self {
        Self { mounts, ..self }
    }

    /// Who keeps parts of `data`.
    pub(crate) fn mounts(&self) -> &Arc<[Mount]> {
        &self.mounts
    }

    /// Finds the function of a built-in.
    fn callee(&self, name: &str) -> Option<Callee> {
        if let Some(call) = external_call(name) {
            let mounts = Arc::clone(&self.mounts);
            let function: Arc<CustomFn> = Arc::new(move |ctx, args| call.run(&mounts, ctx, args));
            return Some(Callee::Custom { function, cost_steps: 0 });
        }
        let custom = self.custom.iter().rev().find(|it| it.name == name);
        let custom = custom.map(|it| Callee::Custom { function: it.callable(), cost_steps: it.cost_steps });
        custom.or_else(|| lictor_runtime::builtin_named(name).map(|it| Callee::Plain(it.1.function)))
    }

    /// Says whether a built-in depends on the world or has effects.
    pub(crate) fn is_impure(&self, name: &str) -> bool {
        // What a capabilities file says cannot make pure what asks the world here: two that verify certificates
        // read the clock, though OPA lists them as pure.
        let own = lictor_runtime::builtin_named(name).is_some_and(|it| it.1.impure);
        own || matches!(name, "internal.print" | "trace")
            || self.declared.get(name).is_none_or(|it| it.flags.impure)
    }

    /// Says whether a built-in may wait for something outside.
    pub(crate) fn is_blocking(&self, name: &str) -> bool {
        if external_call(name).is_some() {
            return true;
        }
        let custom = self.custom.iter().rev().find(|it| it.name == name).map(|it| it.blocking);
        custom.unwrap_or_else(|| lictor_runtime::builtin_named(name).is_some_and(|it| it.1.blocking))
    }

    /// Returns what lowering asks.
    pub(crate) fn lookup(&self) -> BuiltinLookup {
        self.facts(|_| String::new())
    }

    /// Returns what lowering asks for a plan that leaves this process.
    pub(crate) fn lookup_declared(&self) -> BuiltinLookup {
        self.facts(capabilities::declaration_json)
    }

    fn facts(&self, declaration: fn(&Declaration) -> String) -> BuiltinLookup {
        let declared = Arc::clone(&self.declared);
        Arc::new(move |name| {
            let known = declared.get(name);
            BuiltinFacts {
                relation: known.is_some_and(|it| it.flags.relation),
                void: known.is_some_and(|it| it.result.is_none()),
                declaration: known.map(declaration).unwrap_or_default().into(),
            }
        })
    }
}

/// Returns what a plan asks of mounted paths by a name that no policy can call.
fn external_call(name: &str) -> Option<ExternalCall> {
    Some(match name {
        external::GET => ExternalCall::Get,
        external::LIST => ExternalCall::List,
        external::ALL => ExternalCall::All,
        external::AHEAD => ExternalCall::Ahead,
        _ => return None,
    })
}

fn check_options<'a>(
    capabilities: &'a Capabilities,
    options: &'a Options,
    test_cases: bool,
) -> lictor_hir::Options<'a> {
    lictor_hir::Options {
        capabilities: &capabilities.declared,
        absent: &capabilities.absent,
        strict: options.strict,
        print: options.print,
        error_limit: options.error_limit,
        test_cases,
        schemas: Some(&*options.schemas),
        unsafe_builtins: &options.unsafe_builtins,
        lenient: false,
        workers: options.workers.as_deref(),
    }
}

/// What modules were checked to be.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The rules.
    pub(crate) hir: Arc<Hir>,
    /// What their values can be.
    pub(crate) types: Arc<Types>,
    /// Who defines what.
    pub(crate) index: Arc<Index>,
}

/// Checks modules.
pub(crate) fn check(
    modules: &Arc<Modules>,
    capabilities: &Capabilities,
    options: &Options,
) -> Result<Checked, Vec<Diagnostic>> {
    checked(modules, &check_options(capabilities, options, false))
}

/// Checks modules and makes their parametrised tests tell which cases they try.
pub(crate) fn check_tests(
    modules: &Arc<Modules>,
    capabilities: &Capabilities,
    options: &Options,
) -> Result<Checked, Vec<Diagnostic>> {
    checked(modules, &check_options(capabilities, options, true))
}

/// Checks modules that may call functions that nobody knows. What comes out must not be run.
pub(crate) fn check_known(
    modules: &Arc<Modules>,
    capabilities: &Capabilities,
    options: &Options,
) -> Result<Checked, Vec<Diagnostic>> {
    let options = check_options(capabilities, options, false);
    finished(lictor_hir::lower(modules, &lictor_hir::Options { lenient: true, ..options }))
}

fn checked(modules: &Arc<Modules>, options: &lictor_hir::Options<'_>) -> Result<Checked, Vec<Diagnostic>> {
    finished(lictor_hir::lower(modules, options))
}

fn finished(lowered: lictor_hir::Lowered) -> Result<Checked, Vec<Diagnostic>> {
    if !lowered.diagnostics.is_empty() {
        return Err(lowered.diagnostics);
    }
    let lictor_hir::Lowered { hir, types, index, .. } = lowered;
    Ok(Checked { hir: Arc::new(hir), types: Arc::new(types), index: Arc::new(index) })
}

/// Reads a query.
pub(crate) fn query(
    text: &str,
    query_options: &QueryOptions,
    (index, types): (&Index, &Types),
    capabilities: &Capabilities,
    options: &Options,
) -> Result<Query, Faults> {
    let parse = capabilities.parse_options(query_options.version)?;
    let parsed = parse_query(text, &parse);
    let body = match parsed.tree {
        Some(body) if parsed.diagnostics.is_empty() => body,
        _ => return Err(Faults::new(parsed.diagnostics)),
    };
    let package = query_options.package.as_deref().unwrap_or("");
    let package = path_names(package)?;
    let package: Vec<&str> = package.iter().map(String::as_str).collect();
    let imports = imports(&query_options.imports, &parse)?;
    let scope = Scope { index, types, package: &package, imports: &imports };
    // Strict checks are for modules.
    let options = lictor_hir::Options { strict: false, ..check_options(capabilities, options, false) };
    let (query, diagnostics) = lictor_hir::lower_query(&body, &parsed.source, &scope, &options);
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
            allow_net: None,
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
    lictor_vm::compile(plan, |it| capabilities.callee(it))
        .map_err(|err| Faults::new(vec![Diagnostic::unplaced("rego_compile_error", "plan", err.to_string())]))
}
