//! Which variables an expression binds, given those that are bound.
//!
//! Apart from [`crate::safety`], which orders bodies by the answer. The rules are OPA's: a reference binds the variables
//! in its parts once its head is bound, unification carries boundness across, a call binds what its result is unified
//! with once its operands are bound, negation and closures bind nothing outside.

use rustc_hash::FxHashSet;

use crate::{
    draft::{Call, Compr, Expr, ExprKind, Head, Ref, Replacement, Term, TermKind},
    tree::VarId,
};

/// A set of variables.
pub(crate) type Vars = FxHashSet<VarId>;

/// Returns the variables that the expression binds besides the bound ones.
pub(crate) fn of_expr(expr: &Expr, bound: &Vars) -> Vars {
    if expr.negated || !with_is_bound(expr, bound) {
        return Vars::default();
    }
    match &expr.kind {
        ExprKind::Term(term) => {
            let mut out = Vars::default();
            refs(term, bound, &mut out);
            out
        }
        ExprKind::Unify(a, b) => {
            let mut out = Vars::default();
            refs(a, bound, &mut out);
            refs(b, bound, &mut out);
            let mut all = bound.clone();
            all.extend(&out);
            let before = all.len();
            unify(a, b, &mut all);
            if all.len() > before || !out.is_empty() {
                out.extend(all.difference(bound));
            }
            out
        }
        ExprKind::Call(call) => of_call(call, expr.generated, bound),
        ExprKind::Every(_) | ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..) => Vars::default(),
    }
}

fn with_is_bound(expr: &Expr, bound: &Vars) -> bool {
    expr.with.iter().all(|it| match &it.value {
        Replacement::Term(term) => {
            let mut vars = Vars::default();
            outer(term, &mut vars);
            vars.is_subset(bound)
        }
        Replacement::Callee(_) => true,
    })
}

fn of_call(call: &Call, has_output: bool, bound: &Vars) -> Vars {
    let (inputs, output) = match call.args.split_last() {
        Some((last, inputs)) if has_output => (inputs, Some(last)),
        _ => (&call.args[..], None),
    };
    let mut needed = Vars::default();
    inputs.iter().for_each(|it| outer(it, &mut needed));
    let mut out = Vars::default();
    if needed.is_subset(bound)
        && let Some(output) = output
    {
        pattern(output, &mut out);
        out.retain(|it| !bound.contains(it));
    }
    out
}

/// Collects the variables that references in a term bind.
fn refs(term: &Term, bound: &Vars, out: &mut Vars) {
    match &term.kind {
        TermKind::Ref(reference) => {
            let safe = match reference.head {
                Head::Input | Head::Data => true,
                Head::Var(var) => bound.contains(&var) || out.contains(&var),
                Head::Term(_) => false,
            };
            if safe {
                reference.parts.iter().for_each(|it| pattern(it, out));
            }
        }
        TermKind::Array(items) | TermKind::Set(items) => items.iter().for_each(|it| refs(it, bound, out)),
        TermKind::Object(entries) => entries.iter().for_each(|it| {
            refs(&it.0, bound, out);
            refs(&it.1, bound, out);
        }),
        _ => {}
    }
}

/// Collects the variables of a pattern; keys of objects and members of sets take no value.
fn pattern(term: &Term, out: &mut Vars) {
    match &term.kind {
        TermKind::Var(var) => {
            out.insert(*var);
        }
        TermKind::Array(items) => items.iter().for_each(|it| pattern(it, out)),
        TermKind::Object(entries) => entries.iter().for_each(|it| pattern(&it.1, out)),
        _ => {}
    }
}

/// Carries boundness from each side to the other one.
fn unify(a: &Term, b: &Term, bound: &mut Vars) {
    match (&a.kind, &b.kind) {
        (TermKind::Array(xs), TermKind::Array(ys)) if xs.len() == ys.len() => {
            // An item on the right may bind what an item on the left needs.
            for _ in 0..2 {
                xs.iter().zip(ys).for_each(|(x, y)| unify(x, y, bound));
            }
        }
        (TermKind::Object(xs), TermKind::Object(ys)) => {
            for (key, x) in xs {
                let same = ys.iter().find(|it| same_key(&it.0, key));
                if let Some((_, y)) = same {
                    unify(x, y, bound);
                }
            }
        }
        (TermKind::Var(x), _) if !bound.contains(x) => {
            if is_bound(b, bound) {
                bound.insert(*x);
            }
        }
        (_, TermKind::Var(y)) if !bound.contains(y) => {
            if is_bound(a, bound) {
                bound.insert(*y);
            }
        }
        (TermKind::Array(_) | TermKind::Object(_), _) if is_value(b) && is_bound(b, bound) => bind(a, bound),
        (_, TermKind::Array(_) | TermKind::Object(_)) if is_value(a) && is_bound(a, bound) => bind(b, bound),
        _ => {}
    }
}

/// Binds what a pattern takes, if its keys are bound.
fn bind(term: &Term, bound: &mut Vars) {
    let mut out = Vars::default();
    pattern(term, &mut out);
    if let TermKind::Object(entries) = &term.kind {
        let mut keys = Vars::default();
        entries.iter().for_each(|it| outer(&it.0, &mut keys));
        if !keys.is_subset(bound) {
            return;
        }
    }
    bound.extend(out);
}

/// Says whether the term can be any value: a variable, reference or closure.
fn is_value(term: &Term) -> bool {
    matches!(term.kind, TermKind::Var(_) | TermKind::Ref(_) | TermKind::Compr(_))
}

fn is_bound(term: &Term, bound: &Vars) -> bool {
    let mut vars = Vars::default();
    outer(term, &mut vars);
    vars.is_subset(bound)
}

fn same_key(a: &Term, b: &Term) -> bool {
    match (&a.kind, &b.kind) {
        (TermKind::String(x), TermKind::String(y)) | (TermKind::Number(x), TermKind::Number(y)) => x == y,
        (TermKind::Bool(x), TermKind::Bool(y)) => x == y,
        (TermKind::Var(x), TermKind::Var(y)) => x == y,
        (TermKind::Null, TermKind::Null) => true,
        _ => false,
    }
}

/// Collects the variables of a term that are not inside its closures.
pub(crate) fn outer(term: &Term, out: &mut Vars) {
    match &term.kind {
        TermKind::Var(var) => {
            out.insert(*var);
        }
        TermKind::Ref(reference) => outer_ref(reference, out),
        TermKind::Array(items) | TermKind::Set(items) => items.iter().for_each(|it| outer(it, out)),
        TermKind::Object(entries) => entries.iter().for_each(|it| {
            outer(&it.0, out);
            outer(&it.1, out);
        }),
        TermKind::Call(call) => call.args.iter().for_each(|it| outer(it, out)),
        _ => {}
    }
}

fn outer_ref(reference: &Ref, out: &mut Vars) {
    match &reference.head {
        Head::Var(var) => {
            out.insert(*var);
        }
        Head::Term(head) => outer(head, out),
        Head::Input | Head::Data => {}
    }
    reference.parts.iter().for_each(|it| outer(it, out));
}

/// Collects the variables of an expression outside and inside its closures.
pub(crate) fn all_of_expr(expr: &Expr, outside: &mut Vars, inside: &mut Vars) {
    let mut visit = |term: &Term| {
        outer(term, outside);
        closures(term, &mut |it| compr_vars(it, inside));
    };
    for with in &expr.with {
        if let Replacement::Term(term) = &with.value {
            visit(term);
        }
    }
    match &expr.kind {
        ExprKind::Term(term) => visit(term),
        ExprKind::Unify(a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Call(call) => call.args.iter().for_each(visit),
        ExprKind::Every(every) => {
            visit(&every.domain);
            body_vars(&every.body, inside);
            // Its own variables are those of the body.
            inside.extend(every.key);
            inside.insert(every.value);
        }
        ExprKind::Not(operand) => body_vars(&operand.body, inside),
        ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            body_vars(&a.body, inside);
            body_vars(&b.body, inside);
        }
    }
}

fn body_vars(body: &[Expr], out: &mut Vars) {
    for expr in body {
        let mut inside = Vars::default();
        all_of_expr(expr, out, &mut inside);
        out.extend(inside);
    }
}

fn compr_vars(compr: &Compr, out: &mut Vars) {
    body_vars(&compr.body, out);
    for term in compr.key.iter().chain([&compr.term]) {
        outer(term, out);
        closures(term, &mut |it| compr_vars(it, out));
    }
}

/// Calls back with the comprehensions of a term, outermost ones.
pub(crate) fn closures<'t>(term: &'t Term, visit: &mut dyn FnMut(&'t Compr)) {
    match &term.kind {
        TermKind::Compr(compr) => visit(compr),
        TermKind::Array(items) | TermKind::Set(items) => items.iter().for_each(|it| closures(it, visit)),
        TermKind::Object(entries) => entries.iter().for_each(|it| {
            closures(&it.0, visit);
            closures(&it.1, visit);
        }),
        TermKind::Ref(reference) => reference.parts.iter().for_each(|it| closures(it, visit)),
        TermKind::Call(call) => call.args.iter().for_each(|it| closures(it, visit)),
        _ => {}
    }
}
