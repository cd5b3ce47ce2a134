//! Slips of lowering and passes: statements of a plan changed or left out.
//!
//! The plan is changed behind the last pass and compiled as usual, which takes the stages one by one instead of the
//! engine's face.

use std::sync::Arc;

use lictor_hir::{Capabilities, Flags};
use lictor_plan::passes::{self, Folded, Optimize};
use lictor_plan::{Block, BuiltinFacts, Comparison, Function, Lowering, Plan, Stmt, StmtKind};
use lictor_runtime::builtins;
use lictor_syntax::ast::Module;
use lictor_vm::Program;

/// Makes the program of the document of a path, its plan changed.
pub(crate) fn program(
    modules: Vec<Module>,
    path: &[&str],
    strict: bool,
    change: fn(&mut Plan),
) -> Option<Program> {
    let row = |it: &&'static lictor_runtime::Builtin| {
        let flags = Flags { deprecated: false, relation: it.name == "walk", impure: it.impure };
        (it.name, it.declaration, flags)
    };
    let declared = Arc::new(Capabilities::from_declarations(builtins::table().iter().map(row)).ok()?);
    let options = lictor_hir::Options {
        capabilities: &declared,
        absent: &[],
        strict: false,
        print: true,
        test_cases: false,
        schemas: None,
        unsafe_builtins: &[],
        workers: None,
        lenient: false,
        error_limit: 0,
    };
    let hir = lictor_hir::lower(&Arc::new(lictor_hir::Modules(modules)), &options).hir;
    let known = Arc::clone(&declared);
    let lookup = move |name: &str| {
        let known = known.get(name);
        BuiltinFacts {
            relation: known.is_some_and(|it| it.flags.relation),
            void: known.is_some_and(|it| it.result.is_none()),
            declaration: Box::default(),
        }
    };
    let mut lowering = Lowering::new(Arc::new(hir), Arc::new(lookup));
    lowering.entrypoint(path);
    let mut plan = lowering.into_plan();
    let impure = |it: &str| declared.get(it).is_none_or(|it| it.flags.impure);
    let evaluate = |plan: &Plan| plan.entrypoints.iter().map(|_| Folded::Unknown).collect();
    passes::optimize(
        &mut plan,
        Optimize { passes: passes::Passes::ALL, strict, evaluate: &evaluate, impure: &impure },
    );
    change(&mut plan);
    let link = |name: &str| lictor_runtime::builtin_named(name).map(|it| it.1.function);
    lictor_vm::compile(&plan, link).ok()
}

fn each(plan: &mut Plan, change: &mut dyn FnMut(&mut StmtKind)) {
    for function in &mut plan.functions {
        each_of(function, change);
    }
}

fn each_of(function: &mut Function, change: &mut dyn FnMut(&mut StmtKind)) {
    for block in &mut function.blocks {
        each_in(block, change);
    }
}

fn each_in(block: &mut Block, change: &mut dyn FnMut(&mut StmtKind)) {
    for stmt in &mut block.stmts {
        stmt.kind.for_each_block_mut(|it| each_in(it, change));
        change(&mut stmt.kind);
    }
}

pub(crate) fn forget_not(plan: &mut Plan) {
    each(plan, &mut |it| {
        if matches!(it, StmtKind::Not { .. }) {
            *it = StmtKind::Nop;
        }
    });
}

pub(crate) fn forget_equal(plan: &mut Plan) {
    each(plan, &mut |it| {
        if matches!(it, StmtKind::Equal { .. }) {
            *it = StmtKind::Nop;
        }
    });
}

pub(crate) fn swap_unequal(plan: &mut Plan) {
    each(plan, &mut |it| {
        if let StmtKind::NotEqual { a, b } = it {
            *it = StmtKind::Equal { a: *a, b: *b };
        }
    });
}

pub(crate) fn loosen_less(plan: &mut Plan) {
    each(plan, &mut |it| {
        if let StmtKind::Compare { op, .. } = it
            && *op == Comparison::Less
        {
            *op = Comparison::LessOrEqual;
        }
    });
}

pub(crate) fn forget_conflicts(plan: &mut Plan) {
    each(plan, &mut |it| {
        if let StmtKind::AssignOnce { source, target } = it {
            *it = StmtKind::Assign { source: *source, target: *target };
        }
    });
}

pub(crate) fn forget_key_conflicts(plan: &mut Plan) {
    each(plan, &mut |it| {
        if let StmtKind::ObjectInsertOnce { object, key, value } = it {
            *it = StmtKind::ObjectInsert { object: *object, key: *key, value: *value };
        }
    });
}

pub(crate) fn forget_with(plan: &mut Plan) {
    each(plan, &mut |it| {
        if let StmtKind::With { block, .. } = it {
            *it = StmtKind::Block { blocks: vec![std::mem::take(block)] };
        }
    });
}

pub(crate) fn stop_scans(plan: &mut Plan) {
    each(plan, &mut |it| {
        if let StmtKind::Scan { block, .. } = it
            && let Some(last) = block.stmts.last()
        {
            let leave = Stmt { kind: StmtKind::Break { depth: 1 }, ..last.clone() };
            block.stmts.push(leave);
        }
    });
}

/// A default is what is assigned where the result is undefined.
pub(crate) fn forget_defaults(plan: &mut Plan) {
    for function in &mut plan.functions {
        let result = function.result;
        function.blocks.retain(|block| {
            !matches!(block.stmts.first().map(|it| &it.kind), Some(StmtKind::IsUndefined { source }) if *source == result)
        });
    }
}

pub(crate) fn forget_member(plan: &mut Plan) {
    each(plan, &mut |it| {
        if matches!(it, StmtKind::Member { .. }) {
            *it = StmtKind::Nop;
        }
    });
}

pub(crate) fn swap_merge(plan: &mut Plan) {
    each(plan, &mut |it| {
        if let StmtKind::ObjectMerge { a, b, .. } = it {
            std::mem::swap(a, b);
        }
    });
}

/// Leaves out the last statement that adds to a set, in each function.
pub(crate) fn lose_member(plan: &mut Plan) {
    for function in &mut plan.functions {
        let mut count = 0;
        each_of(function, &mut |it| count += usize::from(matches!(it, StmtKind::SetAdd { .. })));
        let mut at = 0;
        each_of(function, &mut |it| {
            if matches!(it, StmtKind::SetAdd { .. }) {
                at += 1;
                if at == count {
                    *it = StmtKind::Nop;
                }
            }
        });
    }
}
