//! The face of the machine: one scratch a thread, reused for every evaluation.
//!
//! Apart because it is what embedders hold. It owns the arena and the memory, prepares them for one evaluation and hands
//! the answer out before they are used again.

use lictor_plan::Answer;
use lictor_runtime::{Caches, Context, Host};
use lictor_value::json::{self, Projection};
use lictor_value::{Arena, Value};

use crate::derived::Derived;
use crate::error::{ErrorCode, EvalError};
use crate::events::{EventSink, Hook, Off, On};
use crate::limits::Limits;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::program::{EntrypointId, Program};

/// What an evaluation needs besides the program.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// What is asked for.
    pub entrypoint: EntrypointId,
    /// The input.
    pub input: Input<'r>,
    /// The base documents.
    pub data: Value<'r>,
    /// What the generation keeps, if there is one.
    pub derived: Option<&'r Derived>,
    /// The world.
    pub host: &'r dyn Host,
    /// The budget.
    pub limits: Limits,
    /// Whether an error of a built-in ends the evaluation.
    pub strict: bool,
    /// The hosts that built-ins may ask; all if absent.
    pub allow_net: Option<&'r [String]>,
}

impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request").field("entrypoint", &self.entrypoint).finish_non_exhaustive()
    }
}

/// The input of an evaluation.
#[derive(Clone, Copy)]
pub enum Input<'r> {
    /// None: references to `input` are undefined.
    Undefined,
    /// A value that the caller keeps.
    Value(Value<'r>),
    /// JSON text, of which the projection says what is built.
    Json(&'r [u8], &'r Projection),
    /// Whatever makes the value in the arena of the evaluation.
    Make(&'r dyn MakeInput),
}

/// Makes an input in the arena of an evaluation.
pub trait MakeInput {
    /// Returns the value.
    ///
    /// # Errors
    /// Says why there is none.
    fn make<'e>(&self, arena: &'e Arena) -> Result<Value<'e>, String>;
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Undefined => "Undefined",
            Self::Value(_) => "Value",
            Self::Json(..) => "Json",
            Self::Make(_) => "Make",
        })
    }
}

/// An answer, alive as long as its scratch is borrowed.
#[derive(Clone, Copy, Debug)]
pub enum Decision<'a, 'e> {
    /// The value of a document, or undefined.
    Value(Option<Value<'e>>),
    /// An object of bindings for each solution.
    Bindings(&'a [Value<'e>]),
}

/// A thread's working memory. It holds the values of the last evaluation until the next begins.
#[derive(Debug, Default)]
pub struct Scratch {
    arena: Arena,
    memory: Memory<'static>,
    caches: Caches,
}

impl Scratch {
    /// Returns an empty scratch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks that evaluations note errors of built-ins that end nothing.
    pub fn collect_builtin_errors(&mut self) {
        self.memory.passed_over = Some(Vec::new());
    }

    /// Returns the errors of built-ins that were noted, in the order in which they came up.
    pub fn take_builtin_errors(&mut self) -> Vec<EvalError> {
        self.memory.passed_over.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Asks that the next evaluation notes the cases that a test tries.
    pub fn collect_cases(&mut self) {
        self.caches.collect_cases();
    }

    /// Returns the cases that were noted, as paths in the order in which they were tried.
    pub fn take_cases(&mut self) -> Vec<Vec<String>> {
        self.caches.take_cases()
    }

    /// Evaluates; `read` is given the answer before it is forgotten.
    ///
    /// # Errors
    /// What the policy or a limit ends the evaluation with, or that the input is no JSON.
    pub fn eval<R>(
        &mut self,
        program: &Program,
        request: Request<'_>,
        read: impl FnOnce(Decision<'_, '_>) -> R,
    ) -> Result<R, EvalError> {
        if let Some(value) = kept(program, &request) {
            return Ok(read(Decision::Value(value)));
        }
        self.eval_hooked(program, request, Off, read)
    }

    /// Evaluates and tells the sink what happens. Nothing that a generation keeps is used.
    ///
    /// # Errors
    /// As [`Self::eval`].
    pub fn trace<R>(
        &mut self,
        program: &Program,
        request: Request<'_>,
        sink: &mut dyn EventSink,
        read: impl FnOnce(Decision<'_, '_>) -> R,
    ) -> Result<R, EvalError> {
        self.eval_hooked(program, Request { derived: None, ..request }, On(sink), read)
    }

    fn eval_hooked<R>(
        &mut self,
        program: &Program,
        request: Request<'_>,
        hook: impl Hook,
        read: impl FnOnce(Decision<'_, '_>) -> R,
    ) -> Result<R, EvalError> {
        self.arena.reset();
        self.arena.set_bytes_max(Some(request.limits.bytes_max));
        self.caches.begin();
        let mut memory: Memory<'_> = std::mem::take(&mut self.memory);
        memory.begin(program.functions());
        let outcome = run((&self.arena, &self.caches), &mut memory, program, request, hook);
        let outcome = outcome.map(|answer| match answer {
            Answer::Value => read(Decision::Value(memory.results.first().copied())),
            Answer::Bindings => read(Decision::Bindings(&memory.results)),
        });
        memory.give_back(&mut self.memory);
        outcome
    }
}

/// Returns the answer if the generation keeps it and no input has to be checked.
#[inline]
fn kept<'r>(program: &Program, request: &Request<'r>) -> Option<Option<Value<'r>>> {
    let (_, function, answer) = program.entrypoints.get(request.entrypoint.0 as usize)?;
    let is_checked = matches!(request.input, Input::Undefined | Input::Value(_));
    (*answer == Answer::Value && is_checked).then(|| request.derived?.get(function.0)).flatten()
}

/// Runs the entrypoint; the results stand in the memory afterwards.
fn run<'e>(
    homes: (&'e Arena, &'e Caches),
    memory: &mut Memory<'e>,
    program: &'e Program,
    request: Request<'e>,
    hook: impl Hook,
) -> Result<Answer, EvalError> {
    let (arena, caches) = homes;
    let input = match request.input {
        Input::Undefined => None,
        Input::Value(value) => Some(value),
        Input::Json(bytes, projection) => {
            let read = json::read_projected(bytes, arena, projection);
            Some(read.map_err(|err| EvalError::new(ErrorCode::Internal, format!("input: {err}")))?)
        }
        Input::Make(source) => {
            Some(source.make(arena).map_err(|err| EvalError::new(ErrorCode::Internal, err))?)
        }
    };
    let Some((_, function, answer)) = program.entrypoints.get(request.entrypoint.0 as usize) else {
        return Err(EvalError::new(ErrorCode::Internal, "unknown entrypoint"));
    };
    let context = Context { arena, host: request.host, caches, allow_net: request.allow_net };
    let mut machine = Machine {
        program,
        context,
        derived: request.derived,
        memory,
        input,
        data: Some(request.data),
        limits: request.limits,
        strict: request.strict,
        seen: 0,
        contexts: 0,
        steps: 0,
        base: 0,
        iterator_base: 0,
        pc: 0,
        conflict: None,
        hook,
    };
    let value = machine.run(function.0)?;
    if machine.context.arena.exhausted() {
        let text = format!("evaluation took more than {} bytes", request.limits.bytes_max);
        return Err(EvalError::new(ErrorCode::Cancel, text));
    }
    if *answer == Answer::Value {
        memory.results.clear();
        memory.results.extend(value);
    }
    Ok(*answer)
}
