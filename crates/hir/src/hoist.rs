//! Nested calls, references and closures move out of their terms into expressions of their own.
//!
//! Afterwards terms hold no calls, references start at documents or variables and look up scalars or variables, and
//! operands of calls need no evaluation. What moves goes directly before the expression, outside of its `not` (that is
//! OPA's meaning of `not` in V0 and V1) and under its `with`. The order of bodies is not decided here.

use lictor_syntax::Span;

use crate::{
    draft::{
        Branch, Call, Callee, Compr, ComprKind, Expr, ExprKind, Head, Part, Ref, Replacement, Rule, Term,
        TermKind, VarInfo,
    },
    scope::generate,
    tree::VarId,
};

/// What hoisting must know of built-ins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// `internal.template_string`.
    pub(crate) template: Option<u32>,
    /// `print`, and `internal.print` if calls of it are kept.
    pub(crate) print: Option<u32>,
    pub(crate) internal_print: Option<u32>,
}

/// Hoists in a rule with all its branches.
pub(crate) fn rule(rule: &mut Rule, known: Known) {
    let Rule { keys, args, branches, vars, .. } = rule;
    let mut hoist = Hoist { vars, known };
    let mut patterns = Vec::new();
    args.iter_mut().for_each(|it| hoist.operand(it, &mut patterns));
    let mut first = true;
    for Branch { value, body, .. } in branches.iter_mut() {
        hoist.body(body);
        body.splice(0..0, patterns.iter().cloned());
        let mut added = Vec::new();
        hoist.operand(value, &mut added);
        if first {
            keys.iter_mut().for_each(|it| hoist.operand(it, &mut added));
            first = false;
        }
        body.append(&mut added);
    }
}

/// Hoists in the body of a query.
pub(crate) fn query(body: &mut Vec<Expr>, vars: &mut Vec<VarInfo>, known: Known) {
    Hoist { vars, known }.body(body);
}

struct Hoist<'v> {
    vars: &'v mut Vec<VarInfo>,
    known: Known,
}

impl Hoist<'_> {
    fn body(&mut self, body: &mut Vec<Expr>) {
        let mut out = Vec::with_capacity(body.len() + 2);
        for mut expr in body.drain(..) {
            let mut before = Vec::new();
            let mut outside = Vec::new();
            self.with_values(&mut expr, &mut outside);
            let kept = self.expr(&mut expr, &mut before);
            out.append(&mut outside);
            for mut it in before {
                it.with.clone_from(&expr.with);
                out.push(it);
            }
            if kept {
                out.push(expr);
            }
        }
        *body = out;
    }

    /// Hoists what `with` puts in, which is evaluated without any replacement.
    fn with_values(&mut self, expr: &mut Expr, before: &mut Vec<Expr>) {
        for with in &mut expr.with {
            if let Replacement::Term(term) = &mut with.value {
                self.operand(term, before);
            }
        }
    }

    /// Hoists in an expression; says whether it stays.
    fn expr(&mut self, expr: &mut Expr, before: &mut Vec<Expr>) -> bool {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Term(term) => {
                if let TermKind::Call(call) = &mut term.kind {
                    let call =
                        std::mem::replace(&mut **call, Call { callee: Callee::Builtin(0), args: Vec::new() });
                    expr.kind = ExprKind::Call(call);
                    return self.expr(expr, before);
                }
                self.side(term, before);
            }
            ExprKind::Unify(..) => return self.unify(expr, before),
            ExprKind::Call(call) => {
                if Some(&call.callee) == self.known.print.map(Callee::Builtin).as_ref()
                    && !self.print(call, span)
                {
                    return false;
                }
                call.args.iter_mut().for_each(|it| self.operand(it, before));
            }
            ExprKind::Every(every) => {
                if every.domain.as_var().is_none() {
                    self.operand(&mut every.domain, before);
                    if every.domain.as_var().is_none() {
                        self.capture(&mut every.domain, before);
                    }
                }
                self.body(&mut every.body);
            }
            ExprKind::Not(operand) => self.body(&mut operand.body),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.body(&mut a.body);
                self.body(&mut b.body);
            }
        }
        true
    }

    /// Hoists in both sides; a call on one side gives its result to the other one.
    fn unify(&mut self, expr: &mut Expr, before: &mut Vec<Expr>) -> bool {
        let ExprKind::Unify(a, b) = &mut expr.kind else { return true };
        let gives = |call: &Term, other: &Term| {
            let takes =
                !other.requires_eval() && !matches!(other.kind, TermKind::Call(_) | TermKind::Template(_));
            matches!(call.kind, TermKind::Call(_)) && takes
        };
        if !expr.negated && (gives(a, b) || gives(b, a)) {
            let (call, other) = if gives(a, b) { (a, b) } else { (b, a) };
            let output = std::mem::replace(other, Term::new(TermKind::Null, other.span));
            let call = std::mem::replace(call, Term::new(TermKind::Null, call.span));
            let TermKind::Call(mut call) = call.kind else { return true };
            call.args.iter_mut().for_each(|it| self.operand(it, before));
            call.args.push(output);
            expr.kind = ExprKind::Call(*call);
            expr.generated = true;
            return true;
        }
        self.side(a, before);
        self.side(b, before);
        true
    }

    /// Hoists in a term that may itself be a reference or comprehension.
    fn side(&mut self, term: &mut Term, before: &mut Vec<Expr>) {
        match &mut term.kind {
            TermKind::Ref(reference) => self.reference(reference, before),
            TermKind::Compr(compr) => self.compr(compr),
            _ => self.operand(term, before),
        }
    }

    /// Hoists until the term needs no evaluation.
    fn operand(&mut self, term: &mut Term, before: &mut Vec<Expr>) {
        match &mut term.kind {
            TermKind::Null
            | TermKind::Bool(_)
            | TermKind::Number(_)
            | TermKind::String(_)
            | TermKind::Var(_) => {}
            TermKind::Array(items) | TermKind::Set(items) => {
                items.iter_mut().for_each(|it| self.operand(it, before));
            }
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.operand(key, before);
                    self.operand(value, before);
                }
            }
            TermKind::Ref(reference) => {
                self.reference(reference, before);
                self.capture(term, before);
            }
            TermKind::Compr(compr) => {
                self.compr(compr);
                self.capture(term, before);
            }
            TermKind::Call(call) => {
                call.args.iter_mut().for_each(|it| self.operand(it, before));
                self.capture_call(term, before);
            }
            TermKind::Template(parts) => {
                let parts = std::mem::take(parts);
                self.template(term, parts, before);
            }
        }
    }

    fn capture(&mut self, term: &mut Term, before: &mut Vec<Expr>) {
        let var = generate(self.vars);
        let whole = std::mem::replace(term, Term::var(var, term.span));
        before.push(Expr::capture(var, whole));
    }

    fn capture_call(&mut self, term: &mut Term, before: &mut Vec<Expr>) {
        let var = generate(self.vars);
        let span = term.span;
        let whole = std::mem::replace(term, Term::var(var, span));
        let TermKind::Call(mut call) = whole.kind else { return };
        call.args.push(Term::var(var, span));
        before.push(Expr { generated: true, ..Expr::new(ExprKind::Call(*call), span) });
    }

    fn reference(&mut self, reference: &mut Ref, before: &mut Vec<Expr>) {
        if let Head::Term(head) = &mut reference.head {
            let mut head = std::mem::replace(head, Term::new(TermKind::Null, Span::default()));
            self.operand(&mut head, before);
            if head.as_var().is_none() {
                self.capture(&mut head, before);
            }
            reference.head = Head::Var(head.as_var().unwrap_or(VarId(0)));
        }
        for part in &mut reference.parts {
            self.operand(part, before);
            if !part.is_scalar() && part.as_var().is_none() {
                self.capture(part, before);
            }
        }
    }

    fn compr(&mut self, compr: &mut Compr) {
        self.body(&mut compr.body);
        let mut added = Vec::new();
        if let Some(key) = &mut compr.key {
            self.operand(key, &mut added);
        }
        self.operand(&mut compr.term, &mut added);
        compr.body.append(&mut added);
    }

    /// A template string calls a built-in with its pieces; each expression is a set, which may be empty.
    fn template(&mut self, term: &mut Term, parts: Vec<Part>, before: &mut Vec<Expr>) {
        let span = term.span;
        let pieces: Vec<Term> = parts
            .into_iter()
            .map(|it| match it {
                Part::Text(text) => text,
                Part::Expr(expr) => self.set_of(expr),
            })
            .collect();
        let Some(template) = self.known.template else { return };
        let mut array = Term::new(TermKind::Array(pieces), span);
        self.operand(&mut array, before);
        term.kind = TermKind::Call(Box::new(Call { callee: Callee::Builtin(template), args: vec![array] }));
        self.capture_call(term, before);
    }

    /// Returns the set of an expression's values.
    fn set_of(&mut self, mut expr: Expr) -> Term {
        let span = expr.span;
        let var = generate(self.vars);
        let value = match expr.kind {
            ExprKind::Term(term) => term,
            ExprKind::Call(call) => Term::new(TermKind::Call(Box::new(call)), span),
            // A condition: its value is whether it holds.
            condition => {
                expr.kind = condition;
                let term = Term::new(TermKind::Bool(true), span);
                let compr = Compr { kind: ComprKind::Set, key: None, term, body: vec![expr] };
                return Term::new(TermKind::Compr(Box::new(compr)), span);
            }
        };
        let capture = Expr { with: expr.with, ..Expr::capture(var, value) };
        let body = vec![capture];
        let compr = Compr { kind: ComprKind::Set, key: None, term: Term::var(var, span), body };
        Term::new(TermKind::Compr(Box::new(compr)), span)
    }

    /// A call of `print` goes, or gets the sets of its arguments' values.
    fn print(&mut self, call: &mut Call, span: Span) -> bool {
        let Some(internal) = self.known.internal_print else { return false };
        let sets: Vec<Term> = call
            .args
            .drain(..)
            .map(|it| {
                let expr = Expr::new(ExprKind::Term(it.clone()), it.span);
                self.set_of(expr)
            })
            .collect();
        call.callee = Callee::Builtin(internal);
        call.args = vec![Term::new(TermKind::Array(sets), span)];
        true
    }
}
