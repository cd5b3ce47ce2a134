//! Terms in OPA's shape.
//!
//! The piece of text of an operator's call begins where its leftmost operand does, and that of a
//! reference at the last token of what it starts with; what was placed as a whole (further bodies,
//! `else` without braces) stands all at one place.

use std::borrow::Cow;

use crate::{
    ast::{self, Call, Callee, InfixOp, Template, TemplatePart, TermKind},
    shape::{Compr, ObjectCompr, Part, Place, Term, Value, compare::compare, exprs::Builder},
    source::Span,
};

impl<'t> Builder<'t> {
    /// Shapes a term.
    pub(crate) fn term(&self, term: &'t ast::Term) -> Term<'t> {
        self.term_from(term, None)
    }

    /// Shapes terms.
    pub(crate) fn terms(&self, terms: &'t [ast::Term]) -> Vec<Term<'t>> {
        // A loop, since the frames of adapters would add up where terms nest.
        let mut out = Vec::with_capacity(terms.len() + 1);
        for term in terms {
            out.push(self.term(term));
        }
        out
    }

    /// Shapes a term whose operators, if it has any outside parentheses, count from `outer`.
    fn term_from(&self, term: &'t ast::Term, outer: Option<u32>) -> Term<'t> {
        let outer = outer.filter(|_| term.parens == 0);
        let (value, text) = match &term.kind {
            TermKind::Call(call) => self.call(call, term.span, outer),
            kind => (self.value(kind, term), self.plain_text(term)),
        };
        let text = match term.parens {
            0 => text,
            _ if self.fixed.is_some() => text,
            pairs => Span::new(self.at.start(term), self.at.widen_end(term.span.end, pairs)),
        };
        let mut out = Term { place: self.placed(|at| at.place_at(term.span.start, text)), value };
        share_root_place(&mut out);
        out
    }

    /// Shapes a term whose operators outside parentheses count from `from`.
    pub(crate) fn term_counted(&self, term: &'t ast::Term, from: u32) -> Term<'t> {
        self.term_from(term, Some(from))
    }

    fn plain_text(&self, term: &ast::Term) -> Span {
        match &term.kind {
            TermKind::Ref(reference) => Span::new(self.at.ref_start(&reference.head), term.span.end),
            TermKind::Number(_) => match self.at.text(term.span).as_bytes().first() {
                Some(b'-' | b'.') => Span::new(term.span.start, term.span.start + 1),
                _ => term.span,
            },
            _ => term.span,
        }
    }

    fn value(&self, kind: &'t TermKind, term: &'t ast::Term) -> Value<'t> {
        match kind {
            TermKind::Null => Value::Null,
            TermKind::Bool(value) => Value::Bool(*value),
            TermKind::Number(text) => Value::Number(text),
            TermKind::String(lit) => Value::String(&lit.value),
            TermKind::Var(name) => Value::Var(Cow::Borrowed(name)),
            TermKind::Ref(reference) => Value::Ref(self.reference(reference)),
            TermKind::Call(call) => self.call(call, term.span, None).0,
            TermKind::Array(terms) => Value::Array(self.terms(terms)),
            TermKind::Object(pairs) => {
                let mut pairs: Vec<_> = pairs.iter().map(|(k, v)| (self.term(k), self.term(v))).collect();
                pairs.sort_by(|a, b| compare(&a.0, &b.0));
                Value::Object(pairs)
            }
            TermKind::Set(members) => Value::Set(sorted_members(self.terms(members))),
            TermKind::ArrayCompr(compr) => Value::ArrayCompr(Box::new(self.compr(compr))),
            TermKind::SetCompr(compr) => Value::SetCompr(Box::new(self.compr(compr))),
            TermKind::ObjectCompr(compr) => Value::ObjectCompr(Box::new(ObjectCompr {
                key: self.term(&compr.key),
                value: self.term(&compr.value),
                body: self.body(&compr.body),
            })),
            TermKind::Template(template) => {
                Value::Template { parts: self.template_parts(template), raw: template.raw }
            }
        }
    }

    fn compr(&self, compr: &'t ast::Compr) -> Compr<'t> {
        Compr { term: self.term(&compr.term), body: self.body(&compr.body) }
    }

    /// Shapes a reference's parts, its head first.
    pub(crate) fn reference(&self, reference: &'t ast::Ref) -> Vec<Term<'t>> {
        std::iter::once(&reference.head).chain(&reference.parts).map(|part| self.term(part)).collect()
    }

    fn call(&self, call: &'t Call, span: Span, outer: Option<u32>) -> (Value<'t>, Span) {
        match &call.callee {
            Callee::Ref(function) => {
                let place = self.placed(|at| at.function(function));
                let name = Term { place, value: Value::Ref(self.reference(function)) };
                let start = self.at.ref_start(&function.head);
                (Value::Call(with_args(name, self.terms(&call.args))), Span::new(start, span.end))
            }
            Callee::Negation(_) => {
                // OPA notes no place for the function behind a sign.
                let name = operator_at(InfixOp::Minus.builtin(), self.placed(|_| Place::NONE));
                (Value::Call(with_args(name, self.terms(&call.args))), span)
            }
            Callee::Infix(op, at) => {
                let args = self.operands(&call.args, *op, outer);
                let first = call.args.first().map_or(span.start, |arg| self.at.start(arg));
                let text = Span::new(outer.unwrap_or(first), span.end);
                (Value::Call(with_args(self.operator(*op, *at), args)), text)
            }
        }
    }

    /// Shapes an operator's operands: those on the left of it count from where the whole does,
    /// and so does the value of `k, v in xs`.
    pub(crate) fn operands(&self, args: &'t [ast::Term], op: InfixOp, outer: Option<u32>) -> Vec<Term<'t>> {
        let mut out: Vec<Term<'t>> = Vec::with_capacity(args.len() + 1);
        for (idx, arg) in args.iter().enumerate() {
            let first = args.first().map(|first| self.at.start(first));
            let from = match idx {
                0 => outer,
                1 if op == InfixOp::KeyIn => outer.or(first),
                _ => None,
            };
            out.push(self.term_from(arg, from));
        }
        out
    }

    /// Makes the reference to the function behind an operator.
    pub(crate) fn operator(&self, op: InfixOp, at: Span) -> Term<'t> {
        let place = self.placed(|locator| locator.place(at));
        operator_at(op.builtin(), place)
    }

    fn template_parts(&self, template: &'t Template) -> Vec<Part<'t>> {
        let mut out = Vec::with_capacity(template.parts.len());
        for (idx, part) in (0_u32..).zip(&template.parts) {
            out.push(match part {
                TemplatePart::Text(term) => Part::Term(self.term(term)),
                TemplatePart::Expr(expr) => match &expr.kind {
                    ast::ExprKind::Term(term)
                        if is_scalar(&term.kind) && !template.commented.contains(&idx) =>
                    {
                        Part::Term(self.term(term))
                    }
                    _ => Part::Expr(self.expr(expr)),
                },
            });
        }
        out
    }
}

/// Makes the reference of a function's full name, all at one place.
pub(crate) fn operator_at<'t>(name: &'static str, place: Place) -> Term<'t> {
    let mut parts = Vec::new();
    for (idx, part) in name.split('.').enumerate() {
        let value = if idx == 0 { Value::Var(Cow::Borrowed(part)) } else { Value::String(part) };
        parts.push(Term { place, value });
    }
    Term { place, value: Value::Ref(parts) }
}

fn with_args<'t>(function: Term<'t>, args: Vec<Term<'t>>) -> Vec<Term<'t>> {
    let mut terms = args;
    terms.insert(0, function);
    terms
}

fn is_scalar(kind: &TermKind) -> bool {
    matches!(kind, TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_))
}

/// Gives the variable of a lone `input` or `data` the place of the whole, parentheses included.
fn share_root_place(term: &mut Term<'_>) {
    if let Value::Ref(parts) = &mut term.value
        && let [only] = parts.as_mut_slice()
    {
        only.place = term.place;
    }
}

/// Sorts members and drops those that are there before.
fn sorted_members(members: Vec<Term<'_>>) -> Vec<Term<'_>> {
    let mut members = members;
    members.sort_by(compare);
    members.dedup_by(|later, first| compare(later, first).is_eq());
    members
}
