//! Walks over the tree.
//!
//! One walk visits terms, in bodies too, and may leave out what is inside; another moves a part
//! of the tree to one place. Nothing here decides what the nodes mean.

use crate::{
    ast::{Body, Callee, Expr, ExprKind, Operand, Ref, TemplatePart, Term, TermKind},
    source::Span,
};

/// Visits a term and, where `visit` answers yes, the terms inside it; bodies too.
pub fn walk_terms<'t>(term: &'t Term, visit: &mut impl FnMut(&'t Term) -> bool) {
    if !visit(term) {
        return;
    }
    match &term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) | TermKind::Var(_) => {
        }
        TermKind::Ref(reference) => walk_ref(reference, visit),
        TermKind::Call(call) => {
            if let Callee::Ref(function) = &call.callee {
                walk_ref(function, visit);
            }
            walk_list(&call.args, visit);
        }
        TermKind::Array(terms) | TermKind::Set(terms) => walk_list(terms, visit),
        TermKind::Object(pairs) => {
            for (key, value) in pairs {
                walk_terms(key, visit);
                walk_terms(value, visit);
            }
        }
        TermKind::ArrayCompr(compr) | TermKind::SetCompr(compr) => {
            walk_terms(&compr.term, visit);
            walk_body(&compr.body, visit);
        }
        TermKind::ObjectCompr(compr) => {
            walk_terms(&compr.key, visit);
            walk_terms(&compr.value, visit);
            walk_body(&compr.body, visit);
        }
        TermKind::Template(template) => {
            for part in &template.parts {
                match part {
                    TemplatePart::Text(term) => walk_terms(term, visit),
                    TemplatePart::Expr(expr) => walk_expr(expr, visit),
                }
            }
        }
    }
}

fn walk_ref<'t>(reference: &'t Ref, visit: &mut impl FnMut(&'t Term) -> bool) {
    walk_terms(&reference.head, visit);
    walk_list(&reference.parts, visit);
}

fn walk_list<'t>(terms: &'t [Term], visit: &mut impl FnMut(&'t Term) -> bool) {
    for term in terms {
        walk_terms(term, visit);
    }
}

/// Visits the terms of a body as [`walk_terms`] does.
pub fn walk_body<'t>(body: &'t Body, visit: &mut impl FnMut(&'t Term) -> bool) {
    for expr in body {
        walk_expr(expr, visit);
    }
}

/// Visits the terms of an expression as [`walk_terms`] does.
pub fn walk_expr<'t>(expr: &'t Expr, visit: &mut impl FnMut(&'t Term) -> bool) {
    match &expr.kind {
        ExprKind::Term(term) => walk_terms(term, visit),
        ExprKind::Assign(binding) | ExprKind::Unify(binding) => {
            walk_terms(&binding.lhs, visit);
            walk_terms(&binding.rhs, visit);
        }
        ExprKind::Some(vars) => walk_list(vars, visit),
        ExprKind::SomeIn(some) => {
            if let Some(key) = &some.key {
                walk_terms(key, visit);
            }
            walk_terms(&some.value, visit);
            walk_terms(&some.collection, visit);
        }
        ExprKind::Every(every) => {
            if let Some(key) = &every.key {
                walk_terms(key, visit);
            }
            walk_terms(&every.value, visit);
            walk_terms(&every.domain, visit);
            walk_body(&every.body, visit);
        }
        ExprKind::Not(operand) => walk_body(&operand.body, visit),
        ExprKind::And(logical) | ExprKind::Or(logical) => {
            walk_body(&logical.lhs.body, visit);
            walk_body(&logical.rhs.body, visit);
        }
    }
    for with in &expr.with {
        walk_terms(&with.target, visit);
        walk_terms(&with.value, visit);
    }
}

/// Tells whether a term holds no variable, as OPA counts: the head of a reference is none, a
/// template string never is without.
#[must_use]
pub fn is_ground(term: &Term) -> bool {
    match &term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => true,
        TermKind::Var(_) | TermKind::Template(_) => false,
        TermKind::Ref(reference) => reference.parts.iter().all(is_ground),
        TermKind::Call(call) => call.args.iter().all(is_ground),
        TermKind::Array(terms) | TermKind::Set(terms) => terms.iter().all(is_ground),
        TermKind::Object(pairs) => pairs.iter().all(|(k, v)| is_ground(k) && is_ground(v)),
        TermKind::ArrayCompr(compr) | TermKind::SetCompr(compr) => {
            is_ground(&compr.term) && body_is_ground(&compr.body)
        }
        TermKind::ObjectCompr(compr) => {
            is_ground(&compr.key) && is_ground(&compr.value) && body_is_ground(&compr.body)
        }
    }
}

fn body_is_ground(body: &Body) -> bool {
    let mut ground = true;
    walk_body(body, &mut |term| {
        ground &= is_ground(term);
        false
    });
    ground
}

/// Moves a term and all inside it to one place.
pub(crate) fn place_term(term: &mut Term, span: Span) {
    term.span = span;
    match &mut term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) | TermKind::Var(_) => {
        }
        TermKind::Ref(reference) => place_ref(reference, span),
        TermKind::Call(call) => {
            match &mut call.callee {
                Callee::Ref(function) => place_ref(function, span),
                Callee::Infix(_, at) | Callee::Negation(at) => *at = span,
            }
            place_list(&mut call.args, span);
        }
        TermKind::Array(terms) | TermKind::Set(terms) => place_list(terms, span),
        TermKind::Object(pairs) => {
            for (key, value) in pairs {
                place_term(key, span);
                place_term(value, span);
            }
        }
        TermKind::ArrayCompr(compr) | TermKind::SetCompr(compr) => {
            place_term(&mut compr.term, span);
            place_body(&mut compr.body, span);
        }
        TermKind::ObjectCompr(compr) => {
            place_term(&mut compr.key, span);
            place_term(&mut compr.value, span);
            place_body(&mut compr.body, span);
        }
        TermKind::Template(template) => {
            for part in &mut template.parts {
                match part {
                    TemplatePart::Text(term) => place_term(term, span),
                    TemplatePart::Expr(expr) => place_expr(expr, span),
                }
            }
        }
    }
}

fn place_ref(reference: &mut Ref, span: Span) {
    reference.span = span;
    place_term(&mut reference.head, span);
    place_list(&mut reference.parts, span);
}

fn place_list(terms: &mut [Term], span: Span) {
    for term in terms {
        place_term(term, span);
    }
}

/// Moves a body and all inside it to one place.
pub(crate) fn place_body(body: &mut Body, span: Span) {
    for expr in body {
        place_expr(expr, span);
    }
}

fn place_operand(operand: &mut Operand, span: Span) {
    place_body(&mut operand.body, span);
}

fn place_expr(expr: &mut Expr, span: Span) {
    expr.span = span;
    match &mut expr.kind {
        ExprKind::Term(term) => place_term(term, span),
        ExprKind::Assign(binding) | ExprKind::Unify(binding) => {
            binding.operator = span;
            place_term(&mut binding.lhs, span);
            place_term(&mut binding.rhs, span);
        }
        ExprKind::Some(vars) => place_list(vars, span),
        ExprKind::SomeIn(some) => {
            some.span = span;
            place_list(some.key.as_mut_slice(), span);
            place_term(&mut some.value, span);
            place_term(&mut some.collection, span);
        }
        ExprKind::Every(every) => {
            place_list(every.key.as_mut_slice(), span);
            place_term(&mut every.value, span);
            place_term(&mut every.domain, span);
            place_body(&mut every.body, span);
        }
        ExprKind::Not(operand) => place_operand(operand, span),
        ExprKind::And(logical) | ExprKind::Or(logical) => {
            place_operand(&mut logical.lhs, span);
            place_operand(&mut logical.rhs, span);
        }
    }
    for with in &mut expr.with {
        with.span = span;
        place_term(&mut with.target, span);
        place_term(&mut with.value, span);
    }
}
