//! Terms as operands: constants, variables, composites and comprehensions.
//!
//! Apart from `body` because a term has a value where an expression has solutions; where a reference has several, the
//! scan that it opens stays open for what follows. References themselves are the business of `data`.

use lictor_hir::tree as hir;
use rustc_hash::FxHashMap;

use super::builder::Builder;
use crate::ir::{Block, Local, Operand, StmtKind};

impl Builder<'_> {
    /// Returns the operand that holds a term's value; what the term cannot be makes what follows undefined.
    pub(super) fn operand(&mut self, term: &hir::Term) -> Operand {
        if let Some(id) = self.state.constants.of_term(term) {
            return Operand::Const(id);
        }
        match &term.kind {
            hir::TermKind::Var(var) => match self.var(*var) {
                Some(operand) => operand,
                None => self.unbound(),
            },
            hir::TermKind::Ref(reference) => self.reference(reference),
            hir::TermKind::Array(items) => self.array(items),
            hir::TermKind::Object(pairs) => self.object(pairs),
            hir::TermKind::Set(items) => self.set(items),
            hir::TermKind::ArrayCompr(compr) => self.array_comprehension(term.place, compr),
            hir::TermKind::SetCompr(compr) => self.set_comprehension(term.place, compr),
            hir::TermKind::ObjectCompr(compr) => self.object_comprehension(term.place, compr),
            hir::TermKind::Null
            | hir::TermKind::Bool(_)
            | hir::TermKind::Number(_)
            | hir::TermKind::String(_) => Operand::Const(self.state.constants.null()),
        }
    }

    /// A variable without a value cannot stand in a safe body; its use is undefined.
    fn unbound(&mut self) -> Operand {
        let target = self.fresh();
        self.emit(StmtKind::Reset { target });
        self.emit(StmtKind::IsDefined { source: target });
        Operand::Local(target)
    }

    fn array(&mut self, items: &[hir::Term]) -> Operand {
        let values: Vec<Operand> = items.iter().map(|it| self.operand(it)).collect();
        let target = self.fresh();
        let capacity = u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.emit(StmtKind::MakeArray { capacity, target });
        for value in values {
            self.emit(StmtKind::ArrayAppend { array: target, value });
        }
        Operand::Local(target)
    }

    fn set(&mut self, items: &[hir::Term]) -> Operand {
        let values: Vec<Operand> = items.iter().map(|it| self.operand(it)).collect();
        let target = self.fresh();
        self.emit(StmtKind::MakeSet { target });
        for value in values {
            self.emit(StmtKind::SetAdd { set: target, value });
        }
        Operand::Local(target)
    }

    fn object(&mut self, pairs: &[(hir::Term, hir::Term)]) -> Operand {
        let mut entries = Vec::with_capacity(pairs.len());
        for (key, value) in self.different_pairs(pairs) {
            let key = self.operand(key);
            entries.push((key, self.operand(value)));
        }
        let target = self.fresh();
        self.emit(StmtKind::MakeObject { target });
        for (key, value) in entries {
            self.emit(StmtKind::ObjectInsert { object: target, key, value });
        }
        Operand::Local(target)
    }

    /// Returns the pairs of an object without those whose ground key comes again.
    pub(super) fn different_pairs<'t>(
        &mut self,
        pairs: &'t [(hir::Term, hir::Term)],
    ) -> Vec<(&'t hir::Term, &'t hir::Term)> {
        let keys: Vec<_> = pairs.iter().map(|it| self.state.constants.of_term(&it.0)).collect();
        let mut last = FxHashMap::default();
        for (index, key) in keys.iter().enumerate() {
            if let Some(id) = key {
                last.insert(*id, index);
            }
        }
        let kept = |index: usize| keys[index].is_none_or(|id| last.get(&id) == Some(&index));
        pairs.iter().enumerate().filter(|(index, _)| kept(*index)).map(|(_, it)| (&it.0, &it.1)).collect()
    }

    fn array_comprehension(&mut self, place: hir::Place, compr: &hir::Compr) -> Operand {
        self.comprehension(
            place,
            |target| StmtKind::MakeArray { capacity: 0, target },
            |it, array| {
                it.body(&compr.body);
                let value = it.operand(&compr.term);
                it.emit(StmtKind::ArrayAppend { array, value });
            },
        )
    }

    fn set_comprehension(&mut self, place: hir::Place, compr: &hir::Compr) -> Operand {
        self.comprehension(
            place,
            |target| StmtKind::MakeSet { target },
            |it, set| {
                it.body(&compr.body);
                let value = it.operand(&compr.term);
                it.emit(StmtKind::SetAdd { set, value });
            },
        )
    }

    fn object_comprehension(&mut self, place: hir::Place, compr: &hir::ObjectCompr) -> Operand {
        self.comprehension(
            place,
            |target| StmtKind::MakeObject { target },
            |it, object| {
                it.body(&compr.body);
                let key = it.operand(&compr.key);
                let value = it.operand(&compr.value);
                it.emit(StmtKind::ObjectInsertOnce { object, key, value });
            },
        )
    }

    fn comprehension(
        &mut self,
        place: hir::Place,
        make: impl FnOnce(Local) -> StmtKind,
        fill: impl FnOnce(&mut Self, Local),
    ) -> Operand {
        let outside = self.location;
        self.locate(place);
        let target = self.fresh();
        self.emit(make(target));
        let block = self.closed(|it| fill(it, target));
        self.emit(StmtKind::Block { blocks: vec![block] });
        self.location = outside;
        Operand::Local(target)
    }

    /// Fills a block whose variables are not seen outside.
    pub(super) fn closed(&mut self, fill: impl FnOnce(&mut Self)) -> Block {
        let mark = self.mark();
        let block = self.block(fill);
        self.unbind_to(mark);
        block
    }
}
