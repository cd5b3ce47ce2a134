//! A block of words that grows and becomes a segment, never copied on the way.
//!
//! Beside `raw.rs` because large blocks are mapped: the system moves pages where an allocator copies bytes, so that a
//! document of a gigabyte does not need two while it is built, and its memory goes back as soon as it is dropped. A
//! block may also be the end of a file, for what is larger than the memory. Small blocks stay with the allocator.

use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(unix)]
use memmap2::UncheckedAdvice;
use memmap2::{MmapMut, MmapOptions};

/// Blocks of so many words are mapped.
const MAPPED_WORDS_MIN: usize = 1 << 17;
/// A file starts with so many words (1 MiB) and grows by as many as it has.
const FILE_WORDS_MIN: usize = 1 << 17;
/// A file grows by so many words at most (64 MiB), and then what was written leaves the memory of the process.
const FILE_STEP_WORDS: usize = 1 << 23;
/// After so many reads all over a file it leaves the memory too: each may have brought 64 KiB of it back.
const FILE_READS_MAX: u32 = 4_096;
/// A block takes nothing more at this size (24 GiB), so that all of it can be referred to by 32 bits.
const WORDS_MAX: usize = 3 << 30;
/// Why a block can be made larger: nobody goes on without memory.
const MEMORY_RULE: &str = "the system gives memory";

/// Is a block of words that grows.
#[derive(Debug, Default)]
pub(crate) struct Words {
    home: Home,
    len: usize,
    /// Why the file could not grow; what is added after that is lost.
    fault: Option<io::Error>,
    /// Reads all over the file since it last left the memory.
    reads: AtomicU32,
}

#[derive(Debug)]
enum Home {
    Heap(Vec<u64>),
    Map(MmapMut),
    /// The end of a file, from a position on.
    File(MmapMut, File, u64),
}

impl Default for Home {
    fn default() -> Self {
        Self::Heap(Vec::new())
    }
}

/// Is where the words of a frozen segment are.
pub(super) enum Frozen {
    Heap(Box<[u64]>),
    /// A map, with the number of words that were written.
    Map(MmapMut, usize),
}

impl Words {
    /// Returns a block that starts with words.
    pub(crate) fn of(words: &[u64]) -> Self {
        Self { home: Home::Heap(words.to_vec()), len: words.len(), ..Self::default() }
    }

    /// Returns an empty block that is the end of a file from a position on, a multiple of the size of a page.
    pub(crate) fn in_file(file: File, at: u64) -> io::Result<Self> {
        allocate(&file, at, FILE_WORDS_MIN)?;
        let map = map_file(&file, at, FILE_WORDS_MIN)?;
        Ok(Self { home: Home::File(map, file, at), ..Self::default() })
    }

    /// Says whether nothing more can be added: the block is as large as may be, or its file cannot grow.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= WORDS_MAX || self.fault.is_some()
    }

    pub(crate) fn fault(&self) -> Option<&io::Error> {
        self.fault.as_ref()
    }

    /// Tells of a read at any place, of which there may be many in a row.
    #[inline]
    pub(crate) fn note_read(&self) {
        if let Home::File(map, ..) = &self.home
            && self.reads.fetch_add(1, Ordering::Relaxed) >= FILE_READS_MAX
        {
            self.reads.store(0, Ordering::Relaxed);
            release(map);
        }
    }

    /// Ends writing to a file: it ends behind the words, and all of them are on their way to the disk.
    pub(crate) fn finish(self) -> io::Result<u64> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if let Home::File(map, file, at) = self.home {
            drop(map);
            file.set_len(at + self.len as u64 * 8)?;
        }
        Ok(self.len as u64)
    }

    fn capacity(&self) -> usize {
        match &self.home {
            Home::Heap(words) => words.capacity(),
            Home::Map(map) | Home::File(map, ..) => map.len() / 8,
        }
    }

    /// Makes room for more words.
    #[inline]
    pub(crate) fn reserve(&mut self, more: usize) {
        let wanted = self.len + more;
        let capacity = self.capacity();
        if wanted > capacity {
            self.grow(wanted);
        }
    }

    #[cold]
    fn grow(&mut self, wanted: usize) {
        let words = wanted.max(self.capacity() * 2);
        match &mut self.home {
            Home::Heap(block) if words < MAPPED_WORDS_MIN => block.reserve_exact(words - block.len()),
            Home::Heap(block) => {
                let mut map = MmapMut::map_anon(words * 8).expect(MEMORY_RULE);
                words_of_mut(&mut map)[..block.len()].copy_from_slice(block);
                self.home = Home::Map(map);
            }
            Home::Map(map) => resize(map, words).expect(MEMORY_RULE),
            Home::File(map, file, at) => {
                release(map);
                let words = wanted.max(self.len + self.len.clamp(FILE_WORDS_MIN, FILE_STEP_WORDS));
                if let Err(error) =
                    allocate(file, *at, words).and_then(|()| resize_file(map, file, *at, words))
                {
                    self.fault.get_or_insert(error);
                    // What comes until somebody asks goes nowhere; what is not touched takes no memory.
                    self.home = Home::Map(MmapMut::map_anon(words * 8).expect(MEMORY_RULE));
                }
            }
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, word: u64) {
        self.extend_from_slice(&[word]);
    }

    #[inline]
    pub(crate) fn extend_from_slice(&mut self, words: &[u64]) {
        self.extend(words.iter().copied());
    }

    /// Adds words, of which there are as many as the iterator says.
    #[inline]
    pub(crate) fn extend(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.reserve(words.len());
        match &mut self.home {
            Home::Heap(block) => {
                block.extend(words);
                self.len = block.len();
            }
            Home::Map(map) | Home::File(map, ..) => {
                let start = self.len;
                self.len += words.len();
                let places = &mut words_of_mut(map)[start..self.len];
                places.iter_mut().zip(words).for_each(|(place, word)| *place = word);
            }
        }
    }

    /// Adds zeros.
    #[inline]
    pub(crate) fn extend_zeros(&mut self, count: usize) {
        self.extend(std::iter::repeat_n(0, count));
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        if let Home::Heap(block) = &mut self.home {
            block.truncate(len);
        }
    }

    /// Returns what a frozen segment of these words is made of.
    pub(super) fn freeze(self) -> Frozen {
        match self.home {
            Home::Heap(block) => Frozen::Heap(block.into_boxed_slice()),
            Home::Map(mut map) | Home::File(mut map, ..) => {
                // A map that cannot shrink stays; what was never touched takes no memory.
                drop(resize(&mut map, self.len));
                Frozen::Map(map, self.len)
            }
        }
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match &self.home {
            Home::Heap(block) => block,
            Home::Map(map) | Home::File(map, ..) => &words_of(map)[..self.len],
        }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match &mut self.home {
            Home::Heap(block) => block,
            Home::Map(map) | Home::File(map, ..) => &mut words_of_mut(map)[..self.len],
        }
    }
}

/// Changes the size of a map; the system may put it elsewhere.
#[cfg(target_os = "linux")]
fn resize(map: &mut MmapMut, words: usize) -> io::Result<()> {
    let options = memmap2::RemapOptions::new().may_move(true);
    // SAFETY: the map is borrowed exclusively, so nobody has a reference into the place that it may leave.
    unsafe { map.remap(words * 8, options) }
}

/// Changes the size of a map by a copy; one that need not grow stays as it is.
#[cfg(not(target_os = "linux"))]
fn resize(map: &mut MmapMut, words: usize) -> io::Result<()> {
    if words * 8 > map.len() {
        let mut larger = MmapMut::map_anon(words * 8)?;
        larger[..map.len()].copy_from_slice(map);
        *map = larger;
    }
    Ok(())
}

/// Makes room in a file for words from a position on, so that no write to them meets a full disk.
fn allocate(file: &File, at: u64, words: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), at, words as u64 * 8)?;
    #[cfg(not(target_os = "linux"))]
    file.set_len(at + words as u64 * 8)?;
    Ok(())
}

fn map_file(file: &File, at: u64, words: usize) -> io::Result<MmapMut> {
    // SAFETY: the file is the builder's own; who cuts it short meanwhile ends the process, as `mapped` says.
    unsafe { MmapOptions::new().offset(at).len(words * 8).map_mut(file) }
}

#[cfg(target_os = "linux")]
fn resize_file(map: &mut MmapMut, _file: &File, _at: u64, words: usize) -> io::Result<()> {
    resize(map, words)
}

#[cfg(not(target_os = "linux"))]
fn resize_file(map: &mut MmapMut, file: &File, at: u64, words: usize) -> io::Result<()> {
    *map = map_file(file, at, words)?;
    Ok(())
}

/// Lets the words of a file leave the memory of the process; they come back from the file when they are read.
#[cfg(unix)]
fn release(map: &MmapMut) {
    // SAFETY: the map is of a file and shared, so that what was written stays in the file; a failure changes nothing.
    drop(unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) });
}

#[cfg(not(unix))]
fn release(_map: &MmapMut) {}

/// Returns the words of a map.
#[inline]
fn words_of(map: &MmapMut) -> &[u64] {
    // SAFETY: a map starts at a page, so it is aligned; its bytes are initialised, borrowed for the result, and any
    // eight of them are a word.
    unsafe { std::slice::from_raw_parts(map.as_ptr().cast::<u64>(), map.len() / 8) }
}

/// Returns the words of a map for writing.
#[inline]
fn words_of_mut(map: &mut MmapMut) -> &mut [u64] {
    let len = map.len() / 8;
    // SAFETY: as in `words_of`, borrowed exclusively.
    unsafe { std::slice::from_raw_parts_mut(map.as_mut_ptr().cast::<u64>(), len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_as_the_block_grows() {
        let mut words = Words::of(&[7]);
        for at in 1..MAPPED_WORDS_MIN * 5 {
            words.push(at as u64);
            if at % 100_003 == 0 {
                words.truncate(at);
                words.extend_zeros(1);
            }
        }
        assert_eq!(words.len(), MAPPED_WORDS_MIN * 5);
        assert_eq!((words[0], words[5], words[100_003]), (7, 5, 0));
        words[5] = 1;
        let Frozen::Map(map, len) = words.freeze() else { unreachable!("a large block is mapped") };
        assert_eq!((words_of(&map)[5], len), (1, MAPPED_WORDS_MIN * 5));
    }
}
