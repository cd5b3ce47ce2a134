//! When all rules of a document give one and the same constant, the first success ends the search.
//!
//! So does the first solution inside of a negation, if none of the rest can fail.
//!
//! OPA does the first: no later rule can give another value, so no conflict is lost. It looks at the rules as they are
//! written: a value that only passes know to be constant does not end the search, since a later rule may still fail.

use crate::ir::{Block, ConstId, Function, Local, Operand, Plan, Stmt, StmtKind};
use crate::passes::Surroundings;
use crate::passes::failing::Failing;

/// Returns for each function whether its rules give one constant as they are written.
pub(super) fn constant(plan: &Plan) -> Vec<bool> {
    plan.functions.iter().map(|it| rules_of_one(it).is_some()).collect()
}

/// Ends searches in functions that were constant from the start, in those that passes made, and in negations.
pub(super) fn run(plan: &mut Plan, surroundings: &Surroundings<'_>) {
    let constant = &surroundings.constant;
    let failing = surroundings.failing(plan);
    for function in &mut plan.functions {
        function.blocks.iter_mut().for_each(|it| leave_negations(it, &failing));
    }
    for (index, function) in plan.functions.iter_mut().enumerate() {
        if constant.get(index).copied().unwrap_or(true)
            && let Some(rules) = rules_of_one(function)
        {
            wrap(function, rules);
        }
    }
}

/// Returns the blocks of rules that all give one constant.
fn rules_of_one(function: &Function) -> Option<std::ops::Range<usize>> {
    let rules = rule_blocks(function)?;
    let mut value = None;
    let blocks = function.blocks.get(rules.clone())?;
    let same = blocks.iter().all(|block| gives_one(block, function.result, &mut value));
    (same && value.is_some()).then_some(rules)
}

/// Returns the blocks that are rules: all before the default and the return, of a document with one value.
fn rule_blocks(function: &Function) -> Option<std::ops::Range<usize>> {
    let rest = function.blocks.iter().position(|it| match it.stmts.first().map(|it| &it.kind) {
        Some(StmtKind::IsUndefined { source }) => *source == function.result,
        Some(StmtKind::Return { .. }) => true,
        _ => false,
    })?;
    (rest > 0).then_some(0..rest)
}

/// Says whether all that the block gives to the result is the constant, given once in some statement.
fn gives_one(block: &Block, result: Local, value: &mut Option<ConstId>) -> bool {
    let mut fine = true;
    let mut given = 0;
    visit(block, &mut |stmt| {
        match &stmt.kind {
            StmtKind::AssignOnce { source: Operand::Const(constant), target } if *target == result => {
                given += 1;
                fine &= *value.get_or_insert(*constant) == *constant;
            }
            other => {
                other.for_each_write(|it| fine &= it != result);
                other.for_each_read(|it| fine &= it != result);
                fine &= !matches!(other, StmtKind::Return { .. });
            }
        };
    });
    fine && given > 0
}

fn visit(block: &Block, see: &mut impl FnMut(&Stmt)) {
    for stmt in &block.stmts {
        see(stmt);
        stmt.kind.for_each_block(|it| visit(it, see));
    }
}

/// Puts the rules into one block and leaves it after the first success.
fn wrap(function: &mut Function, rules: std::ops::Range<usize>) {
    let result = function.result;
    let mut blocks: Vec<Block> = function.blocks.drain(rules).collect();
    for block in &mut blocks {
        leave_after(block, result, 1);
    }
    let Some(first) = blocks.iter().flat_map(|it| &it.stmts).next() else { return };
    let stmt = Stmt { kind: StmtKind::Nop, location: first.location, rule: first.rule };
    let block = Block { stmts: vec![Stmt { kind: StmtKind::Block { blocks }, ..stmt }] };
    function.blocks.insert(0, block);
}

/// Leaves the search in a negation with the first solution.
fn leave_negations(block: &mut Block, failing: &Failing) {
    for stmt in &mut block.stmts {
        if let StmtKind::Not { block } = &mut stmt.kind
            && let [.., Stmt { kind: search, .. }, Stmt { kind: StmtKind::IsDefined { source }, .. }] =
                block.stmts.as_mut_slice()
            && let StmtKind::Block { blocks } = search
            && let [search] = blocks.as_mut_slice()
            && !failing.block_but_for(search, *source)
        {
            leave_after(search, *source, 0);
        }
        stmt.kind.for_each_block_mut(|it| leave_negations(it, failing));
    }
}

fn leave_after(block: &mut Block, result: Local, depth: u32) {
    let mut stmts = Vec::with_capacity(block.stmts.len() + 1);
    for mut stmt in block.stmts.drain(..) {
        stmt.kind.for_each_block_mut(|it| leave_after(it, result, depth + 1));
        let gives = matches!(&stmt.kind,
            StmtKind::AssignOnce { target, .. } | StmtKind::Assign { target, .. } if *target == result);
        let leave = gives.then(|| Stmt { kind: StmtKind::Break { depth }, ..stmt.clone() });
        stmts.push(stmt);
        stmts.extend(leave);
        if gives {
            break;
        }
    }
    block.stmts = stmts;
}
