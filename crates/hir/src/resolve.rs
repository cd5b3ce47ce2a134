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
    index::Index,
    show,
};

/// What all modules are lowered with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) options: &'a Options<'a>,
}

/// What a global name stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning<'a> {
    /// A rule of the package.
    Rule(&'a str),
    /// An imported path, and its position among the imports.
    Import(&'a ast::Ref, usize),
}

/// The global names of one module or query.
#[derive(Debug)]
pub(crate) struct Globals<'a> {
    package: Vec<&'a str>,
    meanings: FxHashMap<&'a str, Meaning<'a>>,
    used_imports: Vec<Cell<bool>>,
}

impl<'a> Globals<'a> {
    /// Collects the names of a module: rules of its package in any file, then imports, which win.
    pub(crate) fn of(index: &Index<'a>, package: &'a ast::Package, imports: &'a [ast::Import]) -> Self {
        let package: Vec<&str> = package.path.iter().filter_map(ast::Term::as_str).collect();
        Self::new(index, package, imports)
    }

    pub(crate) fn new(index: &Index<'a>, package: Vec<&'a str>, imports: &'a [ast::Import]) -> Self {
        let mut meanings = FxHashMap::default();
        if let Some(node) = index.find(package.iter().copied()) {
            let names = index.exports.get(&node).map_or(&[][..], Vec::as_slice);
            meanings.reserve(names.len());
            meanings.extend(names.iter().map(|name| (*name, Meaning::Rule(name))));
        }
        for (at, import) in imports.iter().enumerate() {
            if is_data_import(import) {
                meanings.insert(import.name(), Meaning::Import(&import.path, at));
            }
        }
        Self { package, meanings, used_imports: vec![Cell::new(false); imports.len()] }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.meanings.contains_key(name)
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
            Meaning::Import(path, _) => {
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
            Meaning::Import(path, _) => {
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
        let meaning = *self.meanings.get(name)?;
        if let Meaning::Import(_, at) = meaning
            && let Some(used) = self.used_imports.get(at)
        {
            used.set(true);
        }
        Some(meaning)
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

    /// Reports imports that nothing used.
    pub(crate) fn check_unused(&self, source: &Source, imports: &[ast::Import], sink: &mut Sink) {
        for (at, import) in imports.iter().enumerate() {
            let used = self.used_imports.get(at).is_none_or(Cell::get);
            // Of imports with one name the last is used, and OPA takes that for all of them.
            let meant = match self.meanings.get(import.name()) {
                Some(Meaning::Import(_, last)) => self.used_imports.get(*last).is_some_and(Cell::get),
                _ => true,
            };
            if is_data_import(import) && !used && !meant {
                let text = printer::import_text(import);
                sink.go_on(Stage::UnusedImports, names::unused_import(source, import.span, &text));
            }
        }
    }
}

fn is_data_import(import: &ast::Import) -> bool {
    !matches!(import.path.head.as_var(), Some("rego" | "future"))
}

/// Returns a rule that can be called, at a path without `data`.
pub(crate) fn function_at(index: &Index<'_>, path: &[&str]) -> Option<Callee> {
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
