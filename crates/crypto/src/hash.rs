//! The hash functions that signatures use, and codes made with them.
//!
//! Apart so that the rest of the crate names a function without knowing the back end. An answer is absent where
//! there is no back end; whoever compares must take that as a mismatch.

use crate::backend;

/// A hash function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl Hash {
    /// Returns how many bytes a digest has.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// Returns the digest of the concatenated parts.
    pub(crate) fn digest(self, parts: &[&[u8]]) -> Option<Vec<u8>> {
        backend::digest(self, parts)
    }
}

/// Returns the message's code (HMAC) under a key, or nothing without a back end.
#[must_use]
pub fn hmac(hash: Hash, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    backend::hmac(hash, key, message)
}
