//! The type checker: what values rules and variables can hold, and what cannot work.
//!
//! It runs on the finished tree, rule by rule in the order of dependency, and makes [`Types`]. One judgement a file:
//! [`body`] (expressions in their order), [`calls`], [`matching`] (two sides of `=`), [`references`], [`replaced`]
//! (`with`), [`rules`] (what a rule's type is), [`overrides`] (schemas of annotations). What is refused, and with which
//! words, is OPA's to say: policies are refused that OPA refuses and no others, so that its oddities are kept.
//! Nothing here changes the tree or evaluates.

use std::{rc::Rc, sync::Arc};

use lictor_syntax::{Diagnostic, Source};
use rustc_hash::FxHashMap;

use crate::{
    check::documents::{Documents, Root},
    recursion::Graph,
    schemas::SchemaType,
    tree::{Expr, FileId, Place, Query, Var, VarId},
    types::{Capabilities, Type},
};

mod body;
mod calls;
pub(crate) mod documents;
mod matching;
pub(crate) mod overrides;
mod references;
mod replaced;
pub(crate) mod rules;
mod terms;
pub(crate) mod written;

/// Closures of one rule are looked into this often at most: OPA looks into nested ones once more for each level.
const CLOSURES_MAX: u32 = 10_000;

/// What the checker found out about a policy.
#[derive(Clone, Debug, Default)]
pub struct Types {
    documents: Documents,
    /// The type of the input; unknown if nothing is said of it.
    input: Type,
    /// Definitions that refer to themselves live as long as this.
    #[expect(dead_code, reason = "kept so that what it holds lives")]
    definitions: Vec<Arc<Type>>,
    pub(crate) graph: Graph,
}

impl Types {
    /// Says what the input is.
    pub(crate) fn with_input(input: SchemaType) -> Self {
        Self { input: input.ty, definitions: input.definitions, ..Self::default() }
    }

    /// Returns the type of the document or function at a path below `data`, if a rule defines it or part of it.
    #[must_use]
    pub fn of_path(&self, path: &[&str]) -> Option<Type> {
        let start = self.documents.root(Root::Data)?;
        let node = path.iter().try_fold(start, |node, name| self.documents.child_named(node, name))?;
        Some(self.documents.extent(node))
    }

    /// Returns the type of the input.
    #[must_use]
    pub fn input(&self) -> Type {
        self.input.known().cloned().unwrap_or(Type::Any)
    }
}

/// What a fault is told with.
#[derive(Debug)]
struct Fault {
    diagnostic: Diagnostic,
    /// Something unknown had part in it, so that an earlier fault is to blame if there is one.
    unknown: bool,
}

/// Where the texts of places are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<'a> {
    files: &'a [Arc<Source>],
    /// The text of the query, if it is one that is checked.
    query: Option<&'a Arc<Source>>,
}

/// What all rules are checked with.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    capabilities: &'a Capabilities,
    types: &'a Types,
    sources: Sources<'a>,
    dependents: &'a replaced::Dependents<'a>,
}

/// The check of one branch of a rule, or of a query.
pub(crate) struct Checker<'a> {
    scene: Scene<'a>,
    /// The variables by name, and the body that they are in.
    names: &'a [Var],
    whole: &'a [Expr],
    /// Documents that hide others, innermost last.
    layers: Vec<Rc<Documents>>,
    /// What is known of variables, and what was known before the current closure.
    vars: Vec<Type>,
    trail: Vec<(VarId, Type)>,
    /// The types of comprehensions that were just looked into.
    closures: FxHashMap<usize, Type>,
    closures_left: u32,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(scene: Scene<'a>, names: &'a [Var], whole: &'a [Expr]) -> Self {
        Self {
            scene,
            names,
            whole,
            layers: Vec::new(),
            vars: vec![Type::Unknown; names.len()],
            trail: Vec::new(),
            closures: FxHashMap::default(),
            closures_left: CLOSURES_MAX,
        }
    }

    fn var(&self, var: VarId) -> Type {
        self.vars.get(var.0 as usize).cloned().unwrap_or_default()
    }

    fn set_var(&mut self, var: VarId, ty: Type) {
        if let Some(place) = self.vars.get_mut(var.0 as usize) {
            let before = std::mem::replace(place, ty);
            self.trail.push((var, before));
        }
    }

    /// Takes back what was found out about variables since the trail had this length.
    fn undo(&mut self, length: usize) {
        while self.trail.len() > length {
            if let Some((var, before)) = self.trail.pop()
                && let Some(place) = self.vars.get_mut(var.0 as usize)
            {
                *place = before;
            }
        }
    }

    fn source(&self, file: FileId) -> Option<&'a Source> {
        let files = self.scene.sources.files;
        files.get(file.0 as usize).or(self.scene.sources.query).map(AsRef::as_ref)
    }

    fn diagnostic(&self, place: Place, name: &'static str, message: String) -> Diagnostic {
        let code = lictor_syntax::diagnostics::codes::TYPE;
        match self.source(place.file) {
            Some(source) => Diagnostic::new(code, name, source, place.span, message),
            None => Diagnostic::unplaced(code, name, message),
        }
    }
}

/// Checks a query against the types of its policy.
pub(crate) fn check_query(
    query: &Query,
    capabilities: &Capabilities,
    types: &Types,
    index: &crate::index::Index,
) -> Vec<Diagnostic> {
    let dependents = replaced::Dependents::new(index, &types.graph);
    let sources = Sources { files: &[], query: Some(&query.source) };
    let scene = Scene { capabilities, types, sources, dependents: &dependents };
    Checker::new(scene, &query.vars, &query.body).body(&query.body)
}
