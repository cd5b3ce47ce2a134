//! The function that is being made: registers, the blocks that are open, and what is known of the variables.
//!
//! Lowering is written straight down: a statement that has many solutions opens a `Scan`, and what follows goes
//! into its block until the enclosing block is closed. So each construct is lowered once, however many solutions
//! what stands before it has. It knows statements and variables, not what terms mean.

use lictor_hir::tree as hir;
use rustc_hash::FxHashSet;

use super::generation::GenId;
use super::number_of;
use super::state::State;
use crate::ir::{Block, ConstId, FuncId, Function, Local, Location, Operand, RuleIdx, Stmt, StmtKind};

/// A function in the making.
pub(super) struct Builder<'a> {
    /// The policy.
    pub(super) hir: &'a hir::Hir,
    /// What all functions share.
    pub(super) state: &'a mut State,
    /// What is replaced here.
    pub(super) generation: GenId,
    /// The registers of the values that replace functions here.
    pub(super) extras: Vec<Local>,
    /// The rule that statements belong to.
    pub(super) rule: RuleIdx,
    /// The place that statements come from.
    pub(super) location: Location,
    /// The text of a query, which its places point into.
    pub(super) query: Option<&'a lictor_syntax::Source>,
    next: u32,
    locals: u32,
    open: Vec<Open>,
    vars: Vec<Option<Operand>>,
    trail: Vec<hir::VarId>,
    /// The registers that hold parts of base data, which a number finds by its text while a reference lasts.
    base: FxHashSet<Local>,
}

/// A block that statements are added to.
struct Open {
    stmts: Vec<Stmt>,
    opener: Opener,
    location: Location,
    rule: RuleIdx,
}

/// What a block that is closed by itself becomes.
enum Opener {
    /// It is taken by who opened it.
    Plain,
    /// The body of a scan.
    Scan { source: Local, key: Local, value: Local },
    /// The body of a replacement.
    With { document: Local, path: Vec<ConstId>, value: Operand },
}

/// A place among the open blocks.
#[derive(Clone, Copy)]
pub(super) struct Level(usize);

/// How many variables were bound at some time.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl<'a> Builder<'a> {
    /// Returns a builder of an empty function whose arguments are the extra ones of its generation.
    pub(super) fn new(hir: &'a hir::Hir, state: &'a mut State, generation: GenId) -> Self {
        let mut builder = Self {
            hir,
            generation,
            extras: Vec::new(),
            rule: RuleIdx::NONE,
            location: Location::default(),
            query: None,
            next: Local::FIRST_FREE.0,
            locals: Local::FIRST_FREE.0,
            open: Vec::new(),
            vars: Vec::new(),
            trail: Vec::new(),
            base: FxHashSet::default(),
            state,
        };
        let extras = builder.state.generations.get(generation).extras;
        builder.extras = (0..extras).map(|_| builder.fresh()).collect();
        builder
    }

    /// Makes the function.
    pub(super) fn finish(self, id: FuncId, params: Vec<Local>, result: Local, blocks: Vec<Block>) {
        debug_assert!(self.open.is_empty(), "all blocks were closed");
        let function: &mut Function = &mut self.state.plan.functions[id.0 as usize];
        function.params = params;
        function.result = result;
        function.locals = self.locals;
        function.blocks = blocks;
    }

    /// Returns a register that nobody uses.
    pub(super) fn fresh(&mut self) -> Local {
        let local = Local(self.next);
        self.next += 1;
        self.locals = self.locals.max(self.next);
        local
    }

    /// Returns the number of the next register, for [`Self::start_rule`].
    pub(super) fn registers(&self) -> u32 {
        self.next
    }

    /// Forgets all variables and takes registers from `registers` on again.
    pub(super) fn start_rule(&mut self, registers: u32, vars: usize) {
        self.next = registers;
        self.base.clear();
        self.trail.clear();
        self.vars.clear();
        self.vars.resize(vars, None);
    }

    /// Sets where the next statements come from.
    pub(super) fn locate(&mut self, place: hir::Place) {
        self.location = self.state.locations.of(self.hir, self.query, place);
    }

    /// Adds a statement.
    pub(super) fn emit(&mut self, kind: StmtKind) {
        let stmt = Stmt { kind, location: self.location, rule: self.rule };
        self.top().push(stmt);
    }

    /// Returns the current place among the open blocks.
    pub(super) fn level(&self) -> Level {
        Level(self.open.len())
    }

    /// Says whether a scan was opened since: what follows runs once a solution, or not at all.
    pub(super) fn scans_since(&self, level: Level) -> bool {
        self.open.iter().skip(level.0).any(|it| matches!(it.opener, Opener::Scan { .. }))
    }

    /// Adds a statement before what was opened since.
    pub(super) fn emit_at(&mut self, level: Level, kind: StmtKind) {
        let stmt = Stmt { kind, location: self.location, rule: self.rule };
        self.open[level.0 - 1].stmts.push(stmt);
    }

    /// Returns the open scan that gives a register, as key or value: the place before it, its source, key and value.
    pub(super) fn scan_of(&self, local: Local) -> Option<(Level, Local, Local, Local)> {
        self.open.iter().enumerate().rev().find_map(|(index, it)| match it.opener {
            Opener::Scan { source, key, value } if local == key || local == value => {
                Some((Level(index), source, key, value))
            }
            _ => None,
        })
    }

    /// Returns what a register was looked up in, if the key is constant and it was in an open block.
    pub(super) fn looked_up(&self, local: Local) -> Option<(Local, ConstId)> {
        self.open.iter().flat_map(|it| &it.stmts).find_map(|it| match it.kind {
            StmtKind::Dot { source: Operand::Local(source), key: Operand::Const(key), target } => {
                (target == local).then_some((source, key))
            }
            _ => None,
        })
    }

    /// The statements of the innermost open block.
    fn top(&mut self) -> &mut Vec<Stmt> {
        &mut self.open.last_mut().expect("statements are added inside of `block` only").stmts
    }

    fn push(&mut self, opener: Opener) {
        let (location, rule) = (self.location, self.rule);
        self.open.push(Open { stmts: Vec::new(), opener, location, rule });
    }

    /// Opens the body of a scan and returns the registers of key and value.
    pub(super) fn open_scan(&mut self, source: Operand) -> (Local, Local) {
        let source = self.local(source);
        let (key, value) = (self.fresh(), self.fresh());
        self.push(Opener::Scan { source, key, value });
        (key, value)
    }

    /// Opens the body of a replacement.
    pub(super) fn open_with(&mut self, document: Local, path: Vec<ConstId>, value: Operand) {
        self.push(Opener::With { document, path, value });
    }

    /// Closes what was opened since.
    pub(super) fn close_to(&mut self, level: Level) {
        while self.open.len() > level.0 {
            let Some(Open { stmts, opener, location, rule }) = self.open.pop() else { return };
            let block = Block { stmts };
            let kind = match opener {
                Opener::Plain => StmtKind::Block { blocks: vec![block] },
                Opener::Scan { source, key, value } => StmtKind::Scan { source, key, value, block },
                Opener::With { document, path, value } => StmtKind::With { document, path, value, block },
            };
            self.top().push(Stmt { kind, location, rule });
        }
    }

    /// Runs `fill` on a block of its own and returns the block.
    pub(super) fn block(&mut self, fill: impl FnOnce(&mut Self)) -> Block {
        self.push(Opener::Plain);
        let inside = self.level();
        fill(self);
        self.close_to(inside);
        Block { stmts: self.open.pop().map(|it| it.stmts).unwrap_or_default() }
    }

    /// Adds statements whose success is that of the current block, whatever number of solutions they have.
    ///
    /// If `fill` opens a scan, its first solution ends the search. Two blocks are needed then: the inner one ends
    /// when nothing is found, or when something outside of the scan is undefined; the outer one ends on success.
    pub(super) fn once(&mut self, fill: impl FnOnce(&mut Self)) {
        let around = self.level();
        self.push(Opener::Plain);
        let outer = self.level();
        self.push(Opener::Plain);
        let inner = self.level();
        fill(self);
        if !self.scans_since(inner) {
            // Jumps inside lead at most to the end of this block, which is the same as that of the block around.
            self.close_to(inner);
            let stmts = self.open.pop().map(|it| it.stmts).unwrap_or_default();
            self.open.pop();
            self.top().extend(stmts);
            return;
        }
        self.jump_out_of(outer);
        self.close_to(outer);
        self.emit(StmtKind::Break { depth: 1 });
        self.close_to(around);
    }

    /// Adds statements of which all solutions are looked for, as any may end the evaluation; their success is that there
    /// is one.
    pub(super) fn through(&mut self, yes: ConstId, fill: impl FnOnce(&mut Self)) {
        let around = self.level();
        self.push(Opener::Plain);
        let inner = self.level();
        fill(self);
        if !self.scans_since(inner) {
            self.close_to(inner);
            let stmts = self.open.pop().map(|it| it.stmts).unwrap_or_default();
            self.top().extend(stmts);
            return;
        }
        let found = self.fresh();
        self.emit_at(around, StmtKind::Reset { target: found });
        self.emit(StmtKind::Assign { source: Operand::Const(yes), target: found });
        self.close_to(around);
        self.emit(StmtKind::IsDefined { source: found });
    }

    /// Ends the block that was open as the innermost one at a level.
    pub(super) fn jump_out_of(&mut self, level: Level) {
        let depth = number_of(self.open.len() - level.0);
        self.emit(StmtKind::Break { depth });
    }

    /// Makes what follows undefined.
    pub(super) fn fail(&mut self) {
        self.emit(StmtKind::Break { depth: 0 });
    }

    /// Returns a register that holds the operand.
    pub(super) fn local(&mut self, operand: Operand) -> Local {
        match operand {
            Operand::Local(local) => local,
            Operand::Const(_) => self.copy(operand),
        }
    }

    /// Copies into a new register.
    pub(super) fn copy(&mut self, source: Operand) -> Local {
        let target = self.fresh();
        self.emit(StmtKind::Assign { source, target });
        target
    }

    /// Returns what a variable is bound to.
    pub(super) fn var(&self, var: hir::VarId) -> Option<Operand> {
        self.vars.get(var.0 as usize).copied().flatten()
    }

    /// Binds a variable that is not bound. The documents are copied, since `with` may change them meanwhile.
    pub(super) fn bind(&mut self, var: hir::VarId, operand: Operand) {
        let operand = self.settled(operand);
        let index = var.0 as usize;
        if index >= self.vars.len() {
            self.vars.resize(index + 1, None);
        }
        self.vars[index] = Some(operand);
        self.trail.push(var);
    }

    /// Returns an operand that keeps its value when documents are replaced.
    pub(super) fn settled(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Local(source @ (Local::INPUT | Local::DATA)) => {
                self.emit(StmtKind::IsDefined { source });
                Operand::Local(self.copy(operand))
            }
            Operand::Local(_) | Operand::Const(_) => operand,
        }
    }

    /// Returns the current end of the list of bound variables.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Returns the variables that were bound since.
    pub(super) fn bound_since(&self, mark: Mark) -> Vec<hir::VarId> {
        self.trail.get(mark.0..).unwrap_or_default().to_vec()
    }

    /// Unbinds the variables that were bound since.
    pub(super) fn unbind_to(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            if let Some(var) = self.trail.pop() {
                self.vars[var.0 as usize] = None;
            }
        }
    }

    /// Adds the values of variables, and one more, as a solution to an array that [`Self::replay`] reads.
    pub(super) fn record(&mut self, array: Local, vars: &[hir::VarId], value: Option<Operand>) {
        let operands: Vec<Operand> = vars.iter().filter_map(|it| self.var(*it)).chain(value).collect();
        let item = match operands.as_slice() {
            [] => Operand::Const(self.state.constants.bool(true)),
            [one] => *one,
            many => {
                let tuple = self.fresh();
                let capacity = number_of(many.len());
                self.emit(StmtKind::MakeArray { capacity, target: tuple });
                for operand in many {
                    self.emit(StmtKind::ArrayAppend { array: tuple, value: *operand });
                }
                Operand::Local(tuple)
            }
        };
        self.emit(StmtKind::ArrayAppend { array, value: item });
    }

    /// Opens a scan over recorded solutions: binds the variables and returns the value that was recorded with them.
    pub(super) fn replay(&mut self, array: Local, vars: &[hir::VarId], with_value: bool) -> Option<Operand> {
        let (_, item) = self.open_scan(Operand::Local(array));
        let count = vars.len() + usize::from(with_value);
        let mut parts = Vec::with_capacity(count);
        if count == 1 {
            parts.push(Operand::Local(item));
        } else {
            for index in 0..count {
                let key = Operand::Const(self.state.constants.count(index));
                parts.push(Operand::Local(self.dot(Operand::Local(item), key)));
            }
        }
        for (var, part) in vars.iter().zip(&parts) {
            self.bind(*var, *part);
        }
        with_value.then(|| parts.last().copied()).flatten()
    }

    /// Says whether an operand holds a part of base data.
    pub(super) fn is_base(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Local(it) if it == Local::DATA || self.base.contains(&it))
    }

    /// Looks a key up.
    pub(super) fn dot(&mut self, source: Operand, key: Operand) -> Local {
        let target = self.fresh();
        self.emit(StmtKind::Dot { source, key, target });
        if self.is_base(source) {
            self.base.insert(target);
        }
        target
    }
}
