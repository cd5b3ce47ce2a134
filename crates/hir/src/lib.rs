//! The resolved, safe, ordered rule tree and the stages that make it.
//!
//! Syntax becomes a draft (names looked up), the draft loses its nested calls, bodies are ordered, and what is left is
//! the tree. Each stage files its faults and goes on; which of them are shown is decided at the end. Nothing here
//! evaluates, and nothing knows a built-in's function.
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod calls;
mod declared;
mod diagnostics;
mod draft;
mod finish;
mod hoist;
mod index;
mod locals;
mod outputs;
mod query;
mod resolve;
mod safety;
mod scope;
mod show;
pub mod tree;
pub mod types;

use std::sync::Arc;

use lictor_syntax::{Diagnostic, Source, ast};

use crate::{
    diagnostics::{Sink, Stage},
    finish::Finish,
    hoist::Known,
    index::{Index, Key},
    locals::Lowering,
    outputs::Vars,
    resolve::{Context, Globals},
    safety::Safety,
    tree::{FileId, Group, Hir, Query, Rule, RuleId, Term, Var},
};

pub use crate::types::{Capabilities, Declaration, Flags, Type};

/// How modules are checked.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The built-ins that there are.
    pub capabilities: &'a Capabilities,
    /// Names of built-ins that are known but not there, sorted.
    pub absent: &'a [&'a str],
    /// Whether strict checks run.
    pub strict: bool,
    /// Whether calls of `print` are kept.
    pub print: bool,
    /// How many faults are reported, 0 for all.
    pub error_limit: usize,
}

/// The tree of all modules, and their faults; it may be used only if there is none.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The tree.
    pub hir: Hir,
    /// The faults.
    pub diagnostics: Vec<Diagnostic>,
}

/// Returns what hoisting knows of built-ins.
fn builtins_of(options: &Options<'_>) -> Known {
    let position = |name: &str| options.capabilities.position(name);
    Known {
        template: position("internal.template_string"),
        print: position("print"),
        internal_print: position("internal.print").filter(|_| options.print),
    }
}

/// Lowers modules, which must have parsed without faults.
#[must_use]
pub fn lower(modules: &[ast::Module], options: &Options<'_>) -> Lowered {
    let modules: Vec<&ast::Module> = modules.iter().collect();
    let index = index::build(&modules);
    let mut sink = Sink::default();
    let mut rules = Vec::with_capacity(index.rules.len());
    for (at, module) in modules.iter().enumerate() {
        lower_module(at, module, &index, options, &mut sink, &mut rules);
    }
    let hir = Hir {
        sources: modules.iter().map(|it| Arc::clone(&it.source)).collect(),
        rules,
        groups: groups(&index),
        packages: packages(&modules),
        print: options.print,
    };
    Lowered { hir, diagnostics: sink.finish(options.error_limit) }
}

fn groups(index: &Index<'_>) -> Vec<Group> {
    index
        .groups
        .iter()
        .map(|it| Group {
            path: index.path(it.node).iter().map(key_text).collect(),
            kind: it.kind,
            rules: it.rules.clone(),
            default: it.default,
        })
        .collect()
}

fn key_text(key: &Key<'_>) -> Box<str> {
    match key {
        Key::String(it) | Key::Other(it) => (*it).into(),
    }
}

fn packages(modules: &[&ast::Module]) -> Vec<Vec<Box<str>>> {
    let path =
        |it: &&ast::Module| it.package.path.iter().filter_map(ast::Term::as_str).map(Box::from).collect();
    let mut packages: Vec<Vec<Box<str>>> = modules.iter().map(path).collect();
    packages.sort();
    packages.dedup();
    packages
}

fn lower_module<'a>(
    at: usize,
    module: &'a ast::Module,
    index: &Index<'a>,
    options: &Options<'_>,
    sink: &mut Sink,
    rules: &mut Vec<Rule>,
) {
    let ctx = Context { index, options };
    let globals = Globals::of(index, &module.package, &module.imports);
    let file = FileId(u32::try_from(at).unwrap_or(u32::MAX));
    let first = index.first_rule.get(at).copied().unwrap_or(0);
    let known = builtins_of(options);
    let finish = Finish { file, capabilities: options.capabilities };
    let mut lowering = Lowering::new(ctx, &module.source, &globals);
    for (offset, rule) in module.rules.iter().enumerate() {
        let id = RuleId(u32::try_from(first + offset).unwrap_or(u32::MAX));
        let Some(entry) = index.rule(id) else { continue };
        let mut draft = lowering.rule(entry, sink);
        lowering.file_faults(sink);
        for branch in &draft.branches {
            calls::check_body(&branch.body, ctx, &module.source, sink);
            calls::check_term(&branch.value, ctx, &module.source, sink);
        }
        hoist::rule(&mut draft, known);
        check_safety(&mut draft, &module.source, sink);
        rules.push(finished(&draft, rule, index, entry, finish));
    }
    if options.strict {
        globals.check_unused(&module.source, &module.imports, sink);
    }
    if options.strict || module.version_max >= ast::RegoVersion::V1 {
        resolve::check_duplicate_imports(module, sink);
    }
}

fn check_safety(rule: &mut draft::Rule, source: &Source, sink: &mut Sink) {
    let mut bound = Vars::default();
    rule.args.iter().for_each(|it| outputs::outer(it, &mut bound));
    let mut safety = Safety { source, vars: &rule.vars, faults: Vec::new() };
    let keys = rule.keys.clone();
    for (at, branch) in rule.branches.iter_mut().enumerate() {
        let safe = safety.body(&mut branch.body, &bound);
        safety.head(&branch.value, &safe, true);
        if at == 0 {
            keys.iter().for_each(|it| safety.head(it, &safe, true));
        }
    }
    safety.faults.into_iter().for_each(|it| sink.stop(Stage::BodySafety, it));
}

fn finished(
    draft: &draft::Rule,
    rule: &ast::Rule,
    index: &Index<'_>,
    entry: &index::Entry<'_>,
    finish: Finish<'_>,
) -> Rule {
    let all = |items: &[draft::Term]| -> Vec<Term> { items.iter().map(|it| finish.term(it)).collect() };
    let (first, others) = draft.branches.split_first().expect("a rule has its own branch");
    let group = index.group_of_rule(entry);
    let path = index.group(group).map(|it| index.path(it.node)).unwrap_or_default();
    let mut shown = show::data_path(path.iter().map(|it| match it {
        Key::String(it) | Key::Other(it) => *it,
    }));
    show::push_parts(rule.head.reference.parts.get(entry.names..).unwrap_or_default(), &mut shown);
    Rule {
        group,
        keys: all(&draft.keys),
        contains: draft.contains,
        args: all(&draft.args),
        value: finish.term(&first.value),
        body: finish.body(&first.body),
        else_branch: finish.else_branches(others),
        vars: draft.vars.iter().map(|it| Var { name: it.name.clone(), generated: it.generated }).collect(),
        place: finish.place(rule.span),
        head_place: finish.place(rule.head.span),
        shown: shown.into(),
        annotations: rule.annotations.clone(),
    }
}

/// Lowers a query in the scope of a package (without `data`) and imports.
#[must_use]
pub fn lower_query(
    body: &[ast::Expr],
    source: &Arc<Source>,
    modules: &[ast::Module],
    package: &[&str],
    imports: &[ast::Import],
    options: &Options<'_>,
) -> (Query, Vec<Diagnostic>) {
    let modules: Vec<&ast::Module> = modules.iter().collect();
    let index = index::build(&modules);
    query::lower(body, source, query::Surroundings { index: &index, options, package, imports })
}
