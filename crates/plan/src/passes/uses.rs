//! How often each register of a function is read and written, and changes of all operands of a statement.
//!
//! Apart because most passes ask for it. Registers that must stay registers are told from operands that may become
//! constants; a new statement is entered here once.

use crate::ir::{Block, Function, Local, Operand, StmtKind};

/// Reads and writes of each register.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// By number of the register.
    counts: Vec<(u32, u32)>,
}

impl Uses {
    pub(super) fn of(function: &Function) -> Self {
        Self::of_blocks(&function.blocks, function)
    }

    /// Of a function whose blocks stand elsewhere for now.
    pub(super) fn of_blocks(blocks: &[Block], function: &Function) -> Self {
        let mut uses = Self { counts: vec![(0, 0); function.locals as usize] };
        for param in &function.params {
            uses.slot(*param).1 += 1;
        }
        // Given to the caller.
        uses.slot(function.result).0 += 1;
        blocks.iter().for_each(|it| uses.add(it));
        uses
    }

    pub(super) fn add(&mut self, block: &Block) {
        for stmt in &block.stmts {
            stmt.kind.for_each_read(|it| self.slot(it).0 += 1);
            stmt.kind.for_each_write(|it| self.slot(it).1 += 1);
            stmt.kind.for_each_block(|it| self.add(it));
        }
    }

    fn slot(&mut self, local: Local) -> &mut (u32, u32) {
        let at = local.0 as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, (0, 0));
        }
        &mut self.counts[at]
    }

    pub(super) fn reads(&self, local: Local) -> u32 {
        self.counts.get(local.0 as usize).map_or(0, |it| it.0)
    }

    pub(super) fn writes(&self, local: Local) -> u32 {
        self.counts.get(local.0 as usize).map_or(0, |it| it.1)
    }
}

/// Changes every operand that may be a constant; not the registers that must be registers.
pub(super) fn map_operands(kind: &mut StmtKind, mut change: impl FnMut(&mut Operand)) {
    match kind {
        StmtKind::ArrayAppend { value, .. }
        | StmtKind::SetAdd { value, .. }
        | StmtKind::With { value, .. } => {
            change(value);
        }
        StmtKind::Assign { source, .. }
        | StmtKind::AssignOnce { source, .. }
        | StmtKind::IsArray { source }
        | StmtKind::IsObject { source }
        | StmtKind::IsSet { source }
        | StmtKind::IsTrue { source }
        | StmtKind::Len { source, .. } => change(source),
        StmtKind::Call { args, .. } => args.iter_mut().for_each(change),
        StmtKind::CallDynamic { path, .. } => path.iter_mut().for_each(change),
        StmtKind::Dot { source, key, .. } => {
            change(source);
            change(key);
        }
        StmtKind::Equal { a, b }
        | StmtKind::NotEqual { a, b }
        | StmtKind::Compare { a, b, .. }
        | StmtKind::Same { a, b } => {
            change(a);
            change(b);
        }
        StmtKind::ObjectInsert { key, value, .. } | StmtKind::ObjectInsertOnce { key, value, .. } => {
            change(key);
            change(value);
        }
        StmtKind::Switch { subject, .. } | StmtKind::Entry { wanted: subject, .. } => change(subject),
        StmtKind::Member { value, collection } => {
            change(value);
            change(collection);
        }
        StmtKind::EqualParts { source, parts } => {
            change(source);
            parts.iter_mut().for_each(|it| change(&mut it.1));
        }
        _ => {}
    }
}

/// Changes every register, read or written.
pub(super) fn map_locals(kind: &mut StmtKind, mut change: impl FnMut(&mut Local)) {
    map_operands(kind, |it| {
        if let Operand::Local(local) = it {
            change(local);
        }
    });
    match kind {
        StmtKind::ArrayAppend { array: local, .. }
        | StmtKind::SetAdd { set: local, .. }
        | StmtKind::Assign { target: local, .. }
        | StmtKind::AssignOnce { target: local, .. }
        | StmtKind::Len { target: local, .. }
        | StmtKind::Call { result: local, .. }
        | StmtKind::Dot { target: local, .. }
        | StmtKind::IsDefined { source: local }
        | StmtKind::IsUndefined { source: local }
        | StmtKind::MakeArray { target: local, .. }
        | StmtKind::MakeObject { target: local }
        | StmtKind::MakeSet { target: local }
        | StmtKind::MakeBag { target: local }
        | StmtKind::ObjectInsert { object: local, .. }
        | StmtKind::ObjectInsertOnce { object: local, .. }
        | StmtKind::Reset { target: local }
        | StmtKind::ResultSetAdd { value: local }
        | StmtKind::Return { source: local }
        | StmtKind::With { document: local, .. } => change(local),
        StmtKind::CallDynamic { args, result, .. } => {
            args.iter_mut().for_each(&mut change);
            change(result);
        }
        StmtKind::ObjectMerge { a, b, target } => [a, b, target].into_iter().for_each(change),
        StmtKind::Scan { source, key, value, .. } | StmtKind::Entry { source, key, value, .. } => {
            [source, key, value].into_iter().for_each(change)
        }
        _ => {}
    }
}
