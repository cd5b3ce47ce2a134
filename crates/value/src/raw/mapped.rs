//! Words that stand in a mapped file, block by block held to checksums when they are first read.
//!
//! Beside `raw.rs` because a map is read as memory is. Reads stay inside the words whatever those say; of a block that
//! differs from its checksum zeros are read, and the file counts as damaged from then on. That somebody cuts the file
//! short while it is mapped is not survived: whoever writes such files never changes one in place.

use std::fs::File;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memmap2::Mmap;
use twox_hash::XxHash3_64;

use crate::cell::Cell;

/// Bytes that have one checksum.
pub(crate) const BLOCK_BYTES: usize = 16 * 1024;
const BLOCK_WORDS: usize = BLOCK_BYTES / 8;
/// Runs of up to so many cells are checked whole before they are lent.
const CHECKED_CELLS_MAX: usize = 2 * BLOCK_WORDS;

/// Whether any file was found damaged since the process began; cheaper to ask than each file.
static ANY_DAMAGE: AtomicBool = AtomicBool::new(false);

/// Where the words and checksums of an image stand in its file, in bytes from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) words_at: usize,
    /// The number of words.
    pub(crate) words: usize,
    pub(crate) sums_at: usize,
}

/// Is a mapped file with an image in it.
pub(crate) struct MappedFile {
    map: Mmap,
    place: Place,
    /// One bit for each block that was found right.
    right: Box<[AtomicU64]>,
    is_damaged: AtomicBool,
}

/// Returns the checksum of a block: XXH3 with 64 bits, seeded with the block's number.
pub(crate) fn block_sum(number: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(number, bytes)
}

/// Says whether any mapped file was found damaged since the process began.
pub(crate) fn any_damage() -> bool {
    ANY_DAMAGE.load(Ordering::Relaxed)
}

impl MappedFile {
    /// Maps a file, which must be as long as the place says.
    pub(crate) fn open(file: &File, place: Place) -> io::Result<Self> {
        // SAFETY: the map is only read, and what is read is checked; a file that is cut short while it is mapped ends
        // the process, as the module says.
        let map = unsafe { Mmap::map(file) }?;
        let blocks = place.words.div_ceil(BLOCK_WORDS);
        let ends = [place.words.checked_mul(8), blocks.checked_mul(8)].map(|it| it.unwrap_or(usize::MAX));
        let words_end = place.words_at.saturating_add(ends[0]);
        let sums_end = place.sums_at.saturating_add(ends[1]);
        if words_end > map.len() || sums_end > map.len() || !place.words_at.is_multiple_of(8) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let right = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { map, place, right, is_damaged: AtomicBool::new(false) })
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        self.place.words
    }

    /// Returns where the words start.
    pub(super) fn start(&self) -> NonNull<u64> {
        NonNull::from_ref(&self.map[self.place.words_at..]).cast::<u64>()
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Checks the blocks that words are in; false if one is damaged.
    pub(super) fn check(&self, at: usize, words: usize) -> bool {
        if words == 0 {
            return true;
        }
        (at / BLOCK_WORDS..=(at + words - 1) / BLOCK_WORDS).all(|block| {
            let bit = 1u64 << (block % 64);
            let known = self.right.get(block / 64).is_some_and(|it| it.load(Ordering::Acquire) & bit != 0);
            known || self.check_block(block)
        })
    }

    #[cold]
    fn check_block(&self, block: usize) -> bool {
        let start = block * BLOCK_BYTES;
        let end = (start + BLOCK_BYTES).min(self.place.words * 8);
        let bytes = self.map.get(self.place.words_at + start..self.place.words_at + end);
        let sum = self.map.get(self.place.sums_at + 8 * block..).and_then(|it| it.first_chunk::<8>());
        let is_right = match (bytes, sum) {
            (Some(bytes), Some(sum)) => block_sum(block as u64, bytes) == u64::from_le_bytes(*sum),
            _ => false,
        };
        if is_right {
            if let Some(word) = self.right.get(block / 64) {
                word.fetch_or(1 << (block % 64), Ordering::Release);
            }
        } else {
            self.is_damaged.store(true, Ordering::Relaxed);
            ANY_DAMAGE.store(true, Ordering::Relaxed);
        }
        is_right
    }

    /// Returns a word, 0 outside and where there is damage.
    pub(super) fn word(&self, at: usize) -> u64 {
        if at >= self.place.words || !self.check(at, 1) {
            return 0;
        }
        let start = self.place.words_at + at * 8;
        self.map.get(start..).and_then(|it| it.first_chunk::<8>()).map_or(0, |it| u64::from_le_bytes(*it))
    }

    /// Returns the cells from a word, fewer if the words end before. Of long runs the reader checks each it reads
    /// (`Segment::touch`), so that a look-up in a large collection does not read all of it.
    pub(super) fn cells(&self, at: usize, len: usize) -> &[Cell] {
        let at = at.min(self.place.words);
        let len = len.min(self.place.words - at);
        if len <= CHECKED_CELLS_MAX && !self.check(at, len) {
            return &[];
        }
        // SAFETY: `at` is at most the number of words, which are all inside the map (`open`).
        let start = unsafe { self.start().add(at) };
        // SAFETY: `len` words from `start` are inside the map, which is read alone and borrowed; a map starts at a page
        // and the words at a multiple of eight, so they are aligned; any bits are a cell.
        unsafe { std::slice::from_raw_parts(start.cast::<Cell>().as_ptr(), len) }
    }

    /// Returns the text at a byte of the words, empty outside, where there is damage, and where it is none.
    pub(super) fn text(&self, start: usize, len: usize) -> &str {
        let end = start.saturating_add(len);
        if end > self.place.words * 8 || !self.check(start / 8, (end - start / 8 * 8).div_ceil(8)) {
            return "";
        }
        let bytes = self.map.get(self.place.words_at + start..self.place.words_at + end);
        bytes.and_then(|it| std::str::from_utf8(it).ok()).unwrap_or("")
    }
}
