//! Which variables an expression binds once others are bound.
//!
//! Apart from the ordering that asks it, because these rules are OPA's own and hold for queries and rules alike. It
//! changes nothing and reports nothing.

use crate::{
    draft::{Call, Callee, Expr, ExprKind, Head, Replacement, Term, TermKind},
    resolve::Context,
    unify::{is_ref_known, unified},
    vars::{self, View},
    varset::VarSet,
};

/// Returns how many operands a function takes.
pub(crate) fn arity(ctx: Context<'_>, callee: &Callee) -> Option<usize> {
    match callee {
        Callee::Builtin(at) => ctx.options.capabilities.at(*at).map(crate::types::Declaration::arity),
        Callee::Function(group) => ctx.index.arity(*group),
        Callee::Unknown(_) => None,
    }
}

/// Returns what a body binds beyond `known`, as long as it is as it was written.
pub(crate) fn of_written_body(ctx: Context<'_>, body: &[Expr], known: &VarSet) -> VarSet {
    let mut all = known.clone();
    for expr in body {
        let more = of_written(ctx, expr, &all);
        all.add_all(&more);
    }
    all.remove_all(known);
    all
}

/// Returns what an expression binds as long as it is as it was written.
///
/// A built-in of one name that replaces another by `with` is a variable to OPA then, and a variable that nothing binds.
pub(crate) fn of_written(ctx: Context<'_>, expr: &Expr, known: &VarSet) -> VarSet {
    let is_word = |value: &Replacement| match value {
        Replacement::Callee(Callee::Builtin(at)) => {
            ctx.options.capabilities.at(*at).is_some_and(|it| !it.name.contains('.'))
        }
        _ => false,
    };
    if expr.with.iter().any(|it| is_word(&it.value)) {
        return VarSet::default();
    }
    of_expr(ctx, expr, known)
}

/// Returns what an expression binds.
pub(crate) fn of_expr(ctx: Context<'_>, expr: &Expr, known: &VarSet) -> VarSet {
    let mut out = VarSet::default();
    if expr.negated || !is_with_known(expr, known) {
        return out;
    }
    match &expr.kind {
        ExprKind::Term(term) => {
            of_term(term, known, &mut out);
            of_with(expr, known, &mut out);
        }
        ExprKind::Unify(lhs, rhs) => return of_unify(expr, lhs, rhs, known),
        ExprKind::Call(call) => return of_call(ctx, expr, call, known),
        ExprKind::Every(every) => of_term(&every.domain, known, &mut out),
        ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..) => {}
    }
    out
}

fn is_with_known(expr: &Expr, known: &VarSet) -> bool {
    if expr.with.is_empty() {
        return true;
    }
    let mut open = VarSet::default();
    vars::in_with(expr, View::OPEN, &mut open);
    open.is_subset(known)
}

fn of_with(expr: &Expr, known: &VarSet, out: &mut VarSet) {
    for with in &expr.with {
        if let Replacement::Term(value) = &with.value {
            of_term(value, known, out);
        }
    }
}

fn of_unify(expr: &Expr, lhs: &Term, rhs: &Term, known: &VarSet) -> VarSet {
    let mut all = VarSet::default();
    of_term(lhs, known, &mut all);
    of_term(rhs, known, &mut all);
    of_with(expr, known, &mut all);
    all.add_all(known);
    if expr.assigned {
        // What stands left of `:=` only takes: it must not bind what stands right of it.
        let mut taken = VarSet::default();
        vars::in_term(lhs, View::ALL, &mut taken);
        all.remove_all(&taken);
    }
    let more = unified(&all, lhs, rhs);
    all.add_all(&more);
    all.remove_all(known);
    all
}

fn of_call(ctx: Context<'_>, expr: &Expr, call: &Call, known: &VarSet) -> VarSet {
    let mut out = VarSet::default();
    let Some(arity) = arity(ctx, &call.callee) else { return out };
    for arg in &call.args {
        of_term(arg, known, &mut out);
    }
    of_with(expr, known, &mut out);
    if arity >= call.args.len() {
        return out;
    }
    let (inputs, outputs) = call.args.split_at(arity);
    let mut open = VarSet::default();
    vars::in_terms(inputs, View::OUTPUT, &mut open);
    open.remove_all(&out);
    if !open.is_subset(known) {
        return VarSet::default();
    }
    vars::in_terms(outputs, View::OUTPUT, &mut out);
    out
}

/// Collects the variables in references that start with something known: evaluating those enumerates them.
fn of_term(term: &Term, known: &VarSet, out: &mut VarSet) {
    match &term.kind {
        TermKind::Ref(reference) => {
            if !is_ref_known(reference, known) {
                return;
            }
            vars::in_terms(&reference.parts, View { ref_heads: false, ..View::ALL }, out);
            if let Head::Term(head) = &reference.head {
                of_term(head, known, out);
            }
            for part in &reference.parts {
                of_term(part, known, out);
            }
        }
        TermKind::Call(call) => {
            for arg in &call.args {
                of_term(arg, known, out);
            }
        }
        TermKind::Array(items) | TermKind::Set(items) => {
            for item in items {
                of_term(item, known, out);
            }
        }
        TermKind::Object(entries) => {
            for (key, value) in entries {
                of_term(key, known, out);
                of_term(value, known, out);
            }
        }
        _ => {}
    }
}
