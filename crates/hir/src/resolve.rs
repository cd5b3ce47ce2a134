//! What the names of a module mean outside of its rules: rules of its package, imports, functions.
//!
//! Apart from [`crate::scope`], which knows what names mean inside a rule: a name is looked up there first and here
//! only if no local variable claims it.

use std::cell::Cell;

use lictor_syntax::{Source, Span, ast, printer};
use rustc_hash::FxHashMap;

use crate::{
    Options,
    diagnostics::{Sink, Stage, names},
    draft::{Callee, Head, Ref, Term, TermKind},
    index::{Index, NodeId},
    near::nearest,
    show,
};

/// What all modules are lowered with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) index: &'a Index,
    pub(crate) options: &'a Options<'a>,
}

/// What a global name stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning<'a> {
    /// A rule of the package.
    Rule(&'a str),
    /// An imported path.
    Import(&'a ast::Ref),
}

/// The global names of one module or query. Those of rules are looked up in the index, so that a package of many
/// modules costs each of them nothing.
#[derive(Debug)]
pub(crate) struct Globals<'a> {
    index: &'a Index,
    package: Vec<&'a str>,
    node: Option<NodeId>,
    imports: FxHashMap<&'a str, (&'a ast::Ref, usize)>,
    used_imports: Vec<Cell<bool>>,
}

impl<'a> Globals<'a> {
    /// Collects the names of a module: rules of its package in any file, then imports, which win.
    pub(crate) fn of(index: &'a Index, package: &'a ast::Package, imports: &'a [ast::Import]) -> Self {
        let package: Vec<&str> = package.path.iter().filter_map(ast::Term::as_str).collect();
        Self::new(index, package, imports)
    }

    pub(crate) fn new(index: &'a Index, package: Vec<&'a str>, imports: &'a [ast::Import]) -> Self {
        let node = index.find(package.iter().copied()).filter(|_| !package.is_empty());
        let data = (0..).zip(imports).filter(|(_, it)| is_data_import(it));
        let names = data.map(|(at, it)| (it.name(), (&it.path, at))).collect();
        Self { index, package, node, imports: names, used_imports: vec![Cell::new(false); imports.len()] }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        (!self.imports.is_empty() && self.imports.contains_key(name)) || self.rule(name).is_some()
    }

    fn rule(&self, name: &str) -> Option<&'a str> {
        self.index.rule_name(self.node?, name)
    }

    /// Returns the reference that a global name stands for.
    pub(crate) fn reference(&self, name: &str, span: Span) -> Option<Ref> {
        let string = |text: &str| Term::new(TermKind::String(text.into()), span);
        match self.meaning(name)? {
            Meaning::Rule(rule) => {
                let mut parts = Vec::with_capacity(self.package.len() + 3);
                parts.extend(self.package.iter().map(|it| string(it)));
                parts.push(string(rule));
                Some(Ref { head: Head::Data, parts })
            }
            Meaning::Import(path) => {
                let head = if path.head.as_var() == Some("input") { Head::Input } else { Head::Data };
                let parts = path.parts.iter().filter_map(ast::Term::as_str).map(string).collect();
                Some(Ref { head, parts })
            }
        }
    }

    /// Returns root and path of a global name.
    fn path(&self, name: &str) -> Option<(&'a str, Vec<&'a str>)> {
        match self.meaning(name)? {
            Meaning::Rule(rule) => {
                let mut path = self.package.clone();
                path.push(rule);
                Some(("data", path))
            }
            Meaning::Import(path) => {
                let head = path.head.as_var().unwrap_or_default();
                Some((head, path.parts.iter().filter_map(ast::Term::as_str).collect()))
            }
        }
    }

    /// Returns root and path of a name unless a local variable hides it.
    pub(crate) fn path_of(&self, name: &str, hidden: bool) -> Option<(&'a str, Vec<&'a str>)> {
        if hidden { None } else { self.path(name) }
    }

    fn meaning(&self, name: &str) -> Option<Meaning<'a>> {
        if let Some((path, at)) = self.imports.get(name) {
            if let Some(used) = self.used_imports.get(*at) {
                used.set(true);
            }
            return Some(Meaning::Import(path));
        }
        self.rule(name).map(Meaning::Rule)
    }

    /// Returns the function that a reference calls, whose head is no local variable.
    pub(crate) fn callee(&self, ctx: Context<'a>, name: &'a ast::Ref, hidden: bool) -> Callee {
        let Some(head) = name.head.as_var() else { return Callee::Unknown(printer::ref_text(name).into()) };
        let keys: Option<Vec<&str>> = name.parts.iter().map(ast::Term::as_str).collect();
        let global = if hidden { None } else { self.path(head) };
        let (root, mut path) = match global {
            Some(global) => global,
            None if head == "data" || head == "input" => (head, Vec::new()),
            None => return builtin(ctx, name),
        };
        if root == "data"
            && let Some(keys) = keys
        {
            path.extend(keys);
            if let Some(found) = function_at(ctx.index, &path) {
                return found;
            }
            return Callee::Unknown(show::data_path(path).into());
        }
        let mut text = String::from(root);
        for key in path {
            show::push_key(key, &mut text);
        }
        show::push_parts(&name.parts, &mut text);
        Callee::Unknown(text.into())
    }

    /// Returns the global name that a wrong one is near to.
    pub(crate) fn near(&self, name: &str) -> Option<&'a str> {
        let rules = self.node.into_iter().flat_map(|it| self.index.rule_names(it));
        nearest(name, rules.chain(self.imports.values().map(|(path, _)| last_name(path))))
    }

    /// Reports imports that nothing used.
    pub(crate) fn check_unused(&self, source: &Source, imports: &[ast::Import], sink: &mut Sink) {
        for import in imports.iter().filter(|it| is_data_import(it)) {
            // Of imports with one name the last is used, and OPA takes that for all of them.
            let last = self.imports.get(import.name()).and_then(|(_, at)| self.used_imports.get(*at));
            if !last.is_some_and(Cell::get) {
                let text = printer::import_text(import);
                sink.go_on(Stage::UnusedImports, names::unused_import(source, import.span, &text));
            }
        }
    }
}

fn last_name(path: &ast::Ref) -> &str {
    path.parts.last().and_then(ast::Term::as_str).unwrap_or_default()
}

fn is_data_import(import: &ast::Import) -> bool {
    !matches!(import.path.head.as_var(), Some("rego" | "future"))
}

/// Returns a rule that can be called, at a path without `data`.
pub(crate) fn function_at(index: &Index, path: &[&str]) -> Option<Callee> {
    let node = index.node(index.find(path.iter().copied())?)?;
    if node.rules.is_empty() {
        return None;
    }
    node.group.map(Callee::Function)
}

fn unknown(name: &ast::Ref) -> Callee {
    Callee::Unknown(printer::ref_text(name).into())
}

fn builtin(ctx: Context<'_>, name: &ast::Ref) -> Callee {
    let caps = ctx.options.capabilities;
    if name.parts.is_empty()
        && let Some(at) = name.head.as_var().and_then(|it| caps.position(it))
    {
        return Callee::Builtin(at);
    }
    match name.dotted() {
        Some(text) => caps.position(&text).map_or_else(|| unknown(name), Callee::Builtin),
        None => unknown(name),
    }
}

/// Reports imports that hide earlier ones.
pub(crate) fn check_duplicate_imports(module: &ast::Module, sink: &mut Sink) {
    let mut seen: FxHashMap<&str, &ast::Import> = FxHashMap::default();
    for import in &module.imports {
        match seen.get(import.name()) {
            Some(first) => {
                let text = printer::import_text(first);
                let fault = names::duplicate_import(&module.source, import.span, &text);
                sink.go_on(Stage::DuplicateImports, fault);
            }
            None => {
                seen.insert(import.name(), import);
            }
        }
    }
}
