//! Which variables a unification binds, if some are bound already.
//!
//! A fixed point: a variable that meets an array is bound once all of the array's variables are, and the other way
//! round. Nothing is evaluated.

use crate::{
    draft::{Call, Head, Ref, Term, TermKind},
    tree::VarId,
    vars::{self, View},
    varset::VarSet,
};

/// Returns the variables that `lhs = rhs` binds.
pub(crate) fn unified(known: &VarSet, lhs: &Term, rhs: &Term) -> VarSet {
    let mut unifier = Unifier { known, unified: VarSet::default(), waiting: Vec::new() };
    unifier.unify(lhs, rhs);
    unifier.unified
}

/// Tells whether what a reference starts with is known.
pub(crate) fn is_ref_known(reference: &Ref, known: &VarSet) -> bool {
    match &reference.head {
        Head::Input | Head::Data => true,
        Head::Var(var) => known.contains(*var),
        Head::Term(term) => {
            let mut open = VarSet::default();
            vars::in_term(term, View::OPEN, &mut open);
            open.is_subset(known)
        }
    }
}

fn is_call_known(call: &Call, known: &VarSet) -> bool {
    let mut open = VarSet::default();
    vars::in_terms(&call.args, View::OPEN, &mut open);
    open.is_subset(known)
}

struct Unifier<'k> {
    known: &'k VarSet,
    unified: VarSet,
    /// Variables with those that they wait for.
    waiting: Vec<(VarId, VarSet)>,
}

impl Unifier<'_> {
    fn is_bound(&self, var: VarId) -> bool {
        self.known.contains(var) || self.unified.contains(var)
    }

    fn unify(&mut self, lhs: &Term, rhs: &Term) {
        match (&lhs.kind, &rhs.kind) {
            (TermKind::Var(a), TermKind::Var(b)) => self.unify_vars(*a, *b),
            (TermKind::Var(var), _) => self.unify_var(*var, rhs),
            (TermKind::Ref(_) | TermKind::Call(_), _) if self.is_known(lhs) => self.bind_pattern(rhs),
            (TermKind::Ref(_) | TermKind::Call(_), _) => {}
            (TermKind::Compr(_), _) => self.bind_compr(lhs, rhs),
            (TermKind::Array(items), _) => self.unify_array(items, lhs, rhs),
            (TermKind::Object(entries), _) => self.unify_object(entries, lhs, rhs),
            (_, TermKind::Var(var)) => self.bind(*var),
            _ => {}
        }
    }

    fn is_known(&self, term: &Term) -> bool {
        match &term.kind {
            TermKind::Ref(reference) => is_ref_known(reference, self.known),
            TermKind::Call(call) => is_call_known(call, self.known),
            _ => false,
        }
    }

    fn unify_vars(&mut self, a: VarId, b: VarId) {
        if self.is_bound(b) {
            self.bind(a);
        } else if self.is_bound(a) {
            self.bind(b);
        } else {
            self.wait(a, b);
            self.wait(b, a);
        }
    }

    fn unify_var(&mut self, var: VarId, other: &Term) {
        match &other.kind {
            TermKind::Array(_) | TermKind::Object(_) => self.unify_composite(var, other),
            TermKind::Ref(_) | TermKind::Call(_) => {
                if self.is_known(other) {
                    self.bind(var);
                }
            }
            _ => self.bind(var),
        }
    }

    fn unify_composite(&mut self, var: VarId, composite: &Term) {
        if self.is_bound(var) {
            self.bind_all(composite);
            return;
        }
        let mut open = VarSet::default();
        vars::in_term(composite, View::BOUND, &mut open);
        open.remove_all(self.known);
        open.remove_all(&self.unified);
        if open.is_empty() {
            self.bind(var);
        }
        for other in open.iter() {
            self.wait(var, other);
        }
    }

    fn bind_compr(&mut self, compr: &Term, other: &Term) {
        let TermKind::Compr(compr) = &compr.kind else { return };
        let fits = match (&other.kind, compr.kind) {
            (TermKind::Var(_), _) => true,
            (TermKind::Array(_), kind) => kind == crate::draft::ComprKind::Array,
            (TermKind::Object(_), kind) => kind == crate::draft::ComprKind::Object,
            _ => false,
        };
        if fits {
            self.bind_all(other);
        }
    }

    fn unify_array(&mut self, items: &[Term], lhs: &Term, rhs: &Term) {
        match &rhs.kind {
            TermKind::Var(var) => self.unify_composite(*var, lhs),
            TermKind::Compr(_) => self.bind_all(lhs),
            TermKind::Ref(_) | TermKind::Call(_) if self.is_known(rhs) => self.bind_all(lhs),
            TermKind::Array(others) if items.len() == others.len() => {
                for (item, other) in items.iter().zip(others) {
                    self.unify(item, other);
                }
            }
            _ => {}
        }
    }

    fn unify_object(&mut self, entries: &[(Term, Term)], lhs: &Term, rhs: &Term) {
        match &rhs.kind {
            TermKind::Var(var) => self.unify_composite(*var, lhs),
            TermKind::Ref(_) | TermKind::Call(_) if self.is_known(rhs) => self.bind_all(lhs),
            TermKind::Object(others) if entries.len() == others.len() => {
                for (key, value) in entries {
                    if let Some((_, other)) = others.iter().find(|(other, _)| same(key, other)) {
                        self.unify(value, other);
                    }
                }
            }
            _ => {}
        }
    }

    /// Binds the variables of a pattern that meets a known value.
    fn bind_pattern(&mut self, pattern: &Term) {
        if matches!(pattern.kind, TermKind::Var(_) | TermKind::Array(_) | TermKind::Object(_)) {
            self.bind_all(pattern);
        }
    }

    fn bind_all(&mut self, pattern: &Term) {
        let mut open = VarSet::default();
        vars::in_term(pattern, View::BOUND, &mut open);
        for var in open.iter() {
            self.bind(var);
        }
    }

    fn wait(&mut self, var: VarId, other: VarId) {
        match self.waiting.iter_mut().find(|(it, _)| *it == var) {
            Some((_, others)) => others.insert(other),
            None => {
                let mut others = VarSet::default();
                others.insert(other);
                self.waiting.push((var, others));
            }
        }
    }

    /// Binds a variable and whatever that makes bound; a work list, since chains may be long.
    fn bind(&mut self, var: VarId) {
        let mut open = vec![var];
        while let Some(var) = open.pop() {
            self.unified.insert(var);
            if let Some(at) = self.waiting.iter().position(|(it, _)| *it == var) {
                let (_, others) = self.waiting.swap_remove(at);
                open.extend(others.iter().filter(|it| !self.unified.contains(*it)));
            }
            self.waiting.retain_mut(|(waits, others)| {
                if !others.contains(var) {
                    return true;
                }
                others.remove(var);
                if others.is_empty() {
                    open.push(*waits);
                }
                !others.is_empty()
            });
        }
    }
}

/// Tells whether two keys of objects are written alike.
fn same(a: &Term, b: &Term) -> bool {
    match (&a.kind, &b.kind) {
        (TermKind::Null, TermKind::Null) => true,
        (TermKind::Bool(a), TermKind::Bool(b)) => a == b,
        (TermKind::Number(a), TermKind::Number(b)) | (TermKind::String(a), TermKind::String(b)) => a == b,
        (TermKind::Var(a), TermKind::Var(b)) => a == b,
        (TermKind::Array(a), TermKind::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => false,
    }
}
