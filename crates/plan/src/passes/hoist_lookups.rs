//! Look-ups in documents that are the same at every turn of a loop are made before it.
//!
//! What is undefined must not end more than the turn, so the look-up before the loop is a block of its own and the
//! loop asks whether it found something. Only look-ups by constant keys, one directly after the other, are taken.

use rustc_hash::FxHashMap;

use crate::ir::{Block, ConstId, Local, Operand, Plan, Stmt, StmtKind};
use crate::passes::uses::{Uses, map_locals};

pub(super) fn run(plan: &mut Plan) {
    for function in plan.functions.iter_mut().filter(|it| it.blocks.iter().any(has_scan)) {
        let uses = Uses::of(function);
        let mut hoist = Hoist { uses: &uses, next: function.locals };
        function.blocks.iter_mut().for_each(|it| hoist.block(it));
        function.locals = hoist.next;
    }
}

fn has_scan(block: &Block) -> bool {
    block.stmts.iter().any(|it| {
        let mut found = matches!(it.kind, StmtKind::Scan { .. });
        it.kind.for_each_block(|it| found = found || has_scan(it));
        found
    })
}

/// A document and the constant keys that are looked up in turn.
type Chain = (Local, Vec<ConstId>);

struct Hoist<'u> {
    uses: &'u Uses,
    next: u32,
}

impl Hoist<'_> {
    /// Hoists out of the outermost loops of a block.
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stmts.len());
        for mut stmt in block.stmts.drain(..) {
            match &mut stmt.kind {
                StmtKind::Scan { block: body, .. } if !changes_documents(body) => {
                    let mut found: Vec<(Chain, Local)> = Vec::new();
                    self.take(body, &mut found);
                    for ((root, keys), target) in found {
                        before(&stmt, root, &keys, target, &mut out);
                    }
                }
                kind => kind.for_each_block_mut(|it| self.block(it)),
            }
            out.push(stmt);
        }
        block.stmts = out;
    }

    /// Replaces the look-ups of a loop's body by questions whether they found something.
    fn take(&mut self, body: &mut Block, found: &mut Vec<(Chain, Local)>) {
        let mut names: FxHashMap<Local, Local> = FxHashMap::default();
        let mut index = 0;
        while index < body.stmts.len() {
            if let Some((chain, last, len)) = self.chain(body.stmts.get(index..).unwrap_or_default()) {
                let known = found.iter().find(|it| it.0 == chain).map(|it| it.1);
                let target = known.unwrap_or_else(|| {
                    self.next += 1;
                    found.push((chain, Local(self.next - 1)));
                    Local(self.next - 1)
                });
                body.stmts.drain(index + 1..index + len);
                if let Some(stmt) = body.stmts.get_mut(index) {
                    stmt.kind = StmtKind::IsDefined { source: target };
                }
                names.insert(last, target);
            }
            index += 1;
        }
        rename(body, &names);
        body.stmts.iter_mut().for_each(|it| it.kind.for_each_block_mut(|it| self.take(it, found)));
    }

    /// Returns the chain that begins here, its last register, and how many statements it has.
    fn chain(&self, stmts: &[Stmt]) -> Option<(Chain, Local, usize)> {
        let mut root = None;
        let mut at = None;
        let mut keys = Vec::new();
        for stmt in stmts {
            let StmtKind::Dot { source: Operand::Local(source), key: Operand::Const(key), target } =
                &stmt.kind
            else {
                break;
            };
            let follows = match at {
                None => *source == Local::INPUT || *source == Local::DATA,
                // What is read elsewhere too must stay.
                Some(at) => *source == at && self.uses.reads(at) == 1,
            };
            if !follows || self.uses.writes(*target) != 1 {
                break;
            }
            root.get_or_insert(*source);
            keys.push(*key);
            at = Some(*target);
        }
        let len = keys.len();
        Some(((root?, keys), at?, len))
    }
}

fn changes_documents(block: &Block) -> bool {
    block.stmts.iter().any(|it| {
        let mut changes = matches!(it.kind, StmtKind::With { .. });
        it.kind.for_each_block(|it| changes |= changes_documents(it));
        changes
    })
}

fn before(stmt: &Stmt, root: Local, keys: &[ConstId], target: Local, out: &mut Vec<Stmt>) {
    let make = |kind: StmtKind| Stmt { kind, location: stmt.location, rule: stmt.rule };
    let mut source = root;
    let mut looks = Vec::with_capacity(keys.len());
    for key in keys {
        looks.push(make(StmtKind::Dot { source: Operand::Local(source), key: Operand::Const(*key), target }));
        source = target;
    }
    out.push(make(StmtKind::Reset { target }));
    if keys.len() == 1 {
        return out.push(make(StmtKind::Block { blocks: vec![Block { stmts: looks }] }));
    }
    // A chain that breaks half-way leaves what it found before: forget that.
    looks.push(make(StmtKind::Break { depth: 1 }));
    let forget = Block { stmts: vec![make(StmtKind::Reset { target })] };
    let tried = make(StmtKind::Block { blocks: vec![Block { stmts: looks }, forget] });
    out.push(make(StmtKind::Block { blocks: vec![Block { stmts: vec![tried] }] }));
}

fn rename(block: &mut Block, names: &FxHashMap<Local, Local>) {
    if names.is_empty() {
        return;
    }
    for stmt in &mut block.stmts {
        map_locals(&mut stmt.kind, |it| *it = names.get(it).copied().unwrap_or(*it));
        stmt.kind.for_each_block_mut(|it| rename(it, names));
    }
}
