//! Which variables occur in a piece of draft, under the views that safety needs.
//!
//! Apart because "the variables of" has several meanings in OPA's rules, and which of them is meant where decides what
//! is safe: with or without closures, sets, keys of objects and heads of references.

use crate::{
    draft::{Compr, Expr, ExprKind, Head, Operand, Part, Ref, Replacement, Term, TermKind},
    varset::VarSet,
};

/// What is looked into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) closures: bool,
    pub(crate) sets: bool,
    pub(crate) object_keys: bool,
    pub(crate) ref_heads: bool,
}

impl View {
    /// Everything.
    pub(crate) const ALL: Self = Self { closures: true, sets: true, object_keys: true, ref_heads: true };
    /// What must be bound before an expression is evaluated.
    pub(crate) const OPEN: Self = Self { closures: false, ..Self::ALL };
    /// What an operand can bind.
    pub(crate) const BOUND: Self = Self { closures: false, sets: true, object_keys: false, ref_heads: false };
    /// What the result of a call can bind.
    pub(crate) const OUTPUT: Self = Self { sets: false, ..Self::BOUND };
}

pub(crate) fn in_body(body: &[Expr], view: View, out: &mut VarSet) {
    for expr in body {
        in_expr(expr, view, out);
    }
}

pub(crate) fn in_expr(expr: &Expr, view: View, out: &mut VarSet) {
    match &expr.kind {
        ExprKind::Term(term) => in_term(term, view, out),
        ExprKind::Unify(lhs, rhs) => {
            in_term(lhs, view, out);
            in_term(rhs, view, out);
        }
        ExprKind::Call(call) => in_terms(&call.args, view, out),
        ExprKind::Every(every) => {
            in_term(&every.domain, view, out);
            if view.closures {
                out.insert(every.value);
                if let Some(key) = every.key {
                    out.insert(key);
                }
                in_body(&every.body, view, out);
            }
        }
        ExprKind::Not(operand) => in_operand(operand, view, out),
        ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
            in_operand(lhs, view, out);
            in_operand(rhs, view, out);
        }
    }
    in_with(expr, view, out);
}

pub(crate) fn in_with(expr: &Expr, view: View, out: &mut VarSet) {
    for with in &expr.with {
        if let Replacement::Term(value) = &with.value {
            in_term(value, view, out);
        }
    }
}

fn in_operand(operand: &Operand, view: View, out: &mut VarSet) {
    if view.closures {
        in_body(&operand.body, view, out);
    }
}

pub(crate) fn in_terms(terms: &[Term], view: View, out: &mut VarSet) {
    for term in terms {
        in_term(term, view, out);
    }
}

pub(crate) fn in_term(term: &Term, view: View, out: &mut VarSet) {
    match &term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => {}
        TermKind::Var(var) => out.insert(*var),
        TermKind::Ref(reference) => in_ref(reference, view, out),
        TermKind::Call(call) => in_terms(&call.args, view, out),
        TermKind::Array(items) => in_terms(items, view, out),
        TermKind::Set(items) if view.sets => in_terms(items, view, out),
        TermKind::Set(_) => {}
        TermKind::Object(entries) => {
            for (key, value) in entries {
                if view.object_keys {
                    in_term(key, view, out);
                }
                in_term(value, view, out);
            }
        }
        TermKind::Compr(compr) if view.closures => in_compr(compr, view, out),
        TermKind::Compr(_) => {}
        TermKind::Template(parts) if view.closures => {
            for part in parts {
                if let Part::Expr(expr) = part {
                    in_expr(expr, view, out);
                }
            }
        }
        TermKind::Template(_) => {}
    }
}

pub(crate) fn in_ref(reference: &Ref, view: View, out: &mut VarSet) {
    match &reference.head {
        Head::Var(var) if view.ref_heads => out.insert(*var),
        Head::Term(term) if view.ref_heads => in_term(term, view, out),
        _ => {}
    }
    in_terms(&reference.parts, view, out);
}

fn in_compr(compr: &Compr, view: View, out: &mut VarSet) {
    if let Some(key) = &compr.key {
        in_term(key, view, out);
    }
    in_term(&compr.term, view, out);
    in_body(&compr.body, view, out);
}

/// Collects all variables inside the closures of an expression.
pub(crate) fn in_closures(expr: &Expr, out: &mut VarSet) {
    match &expr.kind {
        ExprKind::Term(term) => term_closures(term, out),
        ExprKind::Unify(lhs, rhs) => {
            term_closures(lhs, out);
            term_closures(rhs, out);
        }
        ExprKind::Call(call) => {
            for arg in &call.args {
                term_closures(arg, out);
            }
        }
        ExprKind::Every(every) => in_body(&every.body, View::ALL, out),
        ExprKind::Not(operand) => in_body(&operand.body, View::ALL, out),
        ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
            in_body(&lhs.body, View::ALL, out);
            in_body(&rhs.body, View::ALL, out);
        }
    }
    for with in &expr.with {
        if let Replacement::Term(value) = &with.value {
            term_closures(value, out);
        }
    }
}

fn term_closures(term: &Term, out: &mut VarSet) {
    match &term.kind {
        TermKind::Ref(reference) => {
            if let Head::Term(head) = &reference.head {
                term_closures(head, out);
            }
            for part in &reference.parts {
                term_closures(part, out);
            }
        }
        TermKind::Call(call) => {
            for arg in &call.args {
                term_closures(arg, out);
            }
        }
        TermKind::Array(items) | TermKind::Set(items) => {
            for item in items {
                term_closures(item, out);
            }
        }
        TermKind::Object(entries) => {
            for (key, value) in entries {
                term_closures(key, out);
                term_closures(value, out);
            }
        }
        TermKind::Compr(compr) => in_compr(compr, View::ALL, out),
        _ => {}
    }
}
