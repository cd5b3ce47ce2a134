//! References below mounted paths: documents that somebody else keeps.
//!
//! Apart from base data because each step asks: keys that are known name a document, one that is not runs over what
//! the provider lists. Where a key runs over a collection of the policy's own, all its documents are asked for before
//! the first turn. `with` hides a mounted path as it hides a rule.

use lictor_hir::tree as hir;

use super::builder::Builder;
use super::tree::NodeId;
use crate::external::{AHEAD, ALL, GET, LIST};
use crate::ir::{Block, Callee, ConstId, Local, Operand, Stmt, StmtKind};

impl Builder<'_> {
    /// Follows the parts below a mounted path; `keys` of them name a document.
    pub(super) fn external(&mut self, node: NodeId, keys: usize, parts: &[hir::Term]) -> Operand {
        let path = self.state.tree.path(node);
        let path = self.state.constants.string_array(path.iter().map(AsRef::as_ref));
        let path = Operand::Const(path);
        let (names, rest) = parts.split_at(keys.min(parts.len()));
        let mut args = vec![path];
        for name in names {
            let key = match self.unbound_var(name) {
                Some(var) => {
                    let listed = self.ask(LIST, args.clone());
                    let (_, value) = self.open_scan(listed);
                    self.bind(var, Operand::Local(value));
                    Operand::Local(value)
                }
                None => self.operand(name),
            };
            args.push(key);
        }
        if names.len() < keys {
            return self.ask(ALL, args);
        }
        self.ask_ahead(&args);
        let document = self.ask(GET, args);
        self.walk(document, rest)
    }

    fn ask(&mut self, name: &str, args: Vec<Operand>) -> Operand {
        let result = self.fresh();
        let builtin = self.state.builtin(name).builtin;
        self.emit(StmtKind::Call { callee: Callee::Builtin(builtin), args, result });
        Operand::Local(result)
    }

    /// Asks for all documents of a loop before it, if one key comes from its collection and the others from outside.
    fn ask_ahead(&mut self, args: &[Operand]) {
        let Some((path, keys)) = args.split_first() else { return };
        let found = keys.iter().enumerate().rev().find_map(|(hole, key)| Some((hole, self.origin(*key)?)));
        let Some((hole, origin)) = found else { return };
        let Origin { scan, source, of_keys, way } = origin;
        let others: Vec<Operand> =
            keys.iter().enumerate().filter(|it| it.0 != hole).map(|it| *it.1).collect();
        let (first, _) = scan.1;
        if !others.iter().all(|it| matches!(it, Operand::Const(_)) || is_before(*it, first)) {
            return;
        }
        let way = self.state.constants.array(&way);
        let of_keys = self.state.constants.bool(of_keys);
        let hole = self.state.constants.count(hole);
        let mut args = vec![*path, Operand::Const(hole), Operand::Local(source)];
        args.extend([Operand::Const(of_keys), Operand::Const(way)]);
        args.extend(others);
        let (result, builtin) = (self.fresh(), self.state.builtin(AHEAD).builtin);
        let call = StmtKind::Call { callee: Callee::Builtin(builtin), args, result };
        // In a block of its own: what is undefined here must end nothing.
        let stmt = Stmt { kind: call, location: self.location, rule: self.rule };
        self.emit_at(scan.0, StmtKind::Block { blocks: vec![Block { stmts: vec![stmt] }] });
    }

    /// Returns the innermost loop whose key or value an operand is, or a part of it that constant keys lead to.
    fn origin(&self, operand: Operand) -> Option<Origin> {
        let Operand::Local(mut local) = operand else { return None };
        let mut way: Vec<ConstId> = Vec::new();
        loop {
            if let Some((level, source, key, value)) = self.scan_of(local) {
                way.reverse();
                return Some(Origin { scan: (level, (key, value)), source, of_keys: local == key, way });
            }
            let (from, step) = self.looked_up(local)?;
            way.push(step);
            local = from;
        }
    }
}

/// Where a key comes from.
struct Origin {
    /// The place before the loop, and its registers.
    scan: (super::builder::Level, (Local, Local)),
    source: Local,
    of_keys: bool,
    /// The keys from each item to the key.
    way: Vec<ConstId>,
}

/// Says whether a register was there before another one.
fn is_before(operand: Operand, first: Local) -> bool {
    matches!(operand, Operand::Local(local) if local < first)
}
