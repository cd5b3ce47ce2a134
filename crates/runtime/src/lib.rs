//! What an evaluation runs against: built-ins, their table, the host, errors.
//!
//! The declarations in the table reach the front end as `lictor_hir::Capabilities`; the functions are called
//! by every engine. The crate is pure: time, randomness and names come from a [`Host`].
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod builtin;
pub mod builtins;
mod context;
mod error;
mod external;
pub mod go;
mod go_text;
mod graphql;
mod host;
pub mod http;
pub mod json_schema;
mod kept;
mod pattern_cache;
mod scratch;

pub use builtin::{Builtin, BuiltinFn, BuiltinId, Callee, CustomFn, builtin, builtin_named};
pub use context::{Caches, Context};
pub use error::{BuiltinError, ErrorKind};
pub use external::{ExternalCall, ExternalLimits, Mount, Provider, ProviderError};
pub use host::{Host, NullHost};
