//! A policy: one immutable generation of rules and data, shared by threads.
//!
//! Apart from `engine` because it is shared and never changes; the only lock guards the memory of what was prepared and
//! is not on the way of a decision.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lictor_hir::reach::{Reached, reach};
use lictor_hir::tree::Hir;
use lictor_hir::{Index, Modules, Types};
use lictor_plan::passes::Passes;
use lictor_plan::{Documents, Lowering, Solutions};
use lictor_syntax::ast::{Module, RegoVersion};
use lictor_value::{Document, Value};

use crate::build::{self, Capabilities, Checked};
use crate::conflicts::data_conflicts;
use crate::engine::Options;
use crate::external;
use crate::faults::Faults;
use crate::query::Query;

/// Prepared entrypoints that a policy keeps.
const PREPARED_MAX: usize = 1_024;

/// A compiled policy with its data. Cloning shares.
#[derive(Clone, Debug)]
pub struct Policy {
    inner: Arc<Generation>,
}

#[derive(Debug)]
struct Generation {
    rules: Arc<Rules>,
    data: Document,
    /// What was prepared for this data.
    prepared: Prepared,
}

/// What no data changes.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) hir: Arc<Hir>,
    pub(crate) types: Arc<Types>,
    pub(crate) index: Arc<Index>,
    modules: Arc<Modules>,
    pub(crate) capabilities: Arc<Capabilities>,
    pub(crate) options: Options,
    /// What was prepared for any data.
    prepared: Prepared,
    /// Found when the first query is prepared.
    documents: OnceLock<Documents>,
}

impl Rules {
    fn checked(&self) -> Checked {
        Checked { hir: Arc::clone(&self.hir), types: Arc::clone(&self.types), index: Arc::clone(&self.index) }
    }
}

/// Queries by the keys of their documents.
#[derive(Debug, Default)]
struct Prepared(Mutex<HashMap<Box<str>, Query>>);

impl Prepared {
    fn get(&self, key: &str) -> Option<Query> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn all(&self) -> Vec<Query> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn insert(&self, key: Box<str>, query: Query) {
        let mut queries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if queries.len() >= PREPARED_MAX {
            queries.clear();
        }
        queries.insert(key, query);
    }
}

/// How an ad-hoc query is read.
#[derive(Clone, Debug, Default)]
pub struct QueryOptions {
    /// The package whose names are in scope, `data.a.b` or `a.b`.
    pub package: Option<String>,
    /// Imports in scope, `data.a` or `data.a as b`.
    pub imports: Vec<String>,
    /// The version of the language.
    pub version: RegoVersion,
}

impl Policy {
    pub(crate) fn new(
        Checked { hir, types, index }: Checked,
        modules: Arc<Modules>,
        data: Document,
        capabilities: Arc<Capabilities>,
        options: Options,
    ) -> Self {
        let (prepared, documents) = (Prepared::default(), OnceLock::new());
        let rules = Rules { hir, types, index, modules, capabilities, options, prepared, documents };
        Self::of(Arc::new(rules), data)
    }

    fn of(rules: Arc<Rules>, data: Document) -> Self {
        Self { inner: Arc::new(Generation { rules, data, prepared: Prepared::default() }) }
    }

    /// The base data.
    #[must_use]
    pub fn data(&self) -> Value<'_> {
        self.inner.data.root()
    }

    /// The base data as a document, which is shared.
    #[must_use]
    pub fn document(&self) -> Document {
        self.inner.data.clone()
    }

    pub(crate) fn settings(&self) -> (&Options, &Capabilities) {
        (&self.inner.rules.options, &self.inner.rules.capabilities)
    }

    /// Returns the policy with other base data. It shares all that was prepared, so that it costs no compiling; queries
    /// that were taken from this one keep their data.
    #[must_use]
    pub fn with_data(&self, data: Document) -> Self {
        Self::of(Arc::clone(&self.inner.rules), data)
    }

    /// Returns the policy with errors of built-ins ending decisions, or being undefined.
    #[must_use]
    pub fn with_strict_builtin_errors(&self, strict_builtin_errors: bool) -> Self {
        let rules = &self.inner.rules;
        Self::new(
            rules.checked(),
            Arc::clone(&rules.modules),
            self.document(),
            Arc::clone(&rules.capabilities),
            Options { strict_builtin_errors, ..rules.options.clone() },
        )
    }

    /// Refuses base data at paths where rules stand; asked for by those who load both from files.
    ///
    /// # Errors
    /// A fault for each such path.
    pub fn check_data(&self) -> Result<(), Faults> {
        let mut found = data_conflicts(self.inner.rules.modules.iter(), self.data());
        found.extend(external::data_conflicts(&self.inner.rules.capabilities, self.data()));
        if found.is_empty() { Ok(()) } else { Err(Faults::new(found)) }
    }

    /// Refuses base data at, above and below keys where rules stand; see [`Self::check_data`].
    ///
    /// # Errors
    /// A fault for each such path.
    pub fn check_data_at(&self, keys: &[&str]) -> Result<(), Faults> {
        let meets = |module: &Module| {
            let package = module.package.path.iter().map(|it| it.as_str());
            package.zip(keys).all(|(name, key)| name == Some(*key))
        };
        let modules = self.inner.rules.modules.iter().filter(|it| meets(it));
        let mut found = data_conflicts(modules, self.data());
        found.extend(external::data_conflicts(&self.inner.rules.capabilities, self.data()));
        if found.is_empty() { Ok(()) } else { Err(Faults::new(found)) }
    }

    /// Says whether rules make the document at keys below `data`, or one that holds it.
    #[must_use]
    pub fn has_rules(&self, keys: &[&str]) -> bool {
        self.inner.rules.modules.iter().any(|module| {
            let package = module.package.path.iter().map(|it| it.as_str());
            module.rules.iter().any(|rule| {
                let head = &rule.head.reference;
                let name = head.parts.iter().map(|it| it.as_str());
                let path = package.clone().chain([head.head.as_var()]).chain(name);
                let mut keys = keys.iter();
                // What is behind a key that is no string may be anywhere below.
                path.map_while(|it| it).all(|it| keys.next() == Some(&it))
            })
        })
    }

    /// Prepares the document of a path, `data.a.p` or `a/p`; what was prepared before is found again.
    ///
    /// # Errors
    /// When the path is no path.
    pub fn prepare(&self, path: &str) -> Result<Query, Faults> {
        let names = build::path_names(path)?;
        self.prepare_keys(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Prepares the document at keys below `data`; see [`Self::prepare`].
    ///
    /// # Errors
    /// When the document cannot be compiled.
    pub fn prepare_keys(&self, names: &[&str]) -> Result<Query, Faults> {
        let key: Box<str> = names.join("\0").into();
        if let Some(known) = self.inner.prepared.get(&key) {
            return Ok(known);
        }
        let rules = &self.inner.rules;
        let query = match rules.prepared.get(&key) {
            Some(known) => known.with_data(self.document()),
            None => {
                let mut lowering = self.lowering();
                lowering.entrypoint(names);
                let query = self.finish(lowering, Vec::new())?;
                // Kept without the data, which may be large and old soon.
                rules.prepared.insert(key.clone(), query.with_data(Document::empty_object()));
                query
            }
        };
        self.inner.prepared.insert(key, query.clone());
        Ok(query)
    }

    /// Prepares what another policy had prepared, so that the first requests after a change need not wait for it.
    /// What cannot be prepared is left to whoever asks for it.
    pub fn prepare_like(&self, other: &Self) {
        let known: Vec<Box<str>> = {
            let queries = other.inner.rules.prepared.0.lock().unwrap_or_else(PoisonError::into_inner);
            let mut known: Vec<Box<str>> = queries.keys().cloned().collect();
            known.sort_unstable();
            known
        };
        for key in known {
            let names: Vec<&str> = if key.is_empty() { Vec::new() } else { key.split('\0').collect() };
            drop(self.prepare_keys(&names));
        }
    }

    /// Prepares the document of a path without optimizations, for [`Query::trace`].
    ///
    /// # Errors
    /// When the path is no path.
    pub fn prepare_traced(&self, path: &str) -> Result<Query, Faults> {
        let names = build::path_names(path)?;
        let mut lowering = self.lowering();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        lowering.entrypoint(&names);
        let rules = &self.inner.rules;
        let options = Options { passes: Passes::NONE, ..rules.options.clone() };
        let plan = external::into_plan(lowering)?;
        Query::new(plan, self.document(), &options, &rules.capabilities, Vec::new())
    }

    /// Prepares an ad-hoc query. Each solution is `{"bindings": {…}, "expressions": […]}`.
    ///
    /// # Errors
    /// The faults of the query.
    pub fn query(&self, text: &str, options: &QueryOptions) -> Result<Query, Faults> {
        self.query_with(text, options, Solutions::BindingsAndExpressions)
    }

    /// Prepares an ad-hoc query of which each solution is the object of its variables.
    ///
    /// # Errors
    /// The faults of the query.
    pub fn bindings(&self, text: &str, options: &QueryOptions) -> Result<Query, Faults> {
        self.query_with(text, options, Solutions::Bindings)
    }

    /// Finds what an ad-hoc query depends on, without looking at data: base documents, and rules.
    ///
    /// # Errors
    /// The faults of the query.
    pub fn dependencies(&self, text: &str, options: &QueryOptions) -> Result<Reached, Faults> {
        let rules = &self.inner.rules;
        let scope = (&*rules.index, &*rules.types);
        let query = build::query(text, options, scope, &rules.capabilities, &rules.options)?;
        Ok(reach(&rules.hir, &query))
    }

    fn query_with(&self, text: &str, options: &QueryOptions, solutions: Solutions) -> Result<Query, Faults> {
        let rules = &self.inner.rules;
        let scope = (&*rules.index, &*rules.types);
        let query = build::query(text, options, scope, &rules.capabilities, &rules.options)?;
        let mut lowering = self.lowering();
        lowering.query("query", &query, solutions);
        self.finish(lowering, query.expressions)
    }

    pub(crate) fn lowering(&self) -> Lowering {
        let rules = &self.inner.rules;
        let mounted = || external::mounted(&rules.capabilities);
        let documents = rules.documents.get_or_init(|| Documents::with_mounted(&rules.hir, &mounted()));
        Lowering::with_documents(Arc::clone(&rules.hir), documents.clone(), rules.capabilities.lookup())
    }

    pub(crate) fn modules(&self) -> &Modules {
        &self.inner.rules.modules
    }

    /// Returns what was prepared and is kept, each program once.
    pub(crate) fn prepared_queries(&self) -> Vec<Query> {
        self.inner.rules.prepared.all()
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.inner.rules
    }

    fn finish(
        &self,
        lowering: Lowering,
        expressions: Vec<lictor_hir::tree::QueryExpression>,
    ) -> Result<Query, Faults> {
        let rules = &self.inner.rules;
        let plan = external::into_plan(lowering)?;
        Query::new(plan, self.document(), &rules.options, &rules.capabilities, expressions)
    }
}
