//! Reads of a copy become reads of what was copied.
//!
//! Only where both registers have one write in the function and the read follows the copy in its block or inside it.
//! Parts of base data are left alone: what is looked up in them follows other rules than what is looked up in a copy.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Function, Local, Operand, Plan, StmtKind};
use crate::passes::drop_dead::drop_stmts_of;
use crate::passes::uses::{Uses, map_locals};

pub(super) fn run(plan: &mut Plan) {
    for function in &mut plan.functions {
        let uses = Uses::of(function);
        let kept = kept(function);
        for block in &mut function.blocks {
            propagate(block, &uses, &kept, &mut FxHashMap::default());
        }
        // Later passes look for what stands side by side.
        drop_stmts_of(function);
    }
}

/// Returns the registers that must not stand for their copies: parts of base data, and containers being made.
fn kept(function: &Function) -> FxHashSet<Local> {
    let mut kept: FxHashSet<Local> = [Local::INPUT, Local::DATA, function.result].into_iter().collect();
    // Dots come after what they look into, so one walk finds chains.
    function.blocks.iter().for_each(|it| collect(it, &mut kept));
    kept
}

fn collect(block: &Block, kept: &mut FxHashSet<Local>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Dot { source: Operand::Local(source), target, .. }
                if kept.contains(source) && *source != Local::INPUT =>
            {
                kept.insert(*target);
            }
            StmtKind::MakeArray { target, .. }
            | StmtKind::MakeObject { target }
            | StmtKind::MakeSet { target }
            | StmtKind::MakeBag { target } => {
                kept.insert(*target);
            }
            _ => {}
        }
        stmt.kind.for_each_block(|it| collect(it, kept));
    }
}

fn propagate(block: &mut Block, uses: &Uses, kept: &FxHashSet<Local>, known: &mut FxHashMap<Local, Local>) {
    let mut added = Vec::new();
    for stmt in &mut block.stmts {
        let copy = match &stmt.kind {
            StmtKind::Assign { source: Operand::Local(source), target }
                if !kept.contains(source)
                    && !kept.contains(target)
                    && uses.writes(*source) == 1
                    && uses.writes(*target) == 1 =>
            {
                Some((*target, known.get(source).copied().unwrap_or(*source)))
            }
            _ => None,
        };
        if copy.is_none() {
            map_locals(&mut stmt.kind, |it| *it = known.get(it).copied().unwrap_or(*it));
        }
        stmt.kind.for_each_block_mut(|it| propagate(it, uses, kept, known));
        if let Some((target, source)) = copy {
            known.insert(target, source);
            added.push(target);
        }
    }
    for local in added {
        known.remove(&local);
    }
}
