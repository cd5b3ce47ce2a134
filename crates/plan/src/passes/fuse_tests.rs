//! A call of a comparison whose result must not be `false` becomes the test itself: no call, no boolean.
//!
//! Comparisons and membership are defined for all operands and never fail. Tests of texts fail for operands that are
//! no strings, which is undefined like a test that does not hold; so strict built-in errors keep those calls.

use crate::ir::{Block, BuiltinRef, Callee, Comparison, ConstId, Local, Operand, Plan, Stmt, StmtKind};
use crate::passes::uses::Uses;

pub(super) fn run(plan: &mut Plan, strict: bool) {
    let test = |name: &str| Test::of(name).filter(|it| !strict || !it.may_fail());
    let tests: Vec<Option<Test>> = plan.builtins.iter().map(|it| test(&it.name)).collect();
    let is_false: Vec<bool> = plan.constants.iter().map(|it| it.root().is_false()).collect();
    for function in &mut plan.functions {
        let uses = Uses::of(function);
        let fuse = Fuse { tests: &tests, is_false: &is_false, uses: &uses };
        function.blocks.iter_mut().for_each(|it| fuse.block(it));
    }
}

/// Built-ins that are tests.
#[derive(Clone, Copy)]
enum Test {
    Equal,
    NotEqual,
    Compare(Comparison),
    Member,
}

impl Test {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "equal" => Self::Equal,
            "neq" => Self::NotEqual,
            "lt" => Self::Compare(Comparison::Less),
            "lte" => Self::Compare(Comparison::LessOrEqual),
            "gt" => Self::Compare(Comparison::Greater),
            "gte" => Self::Compare(Comparison::GreaterOrEqual),
            "startswith" => Self::Compare(Comparison::StartsWith),
            "endswith" => Self::Compare(Comparison::EndsWith),
            "contains" => Self::Compare(Comparison::Contains),
            "internal.member_2" => Self::Member,
            _ => return None,
        })
    }

    /// Says whether the call fails for some operands.
    fn may_fail(self) -> bool {
        matches!(self, Self::Compare(Comparison::StartsWith | Comparison::EndsWith | Comparison::Contains))
    }

    fn stmt(self, a: Operand, b: Operand) -> StmtKind {
        match self {
            Self::Equal => StmtKind::Equal { a, b },
            Self::NotEqual => StmtKind::NotEqual { a, b },
            Self::Compare(op) => StmtKind::Compare { op, a, b },
            Self::Member => StmtKind::Member { value: a, collection: b },
        }
    }
}

struct Fuse<'a> {
    tests: &'a [Option<Test>],
    is_false: &'a [bool],
    uses: &'a Uses,
}

impl Fuse<'_> {
    fn block(&self, block: &mut Block) {
        for index in 0..block.stmts.len() {
            if let Some(fused) = self.fused(block.stmts.get(index..).unwrap_or_default())
                && let [first, second, ..] = block.stmts.get_mut(index..).unwrap_or_default()
            {
                first.kind = fused;
                second.kind = StmtKind::Nop;
            }
        }
        block.stmts.retain(|it| it.kind != StmtKind::Nop);
        block.stmts.iter_mut().for_each(|it| it.kind.for_each_block_mut(|it| self.block(it)));
    }

    fn fused(&self, stmts: &[Stmt]) -> Option<StmtKind> {
        let [first, second, ..] = stmts else { return None };
        let StmtKind::Call { callee: Callee::Builtin(BuiltinRef(builtin)), args, result } = &first.kind
        else {
            return None;
        };
        let test = (*self.tests.get(*builtin as usize)?)?;
        let [a, b] = args.as_slice() else { return None };
        let required = self.requires_not_false(&second.kind, *result);
        let once = self.uses.reads(*result) == 1 && self.uses.writes(*result) == 1;
        (required && once).then(|| test.stmt(*a, *b))
    }

    fn requires_not_false(&self, kind: &StmtKind, local: Local) -> bool {
        let StmtKind::NotEqual { a: Operand::Local(tested), b: Operand::Const(ConstId(other)) } = kind else {
            return false;
        };
        *tested == local && self.is_false.get(*other as usize).copied().unwrap_or(false)
    }
}
