//! Names of rules, arguments and variables that hide `input` and `data`: refused in V1 and by strict checks.
//!
//! Apart because it depends on the version of a module, not on its meaning. It looks at names in the syntax and
//! resolves none.

use lictor_syntax::{Source, ast, visit};

use crate::{
    declared,
    diagnostics::{Sink, Stage, names as faults},
};

fn is_root(name: &str) -> bool {
    matches!(name, "input" | "data")
}

/// Returns the name if a term is a root alone.
fn root_of(term: &ast::Term) -> Option<&str> {
    let name = match &term.kind {
        ast::TermKind::Ref(reference) if reference.parts.is_empty() => reference.head.as_var()?,
        ast::TermKind::Var(name) => name,
        _ => return None,
    };
    is_root(name).then_some(name)
}

/// Reports names of a module that hide roots.
pub(crate) fn check_module(module: &ast::Module, sink: &mut Sink) {
    let source = &module.source;
    for rule in &module.rules {
        let name = rule.head.reference.head.as_var().unwrap_or_default();
        if is_root(name) {
            let fault = faults::shadowing_rule(source, rule.span, name);
            sink.go_on(Stage::KeywordOverrides, fault);
        }
        for arg in rule.head.args.iter().flatten() {
            if let Some(name) = root_of(arg) {
                let fault = faults::shadowing_argument(source, arg.span, name);
                sink.go_on(Stage::KeywordOverrides, fault);
            }
        }
        check_rule(source, rule, sink);
    }
}

fn check_rule(source: &Source, rule: &ast::Rule, sink: &mut Sink) {
    let head = &rule.head;
    for term in head.args.iter().flatten().chain(&head.key).chain(&head.value) {
        in_term(source, term, sink);
    }
    for body in rule.body.iter().chain(rule.else_branches.iter().filter_map(|it| it.body.as_ref())) {
        in_body(source, body, sink);
    }
    for value in rule.else_branches.iter().filter_map(|it| it.value.as_ref()) {
        in_term(source, value, sink);
    }
}

/// Reports variables of a body that hide roots, closures included.
pub(crate) fn in_body(source: &Source, body: &[ast::Expr], sink: &mut Sink) {
    for expr in body {
        in_expr(source, expr, sink);
    }
}

fn in_expr(source: &Source, expr: &ast::Expr, sink: &mut Sink) {
    let assigned = match &expr.kind {
        ast::ExprKind::Assign(binding) => Some(&binding.lhs),
        ast::ExprKind::Term(term) => declared::assigned_by_name(term),
        _ => None,
    };
    if let Some(name) = assigned.and_then(root_of) {
        sink.go_on(Stage::KeywordOverrides, faults::shadowing_variable(source, expr.span, name));
    }
    match &expr.kind {
        ast::ExprKind::Term(term) => in_term(source, term, sink),
        ast::ExprKind::Assign(both) | ast::ExprKind::Unify(both) => {
            in_term(source, &both.lhs, sink);
            in_term(source, &both.rhs, sink);
        }
        ast::ExprKind::Some(_) => {}
        ast::ExprKind::SomeIn(some) => in_term(source, &some.collection, sink),
        ast::ExprKind::Every(every) => {
            in_term(source, &every.domain, sink);
            in_body(source, &every.body, sink);
        }
        ast::ExprKind::Not(operand) => in_body(source, &operand.body, sink),
        ast::ExprKind::And(both) | ast::ExprKind::Or(both) => {
            in_body(source, &both.lhs.body, sink);
            in_body(source, &both.rhs.body, sink);
        }
    }
    for with in &expr.with {
        in_term(source, &with.value, sink);
    }
}

fn in_term(source: &Source, term: &ast::Term, sink: &mut Sink) {
    visit::walk_terms(term, &mut |it| {
        match &it.kind {
            ast::TermKind::ArrayCompr(compr) | ast::TermKind::SetCompr(compr) => {
                in_term(source, &compr.term, sink);
                in_body(source, &compr.body, sink);
            }
            ast::TermKind::ObjectCompr(compr) => {
                in_term(source, &compr.key, sink);
                in_term(source, &compr.value, sink);
                in_body(source, &compr.body, sink);
            }
            _ => return false,
        }
        true
    });
}
