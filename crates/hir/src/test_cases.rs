//! Cases of parametrised tests: a call that tells which case a body is about to try.
//!
//! A test whose head goes on behind its name (`test_add[case.note] if …`) holds for each key that its body gives. Which
//! cases were tried and failed cannot be seen from its value, so that the body says so itself, by a call of
//! `internal.test_case` as early as the keys are known. Keys that the front end made move up; what the author wrote
//! stays where it is. The order counts before safety orders bodies, as in OPA.

use crate::{
    draft::{Call, Callee, Compr, Expr, ExprKind, Operand, Replacement, Rule, Term, TermKind},
    index::Entry,
    resolve::Context,
    tree::VarId,
    vars::{self, View},
    varset::VarSet,
};

/// What the names of tests start with.
const TEST: &str = "test_";
/// What the names of tests start with that are skipped.
const SKIPPED: &str = "todo_test_";
const TEST_CASE: &str = "internal.test_case";

/// Makes a parametrised test tell its cases. `plain` are the variables that nobody declared.
pub(crate) fn tell(ctx: Context<'_>, entry: &Entry<'_>, plain: &VarSet, draft: &mut Rule) {
    let Some(callee) = ctx.options.capabilities.position(TEST_CASE).map(Callee::Builtin) else { return };
    let Some(keys) = keys(entry, draft) else { return };
    let Some(branch) = draft.branches.first_mut() else { return };
    if calls_in_body(&branch.body, &callee) {
        return;
    }
    for key in &keys {
        if let Some(var) = key.as_var() {
            move_up(&mut branch.body, var, plain);
        }
    }
    let known = |key: &Term| {
        let var = key.as_var()?;
        branch.body.iter().position(|expr| occurs(expr, var))
    };
    let place = keys.iter().filter_map(known).max().map_or(0, |it| it + 1);
    let span = branch.span;
    let args = vec![Term::new(TermKind::Array(keys), span)];
    branch.body.insert(place, Expr::new(ExprKind::Call(Call { callee, args }), span));
}

/// Returns what a head has behind the name of its test, if that is not all known.
fn keys(entry: &Entry<'_>, draft: &Rule) -> Option<Vec<Term>> {
    if draft.keys.is_empty() || entry.ground {
        return None;
    }
    let reference = &entry.rule.head.reference;
    let is_test = |it: &str| it.starts_with(TEST) || it.starts_with(SKIPPED);
    let names = reference.head.as_var().into_iter().chain(reference.parts.iter().map_while(|it| it.as_str()));
    let (place, name) = names.enumerate().find(|(_, name)| is_test(name))?;
    if !name.starts_with(TEST) {
        return None;
    }
    let text = |it: &lictor_syntax::ast::Term| Some(TermKind::String(it.as_str()?.into()));
    let ground = reference.parts.get(place..entry.names).unwrap_or_default().iter();
    let ground = ground.filter_map(|it| Some(Term::new(text(it)?, it.span)));
    Some(ground.chain(draft.keys.iter().cloned()).collect())
}

/// Moves the expression that makes a key up to where all that it needs has occurred.
fn move_up(body: &mut Vec<Expr>, key: VarId, plain: &VarSet) {
    let mut at = body.len();
    while let Some(from) = at.checked_sub(1) {
        at = from;
        let Some(made) = body.get(from).filter(|it| it.generated).and_then(|it| made_of(it, key)) else {
            continue;
        };
        let mut needed = VarSet::default();
        vars::in_term(made, View::ALL, &mut needed);
        needed.remove_all(plain);
        let first = |var: VarId| body.iter().take(from).position(|expr| occurs(expr, var));
        let target = if needed.is_empty() {
            0
        } else {
            needed.iter().filter_map(first).max().unwrap_or(0).saturating_add(1)
        };
        if target < from {
            let moved = body.remove(from);
            body.insert(target, moved);
            // Another expression stands there now.
            at = from + 1;
        }
    }
}

fn made_of(expr: &Expr, key: VarId) -> Option<&Term> {
    match &expr.kind {
        ExprKind::Unify(lhs, rhs) if lhs.as_var() == Some(key) => Some(rhs),
        _ => None,
    }
}

fn occurs(expr: &Expr, var: VarId) -> bool {
    let mut found = VarSet::default();
    vars::in_expr(expr, View::ALL, &mut found);
    found.contains(var)
}

/// Tells whether the author calls it, then wherever it stands nothing is added.
fn calls_in_body(body: &[Expr], callee: &Callee) -> bool {
    body.iter().any(|expr| calls(expr, callee))
}

fn calls(expr: &Expr, callee: &Callee) -> bool {
    let operand = |it: &Operand| calls_in_body(&it.body, callee);
    let inside = match &expr.kind {
        ExprKind::Call(call) => {
            call.callee == *callee || call.args.iter().any(|it| calls_in_term(it, callee))
        }
        ExprKind::Term(term) => calls_in_term(term, callee),
        ExprKind::Unify(lhs, rhs) => calls_in_term(lhs, callee) || calls_in_term(rhs, callee),
        ExprKind::Every(every) => calls_in_term(&every.domain, callee) || calls_in_body(&every.body, callee),
        ExprKind::Not(it) => operand(it),
        ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => operand(lhs) || operand(rhs),
    };
    let in_with =
        |it: &crate::draft::With| matches!(&it.value, Replacement::Term(it) if calls_in_term(it, callee));
    inside || expr.with.iter().any(in_with)
}

fn calls_in_term(term: &Term, callee: &Callee) -> bool {
    let any = |terms: &[Term]| terms.iter().any(|it| calls_in_term(it, callee));
    match &term.kind {
        TermKind::Call(call) => any(&call.args),
        TermKind::Ref(reference) => any(&reference.parts),
        TermKind::Array(items) | TermKind::Set(items) => any(items),
        TermKind::Object(entries) => {
            entries.iter().any(|(key, value)| calls_in_term(key, callee) || calls_in_term(value, callee))
        }
        TermKind::Compr(compr) => calls_in_compr(compr, callee),
        _ => false,
    }
}

fn calls_in_compr(compr: &Compr, callee: &Callee) -> bool {
    calls_in_body(&compr.body, callee) || calls_in_term(&compr.term, callee)
}
