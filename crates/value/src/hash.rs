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

/// Returns the hash of a byte string, sixteen bytes a step.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let len = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut state = SEED ^ len;
    let mut rest = bytes;
    while rest.len() > 16 {
        let (head, tail) = rest.split_at(16);
        state = fold(state ^ word(head), MULTIPLIER ^ word(&head[8..]));
        rest = tail;
    }
    let (first, last) = ends(bytes, rest.len());
    fold(fold(state ^ first, MULTIPLIER ^ last), MULTIPLIER ^ len)
}

/// The words that hold the last `rest` bytes, at most 16, and perhaps some before.
#[inline]
fn ends(bytes: &[u8], rest: usize) -> (u64, u64) {
    match bytes.last_chunk::<8>() {
        Some(last) => {
            let first = if rest > 8 { bytes.len() - rest } else { bytes.len() - 8 };
            (bytes.get(first..).map_or(0, word), u64::from_le_bytes(*last))
        }
        None => {
            let mut last = [0; 8];
            last[..bytes.len()].copy_from_slice(bytes);
            (u64::from_le_bytes(last), 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        for len in 1..70 {
            let bytes: Vec<u8> = (0..len).collect();
            let hash = hash_bytes(&bytes);
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 0x40;
                assert_ne!(hash_bytes(&other), hash, "byte {at} of {len}");
            }
            assert_ne!(hash_bytes(&bytes[1..]), hash, "{len}");
        }
    }
}
