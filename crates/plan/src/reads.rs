//! The read set: what of `input` and `data` an entrypoint can read, and which impure built-ins it can call.
//!
//! Apart because five features stand on it: projection of the input, cache keys, invalidation, typed structs, warnings.
//! It is sound, not exact: a register holds any of the paths that are ever put into it, and whatever is done with a
//! value except looking further into it reads all of it. A `with` counts as a read of what it replaces.

use std::collections::{BTreeMap, BTreeSet};

use std::fmt;

use rustc_hash::FxHashMap;

use crate::external;
use crate::ir::{Block, Callee, FuncId, Local, Operand, Plan, Stmt, StmtKind};

/// Longer paths count as reads of the whole part.
const PATH_STEPS_MAX: usize = 24;
/// A register with more paths counts as a read of them all.
const PATHS_MAX: usize = 64;

/// A step into a document.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReadStep {
    /// The value of an object's key.
    Key(Box<str>),
    /// Any value of an object, item of an array, or member of a set.
    Any,
}

/// A tree of what is read of a document.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reads {
    /// All of it is read.
    pub whole: bool,
    /// It is looked at, without more than the parts below being read.
    pub visited: bool,
    /// What is read inside.
    pub parts: BTreeMap<ReadStep, Reads>,
}

/// What an entrypoint can read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadSet {
    /// Of the input.
    pub input: Reads,
    /// Of the base data.
    pub data: Reads,
    /// Of the documents below `data` that somebody else keeps.
    pub external: Reads,
    /// Names of impure built-ins, sorted.
    pub impure: BTreeSet<Box<str>>,
}

impl Reads {
    /// Says whether nothing is read.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        !self.whole && !self.visited && self.parts.is_empty()
    }

    fn add(&mut self, steps: &[ReadStep], whole: bool) {
        if self.whole {
            return;
        }
        let Some((first, rest)) = steps.split_first() else {
            self.visited = true;
            if whole {
                self.whole = true;
                self.parts.clear();
            }
            return;
        };
        self.visited = true;
        self.parts.entry(first.clone()).or_default().add(rest, whole);
    }

    /// Calls back with every path that is read, and whether all below it is.
    pub fn for_each(&self, mut visit: impl FnMut(&[ReadStep], bool)) {
        self.walk(&mut Vec::new(), &mut visit);
    }

    fn walk(&self, path: &mut Vec<ReadStep>, visit: &mut impl FnMut(&[ReadStep], bool)) {
        if self.whole || self.parts.is_empty() {
            if self.whole || self.visited {
                visit(path, self.whole);
            }
            return;
        }
        for (step, part) in &self.parts {
            path.push(step.clone());
            part.walk(path, visit);
            path.pop();
        }
    }
}

impl fmt::Display for ReadSet {
    /// Writes a line a path: `input.user`, `data.roles[*].name.**` (`**`: all below), then the impure built-ins.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("input", &self.input), ("data", &self.data), ("external data", &self.external)];
        for (name, reads) in parts {
            let mut lines = Vec::new();
            reads.for_each(|path, whole| {
                let mut line = name.to_owned();
                for step in path {
                    match step {
                        ReadStep::Key(key) if is_name(key) => {
                            line.push('.');
                            line.push_str(key);
                        }
                        ReadStep::Key(key) => line.push_str(&format!("[{key:?}]")),
                        ReadStep::Any => line.push_str("[*]"),
                    }
                }
                if whole {
                    line.push_str(".**");
                }
                lines.push(line);
            });
            for line in lines {
                writeln!(f, "{line}")?;
            }
        }
        for name in &self.impure {
            writeln!(f, "{name}()")?;
        }
        Ok(())
    }
}

fn is_name(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_')
        && chars.all(|it| it.is_ascii_alphanumeric() || it == '_')
}

/// Computes what a function of the plan can read; `impure` says which built-ins are.
#[must_use]
pub fn read_set(plan: &Plan, function: FuncId, impure: &dyn Fn(&str) -> bool) -> ReadSet {
    let mut analysis = Analysis {
        plan,
        impure,
        reads: ReadSet::default(),
        results: FxHashMap::default(),
        compared: BTreeSet::new(),
    };
    let paths = analysis.function(function);
    paths.iter().for_each(|it| analysis.read(it, true));
    analysis.reads
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Path {
    of: Of,
    steps: Vec<ReadStep>,
}

/// Whose document a path leads into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Of {
    Input,
    Data,
    External,
}

type Paths = BTreeSet<Path>;

struct Analysis<'p> {
    plan: &'p Plan,
    impure: &'p dyn Fn(&str) -> bool,
    reads: ReadSet,
    /// What the value of a function may be a part of; none while it is being looked at.
    results: FxHashMap<FuncId, Option<Paths>>,
    /// Registers of the function that is being looked at whose values are compared, lest two differ.
    compared: BTreeSet<Local>,
}

impl Analysis<'_> {
    fn read(&mut self, path: &Path, whole: bool) {
        let reads = match path.of {
            Of::Input => &mut self.reads.input,
            Of::Data => &mut self.reads.data,
            Of::External => &mut self.reads.external,
        };
        reads.add(&path.steps, whole);
    }

    fn function(&mut self, id: FuncId) -> Paths {
        if let Some(known) = self.results.get(&id) {
            return known.clone().unwrap_or_default();
        }
        self.results.insert(id, None);
        let plan = self.plan;
        let Some(function) = plan.functions.get(id.0 as usize) else { return Paths::new() };
        let around = std::mem::replace(&mut self.compared, compared(&function.blocks));
        let mut locals: FxHashMap<Local, Paths> = FxHashMap::default();
        locals.insert(Local::INPUT, Paths::from([Path { of: Of::Input, steps: Vec::new() }]));
        locals.insert(Local::DATA, Paths::from([Path { of: Of::Data, steps: Vec::new() }]));
        // Twice: what a loop puts into a register late may be read early in the next turn.
        for _ in 0..2 {
            function.blocks.iter().for_each(|it| self.block(it, &mut locals));
        }
        self.compared = around;
        let mut result = Paths::new();
        for local in returned(&function.blocks).into_iter().chain([function.result]) {
            result.extend(locals.get(&local).cloned().unwrap_or_default());
        }
        self.results.insert(id, Some(result.clone()));
        result
    }

    fn block(&mut self, block: &Block, locals: &mut FxHashMap<Local, Paths>) {
        for stmt in &block.stmts {
            self.stmt(stmt, locals);
            stmt.kind.for_each_block(|it| self.block(it, locals));
        }
    }

    fn stmt(&mut self, stmt: &Stmt, locals: &mut FxHashMap<Local, Paths>) {
        match &stmt.kind {
            StmtKind::Dot { source: Operand::Local(source), key, target } => {
                self.used(*key, locals);
                let step = match key {
                    Operand::Const(id) => self.step(*id),
                    Operand::Local(_) => ReadStep::Any,
                };
                self.look(*source, *target, &step, locals);
            }
            StmtKind::Scan { source, value, key, .. } => {
                self.look(*source, *value, &ReadStep::Any, locals);
                // A member of a set is its own key.
                let members = locals.get(value).cloned().unwrap_or_default();
                self.flow(&members, *key, locals);
            }
            StmtKind::AssignOnce { source, target } if self.compared.contains(target) => {
                self.used(*source, locals);
            }
            StmtKind::Assign { source: Operand::Local(source), target }
            | StmtKind::AssignOnce { source: Operand::Local(source), target } => {
                let paths = locals.get(source).cloned().unwrap_or_default();
                self.flow(&paths, *target, locals);
            }
            StmtKind::IsDefined { source } | StmtKind::IsUndefined { source } => {
                self.used(Operand::Local(*source), locals);
            }
            StmtKind::Return { .. } => {}
            StmtKind::Call { callee: Callee::Function(function), args, result } => {
                args.iter().for_each(|it| self.used(*it, locals));
                let paths = self.function(*function);
                self.flow(&paths, *result, locals);
            }
            StmtKind::Call { callee: Callee::Builtin(builtin), args, result } => {
                args.iter().for_each(|it| self.used(*it, locals));
                let name = self.plan.builtins.get(builtin.0 as usize).map(|it| &*it.name);
                self.external(name.unwrap_or_default(), args, *result, locals);
                self.reads.impure.extend(name.filter(|it| (self.impure)(it)).map(Box::from));
            }
            StmtKind::CallDynamic { .. } => self.everything(),
            StmtKind::With { value, .. } => self.used(*value, locals),
            other => {
                let mut operands = Vec::new();
                other.for_each_operand(|it| operands.push(it));
                operands.into_iter().for_each(|it| self.used(it, locals));
            }
        }
    }

    /// A call that asks for external documents reads below what it asks with.
    fn external(
        &mut self,
        name: &str,
        args: &[Operand],
        result: Local,
        locals: &mut FxHashMap<Local, Paths>,
    ) {
        if !matches!(name, external::GET | external::LIST | external::ALL) {
            return;
        }
        let Some((Operand::Const(path), keys)) = args.split_first() else { return };
        let path = self.plan.constants.get(path.0 as usize).and_then(|it| it.root().as_array());
        let path = path.into_iter().flat_map(|it| it.iter());
        let mut steps: Vec<ReadStep> =
            path.map(|it| it.as_str().map_or(ReadStep::Any, |it| ReadStep::Key(it.into()))).collect();
        steps.extend(keys.iter().map(|it| match it {
            Operand::Const(id) => self.step(*id),
            Operand::Local(_) => ReadStep::Any,
        }));
        let path = Path { of: Of::External, steps };
        self.read(&path, name == external::ALL);
        if name == external::GET {
            self.flow(&Paths::from([path]), result, locals);
        }
    }

    /// The callee is not known, so all functions are.
    fn everything(&mut self) {
        for of in [Of::Input, Of::Data] {
            self.read(&Path { of, steps: Vec::new() }, true);
        }
        if self.plan.builtins.iter().any(|it| matches!(&*it.name, external::GET | external::ALL)) {
            self.read(&Path { of: Of::External, steps: Vec::new() }, true);
        }
        let names = self.plan.builtins.iter().map(|it| it.name.clone());
        let names: Vec<Box<str>> = names.filter(|it| (self.impure)(it)).collect();
        self.reads.impure.extend(names);
    }

    fn step(&self, id: crate::ir::ConstId) -> ReadStep {
        let key = self.plan.constants.get(id.0 as usize).and_then(|it| it.root().as_str().map(Box::from));
        key.map_or(ReadStep::Any, ReadStep::Key)
    }

    /// A value that is used otherwise than by looking into it is read whole.
    fn used(&mut self, operand: Operand, locals: &FxHashMap<Local, Paths>) {
        if let Operand::Local(local) = operand {
            let paths = locals.get(&local).cloned().unwrap_or_default();
            paths.iter().for_each(|it| self.read(it, true));
        }
    }

    fn look(&mut self, source: Local, target: Local, step: &ReadStep, locals: &mut FxHashMap<Local, Paths>) {
        let mut found = Paths::new();
        for path in locals.get(&source).cloned().unwrap_or_default() {
            if path.steps.len() >= PATH_STEPS_MAX {
                self.read(&path, true);
                continue;
            }
            let mut inner = path;
            inner.steps.push(step.clone());
            self.read(&inner, false);
            found.insert(inner);
        }
        self.flow(&found, target, locals);
    }

    fn flow(&mut self, paths: &Paths, target: Local, locals: &mut FxHashMap<Local, Paths>) {
        if target < Local::FIRST_FREE || paths.is_empty() {
            return;
        }
        let known = locals.entry(target).or_default();
        if known.len() + paths.len() > PATHS_MAX {
            paths.iter().for_each(|it| self.read(it, true));
            return;
        }
        known.extend(paths.iter().cloned());
    }
}

/// Returns the registers that are given a value once, but by several statements or in a loop.
fn compared(blocks: &[Block]) -> BTreeSet<Local> {
    let mut found = BTreeMap::new();
    blocks.iter().for_each(|it| count_assigned(it, 1, &mut found));
    found.into_iter().filter(|it| it.1 > 1).map(|it| it.0).collect()
}

fn count_assigned(block: &Block, turns: usize, found: &mut BTreeMap<Local, usize>) {
    for stmt in &block.stmts {
        if let StmtKind::AssignOnce { target, .. } = &stmt.kind {
            *found.entry(*target).or_default() += turns;
        }
        let turns = if matches!(stmt.kind, StmtKind::Scan { .. }) { 2 } else { turns };
        stmt.kind.for_each_block(|it| count_assigned(it, turns, found));
    }
}

fn returned(blocks: &[Block]) -> Vec<Local> {
    let mut found = Vec::new();
    for stmt in blocks.iter().flat_map(|it| &it.stmts) {
        if let StmtKind::Return { source } = &stmt.kind {
            found.push(*source);
        }
        stmt.kind.for_each_block(|it| found.extend(returned(std::slice::from_ref(it))));
    }
    found
}
