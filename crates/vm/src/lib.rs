//! The virtual machine: a plan compiled to instructions, and the loop that runs them.
//!
//! The checked oracle of every other engine. Immutable [`Program`]s are shared by all threads; each thread has a
//! [`Scratch`], after whose first evaluations nothing is allocated from the system any more.
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod builder;
mod compile;
mod derived;
mod error;
mod events;
mod limits;
mod machine;
mod memory;
mod op;
mod program;
mod scratch;

pub use compile::{CompileError, compile};
pub use derived::Derived;
pub use error::{ErrorCode, EvalError, Position};
pub use events::{Event, EventKind, EventSink};
pub use limits::Limits;
pub use program::{EntrypointId, Program};
pub use scratch::{Decision, Input, MakeInput, Request, Scratch};
