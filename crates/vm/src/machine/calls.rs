//! Calls: frames in and out, memory of results, built-ins.
//!
//! Apart from the loop because frames, remembered results and errors of built-ins belong together. Nothing here reads
//! instructions.

use lictor_runtime::{BuiltinError, ErrorKind};
use lictor_value::Value;

use crate::error::{ErrorCode, EvalError};
use crate::events::{EventKind, Hook};
use crate::machine::Machine;
use crate::memory::{Frame, Iter};
use crate::op::{ArgList, Reg, Target};

impl<'e, H: Hook> Machine<'e, '_, H> {
    /// Returns the value of a function without arguments if it was computed before for the same documents.
    #[inline]
    pub(super) fn known(&self, function: u32) -> Option<Option<Value<'e>>> {
        if self.seen == 0
            && let Some(derived) = self.derived
            && let Some(value) = derived.get(function)
        {
            return Some(value);
        }
        self.memory.memo.get(self.seen, function)
    }

    /// Starts a function.
    pub(super) fn enter(
        &mut self,
        function: u32,
        resume: Target,
        fail: Target,
        target: Reg,
        args: &[Value<'e>],
    ) -> Result<(), EvalError> {
        self.step()?;
        let Some(code) = self.program.functions.get(function as usize) else {
            return Err(EvalError::new(ErrorCode::Internal, "call of an unknown function"));
        };
        if self.memory.frames.len() >= self.limits.depth_max {
            let text = format!("calls are nested deeper than {}", self.limits.depth_max);
            return Err(EvalError::new(ErrorCode::Cancel, text));
        }
        let caller = self.memory.frames.last().map(|it| it.function);
        let (base, iterator_base) = match caller.and_then(|it| self.program.functions.get(it as usize)) {
            Some(it) => (self.base + it.registers as usize, self.iterator_base + it.iterators as usize),
            None => (0, 0),
        };
        self.memory.frames.push(Frame {
            function,
            resume: resume.0,
            fail: fail.0,
            target: target.0,
            base: u32::try_from(self.base).unwrap_or(u32::MAX),
            iterator_base: u32::try_from(self.iterator_base).unwrap_or(u32::MAX),
            withs: u32::try_from(self.memory.withs.len()).unwrap_or(u32::MAX),
            builders: self.memory.builders.mark(),
            memo: code.params.is_empty(),
        });
        self.base = base;
        self.iterator_base = iterator_base;
        let end = base + code.registers as usize;
        if self.memory.registers.len() < end {
            self.memory.registers.resize(end, None);
        }
        let iterator_end = iterator_base + code.iterators as usize;
        if self.memory.iterators.len() < iterator_end {
            self.memory.iterators.resize(iterator_end, Iter::Empty);
        }
        if let Some(cleared) = self.memory.registers.get_mut(base..base + code.cleared as usize) {
            cleared.fill(None);
        }
        self.show_documents();
        for (register, value) in code.params.iter().zip(args) {
            self.set(Reg(*register), Some(*value));
        }
        if H::ON {
            self.tell(EventKind::Enter, None);
        }
        self.pc = code.start;
        Ok(())
    }

    /// Ends a function; says whether it was the one that the evaluation began with.
    pub(super) fn leave(&mut self, value: Option<Value<'e>>, depth: usize) -> Result<bool, EvalError> {
        if H::ON {
            self.tell(EventKind::Exit, value.map(|it| it.to_string()));
        }
        let Some(frame) = self.memory.frames.pop() else {
            return Err(EvalError::new(ErrorCode::Internal, "return without a call"));
        };
        while self.memory.withs.len() > frame.withs as usize {
            self.with_pop();
        }
        self.memory.builders.release(frame.builders);
        if frame.memo {
            self.remember(frame.function, value);
        }
        self.base = frame.base as usize;
        self.iterator_base = frame.iterator_base as usize;
        if self.memory.frames.len() == depth {
            return Ok(true);
        }
        self.pc = frame.resume;
        self.store(Reg(frame.target), value, Target(frame.fail));
        Ok(false)
    }

    fn remember(&mut self, function: u32, value: Option<Value<'e>>) {
        let stable = self.program.functions.get(function as usize).is_some_and(|it| it.stable);
        if stable
            && self.seen == 0
            && let Some(derived) = self.derived
            && derived.put(function, value)
        {
            return;
        }
        self.memory.memo.put(self.seen, function, value);
    }

    /// Collects the arguments; none if one is undefined.
    #[inline]
    fn collect(&mut self, args: ArgList) -> Option<Vec<Value<'e>>> {
        let mut values = std::mem::take(&mut self.memory.args);
        values.clear();
        for arg in self.arg_slice(args) {
            match self.get(*arg) {
                Some(value) => values.push(value),
                None => {
                    self.memory.args = values;
                    return None;
                }
            }
        }
        Some(values)
    }

    pub(super) fn call_function(
        &mut self,
        function: u32,
        args: ArgList,
        target: Reg,
        fail: Target,
    ) -> Result<(), EvalError> {
        let Some(values) = self.collect(args) else {
            self.jump(fail);
            return Ok(());
        };
        let entered = self.enter(function, Target(self.pc), fail, target, &values);
        self.memory.args = values;
        entered
    }

    pub(super) fn call_dynamic(
        &mut self,
        path: ArgList,
        args: ArgList,
        target: Reg,
        fail: Target,
    ) -> Result<(), EvalError> {
        let keys: Option<Vec<Box<str>>> =
            self.arg_slice(path).iter().map(|it| Some(Box::from(self.get(*it)?.as_str()?))).collect();
        let function = keys.and_then(|it| self.program.dynamic.get(&it)).copied();
        match function {
            None => {
                self.jump(fail);
                Ok(())
            }
            Some(function) if args.len == 0 => match self.known(function) {
                Some(value) => {
                    self.store(target, value, fail);
                    Ok(())
                }
                None => self.enter(function, Target(self.pc), fail, target, &[]),
            },
            Some(function) => self.call_function(function, args, target, fail),
        }
    }

    #[inline]
    pub(super) fn call_builtin(
        &mut self,
        builtin: u32,
        args: ArgList,
        target: Reg,
        fail: Target,
    ) -> Result<(), EvalError> {
        self.step()?;
        let Some(linked) = self.program.builtins.get(builtin as usize) else {
            return Err(EvalError::new(ErrorCode::Internal, "call of an unknown built-in"));
        };
        let Some(values) = self.collect(args) else {
            self.jump(fail);
            return Ok(());
        };
        if linked.speaks {
            self.speak(&values);
        }
        let answer = (linked.function)(self.context, &values);
        self.memory.args = values;
        match answer {
            Ok(value) => {
                self.store(target, value, fail);
                Ok(())
            }
            Err(error) => self.builtin_failed(&linked.name, &error, fail),
        }
    }

    /// Prepares for a built-in that says something: where it stands, and what a trace says.
    #[cold]
    fn speak(&mut self, args: &[Value<'e>]) {
        let position = self.position().map(|it| format!("{}:{}", it.file, it.row)).unwrap_or_default();
        self.context.caches.set_position(&position);
        if H::ON {
            self.tell(EventKind::Note, args.first().and_then(|it| it.as_str().map(str::to_owned)));
        }
    }

    #[cold]
    fn builtin_failed(&mut self, name: &str, error: &BuiltinError, fail: Target) -> Result<(), EvalError> {
        let code = match error.kind() {
            ErrorKind::Type if self.strict => ErrorCode::Type,
            ErrorKind::Value if self.strict => ErrorCode::Builtin,
            ErrorKind::Type | ErrorKind::Value => {
                self.jump(fail);
                return Ok(());
            }
            ErrorKind::HaltConflict => ErrorCode::Conflict,
            ErrorKind::HaltCancel => ErrorCode::Cancel,
            ErrorKind::HaltInternal => ErrorCode::Internal,
        };
        let text = match error.kind() {
            ErrorKind::Type | ErrorKind::Value => format!("{name}: {error}"),
            ErrorKind::HaltConflict | ErrorKind::HaltCancel | ErrorKind::HaltInternal => error.to_string(),
        };
        Err(EvalError::new(code, text))
    }
}
