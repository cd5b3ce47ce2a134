//! The loop that runs instructions.
//!
//! Calls are frames, not recursion, so a policy cannot exhaust the native stack. Everything that can be undefined
//! carries where it leads; nothing here allocates from the system once the memory is warm.

mod calls;
mod containers;

use lictor_plan::Comparison;
use lictor_runtime::Context;
use lictor_value::{Kind, Value, compare};

use crate::derived::Derived;
use crate::error::{ErrorCode, EvalError, Position};
use crate::events::{Event, EventKind, Hook};
use crate::limits::Limits;
use crate::memory::{Iter, Memory, Saved};
use crate::op::{Arg, ArgList, Op, Reg, Target};
use crate::program::Program;

/// How often the host is asked whether to go on, in steps; a power of two.
const ASK_HOST_STEPS: u64 = 4096;

/// One evaluation under way.
pub(crate) struct Machine<'e, 'm, H> {
    pub(crate) program: &'e Program,
    pub(crate) context: Context<'e>,
    pub(crate) derived: Option<&'e Derived>,
    pub(crate) memory: &'m mut Memory<'e>,
    pub(crate) input: Option<Value<'e>>,
    pub(crate) data: Option<Value<'e>>,
    pub(crate) limits: Limits,
    pub(crate) strict: bool,
    /// Which documents are seen: 0 are those of the request, others were made by `with`.
    pub(crate) seen: u32,
    pub(crate) contexts: u32,
    pub(crate) steps: u64,
    pub(crate) base: usize,
    pub(crate) iterator_base: usize,
    pub(crate) pc: u32,
    pub(crate) hook: H,
}

/// What a function gave.
pub(crate) type Outcome<'e> = Result<Option<Value<'e>>, EvalError>;

impl<'e, H: Hook> Machine<'e, '_, H> {
    /// Runs a function without arguments and returns its value.
    pub(crate) fn run(&mut self, function: u32) -> Outcome<'e> {
        if let Some(known) = self.known(function) {
            return Ok(known);
        }
        let depth = self.memory.frames.len();
        self.enter(function, Target(0), Target(0), Reg(0), &[])?;
        let result = self.steps_until(depth);
        result.map_err(|it| it.at(self.position()))
    }

    /// Where the last instruction comes from.
    fn position(&self) -> Option<Position> {
        let location = self.program.locations.get((self.pc as usize).checked_sub(1)?)?;
        if location.row == 0 {
            return None;
        }
        let file = self.program.files.get(location.file as usize).map_or("", |it| it);
        Some(Position { file: file.to_owned(), row: location.row, col: location.col })
    }

    #[inline]
    fn register(&self, register: Reg) -> Option<Value<'e>> {
        self.memory.registers.get(self.base + register.0 as usize).copied().flatten()
    }

    #[inline]
    fn set(&mut self, register: Reg, value: Option<Value<'e>>) {
        if let Some(place) = self.memory.registers.get_mut(self.base + register.0 as usize) {
            *place = value;
        }
    }

    #[inline]
    fn get(&self, arg: Arg) -> Option<Value<'e>> {
        if arg.is_constant() {
            return Some(self.program.constants.get(arg.number()));
        }
        self.register(Reg(arg.number()))
    }

    #[inline]
    fn jump(&mut self, target: Target) {
        self.pc = target.0;
    }

    /// Goes on unless the test fails.
    #[inline]
    fn require(&mut self, holds: bool, fail: Target) {
        if !holds {
            self.pc = fail.0;
        }
    }

    #[inline]
    fn store(&mut self, target: Reg, value: Option<Value<'e>>, fail: Target) {
        if value.is_none() {
            return self.jump(fail);
        }
        self.set(target, value);
    }

    #[inline]
    fn test2(&mut self, a: Arg, b: Arg, fail: Target, test: impl FnOnce(Value<'e>, Value<'e>) -> bool) {
        let holds = match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => test(a, b),
            _ => false,
        };
        self.require(holds, fail);
    }

    /// Counts a step and, now and then, asks whether to go on.
    #[inline]
    fn step(&mut self) -> Result<(), EvalError> {
        self.steps += 1;
        if self.steps & (ASK_HOST_STEPS - 1) == 0 {
            return self.check();
        }
        Ok(())
    }

    #[cold]
    fn check(&self) -> Result<(), EvalError> {
        if self.steps > self.limits.steps_max {
            let text = format!("evaluation took more than {} steps", self.limits.steps_max);
            return Err(EvalError::new(ErrorCode::Cancel, text));
        }
        if self.context.arena.exhausted() {
            let text = format!("evaluation took more than {} bytes", self.limits.bytes_max);
            return Err(EvalError::new(ErrorCode::Cancel, text));
        }
        if self.context.host.cancelled() {
            return Err(EvalError::new(ErrorCode::Cancel, "caller cancelled query execution"));
        }
        Ok(())
    }

    /// Runs until the frames are back at a depth; returns what the function above it gave.
    #[expect(clippy::too_many_lines, reason = "one arm per instruction")]
    fn steps_until(&mut self, depth: usize) -> Outcome<'e> {
        let program = self.program;
        loop {
            let Some(op) = program.ops.get(self.pc as usize) else {
                return Err(EvalError::new(ErrorCode::Internal, "the program ends without a return"));
            };
            self.pc += 1;
            let here = self.pc;
            match *op {
                Op::Move { source, target } => {
                    let value = self.get(source);
                    self.set(target, value);
                }
                Op::AssignOnce { source, target, fail } => self.assign_once(source, target, fail)?,
                Op::Jump(target) => self.jump(target),
                Op::Dot { source, key, target, fail } => {
                    let value = match (self.get(source), self.get(key)) {
                        (Some(source), Some(key)) => source.dot(key),
                        _ => None,
                    };
                    self.store(target, value, fail);
                }
                Op::DotBase { source, key, target, fail } => {
                    let value = match (self.get(source), self.get(key)) {
                        (Some(source), Some(key)) => source.dot(key).or_else(|| dot_as_path(source, key)),
                        _ => None,
                    };
                    self.store(target, value, fail);
                }
                Op::DotBuilding { source, key, target, fail } => {
                    let value = match (self.register(source), self.get(key)) {
                        (Some(source), Some(key)) => self.memory.builders.dot(source, key),
                        _ => None,
                    };
                    self.store(target, value, fail);
                }
                Op::Equal { a, b, fail } => self.test2(a, b, fail, |a, b| a == b),
                Op::NotEqual { a, b, fail } => self.test2(a, b, fail, |a, b| a != b),
                Op::Compare { op, a, b, fail } => self.test2(a, b, fail, |a, b| compares(op, a, b)),
                Op::Member { value, collection, fail } => self.test2(value, collection, fail, is_member),
                Op::EqualParts { source, parts, fail } => {
                    let holds = self.equal_parts(source, parts);
                    self.require(holds, fail);
                }
                Op::IsKind { source, kind, fail } => {
                    let holds = self.get(source).is_some_and(|it| it.kind() == kind);
                    self.require(holds, fail);
                }
                Op::IsDefined { source, fail } => {
                    let holds = self.register(source).is_some();
                    self.require(holds, fail);
                }
                Op::IsUndefined { source, fail } => {
                    let holds = self.register(source).is_none();
                    self.require(holds, fail);
                }
                Op::IsTrue { source, fail } => {
                    let holds = self.get(source).is_some_and(|it| !it.is_false());
                    self.require(holds, fail);
                }
                Op::Len { source, target, fail } => {
                    let len = self.get(source).and_then(Value::collection_len);
                    let len = len.and_then(|it| Value::small_int(i64::try_from(it).ok()?));
                    self.store(target, len, fail);
                }
                Op::MakeArray { target } => {
                    let handle = self.memory.builders.array();
                    self.set(target, Some(handle));
                }
                Op::MakeObject { target } => {
                    let handle = self.memory.builders.object();
                    self.set(target, Some(handle));
                }
                Op::MakeSet { target } => {
                    let handle = self.memory.builders.set();
                    self.set(target, Some(handle));
                }
                Op::Append { array, value, fail } => self.append(array, value, fail)?,
                Op::Insert { object, key, value, fail } => self.insert(object, key, value, fail)?,
                Op::InsertOnce { object, key, value, fail } => {
                    self.insert_once(object, (key, value), fail)?
                }
                Op::Add { set, value, fail } => self.add(set, value, fail)?,
                Op::Merge { a, b, target, fail } => self.merge(a, b, target, fail),
                Op::Freeze { register } => self.freeze(register),
                Op::Reset { target } => self.set(target, None),
                Op::ResultAdd { value, fail } => match self.register(value) {
                    Some(value) => self.memory.results.push(value),
                    None => self.jump(fail),
                },
                Op::Return { source } => {
                    let value = self.register(source);
                    if self.leave(value, depth)? {
                        return Ok(value);
                    }
                }
                Op::CallRule { function, target, fail } => match self.known(function) {
                    Some(value) => self.store(target, value, fail),
                    None => self.enter(function, Target(self.pc), fail, target, &[])?,
                },
                Op::CallFunction { function, args, target, fail } => {
                    self.call_function(function, args, target, fail)?;
                }
                Op::CallBuiltin { builtin, args, target, fail } => {
                    self.call_builtin(builtin, args, target, fail)?;
                }
                Op::CallDynamic { path, args, target, fail } => {
                    self.call_dynamic(path, args, target, fail)?
                }
                Op::ScanBegin { source, iterator, end } => self.scan_begin(source, iterator, end),
                Op::ScanNext { iterator, key, value, end } => {
                    self.step()?;
                    self.scan_next(iterator, (key, value), end);
                }
                Op::WithPush { data, path, value } => self.with_push(data, path, value)?,
                Op::WithPop => self.with_pop(),
                Op::Switch { table } => self.switch(table),
            }
            if H::ON {
                self.observe(here, op);
            }
        }
    }

    /// Tells the hook what came of an instruction, the one before `here`.
    fn observe(&mut self, here: u32, op: &Op) {
        let kind = match op {
            Op::ScanNext { .. } if self.pc == here => EventKind::Redo,
            _ if self.pc != here && op.fail().is_some_and(|it| it.0 == self.pc) => EventKind::Fail,
            _ => return,
        };
        let next = std::mem::replace(&mut self.pc, here);
        self.tell(kind, None);
        self.pc = next;
    }

    /// Tells the hook of something that happens at the last instruction.
    fn tell(&mut self, kind: EventKind, text: Option<String>) {
        let program = self.program;
        let frame = self.memory.frames.last();
        let function = frame.and_then(|it| program.functions.get(it.function as usize));
        let rule = function.map_or("", |it| it.name.split_once('.').map_or(&*it.name, |it| it.1));
        let depth = self.memory.frames.len();
        self.hook.event(&Event { kind, rule, position: self.position(), depth, text });
    }

    #[inline]
    fn assign_once(&mut self, source: Arg, target: Reg, fail: Target) -> Result<(), EvalError> {
        let Some(value) = self.get(source) else {
            self.jump(fail);
            return Ok(());
        };
        match self.register(target) {
            None => self.set(target, Some(value)),
            Some(known) if known == value => {}
            Some(_) => return Err(self.rule_conflict()),
        }
        Ok(())
    }

    #[cold]
    fn rule_conflict(&self) -> EvalError {
        let frame = self.memory.frames.last();
        let Some(function) = frame.and_then(|it| self.program.functions.get(it.function as usize)) else {
            return EvalError::new(ErrorCode::Internal, "conflict outside a function");
        };
        // `g0.data.a.p`: the generation stands before the path.
        let path = function.name.split_once('.').map_or(&*function.name, |it| it.1);
        let text = if function.params.is_empty() {
            format!("rule {path} produced conflicting values")
        } else {
            format!("function {path} produced conflicting values for the same inputs")
        };
        EvalError::new(ErrorCode::Conflict, text)
    }

    #[inline]
    fn scan_begin(&mut self, source: Arg, iterator: u32, end: Target) {
        let Some(value) = self.get(source) else { return self.jump(end) };
        if let Some(place) = self.memory.iterators.get_mut(self.iterator_base + iterator as usize) {
            *place = Iter::of(value);
        }
    }

    #[inline]
    fn scan_next(&mut self, iterator: u32, entry: (Reg, Reg), end: Target) {
        let next = self.memory.iterators.get_mut(self.iterator_base + iterator as usize).and_then(Iter::next);
        match next {
            Some((key, value)) => {
                self.set(entry.0, Some(key));
                self.set(entry.1, Some(value));
            }
            None => self.jump(end),
        }
    }

    fn switch(&mut self, table: u32) {
        let Some(table) = self.program.switches.get(table as usize) else { return };
        let target = match self.get(table.subject) {
            Some(value) => table.find(&self.program.constants, value),
            None => table.otherwise,
        };
        self.jump(target);
    }

    fn equal_parts(&self, source: Arg, parts: ArgList) -> bool {
        let Some(source) = self.get(source) else { return false };
        let list = self.arg_slice(parts);
        if source.collection_len() != Some(list.len() / 2) {
            return false;
        }
        list.chunks_exact(2).all(|it| {
            let [key, value] = it else { return false };
            match (self.get(*key), self.get(*value)) {
                (Some(key), Some(value)) => source.dot(key).is_some_and(|it| it == value),
                _ => false,
            }
        })
    }

    #[inline]
    fn arg_slice(&self, list: ArgList) -> &'e [Arg] {
        let start = list.start as usize;
        self.program.args.get(start..start + list.len as usize).unwrap_or_default()
    }

    fn with_push(&mut self, data: bool, path: ArgList, value: Arg) -> Result<(), EvalError> {
        self.step()?;
        let document = if data { self.data } else { self.input };
        let changed = self.get(value).map(|it| self.replaced(document, self.arg_slice(path), it));
        self.memory.withs.push(Saved { input: self.input, data: self.data, context: self.seen });
        if data {
            self.data = changed;
        } else {
            self.input = changed;
        }
        self.seen = self.context_of_documents();
        self.show_documents();
        Ok(())
    }

    /// Returns the number of the context in which these documents were seen, or a new one. A `with` that undoes
    /// another finds what was computed before again.
    fn context_of_documents(&mut self) -> u32 {
        let same = |a: Option<Value<'e>>, b: Option<Value<'e>>| match (a, b) {
            (Some(a), Some(b)) => a.is_same(b),
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        };
        let known =
            self.memory.withs.iter().find(|it| same(it.input, self.input) && same(it.data, self.data));
        if let Some(known) = known {
            return known.context;
        }
        self.contexts += 1;
        self.contexts
    }

    /// Returns the document with a value at a path, in the time that the path takes.
    fn replaced(&self, document: Option<Value<'e>>, path: &[Arg], value: Value<'e>) -> Value<'e> {
        let Some((first, rest)) = path.split_first() else { return value };
        let Some(key) = self.get(*first) else { return value };
        let arena = self.context.arena;
        // Anything that is no object gives way.
        let base = document.filter(|it| it.kind() == Kind::Object).unwrap_or(Value::empty_object());
        let below = base.dot(key);
        let inner = self.replaced(below, rest, value);
        arena.object_with(base, &[(key, Some(inner))])
    }

    fn with_pop(&mut self) {
        let Some(saved) = self.memory.withs.pop() else { return };
        self.input = saved.input;
        self.data = saved.data;
        self.seen = saved.context;
        self.show_documents();
    }

    /// Puts the documents into the frame's first registers.
    #[inline]
    fn show_documents(&mut self) {
        let (input, data) = (self.input, self.data);
        self.set(Reg(0), input);
        self.set(Reg(1), data);
    }
}

/// Looks a key up in base data as OPA's store does, whose paths are text: a number finds the key of its text, a text
/// of digits finds an index.
#[cold]
fn dot_as_path<'e>(source: Value<'e>, key: Value<'e>) -> Option<Value<'e>> {
    if let (Some(object), Some(text)) = (source.as_object(), key.number_text()) {
        return object.get_str(&text);
    }
    let index = key.as_str()?.parse().ok()?;
    source.as_array()?.get(index)
}

#[inline]
fn compares(op: Comparison, a: Value<'_>, b: Value<'_>) -> bool {
    let order = compare(a, b);
    match op {
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

/// Says whether the collection has the value, as `in` does: items, values of an object, members.
pub(crate) fn is_member(value: Value<'_>, collection: Value<'_>) -> bool {
    if let Some(set) = collection.as_set() {
        return set.get(value).is_some();
    }
    if let Some(array) = collection.as_array() {
        return array.iter().any(|it| it == value);
    }
    collection.as_object().is_some_and(|it| it.iter().any(|it| it.1 == value))
}
