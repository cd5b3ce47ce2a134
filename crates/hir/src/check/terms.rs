//! What type a term has, by what is known of variables and documents.
//!
//! Apart because every judgement asks it. A term of which nothing is known has the type `Unknown`; only the look into
//! a comprehension finds out something new, and takes it back.

use crate::{
    check::{
        Checker,
        documents::{Documents, Node, Root},
    },
    tree::{Compr, Ref, RefHead, Term, TermKind},
    types::{
        Key, Type,
        relations::{or, select, values},
    },
};

/// Returns the constant that a term is.
pub(super) fn constant(term: &Term) -> Option<Key> {
    Some(match &term.kind {
        TermKind::Null => Key::Null,
        TermKind::Bool(value) => Key::Bool(*value),
        TermKind::Number(text) => Key::Number(text.clone()),
        TermKind::String(text) => Key::String(text.clone()),
        TermKind::Array(items) => Key::Array(items.iter().map(constant).collect::<Option<_>>()?),
        TermKind::Set(items) => {
            let mut items: Vec<Key> = items.iter().map(constant).collect::<Option<_>>()?;
            items.sort();
            items.dedup();
            Key::Array(items)
        }
        TermKind::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| Some((constant(key)?, constant(value)?)));
            Key::Object(entries.collect::<Option<_>>()?)
        }
        TermKind::Var(_)
        | TermKind::Ref(_)
        | TermKind::ArrayCompr(_)
        | TermKind::SetCompr(_)
        | TermKind::ObjectCompr(_) => return None,
    })
}

fn is_constant(term: &Term) -> bool {
    match &term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => true,
        _ => constant(term).is_some(),
    }
}

/// Returns the node below another one that a constant leads to.
pub(super) fn child(layer: &Documents, node: Node, part: &Term) -> Option<Node> {
    match &part.kind {
        TermKind::String(name) => layer.child_named(node, name),
        _ => layer.child(node, &constant(part)?),
    }
}

/// Returns the type of what a constant selects; none if the term is no constant.
pub(super) fn member(ty: &Type, part: &Term) -> Option<Type> {
    match (&part.kind, ty) {
        (TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_), Type::Any) => {
            Some(Type::Any)
        }
        _ => constant(part).map(|key| select(ty, &key)),
    }
}

/// A comprehension of any kind.
#[derive(Clone, Copy)]
pub(super) enum Closure<'t> {
    Array(&'t Compr),
    Set(&'t Compr),
    Object(&'t crate::tree::ObjectCompr),
}

impl<'t> Closure<'t> {
    pub(super) fn of(term: &'t Term) -> Option<Self> {
        Some(match &term.kind {
            TermKind::ArrayCompr(it) => Self::Array(it),
            TermKind::SetCompr(it) => Self::Set(it),
            TermKind::ObjectCompr(it) => Self::Object(it),
            _ => return None,
        })
    }

    pub(super) fn body(self) -> &'t [crate::tree::Expr] {
        match self {
            Self::Array(it) | Self::Set(it) => &it.body,
            Self::Object(it) => &it.body,
        }
    }

    /// Returns what tells it from others.
    pub(super) fn id(self) -> usize {
        match self {
            Self::Array(it) | Self::Set(it) => std::ptr::from_ref(it).addr(),
            Self::Object(it) => std::ptr::from_ref(it).addr(),
        }
    }
}

impl Checker<'_> {
    /// Returns the type of a term.
    pub(super) fn type_of(&mut self, term: &Term) -> Type {
        match &term.kind {
            TermKind::Null => Type::Null,
            TermKind::Bool(_) => Type::Bool,
            TermKind::Number(_) => Type::Number,
            TermKind::String(_) => Type::String,
            TermKind::Var(var) => self.var(*var),
            TermKind::Ref(reference) => self.type_of_ref(reference),
            TermKind::Array(items) => {
                Type::array(items.iter().map(|it| self.type_of(it)).collect(), Type::Unknown)
            }
            TermKind::Set(items) => {
                let all = items.iter().fold(Type::Unknown, |all, it| or(all, self.type_of(it)));
                Type::set(all)
            }
            TermKind::Object(entries) => self.type_of_object(entries),
            TermKind::ArrayCompr(_) | TermKind::SetCompr(_) | TermKind::ObjectCompr(_) => {
                Closure::of(term).map(|it| self.type_of_closure(it)).unwrap_or_default()
            }
        }
    }

    fn type_of_object(&mut self, entries: &[(Term, Term)]) -> Type {
        let mut fixed = Vec::with_capacity(entries.len());
        let mut rest = None;
        for (key, value) in entries {
            let ty = self.type_of(value);
            match constant(key) {
                Some(key) => fixed.push((key, ty)),
                None => rest = Some((self.type_of(key), ty)),
            }
        }
        Type::object(fixed, rest)
    }

    /// Returns the type of what a comprehension makes; unknown if there is a fault in it.
    fn type_of_closure(&mut self, closure: Closure<'_>) -> Type {
        if let Some(known) = self.closures.get(&closure.id()) {
            return known.clone();
        }
        self.look_into(closure).1
    }

    /// Checks the body of a comprehension and returns its faults and the type of what it makes.
    pub(super) fn look_into(&mut self, closure: Closure<'_>) -> (Vec<lictor_syntax::Diagnostic>, Type) {
        if self.closures_left == 0 {
            return (Vec::new(), Type::Any);
        }
        self.closures_left -= 1;
        let before = self.trail.len();
        let faults = self.body(closure.body());
        let ty = if faults.is_empty() {
            match closure {
                Closure::Array(it) => Type::array(Vec::new(), self.type_of(&it.term)),
                Closure::Set(it) => Type::set(self.type_of(&it.term)),
                Closure::Object(it) => {
                    let rest = (self.type_of(&it.key), self.type_of(&it.value));
                    Type::object(Vec::new(), Some(rest))
                }
            }
        } else {
            Type::Unknown
        };
        self.undo(before);
        (faults, ty)
    }

    /// Returns the type of what a reference selects.
    pub(super) fn type_of_ref(&self, reference: &Ref) -> Type {
        let root = match reference.head {
            RefHead::Var(var) if self.is_scalar(var) => return Type::Unknown,
            RefHead::Var(var) => return selected(self.var(var), &reference.parts),
            RefHead::Input => Root::Input,
            RefHead::Data => Root::Data,
        };
        let layers = self.layers.iter().rev().map(AsRef::as_ref).chain([&self.scene.types.documents]);
        for layer in layers {
            if let Some(found) = layer.root(root).and_then(|it| below(layer, it, &reference.parts)) {
                return found;
            }
        }
        match (root, self.scene.types.input.known()) {
            (Root::Input, Some(input)) => selected(input.clone(), &reference.parts),
            _ => Type::Any,
        }
    }
}

/// Returns the type below a node; none if another layer has to say.
fn below(layer: &Documents, start: Node, parts: &[Term]) -> Option<Type> {
    let mut node = start;
    let mut rest = parts;
    while let Some((part, behind)) = rest.split_first() {
        if !is_constant(part) {
            return Some(selected(layer.extent(node), rest));
        }
        match child(layer, node, part) {
            Some(child) => node = child,
            None if layer.is_leaf(node) => return Some(selected(layer.value(node).clone(), rest)),
            None => return None,
        }
        rest = behind;
    }
    Some(layer.extent(node))
}

/// Returns the type that parts of a reference select in turn.
fn selected(ty: Type, parts: &[Term]) -> Type {
    let mut ty = ty;
    for part in parts {
        if ty.is_unknown() {
            break;
        }
        ty = match &part.kind {
            TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => {
                member(&ty, part).unwrap_or_default()
            }
            _ => values(&ty),
        };
    }
    ty
}
