//! The bundle format: policies, data and a manifest in a folder or a gzipped tar archive.
//!
//! Bytes and readers come in, a [`Bundle`] goes out. [`read_archive`] streams an archive, [`BundleReader`] takes the
//! members of a folder one by one; both keep limits. Modules stay text and the roots they must keep to are checked
//! by [`Manifest::check_package`] once somebody has parsed them. Nothing here opens a file or knows Rego.

#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod archive;
mod error;
mod glob;
mod limits;
mod manifest;
mod overlap;
mod reader;
mod roots;

pub use archive::read_archive;
pub use error::{BundleError, BundleErrorKind};
pub use limits::Limits;
pub use manifest::{Manifest, WasmEntry};
pub use overlap::check_overlap;
pub use reader::{Bundle, BundleReader, DataFile, Member, Options, YamlReader};
pub use roots::Roots;
