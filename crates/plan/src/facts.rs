//! What each function needs, found over the whole call graph.
//!
//! Apart because passes and engines both ask: what needs no input can be computed ahead.

use std::sync::Arc;

use crate::ir::{Block, Callee, Facts, Local, Operand, Plan, StmtKind};

/// Fills [`crate::Function::facts`] of every function; `impure` says which built-ins are, by name.
pub fn find_facts(plan: &mut Plan, impure: impl Fn(&str) -> bool) {
    let impure: Vec<bool> = plan.builtins.iter().map(|it| impure(&it.name)).collect();
    let mut facts = vec![Facts::default(); plan.functions.len()];
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); plan.functions.len()];
    for (index, function) in plan.functions.iter().enumerate() {
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let mut own = Facts::default();
        for block in &function.blocks {
            collect(block, &impure, &mut own, &mut |callee| {
                if let Some(list) = callers.get_mut(callee as usize) {
                    list.push(number);
                }
            });
        }
        facts[index] = own;
    }
    let mut waiting: Vec<usize> = (0..facts.len()).collect();
    while let Some(callee) = waiting.pop() {
        let known = facts[callee].clone();
        for caller in &callers[callee] {
            let caller = *caller as usize;
            let joined = join(&facts[caller], &known);
            if joined != facts[caller] {
                facts[caller] = joined;
                waiting.push(caller);
            }
        }
    }
    for (function, facts) in plan.functions.iter_mut().zip(facts) {
        function.facts = Some(Arc::new(facts));
    }
}

fn join(a: &Facts, b: &Facts) -> Facts {
    Facts {
        reads_input: a.reads_input || b.reads_input,
        reads_data: a.reads_data || b.reads_data,
        impure: a.impure || b.impure,
    }
}

fn collect(block: &Block, impure: &[bool], own: &mut Facts, called: &mut impl FnMut(u32)) {
    for stmt in &block.stmts {
        stmt.kind.for_each_operand(|it| {
            own.reads_input |= it == Operand::Local(Local::INPUT);
            own.reads_data |= it == Operand::Local(Local::DATA);
        });
        match &stmt.kind {
            StmtKind::Call { callee: Callee::Builtin(builtin), .. } => {
                own.impure |= impure.get(builtin.0 as usize).copied().unwrap_or(true);
            }
            StmtKind::Call { callee: Callee::Function(function), .. } => called(function.0),
            // What it calls is not known.
            StmtKind::CallDynamic { .. } => {
                *own = Facts { reads_input: true, reads_data: true, impure: true };
            }
            _ => {}
        }
        stmt.kind.for_each_block(|it| collect(it, impure, own, called));
    }
}
