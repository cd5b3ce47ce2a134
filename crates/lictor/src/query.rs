//! A prepared entrypoint: from here on, deciding takes no lock and no look-up.
//!
//! It shares the compiled program, which outlives data, and owns the data it decides on with what can be computed of
//! them once. Working memory is the session's.

use std::sync::Arc;

use lictor_hir::tree;
use lictor_plan::Plan;
use lictor_plan::reads::{ReadSet, ReadStep, Reads, read_set};
use lictor_runtime::Host;
use lictor_value::Document;
use lictor_value::json::{Projection, Step};
use lictor_vm::{Decision, Derived, EntrypointId, ErrorCode, EvalError, EventSink, Limits, Program, Request};

use crate::build::{self, Capabilities};
use crate::engine::Options;
use crate::faults::Faults;
use crate::session::{Input, Session};

/// A prepared entrypoint or query. Cloning shares.
#[derive(Clone, Debug)]
pub struct Query {
    prepared: Arc<Prepared>,
    bound: Arc<Bound>,
}

/// What no data changes.
#[derive(Debug)]
struct Prepared {
    program: Program,
    entrypoint: EntrypointId,
    reads: ReadSet,
    projection: Projection,
    limits: Limits,
    strict_builtin_errors: bool,
    allow_net: Option<Arc<[String]>>,
    may_block: bool,
    expressions: Vec<QueryExpression>,
}

/// The data, and what was computed of them.
#[derive(Debug)]
struct Bound {
    data: Document,
    derived: Derived,
}

/// One expression of an ad-hoc query, in the order of `expressions` of a solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryExpression {
    /// Its text.
    pub text: String,
    /// Row from 1.
    pub row: u32,
    /// Column from 1.
    pub col: u32,
}

impl Query {
    fn request<'r>(&'r self, host: &'r dyn Host, input: Input<'r>) -> Request<'r> {
        let (prepared, bound) = (&*self.prepared, &*self.bound);
        let input = match input {
            Input::Undefined => lictor_vm::Input::Undefined,
            Input::Value(value) => lictor_vm::Input::Value(value),
            Input::Json(bytes) => lictor_vm::Input::Json(bytes, &prepared.projection),
            Input::Make(source) => lictor_vm::Input::Make(source),
        };
        Request {
            entrypoint: prepared.entrypoint,
            input,
            data: bound.data.root(),
            derived: Some(&bound.derived),
            host,
            limits: prepared.limits,
            strict: prepared.strict_builtin_errors,
            allow_net: prepared.allow_net.as_deref(),
        }
    }

    pub(crate) fn new(
        mut plan: Plan,
        data: Document,
        options: &Options,
        capabilities: &Capabilities,
        expressions: Vec<tree::QueryExpression>,
    ) -> Result<Self, Faults> {
        let reads =
            plan.entrypoints.first().map(|it| read_set(&plan, it.function, &|it| capabilities.is_impure(it)));
        let reads = reads.unwrap_or_default();
        build::optimize(&mut plan, options, capabilities);
        let may_block = plan.builtins.iter().any(|it| capabilities.is_blocking(&it.name));
        let program = build::compile(&plan, capabilities)?;
        let bound = Arc::new(Bound { data, derived: Derived::new(program.functions()) });
        let expressions = expressions
            .into_iter()
            .map(|it| QueryExpression { text: it.text.into(), row: it.position.0, col: it.position.1 })
            .collect();
        let projection = projection(&reads.input);
        Ok(Self {
            bound,
            prepared: Arc::new(Prepared {
                program,
                entrypoint: EntrypointId::first(),
                reads,
                projection,
                limits: options.limits,
                strict_builtin_errors: options.strict_builtin_errors,
                allow_net: options.allow_net.clone(),
                may_block,
                expressions,
            }),
        })
    }

    pub(crate) fn program(&self) -> &Program {
        &self.prepared.program
    }

    /// Returns the query over other data; it shares the program.
    #[must_use]
    pub(crate) fn with_data(&self, data: Document) -> Self {
        let derived = Derived::new(self.prepared.program.functions());
        Self { prepared: Arc::clone(&self.prepared), bound: Arc::new(Bound { data, derived }) }
    }

    /// Decides; `read` is given the answer while its values live.
    ///
    /// # Errors
    /// What ends the evaluation: a conflict, a limit, an input that is no JSON. Whoever enforces must deny then.
    pub fn decide<R>(
        &self,
        session: &mut Session,
        input: Input<'_>,
        read: impl FnOnce(Decision<'_, '_>) -> R,
    ) -> Result<R, EvalError> {
        let Session { scratch, host } = session;
        let answer = scratch.eval(&self.prepared.program, self.request(&**host, input), read);
        self.check_data()?;
        answer
    }

    /// Refuses what was decided over data that is not what was once written.
    #[inline]
    fn check_data(&self) -> Result<(), EvalError> {
        if lictor_value::image::any_damage() && self.bound.data.is_damaged() {
            return Err(EvalError::new(ErrorCode::Internal, "data of a snapshot is damaged"));
        }
        Ok(())
    }

    /// Decides and tells the sink what happens, of a query that was prepared by [`crate::Policy::prepare_traced`].
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn trace<R>(
        &self,
        session: &mut Session,
        input: Input<'_>,
        sink: &mut dyn EventSink,
        read: impl FnOnce(Decision<'_, '_>) -> R,
    ) -> Result<R, EvalError> {
        let Session { scratch, host } = session;
        let answer = scratch.trace(&self.prepared.program, self.request(&**host, input), sink, read);
        self.check_data()?;
        answer
    }

    /// Decides and appends the value as JSON; says whether it was defined.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn decide_json(
        &self,
        session: &mut Session,
        input: Input<'_>,
        out: &mut Vec<u8>,
    ) -> Result<bool, EvalError> {
        let start = out.len();
        let written = self.decide(session, input, |answer| match answer {
            Decision::Value(Some(value)) => {
                value.write_json(out);
                true
            }
            Decision::Value(None) => false,
            Decision::Bindings(solutions) => {
                out.push(b'[');
                for (index, solution) in solutions.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    solution.write_json(out);
                }
                out.push(b']');
                !solutions.is_empty()
            }
        });
        if written.is_err() {
            out.truncate(start);
        }
        written
    }

    /// Decides and returns a copy of the value; none if it is undefined.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn decide_value(
        &self,
        session: &mut Session,
        input: Input<'_>,
    ) -> Result<Option<Document>, EvalError> {
        self.decide(session, input, |answer| match answer {
            Decision::Value(value) => value.map(Document::from_value),
            Decision::Bindings(solutions) => {
                let arena = lictor_value::Arena::new();
                (!solutions.is_empty()).then(|| Document::from_value(arena.array(solutions)))
            }
        })
    }

    /// What the entrypoint can read of input and data.
    #[must_use]
    pub fn reads(&self) -> &ReadSet {
        &self.prepared.reads
    }

    /// Says whether deciding may wait for something outside, as `http.send` does. Such decisions must not be taken on
    /// a thread that serves others.
    #[must_use]
    pub fn may_block(&self) -> bool {
        self.prepared.may_block
    }

    /// The expressions of an ad-hoc query; none of an entrypoint.
    #[must_use]
    pub fn expressions(&self) -> &[QueryExpression] {
        &self.prepared.expressions
    }
}

/// Returns what of the input must be built.
fn projection(reads: &Reads) -> Projection {
    let mut projection = Projection::nothing();
    reads.for_each(|path, _| {
        let steps: Vec<Step<'_>> = path
            .iter()
            .map(|it| match it {
                ReadStep::Key(key) => Step::Key(key),
                ReadStep::Any => Step::Any,
            })
            .collect();
        projection.add(&steps);
    });
    projection
}
