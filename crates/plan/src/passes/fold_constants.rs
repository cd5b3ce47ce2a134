//! Rules that need neither input nor data are evaluated once; their calls become constants.
//!
//! They are evaluated strictly: one whose built-ins fail stays as it is and fails when it is asked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Answer, Block, Callee, ConstId, Entrypoint, FuncId, Operand, Plan, StmtKind};
use crate::passes::{Folded, Surroundings};

pub(super) fn run(plan: &mut Plan, surroundings: &Surroundings<'_>) {
    let constant: Vec<bool> = plan.functions.iter().map(is_constant).collect();
    let mut wanted = BTreeSet::new();
    for (index, function) in plan.functions.iter().enumerate() {
        // What only other constant rules call is folded with them.
        if !constant.get(index).copied().unwrap_or(false) {
            function.blocks.iter().for_each(|it| collect(it, &constant, &mut wanted));
        }
    }
    let entry = plan.entrypoints.iter().filter(|it| it.answer == Answer::Value).map(|it| it.function);
    wanted.extend(entry.filter(|it| constant.get(it.0 as usize).copied().unwrap_or(false)));
    if wanted.is_empty() {
        return;
    }
    let results = (surroundings.evaluate)(&only(plan, &wanted));
    let mut known: BTreeMap<FuncId, Option<ConstId>> = BTreeMap::new();
    for (function, result) in wanted.into_iter().zip(results) {
        match result {
            Folded::Unknown => {}
            Folded::Undefined => {
                known.insert(function, None);
            }
            Folded::Value(document) => {
                plan.constants.push(document);
                let id = ConstId(u32::try_from(plan.constants.len() - 1).unwrap_or(u32::MAX));
                known.insert(function, Some(id));
            }
        }
    }
    plan.functions.iter_mut().flat_map(|it| &mut it.blocks).for_each(|it| replace(it, &known));
    shorten(plan, &known);
}

fn is_constant(function: &crate::ir::Function) -> bool {
    let facts = function.facts.as_deref();
    function.params.is_empty() && facts.is_some_and(|it| !it.reads_input && !it.reads_data && !it.impure)
}

fn collect(block: &Block, constant: &[bool], wanted: &mut BTreeSet<FuncId>) {
    for stmt in &block.stmts {
        if let StmtKind::Call { callee: Callee::Function(function), .. } = &stmt.kind
            && constant.get(function.0 as usize).copied().unwrap_or(false)
        {
            wanted.insert(*function);
        }
        stmt.kind.for_each_block(|it| collect(it, constant, wanted));
    }
}

/// Returns the plan of the wanted functions and what they call; numbers stay, other functions are empty.
fn only(plan: &Plan, wanted: &BTreeSet<FuncId>) -> Plan {
    let mut needed: BTreeSet<FuncId> = BTreeSet::new();
    let mut waiting: Vec<FuncId> = wanted.iter().copied().collect();
    while let Some(id) = waiting.pop() {
        if needed.insert(id)
            && let Some(function) = plan.functions.get(id.0 as usize)
        {
            function.blocks.iter().for_each(|it| callees(it, &mut waiting));
        }
    }
    let mut part = Plan {
        constants: plan.constants.clone(),
        builtins: plan.builtins.clone(),
        files: plan.files.clone(),
        rules: plan.rules.clone(),
        functions: Vec::with_capacity(plan.functions.len()),
        entrypoints: Vec::with_capacity(wanted.len()),
    };
    for (index, function) in plan.functions.iter().enumerate() {
        let id = FuncId(u32::try_from(index).unwrap_or(u32::MAX));
        let blocks = if needed.contains(&id) { function.blocks.clone() } else { Vec::new() };
        part.functions.push(crate::ir::Function {
            name: function.name.clone(),
            path: Vec::new(),
            params: function.params.clone(),
            result: function.result,
            locals: function.locals,
            blocks,
            facts: None,
        });
    }
    part.entrypoints.extend(wanted.iter().map(|it| Entrypoint {
        name: it.0.to_string().into(),
        function: *it,
        answer: Answer::Value,
    }));
    part
}

fn callees(block: &Block, out: &mut Vec<FuncId>) {
    for stmt in &block.stmts {
        if let StmtKind::Call { callee: Callee::Function(function), .. } = &stmt.kind {
            out.push(*function);
        }
        stmt.kind.for_each_block(|it| callees(it, out));
    }
}

fn replace(block: &mut Block, known: &BTreeMap<FuncId, Option<ConstId>>) {
    for stmt in &mut block.stmts {
        if let StmtKind::Call { callee: Callee::Function(function), result, .. } = &stmt.kind {
            match known.get(function) {
                Some(Some(value)) => {
                    stmt.kind = StmtKind::Assign { source: Operand::Const(*value), target: *result };
                }
                Some(None) => stmt.kind = StmtKind::Break { depth: 0 },
                None => {}
            }
        }
        stmt.kind.for_each_block_mut(|it| replace(it, known));
    }
}

/// Makes the folded functions themselves give their constant.
fn shorten(plan: &mut Plan, known: &BTreeMap<FuncId, Option<ConstId>>) {
    for (id, value) in known {
        let Some(function) = plan.functions.get_mut(id.0 as usize) else { continue };
        let Some(mut stmt) = function.blocks.iter().flat_map(|it| &it.stmts).next_back().cloned() else {
            continue;
        };
        let result = function.result;
        let mut stmts = Vec::new();
        if let Some(value) = value {
            stmt.kind = StmtKind::Assign { source: Operand::Const(*value), target: result };
            stmts.push(stmt.clone());
        }
        stmt.kind = StmtKind::Return { source: result };
        stmts.push(stmt);
        function.blocks = vec![Block { stmts }];
    }
}
