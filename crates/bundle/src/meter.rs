//! Counts what a bundle costs while its members come, and refuses what is over the limits.
//!
//! Apart because whoever takes members, to read or to sign them, must count in the same way.

use crate::error::{BundleError, BundleErrorKind};
use crate::limits::Limits;

/// Takes the members of a folder or an archive one by one.
pub trait Members {
    /// Says whether a member of this name is taken; others need not be fetched.
    fn wants(&self, path: &str) -> bool;

    /// Returns what has come so far, and what may come.
    fn meter(&mut self) -> &mut Meter;

    /// Takes a member. The path is the one in the bundle; a leading slash is usual.
    ///
    /// # Errors
    ///
    /// The member or all of them are too large, or the content is not what its name promises.
    fn add(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), BundleError>;
}

/// Is a count of members and their bytes.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    bytes: u64,
    members: usize,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, bytes: 0, members: 0 }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Refuses a member by its size alone, before it is read.
    ///
    /// # Errors
    ///
    /// The member is larger than the limit.
    pub fn check_size(&self, path: &str, size: u64) -> Result<(), BundleError> {
        let max = self.limits.member_bytes_max;
        if size <= max {
            return Ok(());
        }
        let shown = path.trim_start_matches('/');
        let message = format!("bundle file '{shown}' size ({size} bytes) exceeded max size ({max} bytes)");
        Err(BundleError::new(BundleErrorKind::Limit, message))
    }

    /// Counts a member; also those that are skipped, so that a flood of empty ones ends.
    pub(crate) fn count(&mut self, path: &str, size: usize) -> Result<(), BundleError> {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        self.members += 1;
        self.bytes = self.bytes.saturating_add(size);
        self.check_size(path, size)?;
        let shown = path.trim_start_matches('/');
        let limits = &self.limits;
        let message = if self.bytes > limits.total_bytes_max {
            format!("bundle is larger than {} bytes at file '{shown}'", limits.total_bytes_max)
        } else if self.members > limits.members_max {
            format!("bundle has more than {} files", limits.members_max)
        } else {
            return Ok(());
        };
        Err(BundleError::new(BundleErrorKind::Limit, message))
    }
}
