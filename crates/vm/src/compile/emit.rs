//! One function's blocks to instructions.
//!
//! Structured blocks become jumps here, and `with`s that a jump leaves are undone on the way. Which register a local
//! gets is decided before.

use lictor_plan::{Block, Callee, ConstId, FuncId, Function, Local, Location, Operand, Stmt, StmtKind};
use lictor_value::Kind;

use crate::compile::CompileError;
use crate::compile::registers::Registers;
use crate::op::{Arg, ArgList, Op, Reg, Target};
use crate::program::{Code, Program, Seek, SwitchTable};

/// Writes the instructions of one function.
pub(super) struct Emitter<'p> {
    program: &'p mut Program,
    function: &'p Function,
    registers: Registers,
    /// Positions of labels, once placed.
    labels: Vec<u32>,
    /// Enclosing blocks, innermost last.
    scopes: Vec<Scope>,
    /// `with`s that are open at this place.
    withs: u32,
    iterators: u32,
    location: Location,
    start: u32,
    first_switch: usize,
    first_seek: usize,
}

/// A block that is being emitted.
#[derive(Clone, Copy)]
struct Scope {
    exit: Target,
    /// `with`s open outside it.
    withs: u32,
}

impl<'p> Emitter<'p> {
    pub(super) fn new(program: &'p mut Program, function: &'p Function) -> Self {
        let start = number(program.ops.len());
        let (first_switch, first_seek) = (program.switches.len(), program.seeks.len());
        Self {
            program,
            function,
            registers: Registers::of(function),
            labels: Vec::new(),
            scopes: Vec::new(),
            withs: 0,
            iterators: 0,
            location: Location::default(),
            start,
            first_switch,
            first_seek,
        }
    }

    pub(super) fn emit(mut self) -> Result<Code, CompileError> {
        let function = self.function;
        for (index, block) in function.blocks.iter().enumerate() {
            for register in self.registers.resets.get(index).cloned().unwrap_or_default() {
                self.op(Op::Reset { target: Reg(register) });
            }
            self.block(block);
        }
        // A function whose blocks end without a return gives its result register.
        let result = self.reg(function.result);
        self.op(Op::Freeze { register: result });
        self.op(Op::Return { source: result });
        if self.program.ops.len() >= u32::MAX as usize {
            return Err(CompileError::new("the plan has too many statements"));
        }
        self.resolve();
        Ok(Code {
            start: self.start,
            registers: self.registers.total,
            cleared: self.registers.cleared,
            iterators: self.iterators,
            params: function.params.iter().map(|it| self.registers.of_local(*it)).collect(),
            stable: false,
            bytes: 0,
            name: function.name.clone(),
        })
    }

    fn resolve(&mut self) {
        let labels = &self.labels;
        let position = |it: Target| Target(labels.get(it.0 as usize).copied().unwrap_or(0));
        let ops = self.program.ops.get_mut(self.start as usize..).unwrap_or_default();
        ops.iter_mut().for_each(|it| it.retarget(position));
        for table in self.program.switches.iter_mut().skip(self.first_switch) {
            table.otherwise = position(table.otherwise);
            table.cases.iter_mut().for_each(|it| it.1 = position(it.1));
        }
        for seek in self.program.seeks.iter_mut().skip(self.first_seek) {
            (seek.body, seek.end) = (position(seek.body), position(seek.end));
        }
    }

    fn op(&mut self, op: Op) {
        self.program.ops.push(op);
        self.program.locations.push(self.location);
    }

    fn label(&mut self) -> Target {
        self.labels.push(0);
        Target(number(self.labels.len() - 1))
    }

    fn place(&mut self, label: Target) {
        let here = number(self.program.ops.len());
        if let Some(it) = self.labels.get_mut(label.0 as usize) {
            *it = here;
        }
    }

    fn reg(&self, local: Local) -> Reg {
        Reg(self.registers.of_local(local))
    }

    /// Where an undefined statement of the current block leads.
    fn fail(&self) -> Target {
        self.scopes.last().map_or(Target(0), |it| it.exit)
    }

    /// Returns an operand whose container, if it is one, stays open.
    fn open_arg(&self, operand: Operand) -> Arg {
        match operand {
            Operand::Local(local) => Arg::register(self.registers.of_local(local)),
            Operand::Const(ConstId(id)) => Arg::constant(id),
        }
    }

    /// Returns an operand that is an ordinary value.
    fn arg(&mut self, operand: Operand) -> Arg {
        if let Operand::Local(local) = operand {
            self.freeze(local);
        }
        self.open_arg(operand)
    }

    fn freeze(&mut self, local: Local) {
        if self.registers.may_build(local) {
            let register = self.reg(local);
            self.op(Op::Freeze { register });
        }
    }

    fn args(&mut self, operands: &[Operand]) -> ArgList {
        let args: Vec<Arg> = operands.iter().map(|it| self.arg(*it)).collect();
        self.arg_list(args)
    }

    fn arg_list(&mut self, args: Vec<Arg>) -> ArgList {
        let list = ArgList { start: number(self.program.args.len()), len: number(args.len()) };
        self.program.args.extend(args);
        list
    }

    fn block(&mut self, block: &Block) {
        let exit = self.label();
        self.block_to(block, exit);
        self.place(exit);
    }

    /// Emits a block whose undefined statements lead to `exit`, which the caller places.
    fn block_to(&mut self, block: &Block, exit: Target) {
        self.stmts_to(&block.stmts, exit);
    }

    fn stmts_to(&mut self, stmts: &[Stmt], exit: Target) {
        self.scopes.push(Scope { exit, withs: self.withs });
        let mut rest = stmts;
        while let Some((stmt, others)) = rest.split_first() {
            self.location = stmt.location;
            rest = others;
            match self.look(stmt, others.first()) {
                Some(op) => {
                    self.op(op);
                    rest = others.get(1..).unwrap_or_default();
                }
                None => self.stmt(stmt),
            }
        }
        self.scopes.pop();
    }

    /// Returns one instruction for a reset and a look-up that may leave its register undefined.
    fn look(&mut self, stmt: &Stmt, next: Option<&Stmt>) -> Option<Op> {
        let (StmtKind::Reset { target }, StmtKind::Block { blocks }) = (&stmt.kind, &next?.kind) else {
            return None;
        };
        let [Block { stmts }] = blocks.as_slice() else { return None };
        let [Stmt { kind: StmtKind::Dot { source: Operand::Local(source), key, target: found }, .. }] =
            stmts.as_slice()
        else {
            return None;
        };
        let is_plain = !self.registers.is_base(*source) && !self.registers.may_build(*source);
        let is_apart = found == target && source != target && *key != Operand::Local(*target);
        if !is_plain || !is_apart {
            return None;
        }
        let (source, key) = (self.reg(*source), self.arg(*key));
        Some(Op::Look { source, key, target: self.reg(*target) })
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block { blocks } => blocks.iter().for_each(|it| self.block(it)),
            StmtKind::Break { depth } => self.leave(*depth),
            StmtKind::Not { block } => self.negation(block),
            StmtKind::Scan { source, key, value, block } => self.scan(*source, (*key, *value), block),
            StmtKind::With { document, path, value, block } => {
                self.with(*document == Local::DATA, path, (*value, block));
            }
            StmtKind::Switch { subject, cases, otherwise } => self.switch(*subject, cases, otherwise),
            StmtKind::Nop => {}
            simple => self.simple(simple),
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm per statement")]
    fn simple(&mut self, kind: &StmtKind) {
        let fail = self.fail();
        let op = match kind {
            StmtKind::ArrayAppend { array, value } => {
                Op::Append { value: self.arg(*value), array: self.reg(*array), fail }
            }
            StmtKind::Assign { source, target } => {
                Op::Move { source: self.open_arg(*source), target: self.reg(*target) }
            }
            StmtKind::AssignOnce { source, target } => {
                self.freeze(*target);
                Op::AssignOnce { source: self.arg(*source), target: self.reg(*target), fail }
            }
            StmtKind::Call { callee, args, result } => self.call(*callee, args, *result),
            StmtKind::CallDynamic { path, args, result } => {
                let path = self.args(path);
                let args: Vec<Operand> = args.iter().map(|it| Operand::Local(*it)).collect();
                Op::CallDynamic { path, args: self.args(&args), target: self.reg(*result), fail }
            }
            StmtKind::Dot { source, key, target } => self.dot(*source, *key, *target),
            StmtKind::Equal { a, b } => Op::Equal { a: self.arg(*a), b: self.arg(*b), fail },
            StmtKind::NotEqual { a, b } => Op::NotEqual { a: self.arg(*a), b: self.arg(*b), fail },
            StmtKind::IsArray { source } => Op::IsKind { source: self.arg(*source), kind: Kind::Array, fail },
            StmtKind::IsObject { source } => {
                Op::IsKind { source: self.arg(*source), kind: Kind::Object, fail }
            }
            StmtKind::IsSet { source } => Op::IsKind { source: self.arg(*source), kind: Kind::Set, fail },
            StmtKind::IsDefined { source } => Op::IsDefined { source: self.reg(*source), fail },
            StmtKind::IsUndefined { source } => Op::IsUndefined { source: self.reg(*source), fail },
            StmtKind::IsTrue { source } => Op::IsTrue { source: self.arg(*source), fail },
            StmtKind::Compare { op, a, b } => Op::Compare { op: *op, a: self.arg(*a), b: self.arg(*b), fail },
            StmtKind::Member { value, collection } => {
                Op::Member { value: self.arg(*value), collection: self.arg(*collection), fail }
            }
            StmtKind::Same { a, b } => Op::Same { a: self.arg(*a), b: self.arg(*b), fail },
            StmtKind::Entry { source, wanted, key, value } => {
                let entry = (self.reg(*key), self.reg(*value));
                Op::Entry { source: self.reg(*source), wanted: self.arg(*wanted), entry, fail }
            }
            StmtKind::EqualParts { source, parts } => {
                let source = self.arg(*source);
                let mut list = Vec::with_capacity(parts.len() * 2);
                for (key, value) in parts {
                    list.push(Arg::constant(key.0));
                    list.push(self.arg(*value));
                }
                Op::EqualParts { source, parts: self.arg_list(list), fail }
            }
            StmtKind::Len { source, target } => {
                Op::Len { source: self.arg(*source), target: self.reg(*target), fail }
            }
            StmtKind::MakeArray { target, .. } => Op::MakeArray { target: self.reg(*target) },
            StmtKind::MakeObject { target } => Op::MakeObject { target: self.reg(*target) },
            StmtKind::MakeSet { target } => Op::MakeSet { target: self.reg(*target) },
            StmtKind::MakeBag { target } => Op::MakeBag { target: self.reg(*target) },
            StmtKind::ObjectInsert { object, key, value } => {
                let (key, value) = (self.arg(*key), self.open_arg(*value));
                Op::Insert { object: self.reg(*object), key, value, fail }
            }
            StmtKind::ObjectInsertOnce { object, key, value } => {
                let (key, value) = (self.arg(*key), self.arg(*value));
                Op::InsertOnce { object: self.reg(*object), key, value, fail }
            }
            StmtKind::ObjectMerge { a, b, target } => {
                self.freeze(*a);
                self.freeze(*b);
                Op::Merge { a: self.reg(*a), b: self.reg(*b), target: self.reg(*target), fail }
            }
            StmtKind::Reset { target } => Op::Reset { target: self.reg(*target) },
            StmtKind::ResultSetAdd { value } => {
                self.freeze(*value);
                Op::ResultAdd { value: self.reg(*value), fail }
            }
            StmtKind::Return { source } => {
                self.freeze(*source);
                Op::Return { source: self.reg(*source) }
            }
            StmtKind::SetAdd { set, value } => Op::Add { value: self.arg(*value), set: self.reg(*set), fail },
            StmtKind::Block { .. }
            | StmtKind::Break { .. }
            | StmtKind::Not { .. }
            | StmtKind::Scan { .. }
            | StmtKind::With { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Nop => return,
        };
        self.op(op);
    }

    fn dot(&mut self, source: Operand, key: Operand, target: Local) -> Op {
        let fail = self.fail();
        let key = self.arg(key);
        let target = self.reg(target);
        match source {
            Operand::Local(local) if self.registers.may_build(local) => {
                Op::DotBuilding { source: self.reg(local), key, target, fail }
            }
            Operand::Local(local) if self.registers.is_base(local) => {
                Op::DotBase { source: self.open_arg(source), key, target, fail }
            }
            _ => Op::Dot { source: self.open_arg(source), key, target, fail },
        }
    }

    fn call(&mut self, callee: Callee, args: &[Operand], result: Local) -> Op {
        let fail = self.fail();
        let args = self.args(args);
        let target = self.reg(result);
        match callee {
            Callee::Builtin(builtin) => Op::CallBuiltin { builtin: builtin.0, args, target, fail },
            Callee::Function(FuncId(function)) if args.len == 0 => Op::CallRule { function, target, fail },
            Callee::Function(FuncId(function)) => Op::CallFunction { function, args, target, fail },
        }
    }

    fn leave(&mut self, depth: u32) {
        let index = self.scopes.len().checked_sub(1 + depth as usize);
        let Some(scope) = index.and_then(|it| self.scopes.get(it)).copied() else { return };
        for _ in scope.withs..self.withs {
            self.op(Op::WithPop);
        }
        self.op(Op::Jump(scope.exit));
    }

    fn negation(&mut self, block: &Block) {
        let after = self.label();
        self.block_to(block, after);
        let fail = self.fail();
        self.op(Op::Jump(fail));
        self.place(after);
    }

    fn scan(&mut self, source: Local, entry: (Local, Local), block: &Block) {
        let (next, end) = (self.label(), self.label());
        let iterator = self.iterators;
        self.iterators += 1;
        let source = self.arg(Operand::Local(source));
        self.op(Op::ScanBegin { source, iterator, end });
        self.place(next);
        let (key, value) = (self.reg(entry.0), self.reg(entry.1));
        match self.tested_field(entry, block) {
            Some((field, found, wanted)) => {
                let body = self.label();
                let (field, found, wanted) = (self.open_arg(field), self.reg(found), self.open_arg(wanted));
                let seek = number(self.program.seeks.len());
                self.program.seeks.push(Seek { iterator, key, value, field, found, wanted, body, end });
                self.op(Op::Seek { seek });
                self.op(Op::ScanNext { iterator, key, value, end });
                let (test, rest) = block.stmts.split_at(2);
                self.stmts_to(test, next);
                self.place(body);
                self.stmts_to(rest, next);
            }
            None => {
                self.op(Op::ScanNext { iterator, key, value, end });
                self.block_to(block, next);
            }
        }
        self.op(Op::Jump(next));
        self.place(end);
    }

    /// Returns key, register and wanted value of the field that the body of a scan tests first: `found = dot value key`,
    /// then `equal found wanted`, with nothing in it that changes from entry to entry but the field.
    fn tested_field(&self, entry: (Local, Local), block: &Block) -> Option<(Operand, Local, Operand)> {
        let [
            Stmt { kind: StmtKind::Dot { source: Operand::Local(source), key, target }, .. },
            Stmt { kind: StmtKind::Equal { a, b }, .. },
            ..,
        ] = block.stmts.as_slice()
        else {
            return None;
        };
        let found = Operand::Local(*target);
        let wanted = if *a == found { *b } else { *a };
        let is_steady = |operand: Operand| match operand {
            Operand::Const(_) => true,
            Operand::Local(it) => ![entry.0, entry.1, *target].contains(&it) && !self.registers.may_build(it),
        };
        let is_plain = |it: Local| !self.registers.may_build(it) && !self.registers.is_base(it);
        let fits = *source == entry.1
            && (*a == found || *b == found)
            && ![entry.0, entry.1].contains(target)
            && is_steady(*key)
            && is_steady(wanted)
            && is_plain(*source)
            && !self.registers.may_build(*target);
        fits.then_some((*key, *target, wanted))
    }

    fn with(&mut self, data: bool, path: &[ConstId], content: (Operand, &Block)) {
        let (value, block) = content;
        let fail = self.fail();
        let value = self.arg(value);
        let path = self.arg_list(path.iter().map(|it| Arg::constant(it.0)).collect());
        self.op(Op::WithPush { data, path, value });
        let (undone, after) = (self.label(), self.label());
        // The scope counts as inside the `with`: its exit is where the `with` is undone.
        self.withs += 1;
        self.block_to(block, undone);
        self.op(Op::WithPop);
        self.op(Op::Jump(after));
        self.place(undone);
        self.op(Op::WithPop);
        self.op(Op::Jump(fail));
        self.withs -= 1;
        self.place(after);
    }

    fn switch(&mut self, subject: Operand, cases: &[(ConstId, Vec<Block>)], otherwise: &[Block]) {
        let subject = self.arg(subject);
        let after = self.label();
        let other = self.label();
        let table = number(self.program.switches.len());
        self.program.switches.push(SwitchTable {
            subject,
            cases: hashbrown::HashTable::with_capacity(cases.len()),
            otherwise: other,
        });
        self.op(Op::Switch { table });
        for (constant, blocks) in cases {
            let label = self.label();
            self.place(label);
            blocks.iter().for_each(|it| self.block(it));
            self.op(Op::Jump(after));
            self.add_case(table, constant.0, label);
        }
        self.place(other);
        otherwise.iter().for_each(|it| self.block(it));
        self.place(after);
    }

    fn add_case(&mut self, table: u32, constant: u32, label: Target) {
        let Program { switches, constants, .. } = &mut *self.program;
        let Some(table) = switches.get_mut(table as usize) else { return };
        let hash = constants.get(constant).hash();
        table.cases.insert_unique(hash, (constant, label), |it| constants.get(it.0).hash());
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
