//! Calls: frames in and out, memory of results, built-ins.
//!
//! Apart from the loop because frames, remembered results and errors of built-ins belong together. Nothing here reads
//! instructions.

use lictor_runtime::{BuiltinError, Callee, ErrorKind};
use lictor_value::Value;

use crate::error::{ErrorCode, EvalError};
use crate::events::{EventKind, Hook};
use crate::machine::Machine;
use crate::memory::{Frame, Iter};
use crate::op::{ArgList, Reg, Target};

/// So many errors of built-ins are noted.
const PASSED_OVER_MAX: usize = 100_000;

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
            // Nothing asks for the first function again but another evaluation.
            memo: code.params.is_empty() && (caller.is_some() || code.stable),
        });
        self.base = base;
        self.iterator_base = iterator_base;
        let end = base + code.registers as usize;
        let known = self.memory.registers.len();
        if known < end {
            self.memory.registers.resize(end, None);
        }
        let iterator_end = iterator_base + code.iterators as usize;
        if self.memory.iterators.len() < iterator_end {
            self.memory.iterators.resize(iterator_end, Iter::Empty);
        }
        // New ones are undefined already.
        let cleared = base + code.cleared as usize;
        if let Some(cleared) = self.memory.registers.get_mut(base..cleared.min(known)) {
            cleared.fill(None);
        }
        self.show_documents();
        if !args.is_empty() {
            for (register, value) in code.params.iter().zip(args) {
                self.set(Reg(*register), Some(*value));
            }
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
        if linked.placed {
            self.place();
        }
        if H::ON && linked.speaks {
            self.tell(EventKind::Note, values.first().and_then(|it| it.as_str().map(str::to_owned)));
        }
        let answer = match &linked.callee {
            Callee::Plain(function) => function(self.context, &values),
            Callee::Custom { function, cost_steps } => {
                self.charge(*cost_steps)?;
                function(self.context, &values)
            }
        };
        self.memory.args = values;
        match answer {
            Ok(value) => {
                self.store(target, value, fail);
                Ok(())
            }
            Err(error) => self.builtin_failed(&linked.name, &error, fail),
        }
    }

    /// Says where the call stands, for built-ins that show it.
    #[cold]
    fn place(&mut self) {
        let position = self.position().map(|it| match it.file.as_str() {
            "" => format!("{}:{}", it.row, it.col),
            file => format!("{file}:{}", it.row),
        });
        self.context.caches.set_position(&position.unwrap_or_default());
    }

    #[cold]
    fn builtin_failed(&mut self, name: &str, error: &BuiltinError, fail: Target) -> Result<(), EvalError> {
        // Where the values of a conflict are listed, an error ends its rule alone.
        let is_strict = self.strict && self.conflict.is_none();
        let code = match error.kind() {
            ErrorKind::Type if is_strict => ErrorCode::Type,
            ErrorKind::Value if is_strict => ErrorCode::Builtin,
            kind @ (ErrorKind::Type | ErrorKind::Value) => {
                self.pass_over(name, error, kind == ErrorKind::Type);
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

    /// Notes an error of a built-in that ends nothing, if somebody asks.
    fn pass_over(&mut self, name: &str, error: &BuiltinError, is_type: bool) {
        if self.memory.passed_over.as_ref().is_none_or(|it| it.len() >= PASSED_OVER_MAX) {
            return;
        }
        let code = if is_type { ErrorCode::Type } else { ErrorCode::Builtin };
        let error = EvalError::new(code, format!("{name}: {error}")).at(self.position());
        self.memory.passed_over.iter_mut().for_each(|it| it.push(error.clone()));
    }
}
