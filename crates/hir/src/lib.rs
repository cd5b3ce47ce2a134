//! The front end behind the parser: syntax in, one resolved, safe, ordered rule tree out.
//!
//! [`lower`] takes all modules of a policy, [`lower_query`] a query against them. Faults of the policy come out as
//! diagnostics beside the tree; a tree with diagnostics must not be planned. What the host can do comes in as
//! [`Capabilities`]; nothing here knows a built-in's function or evaluates anything.
//!
//! The way of a rule: `index` (who defines what), `locals` (names become variables), `templates` and `prints`, `hoist`
//! (calls become expressions), `safety` (order), `dynamic` (references become variables), `finish`. The checks stand
//! beside it. Each stage files its faults and goes on; which of them are shown is decided at the end.
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod base_documents;
mod conflicts;
mod declared;
mod dependencies;
mod diagnostics;
mod draft;
mod dynamic;
mod finish;
mod functions;
mod hoist;
mod index;
mod locals;
mod modules;
mod near;
mod outputs;
mod overrides;
mod prints;
mod query;
mod recursion;
mod resolve;
mod safety;
mod scope;
mod show;
mod templates;
pub mod tree;
pub mod types;
mod unify;
mod vars;
mod varset;

use std::sync::Arc;

use lictor_syntax::{Diagnostic, Source, ast};

use crate::tree::{Hir, Query};

pub use crate::{
    base_documents::check_base_documents,
    types::{Capabilities, Declaration, Flags, Type},
};

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

/// Lowers modules, which must have parsed without faults.
#[must_use]
pub fn lower(modules: &[ast::Module], options: &Options<'_>) -> Lowered {
    modules::lower(modules, options)
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
