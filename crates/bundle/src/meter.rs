//! Counts what a bundle costs while its members come, and refuses what is over the limits.
//!
//! Apart because whoever takes members, to read or to sign them, must count in the same way.

use std::io::{self, Read};

use crate::error::{BundleError, BundleErrorKind};
use crate::limits::Limits;

/// Takes the members of a folder or an archive one by one.
pub trait Members {
    /// Says whether a member of this name is taken; others need not be fetched.
    fn wants(&self, path: &str) -> bool;

    /// Returns what has come so far, and what may come.
    fn meter(&mut self) -> &mut Meter;

    /// Takes a member, as far as it counts. The path is the one in the bundle; a leading slash is usual.
    ///
    /// # Errors
    ///
    /// The content cannot be read, the member or all of them are too large, or the content is not what its name
    /// promises.
    fn add(&mut self, path: &str, content: &mut dyn Read) -> Result<(), BundleError>;
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

    /// Returns the content of a member as it comes, which ends with a fault where it is larger than the limits.
    pub(crate) fn limited<'a>(&self, content: &'a mut dyn Read) -> Limited<'a> {
        let left = self.limits.total_bytes_max.saturating_sub(self.bytes);
        Limited { content, bytes: 0, bytes_max: left.min(self.limits.member_bytes_max) }
    }

    /// Reads the whole content of a member and counts it.
    pub(crate) fn read(&mut self, path: &str, content: &mut dyn Read) -> Result<Vec<u8>, BundleError> {
        let mut limited = self.limited(content);
        let mut bytes = Vec::new();
        let read = limited.read_to_end(&mut bytes);
        let size = limited.size();
        self.count(path, size)?;
        read.map_err(|error| BundleError::unreadable(&error))?;
        Ok(bytes)
    }

    /// Counts a member; also those that are skipped, so that a flood of empty ones ends.
    pub(crate) fn count(&mut self, path: &str, size: u64) -> Result<(), BundleError> {
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

/// Is the content of a member that ends with a fault once it is too large.
pub(crate) struct Limited<'a> {
    content: &'a mut dyn Read,
    bytes: u64,
    bytes_max: u64,
}

impl Limited<'_> {
    /// Returns how many bytes came; more than the limit if there are.
    pub(crate) fn size(&self) -> u64 {
        self.bytes
    }
}

impl Read for Limited<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(to)?;
        self.bytes = self.bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        if self.bytes > self.bytes_max {
            return Err(io::Error::other("larger than the limit"));
        }
        Ok(count)
    }
}
