//! An equality with an object or array made for it is taken apart: nothing is built, the first difference ends it.
//!
//! Taken are objects with constant string keys that nothing else uses. The parts are compared in the order in which they
//! were put in; none can fail.

use rustc_hash::FxHashMap;

use crate::ir::{Block, ConstId, Local, Operand, Plan, StmtKind};
use crate::passes::uses::Uses;

pub(super) fn run(plan: &mut Plan) {
    let keys: Vec<bool> = plan.constants.iter().map(|it| it.root().is_string()).collect();
    for function in &mut plan.functions {
        let uses = Uses::of(function);
        for block in &mut function.blocks {
            split(block, &uses, &keys);
        }
    }
}

fn split(block: &mut Block, uses: &Uses, keys: &[bool]) {
    for index in 0..block.stmts.len() {
        let Some(StmtKind::Equal { a, b }) = block.stmts.get(index).map(|it| it.kind.clone()) else {
            continue;
        };
        for (source, made) in [(a, b), (b, a)] {
            let Operand::Local(made) = made else { continue };
            if let Some((start, parts)) = parts_of(block, index, made, uses, keys) {
                forget(block, start, index, made);
                if let Some(stmt) = block.stmts.get_mut(index) {
                    stmt.kind = StmtKind::EqualParts { source, parts };
                }
                break;
            }
        }
    }
    block.stmts.retain(|it| it.kind != StmtKind::Nop);
    block.stmts.iter_mut().for_each(|it| it.kind.for_each_block_mut(|it| split(it, uses, keys)));
}

/// Returns where the object is made and its parts, if all that happens to it is here and its keys are constant.
fn parts_of(
    block: &Block,
    equal: usize,
    made: Local,
    uses: &Uses,
    keys: &[bool],
) -> Option<(usize, Vec<(ConstId, Operand)>)> {
    let before = block.stmts.get(..equal)?;
    let start = before.iter().rposition(|it| it.kind == StmtKind::MakeObject { target: made })?;
    let mut parts: FxHashMap<ConstId, Operand> = FxHashMap::default();
    let mut order = Vec::new();
    for stmt in before.get(start + 1..)? {
        if let StmtKind::ObjectInsert { object, key, value } = &stmt.kind
            && *object == made
        {
            let Operand::Const(key) = key else { return None };
            let is_stable = match value {
                Operand::Const(_) => true,
                Operand::Local(local) => uses.writes(*local) <= 1,
            };
            let is_string = keys.get(key.0 as usize).copied().unwrap_or(false);
            if !is_string || !is_stable || parts.insert(*key, *value).is_some() {
                return None;
            }
            order.push(*key);
        }
    }
    // Made once, inserted into so often, compared once.
    let reads = u32::try_from(order.len()).ok()? + 1;
    if uses.writes(made) != 1 || uses.reads(made) != reads {
        return None;
    }
    Some((start, order.into_iter().map(|it| (it, parts[&it])).collect()))
}

fn forget(block: &mut Block, start: usize, end: usize, made: Local) {
    for stmt in block.stmts.get_mut(start..end).unwrap_or_default() {
        let gone = match &stmt.kind {
            StmtKind::MakeObject { target } => *target == made,
            StmtKind::ObjectInsert { object, .. } => *object == made,
            _ => false,
        };
        if gone {
            stmt.kind = StmtKind::Nop;
        }
    }
}
