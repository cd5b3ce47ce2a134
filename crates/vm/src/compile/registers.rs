//! Which register each local of a function gets, and which locals may hold containers that are being made.
//!
//! Apart from emission because it looks at a function as a whole, before the first instruction. Blocks that exclude each
//! other share registers. Blocks are numbered in the order in which they stand, outer ones before inner ones; each local
//! remembers the innermost block that holds all its uses.

use lictor_plan::{Block, Function, Local, Operand, Stmt, StmtKind};

/// The registers of a function.
#[derive(Debug, Default)]
pub(super) struct Registers {
    /// One more than the register; 0 for none.
    numbers: ByLocal<u32>,
    /// All registers.
    pub(super) total: u32,
    /// Those that are cleared at the start: the first ones.
    pub(super) cleared: u32,
    /// Registers to clear at the start of each top-level block.
    pub(super) resets: Vec<Vec<u32>>,
    building: ByLocal<bool>,
    base: ByLocal<bool>,
}

impl Registers {
    pub(super) fn of(function: &Function) -> Self {
        let locals = function.locals as usize;
        let mut uses = Uses { by_local: ByLocal::of(locals), ..Uses::default() };
        for (index, block) in function.blocks.iter().enumerate() {
            let node = uses.blocks.open(None, index);
            uses.walk(block, node);
        }
        let resets = vec![Vec::new(); function.blocks.len()];
        let mut registers = Self { numbers: ByLocal::of(locals), resets, ..Self::default() };
        registers.assign(function, &uses);
        registers.base = reached(&[Local::DATA], &uses.dots, locals);
        if !uses.made.is_empty() {
            uses.copies.extend(uses.dots);
            registers.building = reached(&uses.made, &uses.copies, locals);
        }
        registers
    }

    fn assign(&mut self, function: &Function, uses: &Uses) {
        self.number(Local::INPUT, 0);
        self.number(Local::DATA, 1);
        let mut next = 2;
        let everywhere = uses.list.iter().filter(|it| it.block.is_none()).map(|it| &it.local);
        for local in function.params.iter().chain([&function.result]).chain(everywhere) {
            if !self.has_number(*local) {
                self.number(*local, next);
                next += 1;
            }
        }
        self.cleared = next;
        self.total = next;
        // What a block must find undefined stands in front; the rest is numbered like a stack, so that blocks that
        // never run inside each other share.
        let mut top = vec![next; function.blocks.len()];
        let mut nested: Vec<(Node, Local)> = Vec::new();
        for it in &uses.list {
            let Some(block) = it.block.filter(|_| !self.has_number(it.local)) else { continue };
            if it.first_write == Some(it.common) {
                nested.push((it.common, it.local));
                continue;
            }
            let Some(number) = top.get_mut(block) else { continue };
            self.number(it.local, *number);
            if let Some(resets) = self.resets.get_mut(block) {
                resets.push(*number);
            }
            *number += 1;
        }
        nested.sort_by_key(|it| it.0);
        self.number_nested(&nested, &top, &uses.blocks);
    }

    fn number(&mut self, local: Local, number: u32) {
        *self.numbers.slot(local) = number + 1;
        self.total = self.total.max(number + 1);
    }

    fn has_number(&self, local: Local) -> bool {
        self.numbers.get(local) != 0
    }

    /// Numbers registers by their blocks, behind those of the blocks around.
    fn number_nested(&mut self, nested: &[(Node, Local)], top: &[u32], blocks: &Blocks) {
        let mut ends: Vec<Option<u32>> = vec![None; blocks.list.len()];
        for group in nested.chunk_by(|a, b| a.0 == b.0) {
            let Some((node, _)) = group.first() else { continue };
            let end = |it: &Node| ends.get(it.0 as usize).copied().flatten();
            let outer = blocks.around(*node).find_map(|it| end(&it));
            let start = outer.or_else(|| top.get(blocks.get(*node)?.top).copied());
            let mut number = start.unwrap_or(self.cleared);
            for (_, local) in group {
                self.number(*local, number);
                number += 1;
            }
            if let Some(end) = ends.get_mut(node.0 as usize) {
                *end = Some(number);
            }
        }
    }

    pub(super) fn of_local(&self, local: Local) -> u32 {
        self.numbers.get(local).checked_sub(1).unwrap_or(self.total)
    }

    /// Says whether the local holds base data, or a part of it.
    pub(super) fn is_base(&self, local: Local) -> bool {
        self.base.get(local)
    }

    /// Says whether the local may hold a container that is being made.
    pub(super) fn may_build(&self, local: Local) -> bool {
        self.building.get(local)
    }
}

/// Something about each local; locals are numbered from 0 without large gaps.
#[derive(Debug, Default)]
struct ByLocal<T>(Vec<T>);

impl<T: Copy + Default> ByLocal<T> {
    /// Makes room for so many locals at once.
    fn of(locals: usize) -> Self {
        Self(vec![T::default(); locals])
    }

    fn get(&self, local: Local) -> T {
        self.0.get(local.0 as usize).copied().unwrap_or_default()
    }

    fn slot(&mut self, local: Local) -> &mut T {
        let at = local.0 as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, T::default());
        }
        &mut self.0[at]
    }
}

/// Returns the locals that values of the first ones come into, by edges from one local to another.
fn reached(first: &[Local], edges: &[(Local, Local)], locals: usize) -> ByLocal<bool> {
    let mut found = ByLocal::of(locals);
    for local in first {
        *found.slot(*local) = true;
    }
    let mut grown = !first.is_empty();
    while grown {
        grown = false;
        for (from, to) in edges {
            if found.get(*from) && !found.get(*to) {
                *found.slot(*to) = true;
                grown = true;
            }
        }
    }
    found
}

/// The number of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Node(u32);

/// Where a block stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    outer: Option<Node>,
    depth: u32,
    /// The top-level block that it is in.
    top: usize,
}

/// The blocks of a function, outer ones before inner ones.
#[derive(Debug, Default)]
struct Blocks {
    list: Vec<Place>,
}

impl Blocks {
    fn get(&self, node: Node) -> Option<Place> {
        self.list.get(node.0 as usize).copied()
    }

    /// Enters a block inside of another, or a top-level one.
    fn open(&mut self, outer: Option<Node>, top: usize) -> Node {
        let depth = outer.and_then(|it| self.get(it)).map_or(0, |it| it.depth + 1);
        self.list.push(Place { outer, depth, top });
        Node(u32::try_from(self.list.len() - 1).unwrap_or(u32::MAX))
    }

    /// The blocks around one, from the inside.
    fn around(&self, node: Node) -> impl Iterator<Item = Node> {
        let outer = |it: Node| self.get(it).and_then(|it| it.outer);
        std::iter::successors(outer(node), move |it| outer(*it))
    }

    /// Returns the innermost block that holds both, which are in the same top-level block.
    fn common(&self, mut a: Node, mut b: Node) -> Node {
        while a != b {
            let depth = |it: Node| self.get(it).map_or(0, |it| it.depth);
            let deeper = if depth(a) >= depth(b) { &mut a } else { &mut b };
            match self.get(*deeper).and_then(|it| it.outer) {
                Some(outer) => *deeper = outer,
                None => break,
            }
        }
        a
    }
}

/// How one local is used.
#[derive(Clone, Copy, Debug)]
struct Use {
    local: Local,
    /// Top-level block, or `None` for more than one.
    block: Option<usize>,
    /// The innermost block that holds all uses.
    common: Node,
    /// The block of the first use if that writes.
    first_write: Option<Node>,
}

/// How the locals of a function are used, and from which of them values come into which.
#[derive(Debug, Default)]
struct Uses {
    blocks: Blocks,
    /// In the order of first uses.
    list: Vec<Use>,
    /// One more than the place in the list; 0 for none.
    by_local: ByLocal<u32>,
    /// What containers are made in.
    made: Vec<Local>,
    copies: Vec<(Local, Local)>,
    dots: Vec<(Local, Local)>,
}

impl Uses {
    fn walk(&mut self, block: &Block, node: Node) {
        let top = self.blocks.get(node).map_or(0, |it| it.top);
        for stmt in &block.stmts {
            self.stmt(stmt, node, top);
            stmt.kind.for_each_block(|it| {
                let inner = self.blocks.open(Some(node), top);
                self.walk(it, inner);
            });
        }
    }

    fn stmt(&mut self, stmt: &Stmt, node: Node, top: usize) {
        stmt.kind.for_each_read(|local| self.note(local, node, top, false));
        // The variables of a scan are written before its block, but only when there is an item.
        let writes = !matches!(stmt.kind, StmtKind::Scan { .. });
        stmt.kind.for_each_write(|local| self.note(local, node, top, writes));
        match &stmt.kind {
            StmtKind::MakeArray { target, .. }
            | StmtKind::MakeObject { target }
            | StmtKind::MakeSet { target }
            | StmtKind::MakeBag { target } => self.made.push(*target),
            StmtKind::Assign { source: Operand::Local(source), target } => {
                self.copies.push((*source, *target));
            }
            StmtKind::Dot { source: Operand::Local(source), target, .. } => {
                self.dots.push((*source, *target));
            }
            _ => {}
        }
    }

    fn note(&mut self, local: Local, node: Node, top: usize, write: bool) {
        let place = self.by_local.slot(local);
        let known = place.checked_sub(1).and_then(|it| self.list.get_mut(it as usize));
        match known {
            None => {
                let first_write = write.then_some(node);
                self.list.push(Use { local, block: Some(top), common: node, first_write });
                *place = u32::try_from(self.list.len()).unwrap_or(0);
            }
            Some(known) if known.block == Some(top) => known.common = self.blocks.common(known.common, node),
            Some(known) => known.block = None,
        }
    }
}
