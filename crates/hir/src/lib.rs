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

mod annotations;
mod base_documents;
mod check;
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
mod metadata;
mod modules;
mod near;
mod outputs;
mod overrides;
mod prints;
mod query;
pub mod reach;
mod recursion;
mod resolve;
mod safety;
pub mod schemas;
mod scope;
mod show;
mod templates;
mod test_cases;
pub mod tree;
pub mod types;
mod unify;
mod vars;
mod varset;
mod workers;

use std::sync::Arc;

use lictor_syntax::{Diagnostic, Source, ast};

use crate::tree::{Hir, Query};

pub use crate::{
    annotations::{AnnotationSet, Placed},
    base_documents::check_base_documents,
    check::Types,
    index::Index,
    types::{Capabilities, Declaration, Flags, Type},
    workers::Workers,
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
    /// Whether parametrised tests tell which cases they try.
    pub test_cases: bool,
    /// Schemas of documents; without any, annotations say nothing of types.
    pub schemas: Option<&'a dyn schemas::Schemas>,
    /// Names of built-ins that may not be called.
    pub unsafe_builtins: &'a [String],
    /// Whether modules may call functions that nobody knows, and so leave variables of bodies unsafe: for looking at
    /// modules that stand alone, never for running them.
    pub lenient: bool,
    /// Who lowers modules; without them the caller does.
    pub workers: Option<&'a dyn Workers>,
}

/// The modules of a policy, in the order in which their rules are tried.
#[derive(Clone, Debug, Default)]
pub struct Modules(pub Vec<ast::Module>);

impl std::ops::Deref for Modules {
    type Target = Vec<ast::Module>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl std::ops::DerefMut for Modules {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// The tree of all modules, and their faults; it may be used only if there is none.
#[derive(Debug)]
pub struct Lowered {
    /// The tree.
    pub hir: Hir,
    /// What rules and functions can be.
    pub types: Types,
    /// Who defines what, for queries.
    pub index: Index,
    /// The faults.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers modules, which must have parsed without faults.
#[must_use]
pub fn lower(modules: &Arc<Modules>, options: &Options<'_>) -> Lowered {
    modules::lower(modules, options)
}

/// What a query is read in.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Who defines what in the policy.
    pub index: &'a Index,
    /// What its rules are.
    pub types: &'a Types,
    /// The package whose names are in scope, without `data`.
    pub package: &'a [&'a str],
    /// The imports in scope.
    pub imports: &'a [ast::Import],
}

/// Lowers a query.
#[must_use]
pub fn lower_query(
    body: &[ast::Expr],
    source: &Arc<Source>,
    scope: &Scope<'_>,
    options: &Options<'_>,
) -> (Query, Vec<Diagnostic>) {
    let Scope { index, types, package, imports } = *scope;
    query::lower(body, source, query::Surroundings { index, options, package, imports, types })
}
