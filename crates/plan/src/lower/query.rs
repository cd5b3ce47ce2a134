//! Queries and entrypoints as functions.
//!
//! Apart from `rules` because their answers have other forms: an entrypoint returns a value, a query adds an object for
//! each of its solutions. How they are named and remembered is the business of `lower`.

use lictor_hir::tree as hir;

use super::builder::Builder;
use crate::ir::{FuncId, Operand, StmtKind};

impl Builder<'_> {
    /// Lowers a reference into `data` into a function that gives its value.
    pub(super) fn path_function(mut self, id: FuncId, parts: &[hir::Term]) {
        let reference = hir::Ref { head: hir::RefHead::Data, parts: parts.to_vec() };
        let result = self.fresh();
        let block = self.block(|it| {
            let source = it.reference(&reference);
            it.emit(StmtKind::Assign { source, target: result });
            it.emit(StmtKind::Return { source: result });
        });
        self.finish(id, Vec::new(), result, vec![block]);
    }

    /// Lowers a query into a function that adds each solution to the answer.
    pub(super) fn query_function(mut self, id: FuncId, query: &hir::Query, with_expressions: bool) {
        let result = self.fresh();
        let registers = self.registers();
        self.start_rule(registers, query.vars.len());
        let block = self.block(|it| {
            it.body(&query.body);
            let bindings = it.fresh();
            it.emit(StmtKind::MakeObject { target: bindings });
            for var in &query.outputs {
                let (Some(value), Some(info)) = (it.var(*var), query.vars.get(var.0 as usize)) else {
                    continue;
                };
                let key = Operand::Const(it.state.constants.string(&info.name));
                it.emit(StmtKind::ObjectInsert { object: bindings, key, value });
            }
            let value =
                if with_expressions { it.solution(query, Operand::Local(bindings)) } else { bindings };
            it.emit(StmtKind::ResultSetAdd { value });
        });
        self.finish(id, Vec::new(), result, vec![block]);
    }

    /// Makes a solution of bindings and the values of the expressions.
    fn solution(&mut self, query: &hir::Query, bindings: Operand) -> crate::ir::Local {
        let capacity = u32::try_from(query.expressions.len()).unwrap_or(u32::MAX);
        let values = self.fresh();
        self.emit(StmtKind::MakeArray { capacity, target: values });
        for expression in &query.expressions {
            let value = match expression.value.and_then(|it| self.var(it)) {
                Some(operand) => operand,
                None => Operand::Const(self.state.constants.bool(true)),
            };
            self.emit(StmtKind::ArrayAppend { array: values, value });
        }
        let solution = self.fresh();
        self.emit(StmtKind::MakeObject { target: solution });
        for (name, value) in [("bindings", bindings), ("expressions", Operand::Local(values))] {
            let key = Operand::Const(self.state.constants.string(name));
            self.emit(StmtKind::ObjectInsert { object: solution, key, value });
        }
        solution
    }
}
