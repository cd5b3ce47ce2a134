//! Text facilities that must agree with Go's standard library byte for byte.
//!
//! Policies observe these through built-ins: regular expressions, globs, format verbs,
//! time layouts, URL escaping, YAML. Each module works on plain Rust types (`&str`,
//! `String`, `i64`) so that it can be tested alone and reused below the value layer.
//! Nothing here knows of Rego values, built-in declarations or budgets.

pub mod address;
pub mod civil;
pub mod duration;
pub mod float;
pub mod fmt;
pub mod glob;
pub mod layout;
pub mod quote;
pub mod regex;
pub mod template;
pub mod unicode;
pub mod url;
pub mod yaml;
pub mod zone;
