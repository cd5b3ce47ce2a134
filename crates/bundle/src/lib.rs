//! The bundle format: policies, data and a manifest, or a change of data, in a folder or a gzipped tar archive.
//!
//! Bytes and readers come in, a [`Bundle`] goes out. [`read_archive`] streams an archive, [`BundleReader`] takes the
//! members of a folder one by one; both keep limits and verify signatures. Modules stay text and the roots they must keep to are checked
//! by [`Manifest::check_package`] once somebody has parsed them. Nothing here opens a file or knows Rego.

#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod archive;
mod error;
mod fields;
mod glob;
mod guard;
mod hash;
mod image_data;
mod keys;
mod limits;
mod manifest;
mod meter;
mod overlap;
mod patch;
mod pattern;
mod reader;
mod roots;
mod sign;
mod signatures;
mod snapshot;
mod writer;

pub use archive::{expand, read_archive, read_expanded, read_members};
pub use error::{BundleError, BundleErrorKind};
pub use guard::Trust;
pub use lictor_value::image::Layout;
pub use limits::Limits;
pub use manifest::{Manifest, WasmEntry};
pub use meter::{Members, Meter};
pub use overlap::check_overlap;
pub use patch::{PatchOperation, patch_member};
pub use pattern::name_matches;
pub use reader::{Bundle, BundleReader, DataFile, Member, Options, YamlReader};
pub use roots::Roots;
pub use sign::{Digests, FileDigest, Signing, read_claims, sign, signatures_file};
pub use signatures::{Verification, VerificationKey};
pub use snapshot::{SnapshotSource, SnapshotWriter, is_snapshot, open_snapshot, snapshot_source};
pub use writer::write_archive;
