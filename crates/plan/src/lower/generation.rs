//! Generations: what `with` has replaced where a function is lowered.
//!
//! A rule means something else where a function or a document that it reaches is replaced, so it is lowered once
//! more for each different set of replacements that reaches it. Equal sets are one generation. The value of a
//! replacement that is not constant travels as an extra argument of every function of the generation.

use std::collections::BTreeMap;

use lictor_hir::tree as hir;
use rustc_hash::FxHashMap;

use super::number_of;
use super::tree::NodeId;
use crate::ir::ConstId;

/// A set of replacements, by position in [`Generations::all`]; 0 replaces nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct GenId(pub(super) u32);

impl GenId {
    /// Nothing is replaced.
    pub(super) const PLAIN: Self = Self(0);
}

/// What stands for a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Replacement {
    /// Another function or built-in.
    Callee(Callee),
    /// A constant.
    Const(ConstId),
    /// The value of an extra argument.
    Extra(usize),
}

/// A callee that can be compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Callee {
    /// A built-in.
    Builtin(Box<str>),
    /// A function of the policy.
    Function(hir::GroupId),
}

impl Callee {
    pub(super) fn of(callee: &hir::Callee) -> Self {
        match callee {
            hir::Callee::Builtin(name) => Self::Builtin(name.clone()),
            hir::Callee::Function(group) => Self::Function(*group),
        }
    }
}

/// What is replaced.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Replaced {
    /// Nodes whose rules count no more, nor those below; sorted.
    pub(super) hidden: Vec<NodeId>,
    /// Functions.
    pub(super) callees: BTreeMap<Callee, Replacement>,
    /// How many extra arguments there are.
    pub(super) extras: usize,
}

impl Replaced {
    pub(super) fn hide(&mut self, node: NodeId) {
        if let Err(at) = self.hidden.binary_search(&node) {
            self.hidden.insert(at, node);
        }
    }
}

/// All generations that were needed so far.
#[derive(Debug)]
pub(super) struct Generations {
    all: Vec<Replaced>,
    ids: FxHashMap<Replaced, GenId>,
}

impl Generations {
    pub(super) fn new() -> Self {
        let plain = Replaced::default();
        Self { all: vec![plain.clone()], ids: FxHashMap::from_iter([(plain, GenId::PLAIN)]) }
    }

    pub(super) fn get(&self, id: GenId) -> &Replaced {
        &self.all[id.0 as usize]
    }

    pub(super) fn intern(&mut self, replaced: Replaced) -> GenId {
        if let Some(id) = self.ids.get(&replaced) {
            return *id;
        }
        let id = GenId(number_of(self.all.len()));
        self.all.push(replaced.clone());
        self.ids.insert(replaced, id);
        id
    }

    pub(super) fn hides(&self, id: GenId, node: NodeId) -> bool {
        self.get(id).hidden.binary_search(&node).is_ok()
    }

    /// Returns what stands for a callee.
    pub(super) fn replacement(&self, id: GenId, callee: &hir::Callee) -> Option<&Replacement> {
        let replaced = self.get(id);
        if replaced.callees.is_empty() {
            return None;
        }
        replaced.callees.get(&Callee::of(callee))
    }

    /// Returns the generation inside a function that stands for another one: the functions that it calls are the
    /// real ones, while documents stay replaced.
    pub(super) fn without_callees(&mut self, id: GenId) -> GenId {
        let hidden = self.get(id).hidden.clone();
        self.intern(Replaced { hidden, ..Replaced::default() })
    }
}
