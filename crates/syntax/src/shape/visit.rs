//! A walk over the shape: rules, expressions and terms from the outside in.
//!
//! Apart because several checks need one and the same order, which is OPA's. It changes nothing
//! and decides nothing.

use crate::shape::{Expr, ExprKind, Part, Rule, Term, Value};

/// Is a node that a walk shows.
pub(crate) enum Node<'n, 't> {
    Term(&'n Term<'t>),
    Expr(&'n Expr<'t>),
    /// What a call names; it is shown as a term next if the walk goes on inside.
    Function,
}

/// Visits a rule and its `else` branches, the paths of heads left out. The visitor says whether
/// the walk goes on inside a node.
pub(crate) fn walk_rule<'t>(rule: &Rule<'t>, visit: &mut impl FnMut(Node<'_, 't>) -> bool) {
    let mut next = Some(rule);
    while let Some(rule) = next {
        walk_terms(&rule.head.args, visit);
        walk_terms(rule.head.key.as_slice(), visit);
        walk_terms(rule.head.value.as_slice(), visit);
        walk_body(&rule.body, visit);
        next = rule.otherwise.as_deref();
    }
}

/// Visits terms; see [`walk_rule`].
pub(crate) fn walk_terms<'t>(terms: &[Term<'t>], visit: &mut impl FnMut(Node<'_, 't>) -> bool) {
    for term in terms {
        walk_term(term, visit);
    }
}

fn walk_body<'t>(body: &[Expr<'t>], visit: &mut impl FnMut(Node<'_, 't>) -> bool) {
    for expr in body {
        walk_expr(expr, visit);
    }
}

fn walk_call<'t>(terms: &[Term<'t>], visit: &mut impl FnMut(Node<'_, 't>) -> bool) {
    if let Some((function, args)) = terms.split_first() {
        if visit(Node::Function) {
            walk_term(function, visit);
        }
        walk_terms(args, visit);
    }
}

/// Visits an expression; see [`walk_rule`].
pub(crate) fn walk_expr<'t>(expr: &Expr<'t>, visit: &mut impl FnMut(Node<'_, 't>) -> bool) {
    if !visit(Node::Expr(expr)) {
        return;
    }
    match &expr.kind {
        ExprKind::Term(term) => walk_term(term, visit),
        ExprKind::Call(terms) => walk_call(terms, visit),
        ExprKind::Some { symbols, .. } => walk_terms(symbols, visit),
        ExprKind::Every(every) => {
            walk_terms(every.key.as_slice(), visit);
            walk_term(&every.value, visit);
            walk_term(&every.domain, visit);
            walk_body(&every.body, visit);
        }
        ExprKind::Not(operand) => walk_body(&operand.body, visit),
        ExprKind::And(logical) | ExprKind::Or(logical) => {
            walk_body(&logical.lhs.body, visit);
            walk_body(&logical.rhs.body, visit);
        }
    }
    for with in &expr.with {
        walk_term(&with.target, visit);
        walk_term(&with.value, visit);
    }
}

/// Visits a term; see [`walk_rule`].
pub(crate) fn walk_term<'t>(term: &Term<'t>, visit: &mut impl FnMut(Node<'_, 't>) -> bool) {
    if !visit(Node::Term(term)) {
        return;
    }
    match &term.value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Var(_) => {}
        Value::Ref(terms) | Value::Array(terms) | Value::Set(terms) => walk_terms(terms, visit),
        Value::Call(terms) => walk_call(terms, visit),
        Value::Object(pairs) => {
            for (key, value) in pairs {
                walk_term(key, visit);
                walk_term(value, visit);
            }
        }
        Value::ArrayCompr(compr) | Value::SetCompr(compr) => {
            walk_term(&compr.term, visit);
            walk_body(&compr.body, visit);
        }
        Value::ObjectCompr(compr) => {
            walk_term(&compr.key, visit);
            walk_term(&compr.value, visit);
            walk_body(&compr.body, visit);
        }
        Value::Template { parts, .. } => {
            for part in parts {
                match part {
                    Part::Term(term) => walk_term(term, visit),
                    Part::Expr(expr) => walk_expr(expr, visit),
                }
            }
        }
    }
}
