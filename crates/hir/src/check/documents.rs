//! The types of documents by their paths: a tree in which rules are entered as they are checked.
//!
//! Apart because every layer of scope has one: all rules together, the schemas of one rule, what a `with` replaces. How
//! a rule's type and those of rules below or above it make one type is OPA's way, odd corners included. Nothing here
//! knows terms.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::{
    index::Key as Name,
    types::{
        Key, ObjectType, Type,
        relations::{or, unwrapped},
    },
};

/// A node, by position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node(u32);

/// Where a path starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    Input,
    Data,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    value: Type,
    /// Children by strings, which nearly all of them are.
    strings: FxHashMap<Box<str>, u32>,
    others: Vec<(Key, u32)>,
    /// What all of it is, once somebody asked; gone when something is entered below.
    extent: OnceLock<Type>,
}

/// A tree of types.
#[derive(Clone, Debug)]
pub(crate) struct Documents {
    entries: Vec<Entry>,
    has_root: [bool; 2],
}

impl Default for Documents {
    fn default() -> Self {
        Self { entries: vec![Entry::default(), Entry::default()], has_root: [false; 2] }
    }
}

impl Root {
    fn node(self) -> Node {
        Node(self as u32)
    }
}

impl Documents {
    /// Returns a root, if anything is known of it.
    pub(crate) fn root(&self, root: Root) -> Option<Node> {
        self.has_root.get(root as usize).is_some_and(|it| *it).then(|| root.node())
    }

    fn entry(&self, node: Node) -> Option<&Entry> {
        self.entries.get(node.0 as usize)
    }

    /// Returns the type that stands at a node itself; unknown if there is none.
    pub(crate) fn value(&self, node: Node) -> &Type {
        self.entry(node).map_or(&Type::Unknown, |it| &it.value)
    }

    pub(crate) fn is_leaf(&self, node: Node) -> bool {
        !self.value(node).is_unknown()
    }

    pub(crate) fn has_children(&self, node: Node) -> bool {
        self.entry(node).is_some_and(|it| !it.strings.is_empty() || !it.others.is_empty())
    }

    pub(crate) fn child(&self, node: Node, key: &Key) -> Option<Node> {
        match key {
            Key::String(text) => self.child_named(node, text),
            _ => self.entry(node)?.others.iter().find(|it| it.0 == *key).map(|it| Node(it.1)),
        }
    }

    pub(crate) fn child_named(&self, node: Node, name: &str) -> Option<Node> {
        self.entry(node)?.strings.get(name).copied().map(Node)
    }

    /// Returns the keys of the children, in order.
    pub(crate) fn keys(&self, node: Node) -> Vec<Key> {
        let Some(entry) = self.entry(node) else { return Vec::new() };
        let mut names: Vec<&str> = entry.strings.keys().map(AsRef::as_ref).collect();
        names.sort_unstable();
        let mut keys: Vec<Key> = entry.others.iter().map(|it| it.0.clone()).collect();
        keys.extend(names.into_iter().map(Key::from));
        keys.sort();
        keys
    }

    /// Returns the type of a node and all below it.
    pub(crate) fn extent(&self, node: Node) -> Type {
        let Some(entry) = self.entry(node) else { return Type::Unknown };
        if !entry.value.is_unknown() {
            return entry.value.clone();
        }
        entry.extent.get_or_init(|| self.extent_below(node)).clone()
    }

    fn extent_below(&self, node: Node) -> Type {
        let keys = self.keys(node);
        let mut fixed = Vec::with_capacity(keys.len());
        for key in keys {
            if let (Some(child), false) = (self.child(node, &key), matches!(key, Key::Null)) {
                fixed.push((key, self.extent(child)));
            }
        }
        // Base documents may be beside the rules.
        Type::object(fixed, Some((Type::String, Type::Any)))
    }

    fn child_or_new(&mut self, node: Node, name: Name<'_>) -> Node {
        let found = match name {
            Name::String(text) => self.child_named(node, text),
            Name::Other(_) => self.child(node, &Key::from(name)),
        };
        if let Some(child) = found {
            return child;
        }
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(Entry::default());
        if let Some(entry) = self.entries.get_mut(node.0 as usize) {
            match name {
                Name::String(text) => {
                    entry.strings.insert(text.into(), next);
                }
                Name::Other(_) => entry.others.push((Key::from(name), next)),
            }
        }
        Node(next)
    }

    fn start(&mut self, root: Root) -> Node {
        if let Some(has) = self.has_root.get_mut(root as usize) {
            *has = true;
        }
        self.forget(root.node());
        root.node()
    }

    fn forget(&mut self, node: Node) {
        if let Some(entry) = self.entries.get_mut(node.0 as usize) {
            entry.extent.take();
        }
    }

    fn set(&mut self, node: Node, ty: Type) {
        if let Some(entry) = self.entries.get_mut(node.0 as usize) {
            entry.value = ty;
        }
    }

    /// Says what stands at a path, whatever stood there.
    pub(crate) fn put<'k>(&mut self, root: Root, path: impl IntoIterator<Item = Name<'k>>, ty: Type) {
        let mut node = self.start(root);
        for name in path {
            node = self.child_or_new(node, name);
            self.forget(node);
        }
        self.set(node, ty);
    }

    /// Enters the type of a rule: objects on its way take it in, and an object takes in what stands below it.
    pub(crate) fn insert(&mut self, path: &[Name<'_>], ty: Type) {
        let mut node = self.start(Root::Data);
        for (at, name) in path.iter().enumerate() {
            node = self.child_or_new(node, *name);
            self.forget(node);
            let below = path.get(at + 1..).unwrap_or_default();
            if let (Type::Object(object), false) = (unwrapped(self.value(node)), below.is_empty()) {
                let below: Vec<Key> = below.iter().copied().map(Key::from).collect();
                let value = insert_into(&object, &below, &ty);
                self.set(node, value);
            }
        }
        let is_object = matches!(unwrapped(&ty), Type::Object(_));
        let mut merged = merge(self.value(node).clone(), ty);
        if is_object && self.has_children(node) {
            for (below, leaf) in self.leaves(node) {
                if let Type::Object(object) = unwrapped(&merged) {
                    merged = insert_into(&object, &below, &leaf);
                }
            }
        }
        self.set(node, merged);
    }

    /// Returns the types below a node with their paths; what is below a type is part of it.
    fn leaves(&self, node: Node) -> Vec<(Vec<Key>, Type)> {
        let mut out = Vec::new();
        let mut open: Vec<(Node, Vec<Key>)> = vec![(node, Vec::new())];
        while let Some((at, path)) = open.pop() {
            if at != node && self.is_leaf(at) {
                out.push((path, self.value(at).clone()));
                continue;
            }
            for key in self.keys(at) {
                if let Some(child) = self.child(at, &key) {
                    let mut below = path.clone();
                    below.push(key);
                    open.push((child, below));
                }
            }
        }
        out
    }
}

/// Puts a type into an object, below a path of keys.
fn insert_into(object: &ObjectType, path: &[Key], ty: &Type) -> Type {
    let Some((first, below)) = path.split_first() else {
        return Type::object(object.fixed.clone(), object.rest.clone());
    };
    // Nothing of it is known where only the path is.
    let inner = below.iter().rev().fold(ty.clone(), |ty, key| Type::object(Vec::new(), Some((key.ty(), ty))));
    let rest = match &object.rest {
        Some((keys, values)) => (or(keys.clone(), first.ty()), or(values.clone(), inner)),
        None => (first.ty(), inner),
    };
    Type::object(object.fixed.clone(), Some(rest))
}

/// Merges the types of rules of one name.
pub(crate) fn merge(a: Type, b: Type) -> Type {
    if a.is_unknown() {
        return b;
    }
    if b.is_unknown() {
        return a;
    }
    match (unwrapped(&a), unwrapped(&b)) {
        (Type::Object(x), Type::Object(y)) if x.fixed.is_empty() && y.fixed.is_empty() => {
            match (&x.rest, &y.rest) {
                (None, _) => Type::Object(y),
                (_, None) => Type::Object(x),
                (Some(x), Some(y)) => {
                    let keys = or(x.0.clone(), y.0.clone());
                    Type::object(Vec::new(), Some((keys, merge(x.1.clone(), y.1.clone()))))
                }
            }
        }
        (Type::Object(object), Type::Union(union)) | (Type::Union(union), Type::Object(object)) => {
            merge_into_union(&object, &union.of)
                .unwrap_or_else(|| or(Type::Object(object), Type::Union(union)))
        }
        (Type::Set(x), Type::Set(y)) => Type::set(or(x.of.clone(), y.of.clone())),
        (a, b) => or(a, b),
    }
}

/// Merges an object without fixed keys into the first such alternative of a union.
fn merge_into_union(object: &ObjectType, of: &[Type]) -> Option<Type> {
    let (keys, values) = object.rest.as_ref().filter(|_| object.fixed.is_empty())?;
    let open = |it: &Type| match it {
        Type::Object(it) if it.fixed.is_empty() => it.rest.clone(),
        _ => None,
    };
    let (at, (other_keys, other_values)) =
        of.iter().enumerate().find_map(|(at, it)| Some((at, open(it)?)))?;
    let rest = (or(other_keys, keys.clone()), or(other_values, values.clone()));
    let mut of = of.to_vec();
    if let Some(place) = of.get_mut(at) {
        *place = Type::object(Vec::new(), Some(rest));
    }
    Some(Type::union(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path<'n>(names: &[&'n str]) -> Vec<Name<'n>> {
        names.iter().map(|it| Name::String(it)).collect()
    }

    #[test]
    fn rules_above_and_below_each_other_make_one_type() {
        let mut documents = Documents::default();
        documents.insert(&path(&["a", "b", "c"]), Type::Number);
        documents.insert(&path(&["a", "b"]), Type::object(Vec::new(), Some((Type::String, Type::Bool))));
        documents.insert(&path(&["a", "b", "d"]), Type::Null);
        let root = documents.root(Root::Data).unwrap();
        let shown = documents.extent(root).to_string();
        assert_eq!(
            shown,
            "object<a: object<b: object[string: any<null, boolean, number>]>[string: any]>[string: any]"
        );
    }

    #[test]
    fn rules_of_one_name_merge() {
        let open = |ty| Type::object(Vec::new(), Some((Type::String, ty)));
        let rows = [
            (Type::set(Type::Number), Type::set(Type::String), "set[any<number, string>]"),
            (open(Type::Number), open(Type::String), "object[string: any<number, string>]"),
            (open(Type::Number), Type::object(Vec::new(), None), "object[string: number]"),
            (Type::Number, Type::Any, "any"),
        ];
        for (a, b, want) in rows {
            assert_eq!(merge(a, b).to_string(), want);
        }
    }
}
