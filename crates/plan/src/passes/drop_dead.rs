//! Statements that cannot fail and whose register nobody reads are dropped, and functions that nobody calls emptied.
//!
//! It runs last, and other passes ask it to clean a function up. A look-up or call is never dropped: it may be what
//! makes a rule undefined.

use std::collections::BTreeSet;

use crate::ir::{Block, Callee, FuncId, Function, Plan, StmtKind};
use crate::passes::uses::Uses;

pub(super) fn run(plan: &mut Plan) {
    for function in &mut plan.functions {
        drop_stmts_of(function);
    }
    empty_uncalled(plan);
}

/// Drops statements until none is dead.
pub(super) fn drop_stmts_of(function: &mut Function) {
    while drop_in(function) {}
}

fn drop_in(function: &mut Function) -> bool {
    let uses = Uses::of(function);
    let mut dropped = false;
    for block in &mut function.blocks {
        drop_stmts(block, &uses, &mut dropped);
    }
    dropped
}

fn drop_stmts(block: &mut Block, uses: &Uses, dropped: &mut bool) {
    block.stmts.retain(|stmt| {
        let dead = match &stmt.kind {
            StmtKind::Assign { target, .. }
            | StmtKind::MakeObject { target }
            | StmtKind::Reset { target } => uses.reads(*target) == 0,
            StmtKind::Nop => true,
            _ => false,
        };
        *dropped |= dead;
        !dead
    });
    block.stmts.iter_mut().for_each(|it| it.kind.for_each_block_mut(|it| drop_stmts(it, uses, dropped)));
}

/// Empties the functions that no entrypoint reaches; numbers stay. A plan with dynamic calls keeps all.
fn empty_uncalled(plan: &mut Plan) {
    let mut reached: BTreeSet<FuncId> = BTreeSet::new();
    let mut waiting: Vec<FuncId> = plan.entrypoints.iter().map(|it| it.function).collect();
    let mut dynamic = false;
    while let Some(id) = waiting.pop() {
        if reached.insert(id)
            && let Some(function) = plan.functions.get(id.0 as usize)
        {
            function.blocks.iter().for_each(|it| calls(it, &mut waiting, &mut dynamic));
        }
    }
    if dynamic {
        return;
    }
    for (index, function) in plan.functions.iter_mut().enumerate() {
        let id = FuncId(u32::try_from(index).unwrap_or(u32::MAX));
        if !reached.contains(&id) {
            function.blocks.clear();
            function.locals = function.locals.min(function.result.0 + 1).max(2);
        }
    }
}

fn calls(block: &Block, out: &mut Vec<FuncId>, dynamic: &mut bool) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Call { callee: Callee::Function(function), .. } => out.push(*function),
            StmtKind::CallDynamic { .. } => *dynamic = true,
            _ => {}
        }
        stmt.kind.for_each_block(|it| calls(it, out, dynamic));
    }
}
