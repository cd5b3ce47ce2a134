//! Base documents: what `data` holds beside the rules.
//!
//! A policy's data comes from many sources: files at paths, members of bundles, documents an embedder built.
//! [`BaseData`] collects them and refuses what contradicts; [`Snapshot`] is the merged tree that a generation
//! shares. Nothing here knows files, formats or rules.

#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod base;
mod delta;
mod error;
mod snapshot;
mod write;

pub use base::BaseData;
pub use delta::{Patch, patch_keys};
pub use error::{DataError, DataErrorKind};
pub use snapshot::Snapshot;
pub use write::{Operation, Write, WriteError, WriteErrorKind};
