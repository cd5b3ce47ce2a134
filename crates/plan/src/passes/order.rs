//! Whether it shows in which order, and how often, a scan meets the members of a set.
//!
//! Apart because passes that leave a set unsorted, or unmade, both ask. An error shows the order too: which one is
//! first, and whether a success comes before it.

use crate::ir::{Block, Local, Stmt, StmtKind};
use crate::passes::failing::Failing;
use crate::passes::uses::Uses;

/// The scans of one function.
pub(super) struct Scans<'a> {
    /// The function's result.
    pub(super) result: Local,
    /// Of the whole function.
    pub(super) uses: &'a Uses,
    /// Of the whole plan.
    pub(super) failing: &'a Failing,
}

impl Scans<'_> {
    /// Says whether it shows nowhere in which order and how often the block of a scan runs; `own` are its items.
    pub(super) fn is_free(&self, block: &Block, own: &[Local]) -> bool {
        let mut inside = Uses::default();
        inside.add(block);
        let mut is_free = !self.failing.scanned(block);
        each_stmt(block, 0, &mut |stmt, depth| {
            match &stmt.kind {
                StmtKind::Return { .. } | StmtKind::ResultSetAdd { .. } | StmtKind::ObjectMerge { .. } => {
                    is_free = false;
                }
                StmtKind::Break { depth: out } => is_free &= *out <= depth,
                StmtKind::ArrayAppend { array: container, .. }
                | StmtKind::ObjectInsert { object: container, .. } => {
                    is_free &= inside.writes(*container) > 0;
                }
                _ => {}
            }
            stmt.kind.for_each_write(|it| {
                let is_result = it == self.result && matches!(stmt.kind, StmtKind::AssignOnce { .. });
                is_free &= is_result || inside.reads(it) == self.uses.reads(it);
            });
        });
        is_free && own.iter().all(|it| inside.reads(*it) == self.uses.reads(*it))
    }
}

/// Calls back with every statement and how many blocks of the first one stand around it.
fn each_stmt(block: &Block, depth: u32, see: &mut impl FnMut(&Stmt, u32)) {
    for stmt in &block.stmts {
        see(stmt, depth);
        stmt.kind.for_each_block(|it| each_stmt(it, depth + 1, see));
    }
}
