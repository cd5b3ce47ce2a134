//! What all functions of a lowering share: the plan so far, the memo of functions, and what is still to be lowered.
//!
//! A function gets its number when it is first called and is lowered later from a list, so that neither recursion
//! nor the length of a chain of rules costs stack.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use lictor_hir::tree as hir;
use lictor_syntax::{Source, Span};
use rustc_hash::FxHashMap;

use super::BuiltinLookup;
use super::constants::Constants;
use super::generation::{GenId, Generations};
use super::number_of;
use super::tree::{NodeId, Tree, shown};
use crate::ir::{
    BuiltinDecl, BuiltinRef, ConstId, FuncId, Function, Local, Location, Plan, RuleIdx, RuleInfo,
};

/// What is lowered into a function without being asked for by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Job {
    /// A group; of a partial object only the rules that can define something below the keys (`None` is any key).
    Group(hir::GroupId, Vec<Option<ConstId>>, GenId),
    /// The whole document of a node that is no group.
    Extent(NodeId, GenId),
}

/// What all functions share.
pub(super) struct State {
    pub(super) plan: Plan,
    pub(super) tree: Arc<Tree>,
    pub(super) generations: Generations,
    pub(super) constants: Constants,
    pub(super) locations: Locations,
    pub(super) builtins: BuiltinLookup,
    pub(super) pending: VecDeque<(Job, FuncId)>,
    /// Mounted paths of which `with` replaces a part, which cannot be.
    pub(super) refused: BTreeSet<String>,
    functions: FxHashMap<Job, FuncId>,
    builtin_refs: FxHashMap<Box<str>, (BuiltinRef, bool, bool)>,
    rules: FxHashMap<hir::RuleId, RuleIdx>,
}

/// How a built-in is called.
#[derive(Clone, Copy)]
pub(super) struct BuiltinCall {
    pub(super) builtin: BuiltinRef,
    /// It gives an array of results.
    pub(super) relation: bool,
    /// It gives no result.
    pub(super) void: bool,
}

impl State {
    pub(super) fn new(hir: &hir::Hir, tree: Arc<Tree>, builtins: BuiltinLookup) -> Self {
        let files = hir.sources.iter().map(|it| it.name().as_ref().into()).collect();
        Self {
            plan: Plan { files, ..Plan::default() },
            tree,
            generations: Generations::new(),
            constants: Constants::default(),
            locations: Locations::default(),
            builtins,
            pending: VecDeque::new(),
            refused: BTreeSet::new(),
            functions: FxHashMap::default(),
            builtin_refs: FxHashMap::default(),
            rules: FxHashMap::default(),
        }
    }

    /// Returns the function of a group; see [`Job::Group`].
    pub(super) fn group(
        &mut self,
        hir: &hir::Hir,
        group: hir::GroupId,
        keys: Vec<Option<ConstId>>,
        generation: GenId,
    ) -> FuncId {
        let job = Job::Group(group, keys, generation);
        if let Some(id) = self.functions.get(&job) {
            return *id;
        }
        let Job::Group(_, keys, _) = &job else { return FuncId(0) };
        let path = &hir.groups[group.0 as usize].path;
        let mut name = format!("g{}.{}", generation.0, shown(path));
        for key in keys {
            match key {
                Some(id) => name.push_str(&format!("[{}]", self.constants.documents()[id.0 as usize].root())),
                None => name.push_str("[_]"),
            }
        }
        self.enlist(job, name)
    }

    /// Returns the function of the whole document of a node.
    pub(super) fn extent(&mut self, node: NodeId, generation: GenId) -> FuncId {
        let job = Job::Extent(node, generation);
        if let Some(id) = self.functions.get(&job) {
            return *id;
        }
        let path = self.tree.path(node);
        let name = format!("g{}.{}", generation.0, shown(&path));
        self.enlist(job, name)
    }

    fn enlist(&mut self, job: Job, name: String) -> FuncId {
        let id = self.reserve(name);
        self.pending.push_back((job.clone(), id));
        self.functions.insert(job, id);
        id
    }

    /// Lets a dynamic call find the function of a node.
    pub(super) fn make_findable(&mut self, id: FuncId, node: NodeId, generation: GenId) {
        if self.plan.functions[id.0 as usize].path.is_empty() {
            let first = format!("g{}", generation.0).into_boxed_str();
            let path =
                std::iter::once(first).chain(self.tree.path(node).iter().map(|it| (**it).into())).collect();
            self.plan.functions[id.0 as usize].path = path;
        }
    }

    /// Makes a function that is filled later.
    pub(super) fn reserve(&mut self, name: String) -> FuncId {
        let id = FuncId(number_of(self.plan.functions.len()));
        self.plan.functions.push(Function {
            name: name.into(),
            path: Vec::new(),
            params: Vec::new(),
            result: Local::FIRST_FREE,
            locals: Local::FIRST_FREE.0 + 1,
            blocks: Vec::new(),
            facts: None,
        });
        id
    }

    /// Returns how to call a built-in.
    pub(super) fn builtin(&mut self, name: &str) -> BuiltinCall {
        if let Some((builtin, relation, void)) = self.builtin_refs.get(name) {
            return BuiltinCall { builtin: *builtin, relation: *relation, void: *void };
        }
        let facts = (self.builtins)(name);
        let at = number_of(self.plan.builtins.len());
        self.plan.builtins.push(BuiltinDecl { name: name.into(), declaration: facts.declaration });
        let call = BuiltinCall { builtin: BuiltinRef(at), relation: facts.relation, void: facts.void };
        self.builtin_refs.insert(name.into(), (call.builtin, call.relation, call.void));
        call
    }

    /// Returns the number of a rule in the plan.
    pub(super) fn rule(&mut self, hir: &hir::Hir, id: hir::RuleId) -> RuleIdx {
        if let Some(index) = self.rules.get(&id) {
            return *index;
        }
        let rule = &hir.rules[id.0 as usize];
        let location = self.locations.of(hir, None, rule.place);
        let index = RuleIdx(number_of(self.plan.rules.len()));
        self.plan.rules.push(RuleInfo { path: rule.shown.clone(), location });
        self.rules.insert(id, index);
        index
    }

    /// Returns the number of a file that is no module's.
    pub(super) fn file(&mut self, name: &str) -> u32 {
        let found = self.plan.files.iter().position(|it| it.as_ref() == name);
        let at = found.unwrap_or_else(|| {
            self.plan.files.push(name.into());
            self.plan.files.len() - 1
        });
        u32::try_from(at).unwrap_or(0)
    }
}

/// Turns places into rows and columns; the last one is kept, since statements come in runs.
#[derive(Default)]
pub(super) struct Locations {
    last: Option<(u32, Span, Location)>,
    /// The file of the query that is being lowered.
    pub(super) query_file: u32,
}

impl Locations {
    pub(super) fn of(&mut self, hir: &hir::Hir, query: Option<&Source>, place: hir::Place) -> Location {
        let file = if query.is_some() { self.query_file } else { place.file.0 };
        if let Some((last_file, span, location)) = self.last
            && last_file == file
            && span == place.span
        {
            return location;
        }
        let source = query.or_else(|| hir.sources.get(file as usize).map(|it| &**it));
        let Some(source) = source else { return Location::default() };
        let (start, end) = (source.position(place.span.start), source.position(place.span.end));
        let location = Location { file, row: start.row, col: start.col, end_row: end.row, end_col: end.col };
        self.last = Some((file, place.span, location));
        location
    }
}
