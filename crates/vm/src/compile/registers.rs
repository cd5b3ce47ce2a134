//! Which register each local of a function gets, and which locals may hold containers that are being made.
//!
//! Apart from emission because it looks at a function as a whole, before the first instruction. Blocks that exclude each
//! other share registers.

use std::collections::BTreeMap;

use lictor_plan::{Block, Function, Local, Operand, Stmt, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The registers of a function.
#[derive(Debug, Default)]
pub(super) struct Registers {
    numbers: FxHashMap<Local, u32>,
    /// All registers.
    pub(super) total: u32,
    /// Those that are cleared at the start: the first ones.
    pub(super) cleared: u32,
    /// Registers to clear at the start of each top-level block.
    pub(super) resets: Vec<Vec<u32>>,
    building: FxHashSet<Local>,
    base: FxHashSet<Local>,
}

/// How one local is used.
#[derive(Debug)]
struct Use {
    /// Top-level block, or `None` for more than one.
    block: Option<u64>,
    /// Nesting path of the innermost block that holds all uses.
    common: Vec<u64>,
    /// Whether the first use writes, and at which nesting.
    first_write: Option<Vec<u64>>,
}

impl Registers {
    pub(super) fn of(function: &Function) -> Self {
        let mut uses = Uses::default();
        for (index, block) in function.blocks.iter().enumerate() {
            uses.walk(block, &mut vec![index as u64]);
        }
        let mut registers = Self { resets: vec![Vec::new(); function.blocks.len()], ..Self::default() };
        registers.assign(function, &uses);
        let mut found = FxHashSet::default();
        let mut edges = Edges::default();
        for block in &function.blocks {
            collect(block, &mut found, &mut edges);
        }
        registers.base = reached(std::iter::once(Local::DATA).collect(), &edges.dots);
        edges.copies.extend(edges.dots);
        registers.building = reached(found, &edges.copies);
        registers
    }

    fn assign(&mut self, function: &Function, uses: &Uses) {
        self.numbers.insert(Local::INPUT, 0);
        self.numbers.insert(Local::DATA, 1);
        let mut next = 2;
        let mut share = |numbers: &mut FxHashMap<Local, u32>, local: Local| {
            if let std::collections::hash_map::Entry::Vacant(entry) = numbers.entry(local) {
                entry.insert(next);
                next += 1;
            }
        };
        for local in &function.params {
            share(&mut self.numbers, *local);
        }
        share(&mut self.numbers, function.result);
        for local in &uses.order {
            if uses.of.get(local).is_some_and(|it| it.block.is_none()) {
                share(&mut self.numbers, *local);
            }
        }
        self.cleared = next;
        self.total = next;
        // What a block must find undefined stands in front; the rest is numbered like a stack, so that blocks that
        // never run inside each other share.
        let mut top: FxHashMap<u64, u32> = FxHashMap::default();
        let mut nested: BTreeMap<&[u64], Vec<Local>> = BTreeMap::new();
        for local in &uses.order {
            if self.numbers.contains_key(local) {
                continue;
            }
            let Some(it) = uses.of.get(local) else { continue };
            let Some(block) = it.block else { continue };
            if it.first_write.as_ref() == Some(&it.common) {
                nested.entry(&it.common).or_default().push(*local);
                continue;
            }
            let number = top.entry(block).or_insert(next);
            self.numbers.insert(*local, *number);
            if let Some(resets) = usize::try_from(block).ok().and_then(|it| self.resets.get_mut(it)) {
                resets.push(*number);
            }
            *number += 1;
        }
        self.number_nested(&nested, &top, next);
        self.total = self.numbers.values().copied().max().unwrap_or(0).max(next - 1) + 1;
    }

    /// Numbers registers by their blocks: outer blocks come before inner ones in the order of paths.
    fn number_nested(
        &mut self,
        nested: &BTreeMap<&[u64], Vec<Local>>,
        top: &FxHashMap<u64, u32>,
        first: u32,
    ) {
        let mut ends: FxHashMap<&[u64], u32> = FxHashMap::default();
        for (path, locals) in nested {
            let outer = (1..path.len()).rev().find_map(|it| ends.get(path.get(..it)?).copied());
            let start = outer.or_else(|| top.get(path.first()?).copied()).unwrap_or(first);
            let mut number = start;
            for local in locals {
                self.numbers.insert(*local, number);
                number += 1;
            }
            ends.insert(path, number);
        }
    }

    pub(super) fn of_local(&self, local: Local) -> u32 {
        self.numbers.get(&local).copied().unwrap_or(self.total)
    }

    /// Says whether the local holds base data, or a part of it.
    pub(super) fn is_base(&self, local: Local) -> bool {
        self.base.contains(&local)
    }

    /// Says whether the local may hold a container that is being made.
    pub(super) fn may_build(&self, local: Local) -> bool {
        self.building.contains(&local)
    }
}

/// From which local values come into which.
#[derive(Default)]
struct Edges {
    copies: Vec<(Local, Local)>,
    dots: Vec<(Local, Local)>,
}

/// Returns the locals that values of the first ones come into.
fn reached(mut found: FxHashSet<Local>, edges: &[(Local, Local)]) -> FxHashSet<Local> {
    let mut grown = !found.is_empty();
    while grown {
        grown = false;
        for (from, to) in edges {
            grown |= found.contains(from) && found.insert(*to);
        }
    }
    found
}

fn collect(block: &Block, made: &mut FxHashSet<Local>, edges: &mut Edges) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::MakeArray { target, .. }
            | StmtKind::MakeObject { target }
            | StmtKind::MakeSet { target } => {
                made.insert(*target);
            }
            StmtKind::Assign { source: Operand::Local(source), target } => {
                edges.copies.push((*source, *target))
            }
            StmtKind::Dot { source: Operand::Local(source), target, .. } => {
                edges.dots.push((*source, *target))
            }
            _ => {}
        }
        stmt.kind.for_each_block(|it| collect(it, made, edges));
    }
}

#[derive(Debug, Default)]
struct Uses {
    of: FxHashMap<Local, Use>,
    order: Vec<Local>,
}

impl Uses {
    fn walk(&mut self, block: &Block, path: &mut Vec<u64>) {
        for (index, stmt) in block.stmts.iter().enumerate() {
            self.stmt(stmt, path);
            let mut child = (index as u64) << 32;
            stmt.kind.for_each_block(|it| {
                path.push(child);
                self.walk(it, path);
                path.pop();
                child += 1;
            });
        }
    }

    fn stmt(&mut self, stmt: &Stmt, path: &[u64]) {
        stmt.kind.for_each_read(|local| self.note(local, path, false));
        // The variables of a scan are written before its block, but only when there is an item.
        stmt.kind.for_each_write(|local| {
            self.note(local, path, !matches!(stmt.kind, StmtKind::Scan { .. }));
        });
    }

    fn note(&mut self, local: Local, path: &[u64], write: bool) {
        let top = path.first().copied();
        match self.of.get_mut(&local) {
            None => {
                let first_write = write.then(|| path.to_vec());
                self.of.insert(local, Use { block: top, common: path.to_vec(), first_write });
                self.order.push(local);
            }
            Some(known) => {
                if known.block != top {
                    known.block = None;
                }
                let common = known.common.iter().zip(path).take_while(|it| it.0 == it.1).count();
                known.common.truncate(common);
            }
        }
    }
}
