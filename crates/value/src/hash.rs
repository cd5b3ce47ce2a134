//! The content hash of strings and words that indexes in segments are built on.
//!
//! Apart because stored indexes depend on it: a change here is a change of the format. It is the folded
//! multiply of the wyhash family (Wang Yi, 2019), written for short keys.

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let bytes = product.to_le_bytes();
    let (low, high) = bytes.split_at(8);
    word(low) ^ word(high)
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk::<8>().map_or(0, |it| u64::from_le_bytes(*it))
}

/// Returns the hash of one word.
#[inline]
pub(crate) fn hash_word(bits: u64) -> u64 {
    fold(bits ^ SEED, MULTIPLIER)
}

/// Returns the hash of two hashes in order.
#[inline]
pub(crate) fn combine(state: u64, next: u64) -> u64 {
    fold(state ^ next, MULTIPLIER ^ state.rotate_left(23))
}

/// Returns the hash of a byte string.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let len = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut state = SEED ^ len;
    let mut rest = bytes;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        state = fold(state ^ u64::from_le_bytes(*chunk), MULTIPLIER);
        rest = tail;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(state ^ u64::from_le_bytes(last), MULTIPLIER ^ len)
}
