//! Unification of two terms, both ways: what is known flows into the variables that are not.
//!
//! Arrays and objects are taken apart wherever they meet, so that no composite is built only to be compared. Pairs
//! wait until one side is known.

use std::collections::VecDeque;

use lictor_hir::tree as hir;

use super::builder::Builder;
use crate::ir::{Operand, StmtKind};

/// Two terms that must be equal.
type Pair<'t> = (&'t hir::Term, &'t hir::Term);

impl Builder<'_> {
    /// Makes two terms equal.
    pub(super) fn unify(&mut self, a: &hir::Term, b: &hir::Term) {
        if let Some((first, comprehension)) = self.late_comprehension(a, b) {
            let operand = self.operand(first);
            return self.unify_comprehension(operand, comprehension);
        }
        let mut pairs = VecDeque::new();
        if !self.spread((a, b), &mut pairs) {
            return self.fail();
        }
        while let Some(index) = self.ready(&pairs) {
            let Some((a, b)) = pairs.remove(index) else { return };
            self.unify_ready(a, b);
        }
    }

    /// Returns what comes first and the comprehension that waits for it, as OPA evaluates them: none of its errors is met
    /// if the other side is undefined or of another type.
    fn late_comprehension<'t>(&self, a: &'t hir::Term, b: &'t hir::Term) -> Option<Pair<'t>> {
        let is_ref = |it: &hir::Term| matches!(it.kind, hir::TermKind::Ref(_));
        let is_bound = |it: &hir::Term| matches!(it.kind, hir::TermKind::Var(var) if self.var(var).is_some());
        if is_comprehension(b) && (is_ref(a) || is_bound(a)) {
            return Some((a, b));
        }
        (is_comprehension(a) && is_ref(b)).then_some((b, a))
    }

    fn unify_comprehension(&mut self, given: Operand, comprehension: &hir::Term) {
        let source = self.settled(given);
        match comprehension.kind {
            hir::TermKind::SetCompr(_) => self.emit(StmtKind::IsSet { source }),
            hir::TermKind::ObjectCompr(_) => self.emit(StmtKind::IsObject { source }),
            _ => self.emit(StmtKind::IsArray { source }),
        }
        let made = self.operand(comprehension);
        self.equal(source, made);
    }

    /// Returns the first pair with a known side, else the first one.
    fn ready(&self, pairs: &VecDeque<Pair<'_>>) -> Option<usize> {
        let first = pairs.iter().position(|(a, b)| self.is_known(a) || self.is_known(b));
        first.or((!pairs.is_empty()).then_some(0))
    }

    /// Says whether a term can be made into an operand: no variable outside of references is unbound.
    fn is_known(&self, term: &hir::Term) -> bool {
        match &term.kind {
            hir::TermKind::Var(var) => self.var(*var).is_some(),
            hir::TermKind::Array(items) | hir::TermKind::Set(items) => {
                items.iter().all(|it| self.is_known(it))
            }
            hir::TermKind::Object(pairs) => {
                pairs.iter().all(|it| self.is_known(&it.0) && self.is_known(&it.1))
            }
            _ => true,
        }
    }

    /// Takes composites on both sides apart. False if they can never be equal.
    fn spread<'t>(&mut self, pair: Pair<'t>, out: &mut VecDeque<Pair<'t>>) -> bool {
        match (&pair.0.kind, &pair.1.kind) {
            (hir::TermKind::Array(a), hir::TermKind::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|it| self.spread(it, out))
            }
            (hir::TermKind::Object(a), hir::TermKind::Object(b)) => match self.same_keys(a, b) {
                Some(pairs) => pairs.into_iter().all(|it| self.spread(it, out)),
                None => {
                    out.push_back(pair);
                    true
                }
            },
            _ => {
                out.push_back(pair);
                true
            }
        }
    }

    /// Returns the values of two objects side by side if all keys are ground and the same.
    fn same_keys<'t>(
        &mut self,
        a: &'t [(hir::Term, hir::Term)],
        b: &'t [(hir::Term, hir::Term)],
    ) -> Option<Vec<Pair<'t>>> {
        let (a, b) = (self.different_pairs(a), self.different_pairs(b));
        if a.len() != b.len() {
            return None;
        }
        let mut others = Vec::with_capacity(b.len());
        for (key, value) in b {
            others.push((self.state.constants.of_term(key)?, value));
        }
        let mut pairs = Vec::with_capacity(a.len());
        for (key, value) in a {
            let id = self.state.constants.of_term(key)?;
            let other = others.iter().find(|it| self.state.constants.equal(it.0, id))?;
            pairs.push((value, other.1));
        }
        Some(pairs)
    }

    fn unify_ready(&mut self, a: &hir::Term, b: &hir::Term) {
        // The side that is taken apart or bound comes second.
        let swap = match (&a.kind, &b.kind) {
            (hir::TermKind::Var(var), _) => self.var(*var).is_none(),
            (
                hir::TermKind::Array(_) | hir::TermKind::Object(_),
                hir::TermKind::Array(_) | hir::TermKind::Object(_),
            ) => !self.is_known(a),
            (_, hir::TermKind::Var(var)) => self.var(*var).is_some(),
            (hir::TermKind::Array(_) | hir::TermKind::Object(_), _) => true,
            _ => false,
        };
        let (given, pattern) = if swap { (b, a) } else { (a, b) };
        let operand = self.operand(given);
        self.unify_operand(operand, pattern);
    }

    /// Makes a term equal to an operand.
    pub(super) fn unify_operand(&mut self, operand: Operand, pattern: &hir::Term) {
        if let Some(id) = self.state.constants.of_term(pattern) {
            return self.equal(operand, Operand::Const(id));
        }
        match &pattern.kind {
            hir::TermKind::Var(var) => match self.var(*var) {
                Some(known) => self.equal(operand, known),
                None => self.bind(*var, operand),
            },
            hir::TermKind::Array(items) => self.unify_array(operand, items),
            hir::TermKind::Object(pairs) => self.unify_object(operand, pairs),
            _ => {
                let other = self.operand(pattern);
                self.equal(operand, other);
            }
        }
    }

    pub(super) fn equal(&mut self, a: Operand, b: Operand) {
        if let (Operand::Const(a), Operand::Const(b)) = (a, b) {
            if !self.state.constants.equal(a, b) {
                self.fail();
            }
            return;
        }
        // A constant stands second, where dispatch looks for it.
        let (a, b) = if matches!(a, Operand::Const(_)) { (b, a) } else { (a, b) };
        self.emit(StmtKind::Equal { a, b });
    }

    fn unify_array(&mut self, source: Operand, items: &[hir::Term]) {
        let source = self.settled(source);
        self.emit(StmtKind::IsArray { source });
        self.has_len(source, items.len());
        let mut parts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let key = Operand::Const(self.state.constants.count(index));
            let part = Operand::Local(self.dot(source, key));
            parts.push((part, item));
        }
        self.unify_parts(&parts);
    }

    fn unify_object(&mut self, source: Operand, pairs: &[(hir::Term, hir::Term)]) {
        let pairs = self.different_pairs(pairs);
        let source = self.settled(source);
        let source = self.detached(source, pairs.iter().map(|it| it.0));
        self.emit(StmtKind::IsObject { source });
        self.has_len(source, pairs.len());
        let mut parts = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let key = self.operand(key);
            let part = Operand::Local(self.dot(source, key));
            parts.push((part, value));
        }
        self.unify_parts(&parts);
    }

    fn has_len(&mut self, source: Operand, len: usize) {
        let target = self.fresh();
        self.emit(StmtKind::Len { source, target });
        let wanted = Operand::Const(self.state.constants.count(len));
        self.emit(StmtKind::Equal { a: Operand::Local(target), b: wanted });
    }

    /// Plain parts first: they bind what references among the others look up.
    fn unify_parts(&mut self, parts: &[(Operand, &hir::Term)]) {
        let is_late = |term: &hir::Term| matches!(term.kind, hir::TermKind::Ref(_));
        for late in [false, true] {
            for (part, term) in parts.iter().filter(|it| is_late(it.1) == late) {
                self.unify_operand(*part, term);
            }
        }
    }
}

fn is_comprehension(term: &hir::Term) -> bool {
    use hir::TermKind::{ArrayCompr, ObjectCompr, SetCompr};
    matches!(term.kind, ArrayCompr(_) | SetCompr(_) | ObjectCompr(_))
}
