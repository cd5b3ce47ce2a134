//! Rule groups as functions.
//!
//! Apart because the shape of these functions is a contract: `docs/internals/plan.md` shows it, and passes look for rules
//! by it. What stands in a body is no concern of this file.

use lictor_hir::tree as hir;

use super::builder::Builder;
use crate::ir::{Block, ConstId, FuncId, Local, Operand, RuleIdx, StmtKind};

/// A rule of a function, and where in the object it defines something.
pub(super) struct Member<'a> {
    pub(super) id: hir::RuleId,
    pub(super) rule: &'a hir::Rule,
    /// The names from the function's group to the rule's own.
    pub(super) names: Vec<ConstId>,
}

impl Member<'_> {
    /// The number of keys below the object.
    pub(super) fn depth(&self) -> usize {
        self.names.len() + self.rule.keys.len()
    }
}

impl<'a> Builder<'a> {
    /// Lowers a group into a function.
    pub(super) fn group_function(mut self, id: FuncId, group_id: hir::GroupId, keys: &[Option<ConstId>]) {
        let hir = self.hir;
        let group = &hir.groups[group_id.0 as usize];
        let arity = match group.kind {
            hir::GroupKind::Function { arity } => arity,
            hir::GroupKind::Complete | hir::GroupKind::PartialSet | hir::GroupKind::PartialObject => 0,
        };
        let args: Vec<Local> = (0..arity).map(|_| self.fresh()).collect();
        let params: Vec<Local> = self.extras.iter().chain(&args).copied().collect();
        let result = self.fresh();
        let registers = self.registers();
        let mut blocks = Vec::with_capacity(group.rules.len() + 3);
        self.locate_group(group);
        match group.kind {
            hir::GroupKind::PartialSet => {
                blocks.push(self.block(|it| it.emit(StmtKind::MakeSet { target: result })));
            }
            hir::GroupKind::PartialObject => {
                blocks.push(self.block(|it| it.emit(StmtKind::MakeObject { target: result })));
            }
            hir::GroupKind::Complete | hir::GroupKind::Function { .. } => {}
        }
        for member in self.members(group_id) {
            if !self.may_define(&member, keys) {
                continue;
            }
            self.start_rule(registers, member.rule.vars.len());
            self.rule = self.state.rule(hir, member.id);
            self.locate(member.rule.head_place);
            blocks.push(self.block(|it| it.rule_block(group.kind, &member, &args, result)));
        }
        if let Some(default) = group.default {
            blocks.push(self.default_block(default, registers, result));
        }
        self.rule = RuleIdx::NONE;
        self.locate_group(group);
        blocks.push(self.block(|it| it.emit(StmtKind::Return { source: result })));
        self.finish(id, params, result, blocks);
    }

    /// Returns the rules that define a group's document: its own, and of an object those of the groups below.
    pub(super) fn members(&mut self, group: hir::GroupId) -> Vec<Member<'a>> {
        let hir = self.hir;
        let own = &hir.groups[group.0 as usize].rules;
        let rule = |id: &hir::RuleId| &hir.rules[id.0 as usize];
        let mut members: Vec<Member<'_>> =
            own.iter().map(|id| Member { id: *id, rule: rule(id), names: Vec::new() }).collect();
        for (part, names) in self.state.tree.parts(group) {
            let names: Vec<ConstId> = names.iter().map(|it| self.state.constants.string(it)).collect();
            let rules = hir.groups[part.0 as usize].rules.iter();
            members.extend(rules.map(|id| Member { id: *id, rule: rule(id), names: names.clone() }));
        }
        members
    }

    fn locate_group(&mut self, group: &hir::Group) {
        let first = group.rules.first().or(group.default.as_ref());
        if let Some(rule) = first {
            self.locate(self.hir.rules[rule.0 as usize].head_place);
        }
    }

    /// Says whether a rule of a partial object can define something below keys that a reference names.
    pub(super) fn may_define(&mut self, member: &Member<'_>, keys: &[Option<ConstId>]) -> bool {
        keys.iter().enumerate().all(|(index, key)| {
            let Some(wanted) = key else { return true };
            let given = match member.names.get(index) {
                Some(name) => Some(*name),
                None => {
                    let term = member.rule.keys.get(index - member.names.len());
                    term.and_then(|it| self.state.constants.of_term(it))
                }
            };
            given.is_none_or(|it| self.state.constants.equal(it, *wanted))
        })
    }

    fn rule_block(&mut self, kind: hir::GroupKind, member: &Member<'_>, args: &[Local], result: Local) {
        let rule = member.rule;
        match kind {
            hir::GroupKind::Complete | hir::GroupKind::Function { .. } => {
                for (arg, pattern) in args.iter().zip(&rule.args) {
                    self.unify_operand(Operand::Local(*arg), pattern);
                }
                let source = self.rule_value(rule);
                self.emit(StmtKind::AssignOnce { source, target: result });
            }
            hir::GroupKind::PartialSet => {
                self.body(&rule.body);
                let value = self.operand(&rule.value);
                self.emit(StmtKind::SetAdd { set: result, value });
            }
            hir::GroupKind::PartialObject => self.object_rule(member, result),
        }
    }

    /// Returns the value of a rule for which its body, or an `else` branch, holds.
    fn rule_value(&mut self, rule: &hir::Rule) -> Operand {
        let head = self.location;
        let Some(first) = &rule.else_branch else {
            self.body(&rule.body);
            return self.head_value(&rule.value);
        };
        let chosen = self.fresh();
        self.emit(StmtKind::Reset { target: chosen });
        let mut blocks = vec![self.branch(&rule.body, &rule.value, chosen, true)];
        let mut next = Some(first);
        while let Some(branch) = next {
            self.locate(branch.place);
            blocks.push(self.branch(&branch.body, &branch.value, chosen, false));
            next = branch.else_branch.as_ref();
        }
        self.location = head;
        self.emit(StmtKind::Block { blocks });
        self.emit(StmtKind::IsDefined { source: chosen });
        Operand::Local(chosen)
    }

    /// Returns the value of a head. A constant that stands for a variable goes through a register: only what is written
    /// as a constant may end the search for other rules (`passes::exit_early`).
    fn head_value(&mut self, term: &hir::Term) -> Operand {
        let source = self.operand(term);
        if matches!(source, Operand::Local(_)) || self.state.constants.of_term(term).is_some() {
            return source;
        }
        let target = self.fresh();
        self.emit(StmtKind::Assign { source, target });
        Operand::Local(target)
    }

    /// One branch of an `else` chain, tried if those before it gave nothing.
    fn branch(&mut self, body: &[hir::Expr], value: &hir::Term, chosen: Local, first: bool) -> Block {
        let mark = self.mark();
        let block = self.block(|it| {
            if !first {
                it.emit(StmtKind::IsUndefined { source: chosen });
            }
            it.body(body);
            let source = it.operand(value);
            it.emit(StmtKind::AssignOnce { source, target: chosen });
        });
        self.unbind_to(mark);
        block
    }

    fn default_block(&mut self, id: hir::RuleId, registers: u32, result: Local) -> Block {
        let hir = self.hir;
        let rule = &hir.rules[id.0 as usize];
        self.start_rule(registers, rule.vars.len());
        self.rule = self.state.rule(hir, id);
        self.locate(rule.head_place);
        self.block(|it| {
            it.emit(StmtKind::IsUndefined { source: result });
            it.body(&rule.body);
            let source = it.operand(&rule.value);
            it.emit(StmtKind::AssignOnce { source, target: result });
        })
    }

    /// Inserts what a rule of a partial object defines; the objects on the way are made when they are missing.
    fn object_rule(&mut self, member: &Member<'_>, result: Local) {
        let rule = member.rule;
        let value = self.rule_value(rule);
        let value = self.settled(value);
        let mut keys: Vec<Operand> = member.names.iter().map(|it| Operand::Const(*it)).collect();
        for key in &rule.keys {
            keys.push(self.operand(key));
        }
        let Some((leaf, way)) = keys.split_last() else { return };
        let mut object = result;
        for key in way {
            object = self.inner(object, *key, |target| StmtKind::MakeObject { target });
        }
        if rule.contains {
            let set = self.inner(object, *leaf, |target| StmtKind::MakeSet { target });
            self.emit(StmtKind::SetAdd { set, value });
        } else {
            self.emit(StmtKind::ObjectInsertOnce { object, key: *leaf, value });
        }
    }

    /// Returns what stands at a key of an object that is being made, after making it if nothing does.
    fn inner(&mut self, object: Local, key: Operand, make: impl FnOnce(Local) -> StmtKind) -> Local {
        let target = self.fresh();
        let found = self.block(|it| {
            it.emit(StmtKind::Dot { source: Operand::Local(object), key, target });
            it.emit(StmtKind::Break { depth: 1 });
        });
        let block = self.block(|it| {
            it.emit(StmtKind::Block { blocks: vec![found] });
            it.emit(make(target));
            it.emit(StmtKind::ObjectInsert { object, key, value: Operand::Local(target) });
        });
        self.emit(StmtKind::Block { blocks: vec![block] });
        target
    }
}
