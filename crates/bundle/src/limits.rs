//! What a bundle may cost before it is refused.
//!
//! Apart because whoever reads archives from strangers sets them and every reader asks the same table; sizes are in
//! bytes. It knows no format.

/// Says how large a bundle may be; sizes are those after expansion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of one member.
    pub member_bytes_max: u64,
    /// Bytes of all members together.
    pub total_bytes_max: u64,
    /// How many members there may be, those that are skipped included.
    pub members_max: usize,
}

impl Default for Limits {
    /// Returns OPA's 1 GiB a member, and what keeps an archive of nothing but headers from running for ever.
    fn default() -> Self {
        Self { member_bytes_max: 1 << 30, total_bytes_max: 4 << 30, members_max: 1_000_000 }
    }
}
