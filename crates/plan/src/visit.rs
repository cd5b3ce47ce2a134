//! Walks over statements: what each reads, writes and holds.
//!
//! Apart so that a new statement is described once; passes and engines walk through these.

use crate::ir::{Block, Local, Operand, StmtKind};

impl StmtKind {
    /// Calls back with every block of the statement, in order.
    pub fn for_each_block<'a>(&'a self, mut visit: impl FnMut(&'a Block)) {
        match self {
            Self::Block { blocks } => blocks.iter().for_each(visit),
            Self::Not { block } | Self::Scan { block, .. } | Self::With { block, .. } => visit(block),
            Self::Switch { cases, otherwise, .. } => {
                cases.iter().flat_map(|it| &it.1).for_each(&mut visit);
                otherwise.iter().for_each(visit);
            }
            _ => {}
        }
    }

    /// Calls back with every block of the statement, to be changed.
    pub fn for_each_block_mut(&mut self, mut visit: impl FnMut(&mut Block)) {
        match self {
            Self::Block { blocks } => blocks.iter_mut().for_each(visit),
            Self::Not { block } | Self::Scan { block, .. } | Self::With { block, .. } => visit(block),
            Self::Switch { cases, otherwise, .. } => {
                cases.iter_mut().flat_map(|it| &mut it.1).for_each(&mut visit);
                otherwise.iter_mut().for_each(visit);
            }
            _ => {}
        }
    }

    /// Calls back with every operand that is read.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Self::ArrayAppend { value, array: container } | Self::SetAdd { value, set: container } => {
                visit(Operand::Local(*container));
                visit(*value);
            }
            Self::Assign { source, .. }
            | Self::IsArray { source }
            | Self::IsObject { source }
            | Self::IsSet { source }
            | Self::IsTrue { source }
            | Self::Len { source, .. } => visit(*source),
            Self::AssignOnce { source, target } => {
                visit(*source);
                visit(Operand::Local(*target));
            }
            Self::Call { args, .. } => args.iter().copied().for_each(visit),
            Self::CallDynamic { path, args, .. } => {
                path.iter().copied().for_each(&mut visit);
                args.iter().for_each(|it| visit(Operand::Local(*it)));
            }
            Self::Dot { source, key, .. } => [*source, *key].into_iter().for_each(visit),
            Self::Equal { a, b }
            | Self::NotEqual { a, b }
            | Self::Compare { a, b, .. }
            | Self::Same { a, b } => {
                [*a, *b].into_iter().for_each(visit);
            }
            Self::IsDefined { source }
            | Self::IsUndefined { source }
            | Self::Return { source }
            | Self::ResultSetAdd { value: source }
            | Self::Scan { source, .. } => visit(Operand::Local(*source)),
            Self::ObjectInsert { object, key, value } | Self::ObjectInsertOnce { object, key, value } => {
                [Operand::Local(*object), *key, *value].into_iter().for_each(visit);
            }
            Self::ObjectMerge { a, b, .. } => [*a, *b].into_iter().for_each(|it| visit(Operand::Local(it))),
            Self::With { document, value, .. } => {
                visit(Operand::Local(*document));
                visit(*value);
            }
            Self::Switch { subject, .. } => visit(*subject),
            Self::Entry { source, wanted, .. } => {
                [Operand::Local(*source), *wanted].into_iter().for_each(visit)
            }
            Self::Member { value, collection } => [*value, *collection].into_iter().for_each(visit),
            Self::EqualParts { source, parts } => {
                visit(*source);
                parts.iter().for_each(|it| visit(it.1));
            }
            Self::Block { .. }
            | Self::Break { .. }
            | Self::MakeArray { .. }
            | Self::MakeObject { .. }
            | Self::MakeSet { .. }
            | Self::MakeBag { .. }
            | Self::Nop
            | Self::Not { .. }
            | Self::Reset { .. } => {}
        }
    }

    /// Calls back with every register that is read.
    pub fn for_each_read(&self, mut visit: impl FnMut(Local)) {
        self.for_each_operand(|it| {
            if let Operand::Local(local) = it {
                visit(local);
            }
        });
    }

    /// Calls back with every register that is written.
    pub fn for_each_write(&self, mut visit: impl FnMut(Local)) {
        match self {
            Self::Assign { target, .. }
            | Self::AssignOnce { target, .. }
            | Self::Call { result: target, .. }
            | Self::CallDynamic { result: target, .. }
            | Self::Dot { target, .. }
            | Self::Len { target, .. }
            | Self::MakeArray { target, .. }
            | Self::MakeObject { target }
            | Self::MakeSet { target }
            | Self::MakeBag { target }
            | Self::ObjectMerge { target, .. }
            | Self::Reset { target } => visit(*target),
            Self::Scan { key, value, .. } | Self::Entry { key, value, .. } => {
                visit(*key);
                visit(*value);
            }
            _ => {}
        }
    }
}
