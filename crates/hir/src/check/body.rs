//! The expressions of a body, in their order: each is checked with what those before it told.
//!
//! An expression is looked at three times: into its comprehensions, at its references, then as a whole. A fault of the
//! last look is left out if something unknown had part in it and one of the first two found a fault, for that is the
//! cause. Bodies of `every`, `not {…}`, `and` and `or` are only searched for comprehensions and references.

use lictor_syntax::Diagnostic;

use crate::{
    check::{Checker, Fault, matching::sorted_keys, terms::Closure},
    tree::{Expr, ExprKind, Ref, RefHead, Term, TermKind, WithTarget},
    types::Type,
};

impl Checker<'_> {
    /// Checks a body.
    pub(crate) fn body(&mut self, body: &[Expr]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for expr in body {
            let layers = self.layers.len();
            self.replace(&expr.with);
            self.expr(expr, &mut found);
            self.layers.truncate(layers);
        }
        found
    }

    fn expr(&mut self, expr: &Expr, found: &mut Vec<Diagnostic>) {
        let before = found.len();
        let mut closures = Vec::new();
        self.closures_of(expr, &mut closures);
        found.append(&mut closures);
        self.references_of(expr, found);
        let blamed = found.len() > before;
        if let Some(fault) = self.whole(expr)
            && !(blamed && fault.unknown)
        {
            found.push(fault.diagnostic);
        }
    }

    /// Checks an expression as a whole.
    fn whole(&mut self, expr: &Expr) -> Option<Fault> {
        if let Some(fault) = self.replacements(&expr.with) {
            return Some(fault);
        }
        let expr = negated(expr).unwrap_or(expr);
        match &expr.kind {
            ExprKind::Unify(lhs, rhs) => {
                let (left, right) = (self.type_of(lhs), self.type_of(rhs));
                if self.unify(lhs, &left, rhs, &right) {
                    return None;
                }
                Some(self.match_fault(expr.place, &left, &right))
            }
            ExprKind::Call(call) => self.call(call, expr.place),
            _ => None,
        }
    }

    /// Looks into the comprehensions of an expression, those inside of others once more for themselves.
    ///
    /// Of several with faults only the last one's are told.
    fn closures_of(&mut self, expr: &Expr, found: &mut Vec<Diagnostic>) {
        match &expr.kind {
            ExprKind::Term(term) => self.closures_in(term, found),
            ExprKind::Unify(lhs, rhs) => {
                self.closures_in(lhs, found);
                self.closures_in(rhs, found);
            }
            ExprKind::Call(call) => {
                for arg in call.args.iter().chain(&call.output) {
                    self.closures_in(arg, found);
                }
            }
            ExprKind::Every(every) => {
                self.closures_in(&every.domain, found);
                self.closures_below(&every.body, found);
            }
            ExprKind::Not(body) => self.closures_below(body, found),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.closures_below(lhs, found);
                self.closures_below(rhs, found);
            }
        }
        for with in &expr.with {
            if let WithTarget::Input(_, value)
            | WithTarget::Data(_, value)
            | WithTarget::CalleeValue(_, value) = &with.target
            {
                self.closures_in(value, found);
            }
        }
    }

    fn closures_below(&mut self, body: &[Expr], found: &mut Vec<Diagnostic>) {
        for expr in body {
            self.closures_of(expr, found);
        }
    }

    fn closures_in(&mut self, term: &Term, found: &mut Vec<Diagnostic>) {
        match &term.kind {
            TermKind::Ref(reference) => {
                for part in &reference.parts {
                    self.closures_in(part, found);
                }
            }
            TermKind::Array(items) | TermKind::Set(items) => {
                for item in items {
                    self.closures_in(item, found);
                }
            }
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.closures_in(key, found);
                    self.closures_in(value, found);
                }
            }
            _ => {
                if let Some(closure) = Closure::of(term) {
                    self.closure(closure, found);
                }
            }
        }
    }

    fn closure(&mut self, closure: Closure<'_>, found: &mut Vec<Diagnostic>) {
        let (faults, ty) = self.look_into(closure);
        self.closures.insert(closure.id(), ty);
        if !faults.is_empty() {
            *found = faults;
            return;
        }
        match closure {
            Closure::Array(it) | Closure::Set(it) => self.closures_in(&it.term, found),
            Closure::Object(it) => {
                self.closures_in(&it.key, found);
                self.closures_in(&it.value, found);
            }
        }
        self.closures_below(closure.body(), found);
    }

    /// Checks the references of an expression that are not in comprehensions.
    fn references_of(&mut self, expr: &Expr, found: &mut Vec<Diagnostic>) {
        match &expr.kind {
            ExprKind::Term(term) => self.references_in(term, found),
            ExprKind::Unify(lhs, rhs) => {
                self.references_in(lhs, found);
                self.references_in(rhs, found);
            }
            ExprKind::Call(call) => {
                for arg in call.args.iter().chain(&call.output) {
                    self.references_in(arg, found);
                }
            }
            ExprKind::Not(body) => self.references_below(body, found),
            ExprKind::Every(every) => {
                self.references_in(&every.domain, found);
                self.references_below(&every.body, found);
                self.references_of_with(expr, found);
            }
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.references_below(lhs, found);
                self.references_below(rhs, found);
                self.references_of_with(expr, found);
            }
        }
    }

    fn references_below(&mut self, body: &[Expr], found: &mut Vec<Diagnostic>) {
        for expr in body {
            self.references_of(expr, found);
        }
    }

    /// Checks what stands behind `with`; OPA does so behind these few expressions only.
    fn references_of_with(&mut self, expr: &Expr, found: &mut Vec<Diagnostic>) {
        for with in &expr.with {
            let (head, path, value) = match &with.target {
                WithTarget::Input(path, value) => (RefHead::Input, path, value),
                WithTarget::Data(path, value) => (RefHead::Data, path, value),
                WithTarget::Callee(..) | WithTarget::CalleeValue(..) => continue,
            };
            let part = |key: &str| Term { kind: TermKind::String(key.into()), place: with.place };
            let target = Ref { head, parts: path.iter().map(|it| part(it)).collect() };
            found.extend(self.reference(&target, with.place));
            self.references_in(value, found);
        }
    }

    fn references_in(&mut self, term: &Term, found: &mut Vec<Diagnostic>) {
        match &term.kind {
            TermKind::Ref(reference) => {
                if let Some(fault) = self.reference(reference, term.place) {
                    found.push(fault);
                }
                for part in &reference.parts {
                    self.references_in(part, found);
                }
            }
            TermKind::Array(items) | TermKind::Set(items) => {
                for item in items {
                    self.references_in(item, found);
                }
            }
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.references_in(key, found);
                    self.references_in(value, found);
                }
            }
            _ => {}
        }
    }

    /// Returns the keys that a type has, for a message that says which there are.
    pub(super) fn keys_of(ty: &Type) -> Vec<crate::types::Key> {
        sorted_keys(ty)
    }
}

/// Returns what is negated by a `not` of V0 and V1.
fn negated(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Not(body) if expr.is_plain_not => body.first(),
        _ => None,
    }
}
