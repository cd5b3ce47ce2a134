//! The embeddable engine: policy and data in, decision out.
//!
//! An [`Engine`] collects modules and data and compiles them into a [`Policy`], an immutable generation that threads
//! share. A [`Query`] is an entrypoint of it, prepared once; deciding takes a [`Session`], one a thread, and no lock.
//!
//! ```
//! use lictor::{Engine, Input, Options, Session};
//!
//! let mut engine = Engine::new(Options::default());
//! engine.add_module("rbac.rego", br#"
//! package rbac
//!
//! default allow := false
//!
//! allow if "admin" in data.roles[input.user]
//! "#, None);
//! engine.add_data_json(&[], "data.json", br#"{"roles": {"ann": ["admin"]}}"#)?;
//! let policy = engine.compile()?;
//! let allow = policy.prepare("data.rbac.allow")?;
//!
//! let mut session = Session::default();
//! let mut answer = Vec::new();
//! allow.decide_json(&mut session, Input::Json(br#"{"user": "ann"}"#), &mut answer)?;
//! assert_eq!(answer, b"true");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod build;
mod bundles;
mod capabilities;
mod conflicts;
mod custom;
mod data;
mod engine;
mod export;
mod external;
mod faults;
mod memory;
mod policy;
mod query;
mod requirements;
mod schemas;
mod session;
mod snapshots;
mod suite;

pub use bundles::{ActiveBundle, BundleChange, BundleFault, Composition, ReadyBundle, Step};
pub use capabilities::{Capabilities, CapabilitiesError};
pub use custom::CustomBuiltin;
pub use data::{DataError, DataErrorKind, document_of_yaml};
pub use engine::{Engine, Options, ParsedModule};
pub use external::MountError;
pub use faults::Faults;
pub use lictor_bundle as bundle;
pub use lictor_hir::reach::{Path as DocumentPath, Reached, Step as PathStep};
pub use lictor_hir::types::DeclarationError;
pub use lictor_hir::{AnnotationSet, Placed, Workers};
pub use lictor_plan::passes::Passes;
pub use lictor_plan::reads::{ReadSet, ReadStep, Reads};
pub use lictor_runtime::go::regex::Regex as Pattern;
pub use lictor_runtime::http;
pub use lictor_runtime::{BuiltinError, BuiltinFn, Context, CustomFn, ErrorKind, Host, NullHost};
pub use lictor_runtime::{ExternalLimits, Provider, ProviderError};
pub use lictor_store::{Operation, Patch, Snapshot, Write, WriteError, WriteErrorKind};
pub use lictor_syntax::Diagnostic;
pub use lictor_syntax::ast::RegoVersion;
pub use lictor_value::{Arena, Array, Document, Kind, Object, Set, Value, json};
pub use lictor_vm::{
    Decision as Answer, ErrorCode, EvalError, Event, EventKind, EventSink, Limits, MakeInput, Position,
};
pub use memory::{DocumentMemory, MemoryReport, PackageMemory};
pub use policy::{Policy, QueryOptions};
pub use query::{Query, QueryExpression};
pub use requirements::Requirements;
pub use schemas::{FetchSchema, SchemaSet};
pub use session::{Input, Session};
pub use snapshots::write_snapshot;
pub use suite::{Outcome, Part, SubResult, SubResults, Suite, Test, Verdict, run_tests};

/// Returns an instant as text, in UTC and as a layout of Go's says (`2006-01-02`).
#[must_use]
pub fn time_text(unix_ns: i64, layout: &str) -> String {
    lictor_runtime::go::layout::format(unix_ns, &lictor_runtime::go::zone::Zone::UTC, layout)
}
