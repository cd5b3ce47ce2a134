//! Reads of a register that is written once, with a constant, become the constant.
//!
//! Only reads after the write in the same block, or in blocks inside it, are changed: those cannot see it undefined.

use rustc_hash::FxHashMap;

use crate::ir::{Block, ConstId, Local, Operand, Plan, StmtKind};
use crate::passes::uses::{Uses, map_operands};

pub(super) fn run(plan: &mut Plan) {
    for function in &mut plan.functions {
        let uses = Uses::of(function);
        for block in &mut function.blocks {
            propagate(block, &uses, &mut FxHashMap::default());
        }
    }
}

fn propagate(block: &mut Block, uses: &Uses, known: &mut FxHashMap<Local, ConstId>) {
    let mut added = Vec::new();
    for stmt in &mut block.stmts {
        map_operands(&mut stmt.kind, |it| {
            if let Operand::Local(local) = it
                && let Some(value) = known.get(local)
            {
                *it = Operand::Const(*value);
            }
        });
        stmt.kind.for_each_block_mut(|it| propagate(it, uses, known));
        if let StmtKind::Assign { source: Operand::Const(value), target } = &stmt.kind
            && uses.writes(*target) == 1
            && known.insert(*target, *value).is_none()
        {
            added.push(*target);
        }
    }
    for local in added {
        known.remove(&local);
    }
}
