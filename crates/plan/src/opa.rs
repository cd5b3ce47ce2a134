//! OPA's plan JSON, in and out.
//!
//! Apart because it is a peer's format: it lost rule heads and constants, so it is never the source of our own plans.

mod declaration;
pub mod export;
pub mod import;

pub use declaration::{declaration_json, declare_builtins};
