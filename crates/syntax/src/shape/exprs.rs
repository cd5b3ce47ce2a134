//! Expressions and bodies in OPA's shape: `:=`, `=` and the operators are calls.
//!
//! Apart because everything that has a body comes through here. It knows nothing of rules.

use crate::{
    ast::{self, Binding, InfixOp, SomeIn, TermKind},
    shape::{Every, Expr, ExprKind, Locator, Logical, Operand, Place, Term, Value, With, terms::operator_at},
    source::Span,
};

/// Makes the shape of one module's nodes.
#[derive(Clone, Copy)]
pub(crate) struct Builder<'t> {
    pub(crate) at: Locator<'t>,
    /// The place of all nodes, where OPA has moved them to one.
    pub(crate) fixed: Option<Place>,
}

impl<'t> Builder<'t> {
    /// Returns the place that `natural` says, or the one of all.
    pub(crate) fn placed(&self, natural: impl FnOnce(&Locator<'t>) -> Place) -> Place {
        self.fixed.unwrap_or_else(|| natural(&self.at))
    }

    /// Returns one that puts all nodes at one place.
    pub(crate) fn all_at(&self, place: Place) -> Self {
        Self { fixed: Some(place), ..*self }
    }

    /// Shapes a body.
    pub(crate) fn body(&self, body: &'t [ast::Expr]) -> Vec<Expr<'t>> {
        body.iter().map(|expr| self.expr(expr)).collect()
    }

    /// Shapes an expression of a body.
    pub(crate) fn expr(&self, expr: &'t ast::Expr) -> Expr<'t> {
        let mut shaped = self.nested_expr(expr);
        if self.fixed.is_none() {
            let start = shaped.place.at;
            unplace_leading(&mut shaped, start);
        }
        shaped
    }

    fn nested_expr(&self, expr: &'t ast::Expr) -> Expr<'t> {
        Expr {
            place: self.placed(|at| at.place(expr.span)),
            kind: self.expr_kind(expr),
            negated: expr.negated,
            with: expr.with.iter().map(|with| self.with(with)).collect(),
            generated: false,
        }
    }

    fn expr_kind(&self, expr: &'t ast::Expr) -> ExprKind<'t> {
        match &expr.kind {
            ast::ExprKind::Term(term) => self.term_expr(term),
            ast::ExprKind::Assign(binding) => self.binding(binding, "assign"),
            ast::ExprKind::Unify(binding) => self.binding(binding, "eq"),
            ast::ExprKind::Some(vars) => {
                ExprKind::Some { place: self.keyword(expr.span, "some"), symbols: self.terms(vars) }
            }
            ast::ExprKind::SomeIn(some) => {
                let symbols = vec![self.membership(some)];
                ExprKind::Some { place: self.keyword(expr.span, "some"), symbols }
            }
            ast::ExprKind::Every(every) => ExprKind::Every(Box::new(Every {
                place: self.keyword(expr.span, "every"),
                key: every.key.as_ref().map(|key| self.term(key)),
                value: self.term(&every.value),
                domain: self.term(&every.domain),
                body: self.body(&every.body),
            })),
            ast::ExprKind::Not(operand) => ExprKind::Not(self.operand(operand)),
            ast::ExprKind::And(logical) => ExprKind::And(Box::new(self.logical(logical))),
            ast::ExprKind::Or(logical) => ExprKind::Or(Box::new(self.logical(logical))),
        }
    }

    /// Shapes a term that is an expression: a call is one by itself.
    fn term_expr(&self, term: &'t ast::Term) -> ExprKind<'t> {
        let shaped = self.term(term);
        match shaped.value {
            Value::Call(terms) => ExprKind::Call(terms),
            value => ExprKind::Term(Term { place: shaped.place, value }),
        }
    }

    fn binding(&self, binding: &'t Binding, name: &'static str) -> ExprKind<'t> {
        let place = self.placed(|at| at.place(binding.operator));
        ExprKind::Call(vec![operator_at(name, place), self.term(&binding.lhs), self.term(&binding.rhs)])
    }

    /// Returns the place of the keyword that an expression begins with.
    fn keyword(&self, span: Span, word: &str) -> Place {
        self.placed(|at| {
            let length = u32::try_from(word.len()).unwrap_or(0);
            at.place(Span::new(span.start, span.start + length))
        })
    }

    fn with(&self, with: &'t ast::With) -> With<'t> {
        With {
            place: self.placed(|at| at.place(with.span)),
            target: self.term(&with.target),
            value: self.term(&with.value),
        }
    }

    fn operand(&self, operand: &'t ast::Operand) -> Operand<'t> {
        let body = if operand.explicit {
            self.body(&operand.body)
        } else {
            operand.body.iter().map(|expr| self.nested_expr(expr)).collect()
        };
        Operand { body, explicit: operand.explicit }
    }

    fn logical(&self, logical: &'t ast::Logical) -> Logical<'t> {
        Logical { lhs: self.operand(&logical.lhs), rhs: self.operand(&logical.rhs) }
    }

    /// Makes the call that `some … in …` is.
    fn membership(&self, some: &'t SomeIn) -> Term<'t> {
        let op = if some.key.is_some() { InfixOp::KeyIn } else { InfixOp::In };
        let first = some.key.as_ref().unwrap_or(&some.value);
        // A call by name begins before its first argument.
        let by_name = self.fixed.is_none() && some.span.start != first.span.start;
        let mut terms = Vec::with_capacity(4);
        if let Some(key) = &some.key {
            terms.push(self.term(key));
        }
        let from = some.key.as_ref().map(|key| self.at.start(key));
        terms.push(self.member_value(&some.value, from.filter(|_| !by_name)));
        terms.push(self.term(&some.collection));
        let place = self.placed(|at| {
            let start = if by_name { some.span.start } else { at.start(first) };
            at.place_at(some.span.start, Span::new(start, some.span.end))
        });
        terms.insert(0, operator_at(op.builtin(), self.membership_operator(some, by_name)));
        Term { place, value: Value::Call(terms) }
    }

    /// Shapes the value of `some k, v in xs`, whose operators count from the key.
    fn member_value(&self, value: &'t ast::Term, from: Option<u32>) -> Term<'t> {
        match (&value.kind, from) {
            (TermKind::Call(_), Some(from)) => self.term_counted(value, from),
            _ => self.term(value),
        }
    }

    fn membership_operator(&self, some: &'t SomeIn, by_name: bool) -> Place {
        self.placed(|at| {
            if by_name {
                let end = at.text(some.span).find('(').map_or(0, crate::source::offset_of);
                return at.place(Span::new(some.span.start, some.span.start + end));
            }
            let value_end = at.widen_end(some.value.span.end, some.value.parens);
            let start = at.skip_forward(value_end);
            at.place(Span::new(start, start + 2))
        })
    }
}

/// OPA notes no place for what a `not` negates that leads a chain of `and` and `or`, unless
/// parentheses stand before it.
fn unplace_leading(expr: &mut Expr<'_>, start: u32) {
    let (ExprKind::And(logical) | ExprKind::Or(logical)) = &mut expr.kind else {
        return;
    };
    let [lhs] = logical.lhs.body.as_mut_slice() else {
        return;
    };
    if logical.lhs.explicit || lhs.place.at != start {
        return;
    }
    match &mut lhs.kind {
        ExprKind::Not(operand) if !operand.explicit => {
            for inner in &mut operand.body {
                let in_parens = !inner.with.is_empty();
                if !in_parens && matches!(inner.kind, ExprKind::Term(_) | ExprKind::Call(_)) {
                    inner.place = Place::NONE;
                }
            }
        }
        _ => unplace_leading(lhs, start),
    }
}
