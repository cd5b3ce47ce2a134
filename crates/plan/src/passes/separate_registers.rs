//! Gives each top-level block (each rule) registers of its own, so that later passes see one write a register.
//!
//! A register is renamed in a block if its first use there, at the level that holds all its uses there, is a write:
//! no value of another block comes in. Engines let the blocks share registers again.

use rustc_hash::FxHashMap;

use crate::ir::{Block, Function, Local, Plan, StmtKind};
use crate::passes::uses::map_locals;

pub(super) fn run(plan: &mut Plan) {
    for function in &mut plan.functions {
        separate(function);
    }
}

fn separate(function: &mut Function) {
    let mut blocks_of: FxHashMap<Local, u32> = FxHashMap::default();
    let uses: Vec<FxHashMap<Local, Range>> = function.blocks.iter().map(ranges).collect();
    uses.iter().flat_map(FxHashMap::keys).for_each(|it| *blocks_of.entry(*it).or_default() += 1);
    let mut next = function.locals;
    for (block, uses) in function.blocks.iter_mut().zip(&uses) {
        let mut names: Vec<(Local, Local)> = Vec::new();
        let mut locals: Vec<&Local> = uses.keys().collect();
        locals.sort_unstable();
        for local in locals {
            let shared = blocks_of.get(local).is_some_and(|it| *it > 1);
            let special =
                *local < Local::FIRST_FREE || *local == function.result || function.params.contains(local);
            if shared && !special && uses.get(local).is_some_and(Range::begins_with_write) {
                names.push((*local, Local(next)));
                next += 1;
            }
        }
        let names: FxHashMap<Local, Local> = names.into_iter().collect();
        if !names.is_empty() {
            rename(block, &names);
        }
    }
    function.locals = next;
}

fn rename(block: &mut Block, names: &FxHashMap<Local, Local>) {
    for stmt in &mut block.stmts {
        map_locals(&mut stmt.kind, |it| {
            if let Some(name) = names.get(it) {
                *it = *name;
            }
        });
        stmt.kind.for_each_block_mut(|it| rename(it, names));
    }
}

/// Where one register is used in a block: nesting paths.
#[derive(Debug)]
struct Range {
    first: Vec<u64>,
    first_writes: bool,
    common: usize,
}

impl Range {
    fn begins_with_write(&self) -> bool {
        self.first_writes && self.first.len() == self.common
    }
}

fn ranges(block: &Block) -> FxHashMap<Local, Range> {
    let mut found = FxHashMap::default();
    walk(block, &mut Vec::new(), &mut found);
    found
}

fn walk(block: &Block, path: &mut Vec<u64>, found: &mut FxHashMap<Local, Range>) {
    for (index, stmt) in block.stmts.iter().enumerate() {
        let writes = !matches!(stmt.kind, StmtKind::Scan { .. });
        stmt.kind.for_each_read(|it| note(it, false, path, found));
        stmt.kind.for_each_write(|it| note(it, writes, path, found));
        let mut child = 0;
        stmt.kind.for_each_block(|it| {
            path.push((index as u64) << 32 | child);
            walk(it, path, found);
            path.pop();
            child += 1;
        });
    }
}

fn note(local: Local, writes: bool, path: &[u64], found: &mut FxHashMap<Local, Range>) {
    match found.get_mut(&local) {
        None => {
            found.insert(local, Range { first: path.to_vec(), first_writes: writes, common: path.len() });
        }
        Some(known) => {
            let same = known.first.iter().zip(path).take_while(|it| it.0 == it.1).count();
            known.common = known.common.min(same);
        }
    }
}
