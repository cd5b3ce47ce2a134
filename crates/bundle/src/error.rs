//! Why a bundle is refused.
//!
//! The texts are OPA's where OPA has one; limits say what was found and what is allowed.

use std::{fmt, io};

/// Says what kind of fault a bundle has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BundleErrorKind {
    /// The archive cannot be read to its end.
    Archive,
    /// Something is larger than allowed.
    Limit,
    /// A member's name leads out of the bundle.
    Path,
    /// The manifest cannot be read or contradicts itself.
    Manifest,
    /// A data file cannot be read or contradicts another.
    Data,
    /// Data files lie in each other, and are to be joined without being in memory.
    Nested,
    /// Something lies outside the manifest's roots, or two bundles own the same.
    Roots,
    /// The signature is missing or wrong, or does not speak of what is there.
    Signature,
    /// A member is of a kind that is not supported.
    Unsupported,
}

/// Is the reason why a bundle is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleError {
    kind: BundleErrorKind,
    message: String,
}

impl BundleError {
    pub(crate) fn new(kind: BundleErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns what kind of fault it is.
    #[must_use]
    pub fn kind(&self) -> BundleErrorKind {
        self.kind
    }

    /// Makes the error of an archive or a member that cannot be read.
    pub(crate) fn unreadable(error: &io::Error) -> Self {
        let message = match error.kind() {
            io::ErrorKind::UnexpectedEof => "unexpected EOF".to_owned(),
            _ => error.to_string().trim_end_matches('\n').to_owned(),
        };
        Self::new(BundleErrorKind::Archive, format!("bundle read failed: {message}"))
    }

    /// Makes the error of a data file whose place is taken by another file of the bundle.
    #[must_use]
    pub fn data_conflict(member: &str, path: &[String]) -> Self {
        let place = path.join("/");
        let message = format!("bundle load failed on {member}: failed to insert data file from path {place}");
        Self::new(BundleErrorKind::Data, message)
    }

    /// Makes the error of a data file at the root that is no object.
    #[must_use]
    pub fn root_not_object(member: &str) -> Self {
        Self::new(BundleErrorKind::Data, format!("bundle load failed on {member}: root value must be object"))
    }
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BundleError {}
