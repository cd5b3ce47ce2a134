//! Which functions can end an evaluation with an error, and in how many places each is called.
//!
//! Apart because passes that evaluate less than the plan says ask both: what is no longer evaluated must not have
//! failed, and must not have been wanted elsewhere.

use rustc_hash::FxHashMap;

use crate::ir::{Block, Callee, ConstId, FuncId, Function, Local, Operand, Plan, StmtKind};

/// Counts the places that ask for each function; entrypoints count twice, as anyone may ask.
pub(super) fn calls(plan: &Plan) -> FxHashMap<FuncId, u32> {
    let mut calls = call_places(plan);
    plan.entrypoints.iter().for_each(|it| *calls.entry(it.function).or_default() += 2);
    calls
}

/// Counts the places of the plan that call each function.
pub(super) fn call_places(plan: &Plan) -> FxHashMap<FuncId, u32> {
    let mut calls = FxHashMap::default();
    let mut count = |id: FuncId| *calls.entry(id).or_default() += 1;
    plan.functions.iter().flat_map(|it| &it.blocks).for_each(|it| each_call(it, &mut count));
    calls
}

/// Says whether the function calls, anywhere, a function that is wanted.
pub(super) fn calls_any(function: &Function, wanted: impl Fn(FuncId) -> bool) -> bool {
    let mut any = false;
    function.blocks.iter().for_each(|it| each_call(it, &mut |id| any = any || wanted(id)));
    any
}

fn each_call(block: &Block, found: &mut impl FnMut(FuncId)) {
    for stmt in &block.stmts {
        if let StmtKind::Call { callee: Callee::Function(id), .. } = &stmt.kind {
            found(*id);
        }
        stmt.kind.for_each_block(|it| each_call(it, found));
    }
}

/// What can end an evaluation with an error.
#[derive(Clone)]
pub(super) struct Failing {
    builtins: Vec<bool>,
    functions: Vec<bool>,
}

impl Failing {
    /// Looks at functions that passes have added, which call only those that were there and themselves.
    pub(super) fn add(&mut self, plan: &Plan) {
        for function in plan.functions.get(self.functions.len()..).unwrap_or_default() {
            let own = self.functions.len();
            let calls_one = calls_any(function, |it| it.0 as usize != own && self.function(it));
            self.functions.push(calls_one || fails_itself(function, &self.builtins));
        }
    }

    /// Looks at the whole call graph; under strict built-in errors every built-in may fail.
    pub(super) fn of(plan: &Plan, strict: bool) -> Self {
        let builtins: Vec<bool> =
            plan.builtins.iter().map(|it| strict || it.name.starts_with("internal.")).collect();
        let functions: Vec<bool> = plan.functions.iter().map(|it| fails_itself(it, &builtins)).collect();
        let mut failing = Self { builtins, functions };
        failing.spread(plan);
        failing
    }

    /// Lets whoever calls what can fail fail too.
    fn spread(&mut self, plan: &Plan) {
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); self.functions.len()];
        for (index, function) in (0..).zip(&plan.functions) {
            function.blocks.iter().for_each(|it| {
                each_call(it, &mut |id| match callers.get_mut(id.0 as usize) {
                    Some(callers) => callers.push(index),
                    None => self.functions[index as usize] = true,
                })
            });
        }
        let mut left: Vec<usize> = (0..self.functions.len()).filter(|it| self.functions[*it]).collect();
        while let Some(index) = left.pop() {
            for caller in std::mem::take(&mut callers[index]) {
                let caller = caller as usize;
                if !std::mem::replace(&mut self.functions[caller], true) {
                    left.push(caller);
                }
            }
        }
    }

    /// Says whether the function, or what it calls, can.
    pub(super) fn function(&self, id: FuncId) -> bool {
        self.functions.get(id.0 as usize).copied().unwrap_or(true)
    }

    /// Says whether the block can, if its insertions into the object cannot.
    pub(super) fn block_but_for(&self, block: &Block, object: Local) -> bool {
        let mut fails = self.calls_one(block);
        walk_failing(block, &self.builtins, &mut Given::default(), Some(object), &mut fails);
        fails
    }

    /// Says whether the block of a scan can.
    pub(super) fn scanned(&self, block: &Block) -> bool {
        let mut fails = self.calls_one(block);
        let mut given = Given { scans: 1, ..Given::default() };
        walk_failing(block, &self.builtins, &mut given, None, &mut fails);
        fails
    }

    fn calls_one(&self, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| {
            let mut found = matches!(&stmt.kind,
                StmtKind::Call { callee: Callee::Function(id), .. } if self.function(*id));
            stmt.kind.for_each_block(|it| found |= self.calls_one(it));
            found
        })
    }
}

/// What a function has given so far, and how many scans stand around.
#[derive(Default)]
struct Given {
    values: FxHashMap<Local, Option<ConstId>>,
    scans: u32,
}

fn fails_itself(function: &Function, builtin_fails: &[bool]) -> bool {
    let mut given = Given::default();
    let blocks = function.blocks.iter().filter(|it| {
        let first = it.stmts.first().map(|it| &it.kind);
        // A default is given only where nothing else is.
        !matches!(first, Some(StmtKind::IsUndefined { source }) if *source == function.result)
    });
    let mut fails = false;
    blocks.for_each(|it| walk_failing(it, builtin_fails, &mut given, None, &mut fails));
    fails
}

fn walk_failing(
    block: &Block,
    builtin_fails: &[bool],
    given: &mut Given,
    unique: Option<Local>,
    fails: &mut bool,
) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::CallDynamic { .. } => *fails = true,
            StmtKind::ObjectInsertOnce { object, .. } => *fails |= unique != Some(*object),
            StmtKind::Call { callee: Callee::Builtin(id), .. } => {
                *fails |= builtin_fails.get(id.0 as usize).copied().unwrap_or(true);
            }
            StmtKind::AssignOnce { source, target } => {
                let value = match source {
                    Operand::Const(id) => Some(*id),
                    Operand::Local(_) => None,
                };
                // Sure not to conflict are one and the same constant, and what is given once.
                let again = given.values.insert(*target, value);
                *fails |= again.is_some_and(|it| it.is_none() || it != value);
                *fails |= value.is_none() && given.scans > 0;
            }
            _ => {}
        }
        let scans = u32::from(matches!(stmt.kind, StmtKind::Scan { .. }));
        given.scans += scans;
        stmt.kind.for_each_block(|it| walk_failing(it, builtin_fails, given, unique, fails));
        given.scans -= scans;
    }
}
