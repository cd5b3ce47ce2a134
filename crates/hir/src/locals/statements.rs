//! Expressions of a body: declarations, calls, closures and their operands.
//!
//! Apart from terms because declarations change scopes, and their order follows OPA's. It moves nothing and checks no
//! safety.

use lictor_syntax::{Span, ast};

use super::{Lowering, plain_expr};
use crate::{
    declared,
    diagnostics::locals as faults,
    draft::{Every, Expr, ExprKind, Head, Operand, Ref, Term, TermKind},
    scope::{Occurrence, Scope},
    tree::VarId,
};

const IN_NEGATED: &str = "negated expression";
const IN_AND: &str = "implicit and operand";
const IN_OR: &str = "implicit or operand";

impl<'a> Lowering<'a> {
    /// Lowers an expression; a mere declaration leaves nothing.
    pub(crate) fn statement(&mut self, expr: &'a ast::Expr) -> Option<Expr> {
        match &expr.kind {
            ast::ExprKind::Assign(binding) => self.assign(expr, &binding.lhs, &binding.rhs),
            ast::ExprKind::Unify(binding) => Some(self.unify(expr, &binding.lhs, &binding.rhs)),
            ast::ExprKind::Some(names) => {
                for name in names {
                    self.declare_term(name, Occurrence::Declared, expr.span, expr.span);
                }
                None
            }
            ast::ExprKind::SomeIn(some) => self.some_in(expr, some),
            ast::ExprKind::Every(every) => self.every(expr, every),
            ast::ExprKind::Not(operand) => {
                let body = self.operand(operand, IN_NEGATED);
                Some(self.closure(expr, ExprKind::Not(body)))
            }
            ast::ExprKind::And(both) => {
                let lhs = self.operand(&both.lhs, IN_AND);
                let rhs = self.operand(&both.rhs, IN_AND);
                Some(self.closure(expr, ExprKind::And(lhs, rhs)))
            }
            ast::ExprKind::Or(both) => {
                let lhs = self.operand(&both.lhs, IN_OR);
                let rhs = self.operand(&both.rhs, IN_OR);
                Some(self.closure(expr, ExprKind::Or(lhs, rhs)))
            }
            ast::ExprKind::Term(term) => {
                if let Some((lhs, rhs)) = declared::operands_by_name(term, "assign") {
                    return self.assign(expr, lhs, rhs);
                }
                if let Some((lhs, rhs)) = declared::operands_by_name(term, "eq") {
                    return Some(self.unify(expr, lhs, rhs));
                }
                Some(self.term_expr(expr, term))
            }
        }
    }

    fn closure(&mut self, expr: &'a ast::Expr, kind: ExprKind) -> Expr {
        let with = self.with(&expr.with);
        Expr { with, ..plain_expr(kind, expr) }
    }

    fn term_expr(&mut self, expr: &'a ast::Expr, term: &'a ast::Term) -> Expr {
        let kind = match &term.kind {
            ast::TermKind::Call(call) => ExprKind::Call(self.outer_call(call, expr.span)),
            _ => ExprKind::Term(self.term(term)),
        };
        self.closure(expr, kind)
    }

    fn unify(&mut self, expr: &'a ast::Expr, lhs: &'a ast::Term, rhs: &'a ast::Term) -> Expr {
        let lhs = self.term(lhs);
        let rhs = self.term(rhs);
        self.closure(expr, ExprKind::Unify(lhs, rhs))
    }

    fn assign(&mut self, expr: &'a ast::Expr, lhs: &'a ast::Term, rhs: &'a ast::Term) -> Option<Expr> {
        if expr.negated {
            self.found.faults.push(faults::assigned_inside(self.source, expr.span, IN_NEGATED));
            return None;
        }
        let rhs = self.term(rhs);
        let with = self.with(&expr.with);
        let lhs = self.pattern(lhs, expr.span);
        Some(Expr { assigned: true, with, ..Expr::new(ExprKind::Unify(lhs, rhs), expr.span) })
    }

    /// Lowers the left side of `:=`.
    fn pattern(&mut self, term: &'a ast::Term, span: Span) -> Term {
        let kind = match &term.kind {
            ast::TermKind::Var(_) => return self.declare_term(term, Occurrence::Assigned, term.span, span),
            ast::TermKind::Ref(reference) if reference.parts.is_empty() => {
                return self.declare_term(&reference.head, Occurrence::Assigned, term.span, span);
            }
            ast::TermKind::Array(items) => {
                TermKind::Array(items.iter().map(|it| self.pattern(it, span)).collect())
            }
            ast::TermKind::Object(entries) => TermKind::Object(
                entries
                    .iter()
                    .map(|(key, value)| (self.pattern_key(key), self.pattern(value, span)))
                    .collect(),
            ),
            _ => {
                let fault = faults::cannot_assign(self.source, term.span, term.kind.name());
                self.found.faults.push(fault);
                TermKind::Null
            }
        };
        Term::new(kind, term.span)
    }

    /// Lowers a key of a pattern: OPA takes a variable there for one that nobody declared.
    fn pattern_key(&mut self, key: &'a ast::Term) -> Term {
        match &key.kind {
            ast::TermKind::Var(name) => Term::var(self.scopes.plain(name), key.span),
            _ => self.term(key),
        }
    }

    fn declare_term(&mut self, term: &'a ast::Term, occurrence: Occurrence, at: Span, span: Span) -> Term {
        let name = term.as_var().unwrap_or_default();
        Term::var(self.declare(name, occurrence, at, span), term.span)
    }

    /// Declares a name for the expression at `span`; a fault is reported at `at`.
    fn declare(&mut self, name: &'a str, occurrence: Occurrence, at: Span, span: Span) -> VarId {
        match self.scopes.declare(name, occurrence, span) {
            Ok(var) => var,
            Err(before) => {
                self.found.faults.push(faults::redeclared(self.source, at, name, before));
                self.scopes.generate()
            }
        }
    }

    fn some_in(&mut self, expr: &'a ast::Expr, some: &'a ast::SomeIn) -> Option<Expr> {
        let mut bound = Vec::new();
        if let Some(key) = &some.key {
            declared::bound_vars(key, &mut bound);
        }
        declared::bound_vars(&some.value, &mut bound);
        let mut domain = Vec::new();
        declared::pattern_vars(&some.collection, &mut domain);
        bound.sort_unstable();
        bound.dedup();
        let mut clash = false;
        for name in bound.iter().filter(|it| domain.contains(it) && !ast::is_wildcard(it)) {
            clash = true;
            self.found.faults.push(faults::assigned_in_domain(self.source, expr.span, name));
        }
        if clash {
            return None;
        }
        // OPA numbers the key that is not written before the names, which shows in texts.
        let unwritten = some.key.is_none().then(|| self.scopes.generate());
        for name in bound.into_iter().filter(|it| !domain.contains(it)) {
            self.declare(name, Occurrence::Declared, expr.span, expr.span);
        }
        let value = self.term(&some.value);
        let mut target = self.collection(&some.collection);
        let key = some.key.as_ref().map(|key| self.term(key));
        target.parts.extend(key.or_else(|| Some(Term::var(unwritten?, some.collection.span))));
        let domain = Term::new(TermKind::Ref(Box::new(target)), some.collection.span);
        Some(self.closure(expr, ExprKind::Unify(value, domain)))
    }

    /// Lowers what is iterated to the start of a reference.
    fn collection(&mut self, term: &'a ast::Term) -> Ref {
        let term = self.term(term);
        match term.kind {
            TermKind::Ref(reference) => *reference,
            TermKind::Var(var) => Ref { head: Head::Var(var), parts: Vec::new() },
            _ => Ref { head: Head::Term(term), parts: Vec::new() },
        }
    }

    fn every(&mut self, expr: &'a ast::Expr, every: &'a ast::Every) -> Option<Expr> {
        let mut names = Vec::new();
        for term in every.key.iter().chain([&every.value]) {
            declared::pattern_vars(term, &mut names);
        }
        // The names hide rules in the domain already, though they are not declared there.
        self.scopes.ignore(&names);
        let domain = self.term(&every.domain);
        self.scopes.push(Scope::default());
        let unused_before = self.found.unused.len();
        // OPA places what is unused at the start of the body, and what is declared twice at `every`.
        let inside = every.body.first().map_or(expr.span, |it| it.span);
        let key = every.key.as_ref().map(|key| self.every_var(key, expr.span, inside));
        let value = self.every_var(&every.value, expr.span, inside);
        let body = self.body(&every.body);
        self.check_unused(unused_before);
        self.scopes.pop();
        self.scopes.heed(&names);
        let every = Every { key, value, domain, body };
        Some(self.closure(expr, ExprKind::Every(Box::new(every))))
    }

    fn every_var(&mut self, term: &'a ast::Term, at: Span, inside: Span) -> VarId {
        let name = term.as_var().unwrap_or_default();
        if ast::is_wildcard(name) {
            return self.scopes.plain(name);
        }
        self.declare(name, Occurrence::Declared, at, inside)
    }

    /// Lowers an operand of `not`, `and`, `or`; only braces make a scope in which something may be declared.
    fn operand(&mut self, operand: &'a ast::Operand, place: &str) -> Operand {
        if operand.explicit {
            self.scopes.push(Scope::default());
            let unused_before = self.found.unused.len();
            let body = self.body(&operand.body);
            self.check_unused(unused_before);
            self.scopes.pop();
            return Operand { body, explicit: true };
        }
        let mut body = Vec::with_capacity(operand.body.len());
        for expr in &operand.body {
            if is_assignment(expr) {
                self.found.faults.push(faults::assigned_inside(self.source, expr.span, place));
                continue;
            }
            body.extend(self.statement(expr));
        }
        Operand { body, explicit: false }
    }
}

fn is_assignment(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::Assign(_) => true,
        ast::ExprKind::Term(term) => declared::assigned_by_name(term).is_some(),
        _ => false,
    }
}
