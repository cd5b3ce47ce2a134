//! Two things that must be equal: whether they can be, and what that tells of variables in them.
//!
//! `infer` fits a term to a type and gives variables types on its way; `unify` fits two terms to each other. What is
//! unknown on both sides stays a fault, as in OPA.

use crate::{
    check::{Checker, terms::constant},
    tree::{Term, TermKind, VarId},
    types::{
        ArrayType, Key, ObjectType, Type,
        relations::{or, select, unifies, values},
    },
};

/// How a variable takes a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// It must have the type.
    All,
    /// The type is one of those that it may have.
    OneOf,
}

impl Checker<'_> {
    /// Tells whether two terms of given types can be equal.
    pub(super) fn unify(&mut self, a: &Term, ty_a: &Type, b: &Term, ty_b: &Type) -> bool {
        match (ty_a.is_complete(), ty_b.is_complete()) {
            (false, true) => return self.infer(a, ty_b, Take::All),
            (true, false) => return self.infer(b, ty_a, Take::All),
            (true, true) => return unifies(ty_a, ty_b),
            (false, false) => {}
        }
        match (&a.kind, &b.kind) {
            (TermKind::Array(_), _) => return self.unify_arrays(a, b),
            (TermKind::Object(_), _) => return self.unify_objects(a, b),
            (TermKind::Var(_), TermKind::Var(_)) => return self.unify_with_var(a, b),
            (TermKind::Var(_), TermKind::Array(_)) => return self.unify_arrays(b, a),
            (TermKind::Var(_), TermKind::Object(_)) => return self.unify_objects(b, a),
            _ => {}
        }
        // One side is known in part, as a comprehension of something unknown is.
        if matches!(a.kind, TermKind::Var(_)) && ty_a.is_unknown() && !ty_b.is_unknown() {
            return self.infer(a, ty_b, Take::All);
        }
        if matches!(b.kind, TermKind::Var(_)) && ty_b.is_unknown() && !ty_a.is_unknown() {
            return self.infer(b, ty_a, Take::All);
        }
        false
    }

    /// Lets everything unknown in a term be anything, and gives a variable its type.
    fn unify_with_var(&mut self, term: &Term, var: &Term) -> bool {
        if !self.infer(term, &Type::Any, Take::All) {
            return false;
        }
        let ty = self.type_of(term);
        self.infer(var, &ty, Take::All)
    }

    fn unify_arrays(&mut self, a: &Term, b: &Term) -> bool {
        match (&a.kind, &b.kind) {
            (TermKind::Array(x), TermKind::Array(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(x, y)| self.unify_typed(x, y))
            }
            (_, TermKind::Var(_)) => self.unify_with_var(a, b),
            _ => false,
        }
    }

    fn unify_objects(&mut self, a: &Term, b: &Term) -> bool {
        match (&a.kind, &b.kind) {
            (TermKind::Object(x), TermKind::Object(y)) => {
                let other = |key: &Term| y.iter().find(|it| is_same_key(&it.0, key)).map(|it| &it.1);
                x.len() == y.len()
                    && x.iter().all(|(key, _)| other(key).is_some())
                    && x.iter().all(|(key, value)| other(key).is_some_and(|it| self.unify_typed(value, it)))
            }
            (_, TermKind::Var(_)) => self.unify_with_var(a, b),
            _ => false,
        }
    }

    fn unify_typed(&mut self, a: &Term, b: &Term) -> bool {
        let (ty_a, ty_b) = (self.type_of(a), self.type_of(b));
        self.unify(a, &ty_a, b, &ty_b)
    }

    /// Tells whether a term can be of a type, and gives types to variables in it.
    pub(super) fn infer(&mut self, term: &Term, ty: &Type, take: Take) -> bool {
        match &term.kind {
            TermKind::Array(items) => match ty {
                Type::Array(array) => self.infer_array(items, array, take),
                Type::Recursive(it) => match it.unwrap() {
                    Type::Array(array) => self.infer_array(items, &array, take),
                    _ => false,
                },
                _ => self.infer_any(term, items.iter(), ty),
            },
            TermKind::Object(entries) => match ty {
                Type::Object(object) => self.infer_object(entries, object, take),
                Type::Recursive(it) => match it.unwrap() {
                    Type::Object(object) => self.infer_object(entries, &object, take),
                    _ => false,
                },
                _ => self.infer_any(term, entries.iter().flat_map(|it| [&it.0, &it.1]), ty),
            },
            TermKind::Set(items) => match ty {
                Type::Set(_) => {
                    let of = values(ty);
                    items.iter().all(|it| self.infer(it, &of, take))
                }
                _ => self.infer_any(term, items.iter(), ty),
            },
            TermKind::Var(var) => self.infer_var(*var, ty, take),
            _ => unifies(&self.type_of(term), ty),
        }
    }

    /// Fits a composite to anything, or to each alternative.
    fn infer_any<'t>(&mut self, term: &Term, parts: impl Iterator<Item = &'t Term>, ty: &Type) -> bool {
        match ty {
            Type::Any => {
                for part in parts {
                    self.infer(part, &Type::Any, Take::OneOf);
                }
                true
            }
            Type::Union(union) => {
                let fits = union.of.iter().map(|it| self.infer(term, it, Take::OneOf));
                fits.fold(false, |any, it| any | it)
            }
            _ => false,
        }
    }

    fn infer_var(&mut self, var: VarId, ty: &Type, take: Take) -> bool {
        let known = self.var(var);
        match take {
            Take::All if !known.is_unknown() => return unifies(&known, ty),
            Take::All => self.set_var(var, ty.clone()),
            Take::OneOf => self.set_var(var, or(known, ty.clone())),
        }
        true
    }

    fn infer_array(&mut self, items: &[Term], array: &ArrayType, take: Take) -> bool {
        if items.len() != array.fixed.len() && array.rest.is_unknown() {
            return false;
        }
        items.iter().enumerate().all(|(at, it)| self.infer(it, &array.select(at), take))
    }

    fn infer_object(
        &mut self,
        entries: &[(Term, Term)],
        object: &std::sync::Arc<ObjectType>,
        take: Take,
    ) -> bool {
        if entries.len() != object.fixed.len() && object.rest_value().is_unknown() {
            return false;
        }
        let ty = Type::Object(std::sync::Arc::clone(object));
        entries.iter().all(|(key, value)| match constant(key) {
            Some(key) => match select(&ty, &key) {
                Type::Unknown => false,
                child => self.infer(value, &child, take),
            },
            None => {
                self.infer(value, &Type::Any, take);
                true
            }
        })
    }
}

fn is_same_key(a: &Term, b: &Term) -> bool {
    match (constant(a), constant(b)) {
        (Some(x), Some(y)) => x == y && kind_of(a) == kind_of(b),
        (None, None) => match (&a.kind, &b.kind) {
            (TermKind::Var(x), TermKind::Var(y)) => x == y,
            _ => false,
        },
        _ => false,
    }
}

/// Tells sets from arrays, which are the same as keys.
fn kind_of(term: &Term) -> bool {
    matches!(term.kind, TermKind::Set(_))
}

/// Returns whether a key is one of a node's or an object's, for messages.
pub(super) fn sorted_keys(ty: &Type) -> Vec<Key> {
    let mut out = Vec::new();
    collect_keys(ty, 0, &mut out);
    out.sort();
    out.dedup();
    out
}

fn collect_keys(ty: &Type, depth: u32, out: &mut Vec<Key>) {
    match ty {
        Type::Object(object) => out.extend(object.fixed.iter().map(|it| it.0.clone())),
        Type::Union(union) => union.of.iter().for_each(|it| collect_keys(it, depth, out)),
        Type::Recursive(it) if depth < 8 => collect_keys(&it.unwrap(), depth + 1, out),
        _ => {}
    }
}
