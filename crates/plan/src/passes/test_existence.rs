//! A partial set of which only emptiness is asked is not built: its rules are tried until one gives a member.
//!
//! Taken are sets that one place asks for, by `count(set) == 0` and its like or by an iteration that uses no member.
//! A rule that is no longer tried must not have failed: sets whose rules can conflict, or that call built-ins under
//! strict errors, stay. Such calls are found over the whole call graph.

use rustc_hash::FxHashMap;

use crate::ir::{
    Block, BuiltinRef, Callee, Comparison, ConstId, FuncId, Function, Local, Operand, Plan, Stmt, StmtKind,
};
use crate::passes::Surroundings;
use crate::passes::failing::{calls, calls_any};
use crate::passes::uses::Uses;

pub(super) fn run(plan: &mut Plan, surroundings: &Surroundings<'_>) {
    let calls = calls(plan);
    let failing = surroundings.failing(plan);
    let fits = |(index, function): (u32, &Function)| {
        calls.get(&FuncId(index)) == Some(&1) && is_set(function) && !failing.function(FuncId(index))
    };
    let fitting: Vec<bool> = (0..).zip(&plan.functions).map(fits).collect();
    let fits = |id: FuncId| fitting.get(id.0 as usize).copied().unwrap_or(false);
    let Some(known) = Known::of(plan) else { return };
    let mut wanted: FxHashMap<FuncId, FuncId> = FxHashMap::default();
    let mut next = plan.functions.len();
    for function in plan.functions.iter_mut().filter(|it| calls_any(it, fits)) {
        let uses = Uses::of(function);
        let mut ask = |id: FuncId| {
            fits(id).then(|| {
                *wanted.entry(id).or_insert_with(|| {
                    next += 1;
                    FuncId(u32::try_from(next - 1).unwrap_or(u32::MAX))
                })
            })
        };
        function.blocks.iter_mut().for_each(|it| rewrite(it, &uses, &known, &mut ask));
    }
    let mut made: Vec<(FuncId, FuncId)> = wanted.into_iter().map(|it| (it.1, it.0)).collect();
    made.sort_unstable();
    for (_, set) in made {
        let Some(function) = plan.functions.get(set.0 as usize) else { continue };
        plan.functions.push(existence_of(function, known.yes));
    }
}

/// What the pass must recognize.
struct Known {
    yes: ConstId,
    zero: Option<ConstId>,
    count: Option<BuiltinRef>,
}

impl Known {
    fn of(plan: &mut Plan) -> Option<Self> {
        let find = |plan: &Plan, test: &dyn Fn(lictor_value::Value<'_>) -> bool| {
            let found = plan.constants.iter().position(|it| test(it.root()))?;
            u32::try_from(found).ok().map(ConstId)
        };
        let yes = match find(plan, &|it| it.is_true()) {
            Some(known) => known,
            None => {
                plan.constants.push(lictor_value::Document::from_value(lictor_value::Value::TRUE));
                ConstId(u32::try_from(plan.constants.len() - 1).ok()?)
            }
        };
        let count = plan.builtins.iter().position(|it| &*it.name == "count");
        let count = count.and_then(|it| u32::try_from(it).ok()).map(BuiltinRef);
        Some(Self { yes, zero: find(plan, &|it| it.as_i64() == Some(0)), count })
    }
}

/// Says whether the function makes a set, adds to it and returns it, nothing else.
fn is_set(function: &Function) -> bool {
    let [first, rules @ .., last] = function.blocks.as_slice() else { return false };
    let makes = matches!(first.stmts.as_slice(),
        [Stmt { kind: StmtKind::MakeSet { target }, .. }] if *target == function.result);
    let returns = matches!(last.stmts.as_slice(),
        [Stmt { kind: StmtKind::Return { source }, .. }] if *source == function.result);
    let pure = function.facts.as_deref().is_some_and(|it| !it.impure);
    makes
        && returns
        && pure
        && function.params.is_empty()
        && rules.iter().all(|it| adds_only(it, function.result))
}

fn adds_only(block: &Block, set: Local) -> bool {
    block.stmts.iter().all(|stmt| {
        let mut fine = match &stmt.kind {
            StmtKind::SetAdd { set: target, value } if *target == set => *value != Operand::Local(set),
            other => {
                let mut free = true;
                other.for_each_read(|it| free &= it != set);
                other.for_each_write(|it| free &= it != set);
                free && !matches!(other, StmtKind::Return { .. } | StmtKind::ResultSetAdd { .. })
            }
        };
        stmt.kind.for_each_block(|it| fine &= adds_only(it, set));
        fine
    })
}

/// Returns the function that is `true` if the set has a member, else undefined.
fn existence_of(function: &Function, yes: ConstId) -> Function {
    let mut blocks: Vec<Block> = function.blocks.get(1..).unwrap_or_default().to_vec();
    blocks.iter_mut().for_each(|it| give_once(it, function.result, yes));
    let name = format!("{}?", function.name).into();
    Function { name, path: Vec::new(), blocks, ..function.clone() }
}

fn give_once(block: &mut Block, result: Local, yes: ConstId) {
    let mut stmts = Vec::with_capacity(block.stmts.len() + 1);
    for mut stmt in block.stmts.drain(..) {
        if let StmtKind::SetAdd { set, value } = &stmt.kind
            && *set == result
        {
            if let Operand::Local(source) = value {
                stmts.push(Stmt { kind: StmtKind::IsDefined { source: *source }, ..stmt.clone() });
            }
            stmt.kind = StmtKind::AssignOnce { source: Operand::Const(yes), target: result };
        }
        stmt.kind.for_each_block_mut(|it| give_once(it, result, yes));
        stmts.push(stmt);
    }
    block.stmts = stmts;
}

fn rewrite(block: &mut Block, uses: &Uses, known: &Known, ask: &mut impl FnMut(FuncId) -> Option<FuncId>) {
    for index in 0..block.stmts.len() {
        let stmts = block.stmts.get(index..).unwrap_or_default();
        let Some(StmtKind::Call { callee: Callee::Function(set), result, .. }) =
            stmts.first().map(|it| &it.kind)
        else {
            continue;
        };
        let (set, result) = (*set, *result);
        if let Some((len, empty)) = counted(stmts, result, uses, known)
            && let Some(asked) = ask(set)
        {
            replace_count(block, index, (len, empty), (asked, result));
        } else if iterated(stmts, result, uses)
            && let Some(asked) = ask(set)
        {
            replace_scan(block, index, asked);
        }
    }
    block.stmts.retain(|it| it.kind != StmtKind::Nop);
    block.stmts.iter_mut().for_each(|it| it.kind.for_each_block_mut(|it| rewrite(it, uses, known, ask)));
}

/// Recognizes `set; [copy;] count; comparison with 0`; returns how many statements, and whether none is wanted.
fn counted(stmts: &[Stmt], result: Local, uses: &Uses, known: &Known) -> Option<(usize, bool)> {
    let once = |it: Local| uses.reads(it) == 1 && uses.writes(it) == 1;
    let (zero, count) = (known.zero?, known.count?);
    let mut at = 1;
    let mut counted = result;
    if let StmtKind::Assign { source: Operand::Local(source), target } = &stmts.get(at)?.kind
        && *source == result
    {
        counted = *target;
        at += 1;
    }
    let StmtKind::Call { callee: Callee::Builtin(builtin), args, result: number } = &stmts.get(at)?.kind
    else {
        return None;
    };
    let is_count = *builtin == count && args.as_slice() == [Operand::Local(counted)];
    if !is_count || !once(result) || !once(counted) || !once(*number) {
        return None;
    }
    let (number, zero) = (Operand::Local(*number), Operand::Const(zero));
    let empty = match &stmts.get(at + 1)?.kind {
        StmtKind::Equal { a, b } if (*a, *b) == (number, zero) || (*a, *b) == (zero, number) => true,
        StmtKind::NotEqual { a, b } if (*a, *b) == (number, zero) || (*a, *b) == (zero, number) => false,
        StmtKind::Compare { op: Comparison::Greater, a, b } if (*a, *b) == (number, zero) => false,
        StmtKind::Compare { op: Comparison::Less, a, b } if (*a, *b) == (zero, number) => false,
        _ => return None,
    };
    Some((at + 2, empty))
}

fn replace_count(block: &mut Block, index: usize, seen: (usize, bool), call: (FuncId, Local)) {
    let (len, empty) = seen;
    let (asked, result) = call;
    let Some(stmts) = block.stmts.get_mut(index..index + len) else { return };
    stmts.iter_mut().skip(1).for_each(|it| it.kind = StmtKind::Nop);
    let Some(first) = stmts.first_mut() else { return };
    let kind = StmtKind::Call { callee: Callee::Function(asked), args: Vec::new(), result };
    first.kind = if empty {
        StmtKind::Not { block: Block { stmts: vec![Stmt { kind, ..first.clone() }] } }
    } else {
        kind
    };
}

/// Recognizes `set; scan` whose body uses no member and does the same however often it runs.
fn iterated(stmts: &[Stmt], result: Local, uses: &Uses) -> bool {
    let Some(StmtKind::Scan { source, key, value, block }) = stmts.get(1).map(|it| &it.kind) else {
        return false;
    };
    let unused = uses.reads(*key) == 0 && uses.reads(*value) == 0;
    *source == result && unused && uses.reads(result) == 1 && uses.writes(result) == 1 && may_run_once(block)
}

/// Says whether running the block once is the same as running it again and again.
fn may_run_once(block: &Block) -> bool {
    block.stmts.iter().all(|stmt| {
        let mut fine = !matches!(stmt.kind, StmtKind::ArrayAppend { .. } | StmtKind::ResultSetAdd { .. });
        stmt.kind.for_each_block(|it| fine &= may_run_once(it));
        fine
    })
}

/// The rest of the block goes on whether there was a member or not, so the question stands inside.
fn replace_scan(block: &mut Block, index: usize, asked: FuncId) {
    let Some([first, scan, ..]) = block.stmts.get_mut(index..) else { return };
    let mut call = Stmt { kind: StmtKind::Nop, ..first.clone() };
    std::mem::swap(&mut call.kind, &mut first.kind);
    if let StmtKind::Call { callee, .. } = &mut call.kind {
        *callee = Callee::Function(asked);
    }
    if let StmtKind::Scan { block: body, .. } = &mut scan.kind {
        let mut body = std::mem::take(body);
        body.stmts.insert(0, call);
        scan.kind = StmtKind::Block { blocks: vec![body] };
    }
}
