//! References: whether what each part selects can be there, and what variables among the parts can be.
//!
//! A path below `data` is followed through the layers of documents, innermost first; where one knows nothing further,
//! the next one is asked from the start. What no layer knows may be a base document.

use lictor_syntax::Diagnostic;

use crate::{
    check::{
        Checker,
        documents::{Documents, Node, Root},
        matching::Take,
        terms::{child, member},
    },
    diagnostics::types as faults,
    tree::{Place, Ref, RefHead, Term, TermKind},
    types::{
        Key, Type,
        relations::{is_empty_collection, keys, unifies, values},
    },
};

/// Why a part of a reference selects nothing.
pub(super) enum Wrong {
    /// What stands before it has no parts.
    NoParts(Type),
    /// It is not among the keys or of their type: the type that it has, the one wanted, and the keys that there are.
    NoKey(Type, Type, Option<Vec<Key>>),
}

/// The fault of a part: its position from 1, the head being 0, and why.
type Found = (usize, Wrong);

impl Checker<'_> {
    /// Checks a reference.
    pub(super) fn reference(&mut self, reference: &Ref, place: Place) -> Option<Diagnostic> {
        let (at, wrong) = self.parts_of(reference)?;
        let written = self.written_ref(reference);
        let text = written.text();
        if let Wrong::NoParts(ty @ Type::Function(_)) = &wrong {
            let message = format!("function {} used as reference, not called", written.function_text());
            let fault = self.diagnostic(place, "function-as-value", message);
            return Some(fault.with_details(faults::no_parts(&written, at, ty)));
        }
        let fault = self.diagnostic(place, "undefined-reference", format!("undefined ref: {text}"));
        Some(fault.with_details(match &wrong {
            Wrong::NoParts(ty) => faults::no_parts(&written, at, ty),
            Wrong::NoKey(have, want, keys) => faults::no_key(&written, at, (have, want), keys.as_deref()),
        }))
    }

    fn parts_of(&mut self, reference: &Ref) -> Option<Found> {
        let parts = &reference.parts;
        let root = match reference.head {
            RefHead::Var(var) => {
                let mut ty = if self.is_scalar(var) { Type::Any } else { self.var(var) };
                if ty.is_unknown() {
                    ty = Type::Any;
                    self.set_var(var, Type::Any);
                }
                return self.members(ty, parts, 0);
            }
            RefHead::Input => Root::Input,
            RefHead::Data => Root::Data,
        };
        for at in (0..self.layers.len()).rev() {
            let Some(layer) = self.layers.get(at).cloned() else { continue };
            if let Some(start) = layer.root(root)
                && let Some(outcome) = self.below(&layer, start, parts)
            {
                return outcome;
            }
        }
        let types = self.scene.types;
        if let Some(start) = types.documents.root(root)
            && let Some(outcome) = self.below(&types.documents, start, parts)
        {
            return outcome;
        }
        let base = match root {
            Root::Input => types.input.known().cloned(),
            Root::Data => None,
        };
        self.members(base.unwrap_or(Type::Any), parts, 0)
    }

    /// Follows parts through a layer; none if the next one has to say.
    fn below(&mut self, layer: &Documents, start: Node, parts: &[Term]) -> Option<Option<Found>> {
        let mut node = start;
        if layer.is_leaf(node) {
            return Some(self.members(layer.value(node).clone(), parts, 0));
        }
        for (at, part) in parts.iter().enumerate() {
            let is_name = matches!(part.kind, TermKind::Var(_) | TermKind::String(_));
            if at < 2 && !is_name {
                let have = self.type_of(part);
                return Some(Some((at + 1, Wrong::NoKey(have, Type::String, Some(layer.keys(node))))));
            }
            if let TermKind::Var(var) = part.kind {
                let want = keys(&layer.extent(node));
                let have = self.var(var);
                if have.is_unknown() {
                    self.set_var(var, want);
                } else if !unifies(&want, &have) {
                    return Some(Some((at + 1, Wrong::NoKey(have, want, Some(layer.keys(node))))));
                }
                return None;
            }
            node = child(layer, node, part)?;
            if layer.is_leaf(node) {
                let ty = layer.value(node).clone();
                if at + 1 == parts.len() && matches!(ty, Type::Function(_)) {
                    return Some(Some((at + 1, Wrong::NoParts(ty))));
                }
                return Some(self.members(ty, parts, at + 1));
            }
        }
        Some(None)
    }

    /// Checks parts from a position on against the type of what stands before them.
    fn members(&mut self, ty: Type, parts: &[Term], from: usize) -> Option<Found> {
        let mut ty = ty;
        for (at, part) in parts.iter().enumerate().skip(from) {
            if is_empty_collection(&ty) {
                return Some((at + 1, Wrong::NoKey(Type::Unknown, Type::Unknown, None)));
            }
            let want = keys(&ty);
            if want.is_unknown() {
                return Some((at, Wrong::NoParts(ty)));
            }
            let part = self.pattern_of(part);
            match &part.kind {
                TermKind::Var(var) => {
                    let have = self.var(*var);
                    if have.is_unknown() {
                        self.set_var(*var, want);
                    } else if !unifies(&have, &want) {
                        return Some((at + 1, Wrong::NoKey(have, want, Some(Self::keys_of(&ty)))));
                    }
                }
                TermKind::Array(_) | TermKind::Object(_) | TermKind::Set(_) => {
                    if !self.infer(part, &want, Take::All) {
                        let have = self.type_of(part);
                        return Some((at + 1, Wrong::NoKey(have, want, None)));
                    }
                }
                _ => match member(&ty, part) {
                    Some(child) if !child.is_unknown() => {
                        ty = child;
                        continue;
                    }
                    _ => {
                        return Some((at + 1, Wrong::NoKey(Type::Unknown, want, Some(Self::keys_of(&ty)))));
                    }
                },
            }
            ty = values(&ty);
        }
        None
    }
}
