//! The loop that runs instructions.
//!
//! Calls are frames, not recursion, so a policy cannot exhaust the native stack. Everything that can be undefined
//! carries where it leads; nothing here allocates from the system once the memory is warm.

mod calls;
mod conflicts;
mod containers;
mod scans;

use lictor_plan::Comparison;
use lictor_runtime::Context;
use lictor_value::number::int_value;
use lictor_value::{Kind, Value, compare};

use crate::derived::Derived;
use crate::error::{ErrorCode, EvalError, Position};
use crate::events::{Event, EventKind, Hook};
use crate::limits::Limits;
use crate::machine::conflicts::Conflict;
use crate::memory::{Memory, Saved};
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
    /// Two rules gave different values, and all of them are being collected.
    pub(crate) conflict: Option<Box<Conflict>>,
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
        result.map_err(|it| {
            let error = it.at(self.position());
            self.first_error(error)
        })
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

    #[inline]
    fn store(&mut self, target: Reg, value: Option<Value<'e>>, fail: Target) {
        if !self.stored(target, value) {
            self.jump(fail);
        }
    }

    /// Stores a value; says whether there is one.
    #[inline]
    fn stored(&mut self, target: Reg, value: Option<Value<'e>>) -> bool {
        if value.is_some() {
            self.set(target, value);
        }
        value.is_some()
    }

    #[inline]
    fn holds(&self, a: Arg, b: Arg, test: impl FnOnce(Value<'e>, Value<'e>) -> bool) -> bool {
        match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => test(a, b),
            _ => false,
        }
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

    /// Counts steps that something outside of the program takes.
    fn charge(&mut self, steps: u64) -> Result<(), EvalError> {
        let before = self.steps / ASK_HOST_STEPS;
        self.steps = self.steps.saturating_add(steps);
        if self.steps / ASK_HOST_STEPS == before { Ok(()) } else { self.check() }
    }

    #[cold]
    fn check(&self) -> Result<(), EvalError> {
        if self.conflict.as_ref().is_some_and(|it| self.steps > it.steps_max) {
            return Err(EvalError::new(ErrorCode::Conflict, "the values are too many to list"));
        }
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
    ///
    /// Where to go on is kept in a local; `self.pc` is written before anything that can fail, calls or returns.
    #[expect(clippy::too_many_lines, reason = "one arm per instruction")]
    fn steps_until(&mut self, depth: usize) -> Outcome<'e> {
        let program = self.program;
        let mut pc = self.pc;
        loop {
            let Some(op) = program.ops.get(pc as usize) else {
                return Err(EvalError::new(ErrorCode::Internal, "the program ends without a return"));
            };
            let here = pc + 1;
            pc = match *op {
                Op::Move { source, target } => {
                    let value = self.get(source);
                    self.set(target, value);
                    here
                }
                Op::Jump(target) => target.0,
                Op::Dot { source, key, target, fail } => {
                    let value = match (self.get(source), self.get(key)) {
                        (Some(source), Some(key)) => source.dot(key),
                        _ => None,
                    };
                    self.stored(target, value).then_or(here, fail)
                }
                Op::Look { source, key, target } => {
                    let value = match (self.register(source), self.get(key)) {
                        (Some(source), Some(key)) => source.dot(key),
                        _ => None,
                    };
                    self.set(target, value);
                    here
                }
                Op::DotBase { source, key, target, fail } => {
                    let value = match (self.get(source), self.get(key)) {
                        (Some(source), Some(key)) => source.dot(key).or_else(|| dot_as_path(source, key)),
                        _ => None,
                    };
                    self.stored(target, value).then_or(here, fail)
                }
                Op::DotBuilding { source, key, target, fail } => {
                    let value = match (self.register(source), self.get(key)) {
                        (Some(source), Some(key)) => self.memory.builders.dot(source, key),
                        _ => None,
                    };
                    self.stored(target, value).then_or(here, fail)
                }
                Op::Equal { a, b, fail } => self.holds(a, b, |a, b| a == b).then_or(here, fail),
                Op::NotEqual { a, b, fail } => self.holds(a, b, |a, b| a != b).then_or(here, fail),
                Op::Compare { op, a, b, fail } => {
                    self.holds(a, b, |a, b| compares(op, a, b)).then_or(here, fail)
                }
                Op::Member { value, collection, fail } => {
                    self.holds(value, collection, is_member).then_or(here, fail)
                }
                Op::Same { a, b, fail } => self.holds(a, b, Value::same_member).then_or(here, fail),
                Op::Entry { source, wanted, entry, fail } => {
                    self.entry(source, wanted, entry).then_or(here, fail)
                }
                Op::EqualParts { source, parts, fail } => self.equal_parts(source, parts).then_or(here, fail),
                Op::IsKind { source, kind, fail } => {
                    self.get(source).is_some_and(|it| it.kind() == kind).then_or(here, fail)
                }
                Op::IsDefined { source, fail } => self.register(source).is_some().then_or(here, fail),
                Op::IsUndefined { source, fail } => self.register(source).is_none().then_or(here, fail),
                Op::IsTrue { source, fail } => {
                    self.get(source).is_some_and(|it| !it.is_false()).then_or(here, fail)
                }
                Op::Len { source, target, fail } => {
                    let len = self.get(source).and_then(Value::collection_len);
                    let len = len.and_then(|it| Value::small_int(i64::try_from(it).ok()?));
                    self.stored(target, len).then_or(here, fail)
                }
                Op::MakeArray { target } => {
                    let handle = self.memory.builders.array();
                    self.set(target, Some(handle));
                    here
                }
                Op::MakeObject { target } => {
                    let handle = self.memory.builders.object();
                    self.set(target, Some(handle));
                    here
                }
                Op::MakeBag { target } => {
                    let handle = self.memory.builders.bag();
                    self.set(target, Some(handle));
                    here
                }
                Op::MakeSet { target } => {
                    let handle = self.memory.builders.set();
                    self.set(target, Some(handle));
                    here
                }
                Op::Merge { a, b, target, fail } => self.merge(a, b, target).then_or(here, fail),
                Op::Freeze { register } => {
                    self.freeze(register);
                    here
                }
                Op::Reset { target } => {
                    self.set(target, None);
                    here
                }
                Op::ResultAdd { value, fail } => {
                    let value = self.register(value);
                    self.memory.results.extend(value);
                    value.is_some().then_or(here, fail)
                }
                Op::ScanBegin { source, iterator, end } => {
                    self.scan_begin(source, iterator).then_or(here, end)
                }
                Op::ScanNext { iterator, key, value, end } => {
                    self.pc = here;
                    self.step()?;
                    self.scan_next(iterator, (key, value)).then_or(here, end)
                }
                // Whoever watches sees the instructions behind it.
                Op::Seek { .. } if H::ON => here,
                Op::Seek { seek } => {
                    self.pc = here;
                    self.seek(seek)?.0
                }
                Op::Switch { table } => self.switch(table).map_or(here, |it| it.0),
                Op::AssignOnce { .. }
                | Op::Append { .. }
                | Op::Insert { .. }
                | Op::InsertOnce { .. }
                | Op::Add { .. }
                | Op::Return { .. }
                | Op::CallRule { .. }
                | Op::CallFunction { .. }
                | Op::CallBuiltin { .. }
                | Op::CallDynamic { .. }
                | Op::WithPush { .. }
                | Op::WithPop => {
                    self.pc = here;
                    if let Some(result) = self.leap(op, depth)? {
                        return Ok(result);
                    }
                    self.pc
                }
            };
            if H::ON {
                self.pc = pc;
                self.observe(here, op);
            }
        }
    }

    /// Runs an instruction that may fail, call or return; gives the result if the last function returned.
    #[inline]
    fn leap(&mut self, op: &Op, depth: usize) -> Result<Option<Option<Value<'e>>>, EvalError> {
        match *op {
            Op::AssignOnce { source, target, fail } => self.assign_once(source, target, fail)?,
            Op::Append { array, value, fail } => self.append(array, value, fail)?,
            Op::Insert { object, key, value, fail } => self.insert(object, key, value, fail)?,
            Op::InsertOnce { object, key, value, fail } => self.insert_once(object, (key, value), fail)?,
            Op::Add { set, value, fail } => self.add(set, value, fail)?,
            Op::Return { source } => {
                if self.conflict.is_some() {
                    self.end_conflict()?;
                }
                let value = self.register(source);
                if self.leave(value, depth)? {
                    return Ok(Some(value));
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
            Op::CallDynamic { path, args, target, fail } => self.call_dynamic(path, args, target, fail)?,
            Op::WithPush { data, path, value } => self.with_push(data, path, value)?,
            Op::WithPop => self.with_pop(),
            _ => return Err(EvalError::new(ErrorCode::Internal, "an instruction without an arm")),
        }
        Ok(None)
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
            None => {
                self.set(target, Some(value));
                if self.conflict.is_some() {
                    self.note_first(source, target, value);
                }
            }
            Some(known) if known == value => {}
            Some(_) => return self.conflicting(source, target, value),
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
    fn switch(&self, table: u32) -> Option<Target> {
        let table = self.program.switches.get(table as usize)?;
        Some(match self.get(table.subject) {
            Some(value) => table.find(&self.program.constants, value),
            None => table.otherwise,
        })
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

/// Chooses where to go on.
trait Branch {
    /// Returns the first place if it holds, else the target.
    fn then_or(self, here: u32, fail: Target) -> u32;
}

impl Branch for bool {
    #[inline]
    fn then_or(self, here: u32, fail: Target) -> u32 {
        if self { here } else { fail.0 }
    }
}

/// Looks a key up in base data as OPA's store does, whose paths are text: a number finds the key of its text, a text
/// of digits finds an index.
#[cold]
fn dot_as_path<'e>(source: Value<'e>, key: Value<'e>) -> Option<Value<'e>> {
    if let (Some(object), Some(text)) = (source.as_object(), key.number_text()) {
        return object.get_str(&text);
    }
    let index = int_value(key.as_str()?)?;
    source.as_array()?.get(usize::try_from(index).ok()?)
}

#[inline]
fn compares(op: Comparison, a: Value<'_>, b: Value<'_>) -> bool {
    match op {
        Comparison::Less => compare(a, b).is_lt(),
        Comparison::LessOrEqual => compare(a, b).is_le(),
        Comparison::Greater => compare(a, b).is_gt(),
        Comparison::GreaterOrEqual => compare(a, b).is_ge(),
        Comparison::StartsWith => texts(a, b, |text, part| text.as_bytes().starts_with(part.as_bytes())),
        Comparison::EndsWith => texts(a, b, |text, part| text.as_bytes().ends_with(part.as_bytes())),
        Comparison::Contains => {
            texts(a, b, |text, part| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some())
        }
    }
}

/// Says whether both are strings for which the test holds.
fn texts(a: Value<'_>, b: Value<'_>, holds: impl Fn(&str, &str) -> bool) -> bool {
    a.as_str().zip(b.as_str()).is_some_and(|(a, b)| holds(a, b))
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
