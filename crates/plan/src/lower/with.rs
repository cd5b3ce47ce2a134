//! `with`: an expression in the midst of replaced documents and functions.
//!
//! Only the expression itself runs in there. If it has one solution, its variables are seen after the block; if it
//! may have several, they are recorded inside and replayed outside.

use lictor_hir::tree as hir;

use super::builder::Builder;
use super::generation::{Callee, Replaced, Replacement};
use crate::ir::{ConstId, Local, Operand, StmtKind};

/// A replacement of a document, ready to be opened.
struct Document {
    document: Local,
    path: Vec<ConstId>,
    value: Operand,
}

impl Builder<'_> {
    pub(super) fn with_expression(&mut self, expr: &hir::Expr) {
        let mut replaced = self.state.generations.get(self.generation).clone();
        let extras_outside = self.extras.len();
        let mut documents = Vec::new();
        for with in &expr.with {
            self.replace(&with.target, &mut replaced, &mut documents);
        }
        let outside = self.generation;
        self.generation = self.state.generations.intern(replaced);
        let (level, mark) = (self.level(), self.mark());
        let in_blocks = !documents.is_empty();
        for Document { document, path, value } in documents {
            self.open_with(document, path, value);
        }
        self.expression(&expr.kind);
        if in_blocks && self.scans_since(level) {
            let vars = self.bound_since(mark);
            let array = self.fresh();
            self.emit_at(level, StmtKind::MakeArray { capacity: 0, target: array });
            self.record(array, &vars, None);
            self.unbind_to(mark);
            self.close_to(level);
            self.replay(array, &vars, false);
        } else if in_blocks {
            self.close_to(level);
        }
        self.generation = outside;
        self.extras.truncate(extras_outside);
    }

    fn replace(&mut self, target: &hir::WithTarget, replaced: &mut Replaced, documents: &mut Vec<Document>) {
        match target {
            hir::WithTarget::Input(path, value) => {
                let value = self.operand(value);
                let document = self.document(Local::INPUT, path, value);
                documents.push(document);
            }
            hir::WithTarget::Data(path, value) => {
                let value = self.operand(value);
                let document = self.document(Local::DATA, path, value);
                documents.push(document);
                if let Some(mounted) = self.state.tree.external_above(path.iter().map(AsRef::as_ref)) {
                    self.state.refused.insert(mounted);
                }
                // Where no rule stands there is nothing to hide.
                if let Some(node) = self.state.tree.find(path.iter().map(AsRef::as_ref)) {
                    replaced.hide(node);
                }
            }
            hir::WithTarget::Callee(from, to) => {
                replaced.callees.insert(Callee::of(from), Replacement::Callee(Callee::of(to)));
            }
            hir::WithTarget::CalleeValue(from, value) => {
                let replacement = match self.operand(value) {
                    Operand::Const(id) => Replacement::Const(id),
                    operand @ Operand::Local(_) => {
                        let operand = self.settled(operand);
                        let extra = self.local(operand);
                        self.extras.push(extra);
                        replaced.extras += 1;
                        Replacement::Extra(self.extras.len() - 1)
                    }
                };
                replaced.callees.insert(Callee::of(from), replacement);
            }
        }
    }

    fn document(&mut self, document: Local, path: &[Box<str>], value: Operand) -> Document {
        let value = self.settled(value);
        let path = path.iter().map(|it| self.state.constants.string(it)).collect();
        Document { document, path, value }
    }
}
