//! The one IR: text form, verifier, lowering, passes, OPA plan import and export.
//!
//! Every engine and target reads a [`Plan`]; nothing here evaluates one. A pass that must evaluate is handed an
//! evaluator.
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

pub mod external;
mod facts;
mod ir;
mod lower;
pub mod opa;
pub mod passes;
pub mod reads;
mod text;
mod text_parse;
mod verify;
mod visit;

pub use facts::find_facts;
pub use ir::{
    Answer, Block, BuiltinDecl, BuiltinRef, Callee, Comparison, ConstId, Entrypoint, Facts, FuncId, Function,
    Local, Location, Operand, Plan, RuleIdx, RuleInfo, Stmt, StmtKind,
};
pub use lower::{BuiltinFacts, BuiltinLookup, Documents, Lowering, Solutions, lower};
pub use text_parse::{TextError, parse};
pub use verify::{VerifyError, verify};
