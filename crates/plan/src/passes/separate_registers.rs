//! Gives each top-level block (each rule) registers of its own, so that later passes see one write a register.
//!
//! A register is renamed in a block if its first use there, at the level that holds all its uses there, is a write:
//! no value of another block comes in. So does each scan for its items, if they are read nowhere else. Engines let the
//! blocks share registers again.

use rustc_hash::FxHashMap;

use crate::ir::{Block, Function, Local, Plan, StmtKind};
use crate::passes::uses::{Uses, map_locals};

pub(super) fn run(plan: &mut Plan) {
    for function in &mut plan.functions {
        separate(function);
        separate_scans(function);
    }
}

/// Renames the items of scans that share registers with others.
fn separate_scans(function: &mut Function) {
    let uses = Uses::of(function);
    let mut inside: FxHashMap<Local, Scanned> = FxHashMap::default();
    function.blocks.iter().for_each(|it| find_scans(it, &mut inside));
    let result = function.result;
    inside.retain(|local, scanned| {
        let is_alone = scanned.scans == 1 && uses.writes(*local) == 1;
        let is_free = *local >= Local::FIRST_FREE && *local != result && !function.params.contains(local);
        is_free && !is_alone && !scanned.is_rebound && scanned.reads == uses.reads(*local)
    });
    let mut next = function.locals;
    function.blocks.iter_mut().for_each(|it| rename_scans(it, &inside, &mut next));
    function.locals = next;
}

/// A register that scans put their items into.
#[derive(Default)]
struct Scanned {
    scans: u32,
    /// Reads in the blocks of those scans.
    reads: u32,
    /// Written once more inside.
    is_rebound: bool,
}

fn find_scans(block: &Block, found: &mut FxHashMap<Local, Scanned>) {
    for stmt in &block.stmts {
        if let StmtKind::Scan { key, value, block, .. } = &stmt.kind {
            let mut uses = Uses::default();
            uses.add(block);
            for local in [*key, *value] {
                let scanned = found.entry(local).or_default();
                scanned.scans += 1;
                scanned.reads += uses.reads(local);
                scanned.is_rebound |= uses.writes(local) > 0 || key == value;
            }
        }
        stmt.kind.for_each_block(|it| find_scans(it, found));
    }
}

fn rename_scans(block: &mut Block, shared: &FxHashMap<Local, Scanned>, next: &mut u32) {
    for stmt in &mut block.stmts {
        if let StmtKind::Scan { key, value, block, .. } = &mut stmt.kind {
            let mut names: FxHashMap<Local, Local> = FxHashMap::default();
            for local in [key, value] {
                if shared.contains_key(local) {
                    names.insert(*local, Local(*next));
                    *local = Local(*next);
                    *next += 1;
                }
            }
            rename(block, &names);
        }
        stmt.kind.for_each_block_mut(|it| rename_scans(it, shared, next));
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
