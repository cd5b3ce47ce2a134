//! Nested calls become expressions of their own before the expression that uses them.
//!
//! So do heads of references that are no names, what a comprehension or a rule's head collects if it must be evaluated,
//! and the values of `with`. The order in which they are hoisted is the order of evaluation, and an expression that is
//! hoisted from behind a `not` of V0 and V1 is evaluated outside of it: that is how OPA has it.

use crate::{
    draft::{
        Branch, Compr, Expr, ExprKind, Head, Operand, Ref, Replacement, Rule, Term, TermKind, VarInfo, With,
    },
    scope::generate,
};

/// Hoists in a whole rule. What patterns of arguments need evaluated is evaluated by each branch.
pub(crate) fn rule(rule: &mut Rule) {
    let mut hoist = Hoist { vars: &mut rule.vars };
    let mut patterns = Vec::new();
    for arg in &mut rule.args {
        hoist.term(arg, &[], &mut patterns);
        hoist.capture(arg, &mut patterns);
    }
    for branch in &mut rule.branches {
        branch.body.extend(patterns.iter().cloned());
        hoist.branch(branch);
    }
}

pub(crate) struct Hoist<'r> {
    pub(crate) vars: &'r mut Vec<VarInfo>,
}

impl Hoist<'_> {
    fn branch(&mut self, branch: &mut Branch) {
        let mut body = std::mem::take(&mut branch.body);
        self.term(&mut branch.value, &[], &mut body);
        let mut out = self.body(body);
        self.capture(&mut branch.value, &mut out);
        branch.body = out;
    }

    /// Moves a term to the body if it must be evaluated.
    fn capture(&mut self, term: &mut Term, body: &mut Vec<Expr>) {
        if term.requires_eval() {
            self.move_out(term, &[], body);
        }
    }

    /// Moves a term to the body and leaves a variable.
    fn move_out(&mut self, term: &mut Term, with: &[With], body: &mut Vec<Expr>) {
        let var = generate(self.vars);
        let moved = std::mem::replace(term, Term::var(var, term.span));
        body.push(Expr { with: with.to_vec(), ..Expr::capture(var, moved) });
    }

    pub(crate) fn body(&mut self, body: Vec<Expr>) -> Vec<Expr> {
        let mut out = Vec::with_capacity(body.len());
        for expr in body {
            self.expr(expr, &mut out);
        }
        out
    }

    fn expr(&mut self, mut expr: Expr, out: &mut Vec<Expr>) {
        for with in &mut expr.with {
            if let Replacement::Term(value) = &mut with.value {
                self.term(value, &[], out);
                self.capture(value, out);
            }
        }
        let with = std::mem::take(&mut expr.with);
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term, &with, out),
            ExprKind::Unify(lhs, rhs) => {
                self.term(lhs, &with, out);
                self.term(rhs, &with, out);
            }
            ExprKind::Call(call) => self.terms(&mut call.args, &with, out),
            ExprKind::Every(every) => {
                let var = generate(self.vars);
                let span = every.domain.span;
                let domain = std::mem::replace(&mut every.domain, Term::var(var, span));
                self.expr(Expr { with: with.clone(), ..Expr::capture(var, domain) }, out);
                every.body = self.body(std::mem::take(&mut every.body));
            }
            ExprKind::Not(operand) => self.operand(operand),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.operand(lhs);
                self.operand(rhs);
            }
        }
        expr.with = with;
        out.push(expr);
    }

    fn operand(&mut self, operand: &mut Operand) {
        operand.body = self.body(std::mem::take(&mut operand.body));
    }

    fn terms(&mut self, terms: &mut [Term], with: &[With], out: &mut Vec<Expr>) {
        for term in terms {
            self.term(term, with, out);
        }
    }

    fn term(&mut self, term: &mut Term, with: &[With], out: &mut Vec<Expr>) {
        match &mut term.kind {
            TermKind::Call(_) => self.call(term, with, out),
            TermKind::Ref(reference) => self.reference(reference, with, out),
            TermKind::Array(items) | TermKind::Set(items) => self.terms(items, with, out),
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.term(key, with, out);
                    self.term(value, with, out);
                }
            }
            TermKind::Compr(compr) => self.compr(compr),
            _ => {}
        }
    }

    fn call(&mut self, term: &mut Term, with: &[With], out: &mut Vec<Expr>) {
        let span = term.span;
        let var = generate(self.vars);
        let moved = std::mem::replace(term, Term::var(var, span));
        let TermKind::Call(mut call) = moved.kind else { return };
        self.terms(&mut call.args, with, out);
        call.args.push(Term::var(var, span));
        let kind = ExprKind::Call(*call);
        out.push(Expr { generated: true, with: with.to_vec(), ..Expr::new(kind, span) });
    }

    fn reference(&mut self, reference: &mut Ref, with: &[With], out: &mut Vec<Expr>) {
        if let Head::Term(head) = &mut reference.head {
            self.term(head, with, out);
        }
        self.terms(&mut reference.parts, with, out);
        if let Head::Term(head) = &mut reference.head {
            if head.as_var().is_none() {
                self.move_out(head, with, out);
            }
            if let Some(var) = head.as_var() {
                reference.head = Head::Var(var);
            }
        }
    }

    fn compr(&mut self, compr: &mut Compr) {
        let mut body = std::mem::take(&mut compr.body);
        if let Some(key) = &mut compr.key {
            self.term(key, &[], &mut body);
        }
        self.term(&mut compr.term, &[], &mut body);
        let mut out = self.body(body);
        if let Some(key) = &mut compr.key {
            self.capture(key, &mut out);
        }
        self.capture(&mut compr.term, &mut out);
        compr.body = out;
    }
}
