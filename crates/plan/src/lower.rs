//! Lowering: the resolved rule tree becomes a plan of the statements that OPA's plan knows too.
//!
//! A [`Lowering`] keeps what it has lowered: each rule group becomes a function when it is first reached, once for
//! each set of replacements (`with`) that reaches it, so that asking for one more entrypoint costs only what is new.
//! It optimizes nothing that a pass could; `docs/internals/plan.md` tells the shape that passes may rely on.

mod body;
mod builder;
mod constants;
mod data;
mod external;
mod generation;
mod query;
mod rules;
mod state;
mod terms;
mod tree;
mod unify;
mod with;

use std::sync::Arc;

use lictor_hir::tree as hir;
use lictor_syntax::Span;
use rustc_hash::FxHashMap;

use crate::external::MountedPath;
use crate::ir::{Answer, Entrypoint, FuncId, Plan};
use builder::Builder;
use generation::GenId;
use state::{Job, State};
use tree::Tree;

/// What lowering must know of a built-in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuiltinFacts {
    /// It gives an array of results, each of which is a solution (`walk`).
    pub relation: bool,
    /// It gives no result (`print`).
    pub void: bool,
    /// OPA's type declaration as JSON text, for the export; may be empty.
    pub declaration: Box<str>,
}

/// Tells the facts of a built-in that the front end knows.
pub type BuiltinLookup = Arc<dyn Fn(&str) -> BuiltinFacts + Send + Sync>;

/// How the solutions of a query are given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Solutions {
    /// As an object of the variables.
    #[default]
    Bindings,
    /// As `{"bindings": {…}, "expressions": […]}`, as `eval` prints them.
    BindingsAndExpressions,
}

/// The documents that a policy defines, which all its lowerings may share.
#[derive(Clone, Debug)]
pub struct Documents {
    tree: Arc<Tree>,
}

impl Documents {
    /// Finds the documents of a policy.
    #[must_use]
    pub fn of(hir: &hir::Hir) -> Self {
        Self::with_mounted(hir, &[])
    }

    /// Finds them where somebody else keeps parts of `data`.
    #[must_use]
    pub fn with_mounted(hir: &hir::Hir, mounted: &[MountedPath]) -> Self {
        Self { tree: Arc::new(Tree::new(hir, mounted)) }
    }
}

/// A policy on its way into a plan.
///
/// The plan may be read at any time; asking for more only adds to it, and no number in it ever changes.
pub struct Lowering {
    hir: Arc<hir::Hir>,
    state: State,
    entrypoints: FxHashMap<Box<str>, FuncId>,
}

impl std::fmt::Debug for Lowering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lowering")
            .field("functions", &self.state.plan.functions.len())
            .finish_non_exhaustive()
    }
}

impl Lowering {
    /// Prepares the lowering of a policy; nothing is lowered yet.
    #[must_use]
    pub fn new(hir: Arc<hir::Hir>, builtins: BuiltinLookup) -> Self {
        let documents = Documents::of(&hir);
        Self::with_documents(hir, documents, builtins)
    }

    /// Does the same with what [`Documents::of`] gave for the policy before.
    #[must_use]
    pub fn with_documents(hir: Arc<hir::Hir>, documents: Documents, builtins: BuiltinLookup) -> Self {
        let state = State::new(&hir, documents.tree, builtins);
        Self { hir, state, entrypoints: FxHashMap::default() }
    }

    /// Lowers what the document of a path needs and adds an entrypoint named by the path (`a/p`).
    ///
    /// The path may lead to a rule, below a rule, to a package or to base data; without names it is all of `data`.
    pub fn entrypoint(&mut self, path: &[&str]) -> FuncId {
        let name = path.join("/").into_boxed_str();
        if let Some(id) = self.entrypoints.get(&name) {
            return *id;
        }
        let id = self.document(path);
        self.finish_pending();
        let entrypoint = Entrypoint { name: name.clone(), function: id, answer: Answer::Value };
        self.state.plan.entrypoints.push(entrypoint);
        self.entrypoints.insert(name, id);
        id
    }

    fn document(&mut self, path: &[&str]) -> FuncId {
        let node = self.state.tree.find(path.iter().copied());
        if let Some(node) = node.filter(|it| !self.state.tree.is_function(*it)) {
            return match self.state.tree.group(node) {
                Some(group) => self.state.group(&self.hir, group, Vec::new(), GenId::PLAIN),
                None => self.state.extent(node, GenId::PLAIN),
            };
        }
        let place = hir::Place { file: hir::FileId(0), span: Span::default() };
        let term = |name: &&str| hir::Term { kind: hir::TermKind::String((*name).into()), place };
        let parts: Vec<hir::Term> = path.iter().map(term).collect();
        let id = self.state.reserve(format!("entrypoint {}", path.join("/")));
        let hir = Arc::clone(&self.hir);
        Builder::new(&hir, &mut self.state, GenId::PLAIN).path_function(id, &parts);
        id
    }

    /// Lowers a query and adds an entrypoint of the given name, which should be new.
    pub fn query(&mut self, name: &str, query: &hir::Query, solutions: Solutions) -> FuncId {
        let id = self.state.reserve(name.to_owned());
        let hir = Arc::clone(&self.hir);
        self.state.locations = state::Locations::default();
        self.state.locations.query_file = self.state.file(query.source.name());
        let mut builder = Builder::new(&hir, &mut self.state, GenId::PLAIN);
        builder.query = Some(&query.source);
        builder.query_function(id, query, solutions == Solutions::BindingsAndExpressions);
        self.state.locations = state::Locations::default();
        self.finish_pending();
        let entrypoint = Entrypoint { name: name.into(), function: id, answer: Answer::Bindings };
        self.state.plan.entrypoints.push(entrypoint);
        id
    }

    fn finish_pending(&mut self) {
        let hir = Arc::clone(&self.hir);
        while let Some((job, id)) = self.state.pending.pop_front() {
            match job {
                Job::Group(group, keys, generation) => {
                    Builder::new(&hir, &mut self.state, generation).group_function(id, group, &keys);
                }
                Job::Extent(node, generation) => {
                    Builder::new(&hir, &mut self.state, generation).extent_function(id, node);
                }
            }
        }
        let known = self.state.plan.constants.len();
        let new = self.state.constants.documents().iter().skip(known).cloned();
        self.state.plan.constants.extend(new);
    }

    /// Says whether rules or packages define something at a path, or below it.
    #[must_use]
    pub fn has_document(&self, path: &[&str]) -> bool {
        let node = self.state.tree.find(path.iter().copied());
        node.is_some_and(|it| it == Tree::ROOT || !self.state.tree.is_function(it))
    }

    /// Returns the mounted paths of which `with` replaces a part in what was asked for so far. Such a plan must not be
    /// run: it would ask for documents that a test or rule has replaced.
    pub fn partly_replaced(&self) -> impl Iterator<Item = &str> {
        self.state.refused.iter().map(String::as_str)
    }

    /// Returns the plan of what was asked for so far.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.state.plan
    }

    /// Ends lowering.
    #[must_use]
    pub fn into_plan(self) -> Plan {
        self.state.plan
    }
}

/// Lowers a policy with the given entrypoints (`a/p`).
#[must_use]
pub fn lower(hir: Arc<hir::Hir>, entrypoints: &[&str], builtins: BuiltinLookup) -> Plan {
    let mut lowering = Lowering::new(hir, builtins);
    for entrypoint in entrypoints {
        let path: Vec<&str> = entrypoint.split('/').filter(|it| !it.is_empty()).collect();
        lowering.entrypoint(&path);
    }
    lowering.into_plan()
}

/// Returns a count or position as the number that ids hold.
fn number_of(count: usize) -> u32 {
    u32::try_from(count).expect("memory ends before a plan has 2^32 of anything")
}
