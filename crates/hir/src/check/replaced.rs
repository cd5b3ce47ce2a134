//! `with`: what documents can be while they are replaced, and whether functions fit those that they replace.
//!
//! A replaced document has its own type or that of the value; rules that depend on what is replaced can be anything.
//! Both hide the documents that everyone else sees, for one expression.

use std::{cell::RefCell, rc::Rc};

use rustc_hash::FxHashMap;

use crate::{
    check::{
        Checker, Fault,
        documents::{Documents, Root},
    },
    dependencies::{self, Selected, Step},
    index::{Index, Key as Name, NodeId},
    recursion::Graph,
    tree::{GroupId, Ref, RefHead, RuleId, Term, TermKind, With, WithTarget},
    types::{
        Key, Type,
        relations::{or, unifies},
    },
};

/// The rules that depend on what is replaced; found out when somebody asks.
pub(crate) struct Dependents<'a> {
    index: &'a Index,
    graph: &'a Graph,
    readers: RefCell<Option<Rc<Readers>>>,
    layers: RefCell<FxHashMap<String, Option<Rc<Documents>>>>,
}

/// Who selects what.
#[derive(Debug, Default)]
struct Readers {
    of_rule: FxHashMap<RuleId, Vec<RuleId>>,
    of_node: FxHashMap<NodeId, Vec<RuleId>>,
    of_below: FxHashMap<NodeId, Vec<RuleId>>,
}

impl<'a> Dependents<'a> {
    pub(crate) fn new(index: &'a Index, graph: &'a Graph) -> Self {
        Self { index, graph, readers: RefCell::default(), layers: RefCell::default() }
    }

    /// Returns the path of a function, without `data`.
    pub(super) fn path(&self, group: GroupId) -> Vec<&'a str> {
        let node = self.index.group(group).map(|it| it.node);
        let path = node.map(|it| self.index.path(it)).unwrap_or_default();
        path.iter().map(Name::text).collect()
    }

    /// Says whether what stands at a group takes no arguments.
    pub(super) fn is_value(&self, group: GroupId) -> bool {
        self.index.arity(group) == Some(0)
    }

    /// Returns the documents that can be anything while one is replaced.
    fn of(&self, path: &[&str], is_function: bool) -> Option<Rc<Documents>> {
        let key = format!("{}{}", if is_function { "f" } else { "d" }, path.join("\0"));
        if let Some(known) = self.layers.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find(path, is_function).map(Rc::new);
        self.layers.borrow_mut().insert(key, found.clone());
        found
    }

    fn find(&self, path: &[&str], is_function: bool) -> Option<Documents> {
        let steps: Vec<Step<'_>> = path.iter().map(|it| Step::Key(Name::String(it))).collect();
        let mut selected = Vec::new();
        dependencies::select(self.index, &steps, &mut selected);
        let mut open: Vec<RuleId> = Vec::new();
        for it in selected {
            self.rules_of(it, &mut open);
        }
        let readers = self.readers();
        let mut seen = vec![false; self.index.rule_count()];
        let mut out: Option<Documents> = None;
        while let Some(rule) = open.pop() {
            match seen.get_mut(rule.0 as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let keys = self.keys_of(rule);
            let is_target =
                keys.len() == path.len() && keys.iter().zip(path).all(|(a, b)| *a == Name::String(b));
            if !(is_function && is_target) {
                out.get_or_insert_default().put(Root::Data, keys, Type::Any);
            }
            self.readers_of(rule, &readers, &mut open);
        }
        out
    }

    fn rules_of(&self, selected: Selected, out: &mut Vec<RuleId>) {
        match selected {
            Selected::Rule(rule) => out.push(rule),
            Selected::Node(node) => out.extend(self.index.node(node).iter().flat_map(|it| &it.rules)),
            Selected::Below(node) => {
                let mut open = vec![node];
                while let Some(node) = open.pop() {
                    let Some(node) = self.index.node(node) else { continue };
                    out.extend(&node.rules);
                    open.extend(&node.children);
                }
            }
        }
    }

    /// Returns the ground path of a rule.
    fn keys_of(&self, rule: RuleId) -> Vec<Name<'a>> {
        self.index.rule(rule).map(|it| self.index.path(it.node)).unwrap_or_default()
    }

    fn readers(&self) -> Rc<Readers> {
        if let Some(known) = &*self.readers.borrow() {
            return Rc::clone(known);
        }
        let mut out = Readers::default();
        self.graph.each_selection(|rule, selected| match selected {
            Selected::Rule(it) => out.of_rule.entry(it).or_default().push(rule),
            Selected::Node(it) => out.of_node.entry(it).or_default().push(rule),
            Selected::Below(it) => out.of_below.entry(it).or_default().push(rule),
        });
        let out = Rc::new(out);
        *self.readers.borrow_mut() = Some(Rc::clone(&out));
        out
    }

    fn readers_of(&self, rule: RuleId, readers: &Readers, out: &mut Vec<RuleId>) {
        out.extend(readers.of_rule.get(&rule).into_iter().flatten());
        let Some(entry) = self.index.rule(rule) else { return };
        out.extend(readers.of_node.get(&entry.node).into_iter().flatten());
        let mut node = entry.node;
        loop {
            out.extend(readers.of_below.get(&node).into_iter().flatten());
            if node == crate::index::ROOT {
                return;
            }
            let Some(it) = self.index.node(node) else { return };
            node = it.parent;
        }
    }
}

impl From<Name<'_>> for Key {
    /// Returns a step of a rule's path as a key.
    fn from(name: Name<'_>) -> Self {
        match name {
            Name::String(text) => Self::from(text),
            Name::Other("null") => Self::Null,
            Name::Other("true") => Self::Bool(true),
            Name::Other("false") => Self::Bool(false),
            Name::Other(text) => Self::Number(text.into()),
        }
    }
}

impl Checker<'_> {
    /// Hides what the modifiers of an expression replace.
    pub(super) fn replace(&mut self, with: &[With]) {
        if with.is_empty() {
            return;
        }
        let mut dependents = Vec::new();
        let mut replaced = Documents::default();
        for it in with {
            match &it.target {
                WithTarget::Input(path, value) => {
                    let ty = self.replaced_type(RefHead::Input, path, value);
                    replaced.put(Root::Input, names(path), ty);
                }
                WithTarget::Data(path, value) => {
                    let target: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
                    dependents.extend(self.scene.dependents.of(&target, false));
                    let ty = self.replaced_type(RefHead::Data, path, value);
                    replaced.put(Root::Data, names(path), ty);
                }
                WithTarget::Callee(callee, _) | WithTarget::CalleeValue(callee, _) => {
                    if let crate::tree::Callee::Function(group) = callee {
                        let path = self.scene.dependents.path(*group);
                        dependents.extend(self.scene.dependents.of(&path, true));
                    }
                }
            }
        }
        self.layers.extend(dependents);
        if replaced.root(Root::Input).is_some() || replaced.root(Root::Data).is_some() {
            self.layers.push(Rc::new(replaced));
        }
    }

    fn replaced_type(&mut self, head: RefHead, path: &[Box<str>], value: &Term) -> Type {
        let part = |key: &str| Term { kind: TermKind::String(key.into()), place: value.place };
        let target = self.type_of_ref(&Ref { head, parts: path.iter().map(|it| part(it)).collect() });
        let value = self.type_of(value);
        if target.is_unknown() || value.is_unknown() {
            return Type::Any;
        }
        or(target, value).known().cloned().unwrap_or(Type::Any)
    }

    /// Checks functions that replace functions.
    pub(super) fn replacements(&mut self, with: &[With]) -> Option<Fault> {
        for it in with {
            let WithTarget::Callee(target, value) = &it.target else { continue };
            let (target_type, value_type) = (self.callee_type(target), self.callee_type(value));
            if let (Type::Function(function), Type::Function(other)) = (&target_type, &value_type)
                && !unifies(&target_type, &value_type)
            {
                let message = format!("{}: arity mismatch", self.callee_name(target));
                let diagnostic = self.diagnostic(it.place, "with-other-arity", message);
                let diagnostic = self.with_operands(diagnostic, target, &other.args, function, false);
                return Some(Fault { diagnostic, unknown: other.args.iter().any(|it| !it.is_complete()) });
            }
        }
        None
    }
}

fn names(path: &[Box<str>]) -> impl Iterator<Item = Name<'_>> {
    path.iter().map(|it| Name::String(it))
}
