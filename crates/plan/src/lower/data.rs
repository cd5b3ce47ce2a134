//! References, above all those into `data`, where the documents of rules and base documents meet.
//!
//! A static path leads to one rule, to a package (its whole extent), or to base data alone. Where a variable stands
//! among the names of packages and rules, a bound one chooses a function by its path, and an unbound one runs over
//! the rules below and over what base data has besides.

use std::sync::Arc;

use lictor_hir::tree as hir;

use super::builder::Builder;
use super::rules::Member;
use super::tree::{NodeId, Tree};
use crate::ir::{Callee, ConstId, FuncId, Local, Operand, StmtKind};

/// The name below `data` that holds the host's own documents, left out where all of `data` is asked for.
const SYSTEM: &str = "system";

impl Builder<'_> {
    /// Returns the operand that holds what a reference leads to.
    pub(super) fn reference(&mut self, reference: &hir::Ref) -> Operand {
        match reference.head {
            hir::RefHead::Input => self.walk(Operand::Local(Local::INPUT), &reference.parts),
            hir::RefHead::Var(var) => match self.var(var) {
                Some(operand) => {
                    let from = self.detached(operand, reference.parts.iter());
                    self.walk(from, &reference.parts)
                }
                None => {
                    self.fail();
                    Operand::Const(self.state.constants.null())
                }
            },
            hir::RefHead::Data => {
                if self.is_hidden(Tree::ROOT) {
                    return self.walk(Operand::Local(Local::DATA), &reference.parts);
                }
                self.below(Tree::ROOT, &mut Vec::new(), &reference.parts)
            }
        }
    }

    /// Returns an operand that is no part of base data any more, if one of the keys to be looked up could tell.
    pub(super) fn detached<'t>(
        &mut self,
        operand: Operand,
        mut keys: impl Iterator<Item = &'t hir::Term>,
    ) -> Operand {
        let plain = keys.all(|it| matches!(it.kind, hir::TermKind::String(_)));
        if plain || !self.is_base(operand) { operand } else { Operand::Local(self.copy(operand)) }
    }

    /// Looks up the parts in turn; an unbound variable runs over the keys.
    pub(super) fn walk(&mut self, mut from: Operand, parts: &[hir::Term]) -> Operand {
        for part in parts {
            from = match self.unbound_var(part) {
                Some(var) => {
                    let (key, value) = self.open_scan(from);
                    self.bind(var, Operand::Local(key));
                    Operand::Local(value)
                }
                None => {
                    let key = self.operand(part);
                    Operand::Local(self.dot(from, key))
                }
            };
        }
        from
    }

    pub(super) fn unbound_var(&self, part: &hir::Term) -> Option<hir::VarId> {
        match part.kind {
            hir::TermKind::Var(var) => self.var(var).is_none().then_some(var),
            _ => None,
        }
    }

    fn is_hidden(&self, node: NodeId) -> bool {
        self.state.generations.hides(self.generation, node)
    }

    fn is_visible(&self, node: NodeId) -> bool {
        !self.is_hidden(node) && !self.state.tree.is_function(node)
    }

    /// Returns the children that are documents of rules or packages.
    fn visible_children(&self, node: NodeId) -> Vec<(Arc<str>, NodeId)> {
        let children = self.state.tree.children(node).iter();
        children.filter(|it| self.is_visible(it.1)).cloned().collect()
    }

    fn visible_child(&self, node: NodeId, name: &str) -> Option<NodeId> {
        self.state.tree.child(node, name).filter(|it| self.is_visible(*it))
    }

    /// Follows the parts below a node of packages; `path` are the names that lead to it.
    fn below(&mut self, node: NodeId, path: &mut Vec<ConstId>, parts: &[hir::Term]) -> Operand {
        if let Some(group) = self.state.tree.group(node) {
            return self.below_group(group, parts);
        }
        if let Some(keys) = self.state.tree.external(node) {
            return self.external(node, keys, parts);
        }
        let Some((part, rest)) = parts.split_first() else {
            let id = self.state.extent(node, self.generation);
            return self.call_document(id);
        };
        if let Some(var) = self.unbound_var(part) {
            return self.each_below(node, path, var, rest);
        }
        let key = self.operand(part);
        let Operand::Const(id) = key else { return self.one_below(node, path, key, parts) };
        let child = self.state.constants.as_string(id).and_then(|it| self.visible_child(node, &it));
        path.push(id);
        match child {
            Some(child) => self.below(child, path, rest),
            None => self.base(path, rest),
        }
    }

    fn below_name(
        &mut self,
        child: NodeId,
        name: ConstId,
        path: &mut Vec<ConstId>,
        rest: &[hir::Term],
    ) -> Operand {
        let len = path.len();
        path.push(name);
        let value = self.below(child, path, rest);
        path.truncate(len);
        value
    }

    /// Looks up in base data alone.
    fn base(&mut self, path: &[ConstId], rest: &[hir::Term]) -> Operand {
        let start = Operand::Local(Local::DATA);
        let from = path.iter().fold(start, |from, key| Operand::Local(self.dot(from, Operand::Const(*key))));
        self.walk(from, rest)
    }

    fn call_document(&mut self, id: FuncId) -> Operand {
        let args = self.extras.iter().map(|it| Operand::Local(*it)).collect();
        let result = self.fresh();
        self.emit(StmtKind::Call { callee: Callee::Function(id), args, result });
        Operand::Local(result)
    }

    fn below_group(&mut self, group: hir::GroupId, parts: &[hir::Term]) -> Operand {
        let keys = self.narrowing_keys(group, parts);
        let id = self.state.group(self.hir, group, keys, self.generation);
        let document = self.call_document(id);
        self.walk(document, parts)
    }

    /// Returns the known keys of a reference into a partial object if they rule out some of its rules.
    ///
    /// Such a rule must not run: it may well refer to another part of the same object.
    fn narrowing_keys(&mut self, group: hir::GroupId, parts: &[hir::Term]) -> Vec<Option<ConstId>> {
        if self.hir.groups[group.0 as usize].kind != hir::GroupKind::PartialObject {
            return Vec::new();
        }
        let members = self.members(group);
        let depth = members.iter().map(Member::depth).max().unwrap_or(0);
        let mut keys: Vec<Option<ConstId>> = Vec::new();
        for part in parts.iter().take(depth) {
            let known = match part.kind {
                hir::TermKind::Var(var) => match self.var(var) {
                    Some(Operand::Const(id)) => Some(id),
                    Some(Operand::Local(_)) | None => None,
                },
                _ => self.state.constants.of_term(part),
            };
            keys.push(known);
        }
        while keys.last() == Some(&None) {
            keys.pop();
        }
        let all = members.iter().all(|it| self.may_define(it, &keys));
        if all { Vec::new() } else { keys }
    }

    /// Runs over the documents below a node whose name is not known.
    fn each_below(
        &mut self,
        node: NodeId,
        path: &mut Vec<ConstId>,
        var: hir::VarId,
        rest: &[hir::Term],
    ) -> Operand {
        let children = self.visible_children(node);
        if children.is_empty() {
            let from = self.base(path, &[]);
            let from = if node == Tree::ROOT { self.without_system(from) } else { from };
            let (key, value) = self.open_scan(from);
            self.bind(var, Operand::Local(key));
            return self.walk(Operand::Local(value), rest);
        }
        let vars = self.unbound_vars(var, rest);
        let found = self.fresh();
        self.emit(StmtKind::MakeObject { target: found });
        for (name, child) in &children {
            let id = self.state.constants.string(name);
            let array = self.fresh();
            self.emit(StmtKind::MakeArray { capacity: 0, target: array });
            let block = self.closed(|it| {
                it.bind(var, Operand::Const(id));
                let value = it.below_name(*child, id, path, rest);
                it.record(array, &vars, Some(value));
            });
            self.emit(StmtKind::Block { blocks: vec![block] });
            let (key, value) = (Operand::Const(id), Operand::Local(array));
            self.emit(StmtKind::ObjectInsert { object: found, key, value });
        }
        let all = self.fresh();
        self.emit(StmtKind::MakeArray { capacity: 0, target: all });
        let base = self.closed(|it| it.gather_base(node, path, found, (all, &vars), rest));
        let others = self.block(|it| it.gather_others(path, found, all));
        self.emit(StmtKind::Block { blocks: vec![base, others] });
        let value = self.replay(all, &vars, true);
        value.unwrap_or(Operand::Local(all))
    }

    /// Gathers the solutions under the names of base data, in order: those of rules where rules have the name, else
    /// those of base data. The first of `vars` is the name.
    fn gather_base(
        &mut self,
        node: NodeId,
        path: &[ConstId],
        found: Local,
        (all, vars): (Local, &[hir::VarId]),
        rest: &[hir::Term],
    ) {
        let from = self.base(path, &[]);
        let (key, value) = self.open_scan(from);
        if node == Tree::ROOT {
            let b = Operand::Const(self.state.constants.string(SYSTEM));
            self.emit(StmtKind::NotEqual { a: Operand::Local(key), b });
        }
        let block = self.block(|it| {
            let of_rules = it.block(|it| {
                let inside = it.level();
                let solutions = it.dot(Operand::Local(found), Operand::Local(key));
                it.gather(solutions, all);
                it.close_to(inside);
                it.emit(StmtKind::Break { depth: 1 });
            });
            it.emit(StmtKind::Block { blocks: vec![of_rules] });
            if let Some(var) = vars.first() {
                it.bind(*var, Operand::Local(key));
            }
            let value = it.walk(Operand::Local(value), rest);
            it.record(all, vars, Some(value));
        });
        self.emit(StmtKind::Block { blocks: vec![block] });
    }

    /// Gathers the solutions of rules under names that base data has not.
    fn gather_others(&mut self, path: &[ConstId], found: Local, all: Local) {
        let (name, solutions) = self.open_scan(Operand::Local(found));
        let in_base = self.block(|it| {
            let base = it.base(path, &[]);
            it.dot(base, Operand::Local(name));
        });
        self.emit(StmtKind::Not { block: in_base });
        self.gather(solutions, all);
    }

    fn gather(&mut self, solutions: Local, all: Local) {
        let (_, item) = self.open_scan(Operand::Local(solutions));
        self.emit(StmtKind::ArrayAppend { array: all, value: Operand::Local(item) });
    }

    fn is_none_of(&mut self, key: Operand, names: ConstId) {
        let block = self.block(|it| {
            it.dot(Operand::Const(names), key);
        });
        self.emit(StmtKind::Not { block });
    }

    /// Returns the variables that a reference binds from here on, each once.
    fn unbound_vars(&self, first: hir::VarId, rest: &[hir::Term]) -> Vec<hir::VarId> {
        let mut vars = vec![first];
        for var in rest.iter().filter_map(|it| self.unbound_var(it)) {
            if !vars.contains(&var) {
                vars.push(var);
            }
        }
        vars
    }

    /// Follows parts that start with a value that is known only when it runs.
    fn one_below(
        &mut self,
        node: NodeId,
        path: &mut Vec<ConstId>,
        key: Operand,
        parts: &[hir::Term],
    ) -> Operand {
        if let Some((callees, taken)) = self.dispatch(node, parts) {
            return self.call_by_path(path, &callees, parts.split_at(taken));
        }
        let children = self.visible_children(node);
        if children.is_empty() {
            return self.base(path, parts);
        }
        let rest = parts.get(1..).unwrap_or_default();
        let vars: Vec<hir::VarId> = match rest.iter().find_map(|it| self.unbound_var(it)) {
            Some(var) => self.unbound_vars(var, rest),
            None => return self.choose(&children, path, key, parts),
        };
        let array = self.fresh();
        self.emit(StmtKind::MakeArray { capacity: 0, target: array });
        let names = self.state.constants.string_set(children.iter().map(|it| it.0.as_ref()));
        let mut blocks = Vec::with_capacity(children.len() + 1);
        blocks.push(self.closed(|it| {
            it.is_none_of(key, names);
            let value = it.base(path, parts);
            it.record(array, &vars, Some(value));
        }));
        for (name, child) in &children {
            let id = self.state.constants.string(name);
            blocks.push(self.closed(|it| {
                it.equal(key, Operand::Const(id));
                let value = it.below_name(*child, id, path, rest);
                it.record(array, &vars, Some(value));
            }));
        }
        self.emit(StmtKind::Block { blocks });
        let value = self.replay(array, &vars, true);
        value.unwrap_or(Operand::Local(array))
    }

    /// Chooses among children where what follows has one solution at most.
    fn choose(
        &mut self,
        children: &[(Arc<str>, NodeId)],
        path: &mut Vec<ConstId>,
        key: Operand,
        parts: &[hir::Term],
    ) -> Operand {
        let target = self.fresh();
        let rest = parts.get(1..).unwrap_or_default();
        let names = self.state.constants.string_set(children.iter().map(|it| it.0.as_ref()));
        let outer = self.block(|it| {
            let mut blocks = Vec::with_capacity(children.len() + 1);
            for (name, child) in children {
                let id = it.state.constants.string(name);
                blocks.push(it.block(|it| {
                    it.equal(key, Operand::Const(id));
                    let value = it.below_name(*child, id, path, rest);
                    it.emit(StmtKind::Assign { source: value, target });
                    it.emit(StmtKind::Break { depth: 1 });
                }));
            }
            blocks.push(it.block(|it| {
                it.is_none_of(key, names);
                let value = it.base(path, parts);
                it.emit(StmtKind::Assign { source: value, target });
                it.emit(StmtKind::Break { depth: 1 });
            }));
            it.emit(StmtKind::Block { blocks });
            it.emit(StmtKind::Break { depth: 1 });
        });
        self.emit(StmtKind::Block { blocks: vec![outer] });
        Operand::Local(target)
    }

    /// Returns the nodes that known values can lead to by the first parts, if all of them are documents that a
    /// function gives, and how many parts that takes.
    fn dispatch(&self, node: NodeId, parts: &[hir::Term]) -> Option<(Vec<NodeId>, usize)> {
        let mut nodes = vec![node];
        for (part, taken) in parts.iter().zip(1..) {
            if nodes.iter().any(|it| self.state.tree.external(*it).is_some()) {
                return None;
            }
            nodes = match &part.kind {
                hir::TermKind::String(name) => {
                    nodes.iter().filter_map(|it| self.visible_child(*it, name)).collect()
                }
                hir::TermKind::Var(var) if self.var(*var).is_some() => {
                    let children = nodes.iter().flat_map(|it| self.state.tree.children(*it));
                    children.map(|it| it.1).filter(|it| self.is_visible(*it)).collect()
                }
                _ => return None,
            };
            let groups = nodes.iter().filter(|it| self.state.tree.group(**it).is_some()).count();
            if groups == nodes.len() {
                return Some((nodes, taken));
            }
            if groups > 0 {
                return None;
            }
        }
        Some((nodes, parts.len()))
    }

    /// Calls what stands at a path, or looks it up in base data if no rule does.
    fn call_by_path(
        &mut self,
        path: &[ConstId],
        callees: &[NodeId],
        (names, rest): (&[hir::Term], &[hir::Term]),
    ) -> Operand {
        if callees.is_empty() {
            let from = self.base(path, names);
            return self.walk(from, rest);
        }
        for node in callees {
            let id = match self.state.tree.group(*node) {
                Some(group) => self.state.group(self.hir, group, Vec::new(), self.generation),
                None => self.state.extent(*node, self.generation),
            };
            self.state.make_findable(id, *node, self.generation);
        }
        let generation = self.state.constants.string(&format!("g{}", self.generation.0));
        let mut full = vec![Operand::Const(generation)];
        full.extend(path.iter().map(|it| Operand::Const(*it)));
        for name in names {
            let operand = self.operand(name);
            full.push(operand);
        }
        let target = self.fresh();
        let outer = self.block(|it| {
            let call = it.block(|it| {
                let args = it.extras.clone();
                it.emit(StmtKind::CallDynamic { path: full, args, result: target });
                it.emit(StmtKind::Break { depth: 1 });
            });
            let base = it.block(|it| {
                let source = it.base(path, names);
                it.emit(StmtKind::Assign { source, target });
                it.emit(StmtKind::Break { depth: 1 });
            });
            it.emit(StmtKind::Block { blocks: vec![call, base] });
            it.emit(StmtKind::Break { depth: 1 });
        });
        self.emit(StmtKind::Block { blocks: vec![outer] });
        self.walk(Operand::Local(target), rest)
    }

    /// Lowers the whole document of a node of packages: what rules define, merged into base data.
    pub(super) fn extent_function(mut self, id: FuncId, node: NodeId) {
        let params = self.extras.clone();
        let result = self.fresh();
        let path: Vec<Arc<str>> = self.state.tree.path(node);
        let path: Vec<ConstId> = path.iter().map(|it| self.state.constants.string(it)).collect();
        if let Some(keys) = self.state.tree.external(node) {
            let body = self.block(|it| {
                let source = it.external(node, keys, &[]);
                it.emit(StmtKind::Assign { source, target: result });
                it.emit(StmtKind::Return { source: result });
            });
            return self.finish(id, params, result, vec![body]);
        }
        let body = self.block(|it| {
            let rules = it.rules_below(node);
            let outer = it.block(|it| {
                let base = it.block(|it| {
                    let base = it.base(&path, &[]);
                    let base = if node == Tree::ROOT { it.without_system(base) } else { base };
                    let a = it.local(base);
                    it.emit(StmtKind::ObjectMerge { a, b: rules, target: result });
                    it.emit(StmtKind::Break { depth: 1 });
                });
                it.emit(StmtKind::Block { blocks: vec![base] });
                it.emit(StmtKind::Assign { source: Operand::Local(rules), target: result });
            });
            it.emit(StmtKind::Block { blocks: vec![outer] });
            it.emit(StmtKind::Return { source: result });
        });
        self.finish(id, params, result, vec![body]);
    }

    /// Makes the object of all documents that rules define below a node.
    fn rules_below(&mut self, node: NodeId) -> Local {
        let object = self.fresh();
        self.emit(StmtKind::MakeObject { target: object });
        for (name, child) in self.visible_children(node) {
            if node == Tree::ROOT && *name == *SYSTEM {
                continue;
            }
            let key = Operand::Const(self.state.constants.string(&name));
            let block = self.block(|it| {
                let value = match it.state.tree.group(child) {
                    Some(group) => {
                        let id = it.state.group(it.hir, group, Vec::new(), it.generation);
                        it.call_document(id)
                    }
                    None => match it.state.tree.external(child) {
                        Some(keys) => it.external(child, keys, &[]),
                        None => Operand::Local(it.rules_below(child)),
                    },
                };
                it.emit(StmtKind::ObjectInsert { object, key, value });
            });
            self.emit(StmtKind::Block { blocks: vec![block] });
        }
        object
    }

    /// Copies the top of base data without the host's own documents.
    fn without_system(&mut self, base: Operand) -> Operand {
        let object = self.fresh();
        self.emit(StmtKind::MakeObject { target: object });
        let system = Operand::Const(self.state.constants.string(SYSTEM));
        let block = self.block(|it| {
            let (key, value) = it.open_scan(base);
            it.emit(StmtKind::NotEqual { a: Operand::Local(key), b: system });
            let (key, value) = (Operand::Local(key), Operand::Local(value));
            it.emit(StmtKind::ObjectInsert { object, key, value });
        });
        self.emit(StmtKind::Block { blocks: vec![block] });
        Operand::Local(object)
    }
}
