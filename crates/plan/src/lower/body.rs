//! Bodies and their expressions: tests, calls, `not`, `and`, `or`, `every`.
//!
//! Apart from `terms` because an expression has solutions where a term has a value. What replaces a function is asked
//! of `generation`; replaced documents are the business of `with`.

use lictor_hir::tree as hir;

use super::builder::Builder;
use super::generation::{GenId, Replacement};
use crate::ir::{Callee, Local, Operand, StmtKind};

impl Builder<'_> {
    /// Lowers the expressions of a body one after another.
    pub(super) fn body(&mut self, body: &[hir::Expr]) {
        let outside = self.location;
        for expr in body {
            self.locate(expr.place);
            if expr.with.is_empty() {
                self.expression(&expr.kind);
            } else {
                self.with_expression(expr);
            }
        }
        self.location = outside;
    }

    pub(super) fn expression(&mut self, kind: &hir::ExprKind) {
        match kind {
            hir::ExprKind::Term(term) => self.term_expression(term),
            hir::ExprKind::Unify(a, b) => self.unify(a, b),
            hir::ExprKind::Call(call) => self.call(call),
            hir::ExprKind::Every(every) => self.every(every),
            hir::ExprKind::Not(body) => self.not(body),
            hir::ExprKind::And(a, b) => {
                self.holds(a);
                self.holds(b);
            }
            hir::ExprKind::Or(a, b) => self.or(a, b),
        }
    }

    fn term_expression(&mut self, term: &hir::Term) {
        match self.operand(term) {
            Operand::Const(id) => {
                if self.state.constants.is_false(id) {
                    self.fail();
                }
            }
            operand @ Operand::Local(_) => {
                if matches!(term.kind, hir::TermKind::Var(_) | hir::TermKind::Ref(_)) {
                    self.not_false(operand);
                }
            }
        }
    }

    fn not_false(&mut self, operand: Operand) {
        let b = Operand::Const(self.state.constants.bool(false));
        self.emit(StmtKind::NotEqual { a: operand, b });
    }

    /// Goes on if the body has a solution, once, and keeps none of its variables.
    fn holds(&mut self, body: &[hir::Expr]) {
        let mark = self.mark();
        self.once(|it| it.body(body));
        self.unbind_to(mark);
    }

    /// All solutions are looked for; a pass ends the search where none can fail.
    fn not(&mut self, body: &[hir::Expr]) {
        let yes = self.state.constants.bool(true);
        let block = self.block(|it| {
            let mark = it.mark();
            it.through(yes, |it| it.body(body));
            it.unbind_to(mark);
        });
        self.emit(StmtKind::Not { block });
    }

    fn or(&mut self, a: &[hir::Expr], b: &[hir::Expr]) {
        let outer = self.block(|it| {
            let blocks = [a, b].map(|body| {
                it.block(|it| {
                    it.holds(body);
                    it.emit(StmtKind::Break { depth: 1 });
                })
            });
            it.emit(StmtKind::Block { blocks: blocks.into() });
            it.emit(StmtKind::Break { depth: 1 });
        });
        self.emit(StmtKind::Block { blocks: vec![outer] });
    }

    /// `every` holds if no item is found for which its body does not.
    fn every(&mut self, every: &hir::Every) {
        let domain = self.operand(&every.domain);
        self.is_collection(domain);
        let not = self.block(|it| {
            let search = it.block(|it| {
                let inside = it.level();
                let mark = it.mark();
                let (key, value) = it.open_scan(domain);
                if let Some(var) = every.key {
                    it.bind(var, Operand::Local(key));
                }
                it.bind(every.value, Operand::Local(value));
                let not = it.block(|it| it.holds(&every.body));
                it.emit(StmtKind::Not { block: not });
                it.jump_out_of(inside);
                it.unbind_to(mark);
                it.close_to(inside);
                it.emit(StmtKind::Break { depth: 1 });
            });
            it.emit(StmtKind::Block { blocks: vec![search] });
        });
        self.emit(StmtKind::Not { block: not });
    }

    fn is_collection(&mut self, source: Operand) {
        if let Operand::Const(id) = source {
            if !self.state.constants.is_collection(id) {
                self.fail();
            }
            return;
        }
        let outer = self.block(|it| {
            let tests =
                [StmtKind::IsArray { source }, StmtKind::IsObject { source }, StmtKind::IsSet { source }];
            let blocks = tests.map(|test| {
                it.block(|it| {
                    it.emit(test);
                    it.emit(StmtKind::Break { depth: 1 });
                })
            });
            it.emit(StmtKind::Block { blocks: blocks.into() });
            it.emit(StmtKind::Break { depth: 1 });
        });
        self.emit(StmtKind::Block { blocks: vec![outer] });
    }

    fn call(&mut self, call: &hir::Call) {
        let args: Vec<Operand> = call.args.iter().map(|it| self.operand(it)).collect();
        let replacement = self.state.generations.replacement(self.generation, &call.callee).cloned();
        match replacement {
            None => self.call_real(&call.callee, self.generation, args, call.output.as_ref()),
            Some(Replacement::Callee(callee)) => {
                let callee = match callee {
                    super::generation::Callee::Builtin(name) => hir::Callee::Builtin(name),
                    super::generation::Callee::Function(group) => hir::Callee::Function(group),
                };
                let generation = self.state.generations.without_callees(self.generation);
                self.call_real(&callee, generation, args, call.output.as_ref());
            }
            Some(Replacement::Const(id)) => self.call_value(Operand::Const(id), &args, call.output.as_ref()),
            Some(Replacement::Extra(index)) => {
                let value = Operand::Local(self.extras[index]);
                self.call_value(value, &args, call.output.as_ref());
            }
        }
    }

    /// A function that a value stands for: the arguments must be defined, no more.
    fn call_value(&mut self, value: Operand, args: &[Operand], output: Option<&hir::Term>) {
        for arg in args {
            if let Operand::Local(source @ (Local::INPUT | Local::DATA)) = arg {
                self.emit(StmtKind::IsDefined { source: *source });
            }
        }
        match (output, value) {
            (Some(term), _) => self.unify_operand(value, term),
            (None, Operand::Const(id)) => {
                if self.state.constants.is_false(id) {
                    self.fail();
                }
            }
            (None, Operand::Local(_)) => self.not_false(value),
        }
    }

    fn call_real(
        &mut self,
        callee: &hir::Callee,
        generation: GenId,
        args: Vec<Operand>,
        output: Option<&hir::Term>,
    ) {
        match callee {
            hir::Callee::Function(group) => {
                let id = self.state.group(self.hir, *group, Vec::new(), generation);
                let extras = if generation == self.generation { self.extras.clone() } else { Vec::new() };
                let args = extras.into_iter().map(Operand::Local).chain(args).collect();
                let result = self.fresh();
                self.emit(StmtKind::Call { callee: Callee::Function(id), args, result });
                self.take_result(result, output);
            }
            hir::Callee::Builtin(name) => self.call_builtin(name, args, output),
        }
    }

    fn take_result(&mut self, result: Local, output: Option<&hir::Term>) {
        match output {
            Some(term) => self.unify_operand(Operand::Local(result), term),
            None => self.not_false(Operand::Local(result)),
        }
    }

    fn call_builtin(&mut self, name: &str, args: Vec<Operand>, output: Option<&hir::Term>) {
        match (name, args.as_slice(), output) {
            ("equal" | "eq", [a, b], None) => return self.equal(*a, *b),
            ("neq", [a, b], None) => return self.emit(StmtKind::NotEqual { a: *a, b: *b }),
            _ => {}
        }
        let call = self.state.builtin(name);
        let result = self.fresh();
        self.emit(StmtKind::Call { callee: Callee::Builtin(call.builtin), args, result });
        if call.relation {
            return self.take_results(result, output);
        }
        if !call.void || output.is_some() {
            self.take_result(result, output);
        }
    }

    /// A relation gives an array of results.
    fn take_results(&mut self, results: Local, output: Option<&hir::Term>) {
        if let Some(term) = output {
            let (_, value) = self.open_scan(Operand::Local(results));
            return self.unify_operand(Operand::Local(value), term);
        }
        let target = self.fresh();
        self.emit(StmtKind::Len { source: Operand::Local(results), target });
        let zero = Operand::Const(self.state.constants.count(0));
        self.emit(StmtKind::NotEqual { a: Operand::Local(target), b: zero });
    }
}
