//! Rule groups as functions. `docs/internals/plan.md` shows the shape, which passes rely on.

use lictor_hir::tree as hir;

use super::builder::Builder;
use crate::ir::{Block, ConstId, FuncId, Local, Operand, RuleIdx, StmtKind};

impl Builder<'_> {
    /// Lowers a group into a function.
    pub(super) fn group_function(mut self, id: FuncId, group: hir::GroupId, keys: &[Option<ConstId>]) {
        let hir = self.hir;
        let group = &hir.groups[group.0 as usize];
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
        for rule_id in &group.rules {
            let rule = &hir.rules[rule_id.0 as usize];
            if !self.may_define(rule, keys) {
                continue;
            }
            self.start_rule(registers, rule.vars.len());
            self.rule = self.state.rule(hir, *rule_id);
            self.locate(rule.head_place);
            blocks.push(self.block(|it| it.rule_block(group.kind, rule, &args, result)));
        }
        if let Some(default) = group.default {
            blocks.push(self.default_block(default, registers, result));
        }
        self.rule = RuleIdx::NONE;
        self.locate_group(group);
        blocks.push(self.block(|it| it.emit(StmtKind::Return { source: result })));
        self.finish(id, params, result, blocks);
    }

    fn locate_group(&mut self, group: &hir::Group) {
        let first = group.rules.first().or(group.default.as_ref());
        if let Some(rule) = first {
            self.locate(self.hir.rules[rule.0 as usize].head_place);
        }
    }

    /// Says whether a rule of a partial object can define something below keys that a reference names.
    pub(super) fn may_define(&mut self, rule: &hir::Rule, keys: &[Option<ConstId>]) -> bool {
        rule.keys.iter().zip(keys).all(|(term, key)| {
            let Some(wanted) = key else { return true };
            match self.state.constants.of_term(term) {
                Some(given) => self.state.constants.equal(given, *wanted),
                None => true,
            }
        })
    }

    fn rule_block(&mut self, kind: hir::GroupKind, rule: &hir::Rule, args: &[Local], result: Local) {
        match kind {
            hir::GroupKind::Complete | hir::GroupKind::Function { .. } => self.value_rule(rule, args, result),
            hir::GroupKind::PartialSet => {
                self.body(&rule.body);
                let value = self.operand(&rule.value);
                self.emit(StmtKind::SetAdd { set: result, value });
            }
            hir::GroupKind::PartialObject => {
                self.body(&rule.body);
                self.object_rule(rule, result);
            }
        }
    }

    /// A rule of a complete document or a function, with its `else` branches.
    fn value_rule(&mut self, rule: &hir::Rule, args: &[Local], result: Local) {
        let head = self.location;
        for (arg, pattern) in args.iter().zip(&rule.args) {
            self.unify_operand(Operand::Local(*arg), pattern);
        }
        let Some(first) = &rule.else_branch else {
            self.body(&rule.body);
            let source = self.operand(&rule.value);
            self.emit(StmtKind::AssignOnce { source, target: result });
            return;
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
        self.emit(StmtKind::AssignOnce { source: Operand::Local(chosen), target: result });
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
    fn object_rule(&mut self, rule: &hir::Rule, result: Local) {
        let value = self.operand(&rule.value);
        let value = self.settled(value);
        let mut keys = Vec::with_capacity(rule.keys.len());
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
