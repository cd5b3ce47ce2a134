//! The resolved, safe, ordered rule tree and the stages that make it.
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

pub mod tree;
