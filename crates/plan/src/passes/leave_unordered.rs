//! A partial set whose members are only scanned, in an order that shows nowhere, is not sorted.
//!
//! It is made as a bag: an array that keeps each member once. All places that ask for it must be such scans.

use rustc_hash::FxHashMap;

use crate::ir::{Block, Callee, FuncId, Function, Operand, Plan, Stmt, StmtKind};
use crate::passes::Surroundings;
use crate::passes::failing::{calls, calls_any};
use crate::passes::order::Scans;
use crate::passes::uses::Uses;

pub(super) fn run(plan: &mut Plan, surroundings: &Surroundings<'_>) {
    let failing = surroundings.failing(plan);
    let mut scanned: FxHashMap<FuncId, u32> = FxHashMap::default();
    let sets: Vec<bool> = plan.functions.iter().map(is_set).collect();
    let is_set = |id: FuncId| sets.get(id.0 as usize).copied().unwrap_or(false);
    for function in plan.functions.iter().filter(|it| calls_any(it, is_set)) {
        let uses = Uses::of(function);
        let scans = Scans { result: function.result, uses: &uses, failing: &failing };
        function.blocks.iter().for_each(|it| find(it, &scans, &mut scanned));
    }
    let calls = calls(plan);
    let is_bag = |id: &FuncId| {
        let is_alone = scanned.contains_key(id) && scanned.get(id) == calls.get(id);
        is_alone && is_set(*id)
    };
    let bags: Vec<FuncId> = scanned.keys().copied().filter(is_bag).collect();
    if bags.is_empty() {
        return;
    }
    for function in &mut plan.functions {
        function.blocks.iter_mut().for_each(|it| rewrite(it, &bags));
    }
    for id in bags {
        let first = plan.functions.get_mut(id.0 as usize).and_then(|it| it.blocks.first_mut());
        let make = first.and_then(|it| it.stmts.first_mut());
        if let Some(Stmt { kind, .. }) = make
            && let StmtKind::MakeSet { target } = *kind
        {
            *kind = StmtKind::MakeBag { target };
        }
    }
}

/// Says whether the function makes a set, adds to it and returns it, nothing else.
fn is_set(function: &Function) -> bool {
    let [first, rules @ .., last] = function.blocks.as_slice() else { return false };
    let set = function.result;
    let makes =
        matches!(first.stmts.as_slice(), [Stmt { kind: StmtKind::MakeSet { target }, .. }] if *target == set);
    let returns =
        matches!(last.stmts.as_slice(), [Stmt { kind: StmtKind::Return { source }, .. }] if *source == set);
    makes && returns && rules.iter().all(|it| only_adds(it, function))
}

fn only_adds(block: &Block, function: &Function) -> bool {
    block.stmts.iter().all(|stmt| {
        let mut fine = true;
        match &stmt.kind {
            StmtKind::SetAdd { set, value } if *set == function.result => {
                fine = *value != Operand::Local(function.result);
            }
            StmtKind::Return { .. } => fine = false,
            kind => {
                kind.for_each_read(|it| fine &= it != function.result);
                kind.for_each_write(|it| fine &= it != function.result);
            }
        }
        stmt.kind.for_each_block(|it| fine &= only_adds(it, function));
        fine
    })
}

/// Counts the scans of a function's value in an order that shows nowhere.
fn find(block: &Block, scans: &Scans<'_>, found: &mut FxHashMap<FuncId, u32>) {
    for (index, stmt) in block.stmts.iter().enumerate() {
        if let Some((id, key, value, body)) = pair(block.stmts.get(index..).unwrap_or_default(), scans.uses)
            && scans.is_free(body, &[key, value])
        {
            *found.entry(id).or_default() += 1;
        }
        stmt.kind.for_each_block(|it| find(it, scans, found));
    }
}

type Pair<'a> = (FuncId, crate::ir::Local, crate::ir::Local, &'a Block);

/// Recognizes a call and the scan of what it gave, which nothing else reads.
fn pair<'a>(stmts: &'a [Stmt], uses: &Uses) -> Option<Pair<'a>> {
    let [call, scan, ..] = stmts else { return None };
    let StmtKind::Call { callee: Callee::Function(id), args, result } = &call.kind else { return None };
    let StmtKind::Scan { source, key, value, block } = &scan.kind else { return None };
    let is_once = uses.reads(*result) == 1 && uses.writes(*result) == 1;
    (args.is_empty() && source == result && is_once).then_some((*id, *key, *value, block))
}

/// Gives the scans of bags the member as their key, as those of sets have.
fn rewrite(block: &mut Block, bags: &[FuncId]) {
    for index in 0..block.stmts.len() {
        let [call, scan] = block.stmts.get_mut(index..index + 2).unwrap_or_default() else { break };
        if let StmtKind::Call { callee: Callee::Function(id), result, .. } = &call.kind
            && bags.contains(id)
            && let StmtKind::Scan { source, key, value, block } = &mut scan.kind
            && source == result
        {
            let member = StmtKind::Assign { source: Operand::Local(*value), target: *key };
            let first = Stmt { kind: member, location: call.location, rule: call.rule };
            block.stmts.insert(0, first);
        }
    }
    block.stmts.iter_mut().for_each(|it| it.kind.for_each_block_mut(|it| rewrite(it, bags)));
}
