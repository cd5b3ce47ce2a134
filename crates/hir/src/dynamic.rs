//! References and comprehensions that are operands become variables bound before the expression.
//!
//! Runs on ordered bodies: a hoisted expression stands directly before the one it was taken from, so that the order
//! stays safe. Afterwards a reference stands only alone, on a side of a unification or as a whole expression, and its
//! parts are scalars, variables or ground composites. `==` becomes `=` here too, now that order no longer depends on
//! the difference.

use crate::{
    draft::{Branch, Callee, Compr, Expr, ExprKind, Operand, Ref, Term, TermKind, VarInfo, With},
    scope::generate,
    vars::{self, View},
    varset::VarSet,
};

pub(crate) struct Dynamic<'r> {
    pub(crate) vars: &'r mut Vec<VarInfo>,
    /// The built-in that becomes a unification if its result is not used.
    pub(crate) equal: Option<u32>,
    /// What is bound at the place of the walk.
    pub(crate) known: VarSet,
}

impl Dynamic<'_> {
    pub(crate) fn branch(&mut self, branch: &mut Branch) {
        branch.body = self.body(std::mem::take(&mut branch.body));
    }

    pub(crate) fn body(&mut self, body: Vec<Expr>) -> Vec<Expr> {
        let mut out = Vec::with_capacity(body.len() + 4);
        let outside = self.known.clone();
        for expr in body {
            let mut more = VarSet::default();
            vars::in_expr(&expr, View::OPEN, &mut more);
            self.expr(expr, &mut out);
            self.known.add_all(&more);
        }
        self.known = outside;
        out
    }

    fn expr(&mut self, mut expr: Expr, out: &mut Vec<Expr>) {
        self.unify_equal(&mut expr);
        let with = std::mem::take(&mut expr.with);
        let mut after = Vec::new();
        match &mut expr.kind {
            ExprKind::Term(term) => self.side(term, &with, out, &mut after),
            ExprKind::Unify(lhs, rhs) => {
                self.side(lhs, &with, out, &mut after);
                self.side(rhs, &with, out, &mut after);
            }
            ExprKind::Call(call) => {
                for arg in &mut call.args {
                    self.operand(arg, &with, out);
                }
            }
            ExprKind::Every(every) => {
                self.operand(&mut every.domain, &with, out);
                every.body = self.body(std::mem::take(&mut every.body));
            }
            ExprKind::Not(operand) => self.closed(operand),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.closed(lhs);
                self.closed(rhs);
            }
        }
        expr.with = with;
        out.push(expr);
        out.append(&mut after);
    }

    fn unify_equal(&self, expr: &mut Expr) {
        let Some(equal) = self.equal else { return };
        let ExprKind::Call(call) = &mut expr.kind else { return };
        if call.callee != Callee::Builtin(equal) || call.args.len() != 2 {
            return;
        }
        if let (Some(rhs), Some(lhs)) = (call.args.pop(), call.args.pop()) {
            expr.kind = ExprKind::Unify(lhs, rhs);
        }
    }

    fn closed(&mut self, operand: &mut Operand) {
        operand.body = self.body(std::mem::take(&mut operand.body));
    }

    /// Hoists below a term that may itself be a reference or comprehension.
    fn side(&mut self, term: &mut Term, with: &[With], out: &mut Vec<Expr>, after: &mut Vec<Expr>) {
        match &mut term.kind {
            TermKind::Ref(reference) => self.parts(reference, with, out, after),
            TermKind::Compr(compr) => self.compr(compr),
            _ => self.operand(term, with, out),
        }
    }

    /// Hoists the parts of a reference. A composite with variables is looked up if they are all bound; else whatever
    /// key there is must match it afterwards.
    fn parts(&mut self, reference: &mut Ref, with: &[With], out: &mut Vec<Expr>, after: &mut Vec<Expr>) {
        for part in &mut reference.parts {
            self.operand(part, with, out);
            if part.is_scalar() || part.as_var().is_some() {
                continue;
            }
            let mut inside = VarSet::default();
            vars::in_term(part, View::ALL, &mut inside);
            if inside.is_empty() {
                continue;
            }
            let var = generate(self.vars);
            let moved = std::mem::replace(part, Term::var(var, part.span));
            let capture = Expr::capture(var, moved);
            if inside.is_subset(&self.known) { out.push(capture) } else { after.push(capture) }
        }
    }

    /// Hoists below a term and the term itself.
    fn operand(&mut self, term: &mut Term, with: &[With], out: &mut Vec<Expr>) {
        match &mut term.kind {
            TermKind::Ref(_) | TermKind::Compr(_) => {
                let mut after = Vec::new();
                self.side(term, with, out, &mut after);
                let var = generate(self.vars);
                let moved = std::mem::replace(term, Term::var(var, term.span));
                out.push(Expr { with: with.to_vec(), ..Expr::capture(var, moved) });
                out.append(&mut after);
            }
            TermKind::Array(items) | TermKind::Set(items) => {
                for item in items {
                    self.operand(item, with, out);
                }
            }
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.operand(key, with, out);
                    self.operand(value, with, out);
                }
            }
            _ => {}
        }
    }

    fn compr(&mut self, compr: &mut Compr) {
        compr.body = self.body(std::mem::take(&mut compr.body));
    }
}
