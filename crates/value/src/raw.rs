//! Every unsafe operation of the crate: the words of a segment, the link table, text inside a cell.
//!
//! A segment is one zeroed allocation of words that never moves. Reads stay inside it whatever the cell says.
//! An arena writes only to words that it has just reserved, and no reference into those exists yet.

pub(crate) mod mapped;
pub(crate) mod scan;
pub(crate) mod words;

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use memmap2::MmapMut;

use crate::cell::Cell;
use crate::raw::mapped::MappedFile;
use crate::raw::words::{Frozen, Words};

/// A block of words that cells point into.
pub(crate) struct Segment {
    words: NonNull<u64>,
    /// The number of words that are read without a question: all, but none of a file's.
    len: usize,
    /// Where the segment numbers of its cells are looked up; none if all its references are its own.
    links: Option<NonNull<LinkTable>>,
    /// The table of `links` with what it names, if the segment owns them.
    held: Option<Box<Held>>,
    owner: Owner,
}

/// Who gives the words of a segment back.
enum Owner {
    /// Nobody: they are a part of the program.
    Program,
    Allocator,
    /// The map that they stand in.
    Map(#[expect(dead_code, reason = "kept for what it does when it is dropped")] Box<MmapMut>),
    /// A file, whose words are checked when they are read.
    File(Box<MappedFile>),
}

/// Segments that a frozen segment refers to, and keeps.
struct Held {
    /// Owned; never changed.
    table: NonNull<LinkTable>,
    segments: Vec<Arc<Segment>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: made of a box by `Segment::linking`, and owned by this alone.
        drop(unsafe { Box::from_raw(self.table.as_ptr()) });
    }
}

// SAFETY: a frozen segment is never written again. The segments of an arena are written through `&self`, but
// only `Arena` (not `Sync`) does so, and handles to them (`Value`) are neither `Send` nor `Sync`.
unsafe impl Sync for Segment {}
// SAFETY: the words and the link table are owned by, or outlive, whoever owns the segment; no thread affinity.
unsafe impl Send for Segment {}

static EMPTY_WORDS: [u64; 1] = [0];
static EMPTY: Segment = Segment {
    words: NonNull::from_ref(&EMPTY_WORDS[0]),
    len: 1,
    links: None,
    held: None,
    owner: Owner::Program,
};

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment").field("words", &self.len).finish_non_exhaustive()
    }
}

impl Segment {
    /// The segment of values that need none; its word 0 is the empty collection.
    pub(crate) const fn empty() -> &'static Self {
        &EMPTY
    }

    /// Returns a chunk of an arena for as long as the arena is borrowed.
    #[inline]
    pub(crate) fn of_arena(_arena: &crate::Arena, chunk: NonNull<Self>) -> &Self {
        // SAFETY: chunks are boxed, made by this arena, and dropped only by `reset` and `drop`, which need it
        // exclusively and so end the borrow.
        unsafe { chunk.as_ref() }
    }

    /// Allocates a zeroed segment of `len` words, at least one.
    pub(crate) fn zeroed(len: usize, links: Option<NonNull<LinkTable>>) -> Self {
        let len = len.max(1);
        let layout = Self::layout(len);
        // SAFETY: the layout has a size above zero, as `len` is at least one.
        let pointer = unsafe { alloc_zeroed(layout) };
        let Some(words) = NonNull::new(pointer.cast::<u64>()) else { handle_alloc_error(layout) };
        Self { words, len, links, held: None, owner: Owner::Allocator }
    }

    /// Takes the words as a frozen segment whose cells refer to these segments, numbered from 1.
    pub(crate) fn linking(words: Words, segments: Vec<Arc<Self>>) -> Self {
        let mut segment = Self::from_words(words);
        if !segments.is_empty() {
            let table = NonNull::from_mut(Box::leak(Box::new(LinkTable::of(&segments))));
            segment.links = Some(table);
            segment.held = Some(Box::new(Held { table, segments }));
        }
        segment
    }

    /// Returns the segment of a number, which this one keeps; none for its own number and unknown ones.
    pub(crate) fn kept(&self, number: u16) -> Option<&Arc<Self>> {
        let index = usize::from(number).checked_sub(1)?;
        self.held.as_ref()?.segments.get(index)
    }

    /// Returns all segments that this one keeps.
    pub(crate) fn all_kept(&self) -> impl Iterator<Item = &Arc<Self>> {
        self.held.iter().flat_map(|it| &it.segments)
    }

    /// Takes the words as a frozen segment without copying them.
    pub(crate) fn from_words(words: Words) -> Self {
        let (pointer, len, owner) = match words.freeze() {
            Frozen::Heap(words) if words.is_empty() => return Self::zeroed(1, None),
            Frozen::Heap(words) => {
                let len = words.len();
                (Box::into_raw(words).cast::<u64>(), len, Owner::Allocator)
            }
            Frozen::Map(mut map, len) => (map.as_mut_ptr().cast::<u64>(), len, Owner::Map(Box::new(map))),
        };
        // SAFETY: neither a box nor a map starts at zero.
        let words = unsafe { NonNull::new_unchecked(pointer) };
        Self { words, len, links: None, held: None, owner }
    }

    fn layout(len: usize) -> Layout {
        Layout::array::<u64>(len).expect("a segment is smaller than the address space")
    }

    /// Takes the words of a mapped file.
    pub(crate) fn of_file(file: MappedFile) -> Self {
        Self { words: file.start(), len: 0, links: None, held: None, owner: Owner::File(Box::new(file)) }
    }

    /// The file that the words stand in, if they do.
    #[inline]
    pub(crate) fn file(&self) -> Option<&MappedFile> {
        if let Owner::File(file) = &self.owner { Some(file) } else { None }
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.file().map_or(self.len, MappedFile::len)
    }

    /// Checks a cell of a run that [`Self::cells`] lent, before it is read.
    #[inline]
    pub(crate) fn touch(&self, cell: &Cell) {
        self.touch_all(std::slice::from_ref(cell));
    }

    /// Checks cells of a run that [`Self::cells`] lent, before they are read.
    #[inline]
    pub(crate) fn touch_all(&self, cells: &[Cell]) {
        if let Some(file) = self.file() {
            let start = cells.as_ptr().addr().wrapping_sub(self.words.as_ptr().addr()) / 8;
            if start < file.len() {
                // Damage is told by the file from then on.
                file.check(start, cells.len());
            }
        }
    }

    /// Returns a word, 0 outside.
    #[inline]
    pub(crate) fn word(&self, at: u32) -> u64 {
        let at = at as usize;
        if at >= self.len {
            return self.file().map_or(0, |it| it.word(at));
        }
        // SAFETY: `at` is below `len`, the number of words of the allocation.
        let place = unsafe { self.words.add(at) };
        // SAFETY: in bounds, aligned and initialised (allocated zeroed); nobody writes while this reads.
        unsafe { place.read() }
    }

    /// Returns the cells from `at`, fewer if the segment ends before.
    #[inline]
    pub(crate) fn cells(&self, at: u32, len: usize) -> &[Cell] {
        let at = at as usize;
        if let (true, Some(file)) = (len > self.len, self.file()) {
            return file.cells(at, len);
        }
        let at = at.min(self.len);
        let len = len.min(self.len - at);
        // SAFETY: `at <= self.len`, so the result is inside or one past the allocation.
        let start = unsafe { self.words.add(at) };
        // SAFETY: `len` words from `start` are inside the allocation, initialised, and published words are never
        // written again; `Cell` is a transparent `u64`, for which any bits are valid.
        unsafe { std::slice::from_raw_parts(start.cast::<Cell>().as_ptr(), len) }
    }

    /// Returns all words as cells, which most of them are not.
    pub(crate) fn all_cells(&self) -> &[Cell] {
        let cells = self.cells(0, self.len());
        self.touch_all(cells);
        cells
    }

    /// Returns the text node at a word: 4 bytes of length, then the bytes.
    #[inline]
    pub(crate) fn text(&self, at: u32) -> &str {
        let len = (self.word(at) & 0xffff_ffff) as usize;
        let start = at as usize * 8 + 4;
        if start + len > self.len * 8 {
            return self.file().map_or("", |it| it.text(start, len));
        }
        // SAFETY: `start + len` bytes are inside the allocation.
        let first = unsafe { self.words.cast::<u8>().add(start) };
        // SAFETY: in bounds, initialised, and published bytes are never written again.
        let bytes = unsafe { std::slice::from_raw_parts(first.as_ptr(), len) };
        // SAFETY: text nodes are written from `&str` alone (`put_text`, `DocumentBuilder`).
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }

    /// Says whether two text nodes hold the same text, a word at a time.
    #[inline]
    pub(crate) fn same_text(&self, at: u32, other: &Self, other_at: u32) -> bool {
        let (head, other_head) = (self.word(at), other.word(other_at));
        let len = u32::try_from(head & 0xffff_ffff).unwrap_or(u32::MAX);
        if len < 4 || head != other_head {
            return len < 4 && self.text(at) == other.text(other_at);
        }
        let (words, rest) = ((len - 4) / 8, (len - 4) % 8);
        if words > 4 {
            return self.text(at) == other.text(other_at);
        }
        let mut last = 0;
        for word in 1..=words {
            last |= self.word(at.wrapping_add(word)) ^ other.word(other_at.wrapping_add(word));
        }
        // What stands behind the text does not count.
        let end = words + 1;
        let difference = self.word(at.wrapping_add(end)) ^ other.word(other_at.wrapping_add(end));
        last == 0 && difference & ((1u64 << (8 * rest)) - 1) == 0
    }

    /// Returns the first eight bytes of the text node at a word, the first one lowest.
    #[inline]
    pub(crate) fn text_start(&self, at: u32) -> u64 {
        self.word(at) >> 32 | self.word(at.saturating_add(1)) << 32
    }

    /// Writes a word that was reserved and not yet published.
    #[inline]
    pub(crate) fn put(&self, at: u32, word: u64) {
        assert!((at as usize) < self.len, "a reserved word is inside its segment");
        // SAFETY: in bounds by the assertion.
        let place = unsafe { self.words.add(at as usize) };
        // SAFETY: the word is reserved by the caller, the arena, and no reference to it exists.
        unsafe { place.write(word) }
    }

    /// Writes cells into words that were reserved and not yet published.
    #[inline]
    pub(crate) fn put_cells(&self, at: u32, cells: &[Cell]) {
        let at = at as usize;
        assert!(at <= self.len && cells.len() <= self.len - at, "reserved words are inside their segment");
        // SAFETY: in bounds by the assertion.
        let mut place = unsafe { self.words.add(at) };
        for cell in cells {
            // SAFETY: in bounds, reserved by the caller, and no reference to the word exists.
            unsafe { place.write(cell.0) };
            // SAFETY: inside or one past the allocation, as there are `cells.len()` words.
            place = unsafe { place.add(1) };
        }
    }

    /// Writes a text node of a known length into words that were reserved and not yet published; zeros if what is
    /// written is no UTF-8.
    pub(crate) fn put_text_with(&self, at: u32, len: usize, write: &mut dyn FnMut(&mut [u8])) {
        let start = at as usize * 8;
        assert!(start + 4 + len <= self.len * 8, "a reserved text is inside its segment");
        self.put(at, u64::from(u32::try_from(len).expect("checked when reserved")));
        // SAFETY: in bounds by the assertion above.
        let first = unsafe { self.words.cast::<u8>().add(start + 4) };
        // SAFETY: in bounds, initialised (allocated zeroed), reserved by the caller and referred to by nobody else.
        let bytes = unsafe { std::slice::from_raw_parts_mut(first.as_ptr(), len) };
        write(bytes);
        if std::str::from_utf8(bytes).is_err() {
            bytes.fill(0);
        }
    }

    /// Writes a text node into words that were reserved and not yet published.
    #[inline]
    pub(crate) fn put_text(&self, at: u32, text: &str) {
        let start = at as usize * 8;
        assert!(start + 4 + text.len() <= self.len * 8, "a reserved text is inside its segment");
        let len = u32::try_from(text.len()).expect("checked when reserved");
        // SAFETY: in bounds by the assertion above, as a text node has at least these four bytes.
        let head = unsafe { self.words.cast::<u8>().add(start) };
        // SAFETY: in bounds, and aligned as a word is; reserved by the caller, and no reference to it exists.
        unsafe { head.cast::<u32>().write(len) };
        // SAFETY: the text's bytes follow the four of its length, inside by the assertion above.
        let first = unsafe { head.add(4) };
        // SAFETY: source and target are valid for the length and do not overlap: the target was just reserved.
        unsafe { copy_text(text.as_ptr(), first.as_ptr(), text.len()) }
    }

    /// Returns the segment that a reference in this one names.
    #[inline]
    pub(crate) fn linked<'e>(&'e self, number: u16) -> &'e Self {
        if number == 0 {
            return self;
        }
        let Some(links) = self.links else { return Self::empty() };
        // SAFETY: the table is owned by the arena that owns this segment, or by the segment; borrowed for 'e.
        let table: &'e LinkTable = unsafe { links.as_ref() };
        table.get(number)
    }
}

/// Copies bytes; those of up to 64 in words, without a call.
///
/// # Safety
///
/// Source and target are valid for the length and do not overlap.
#[inline]
unsafe fn copy_text(from: *const u8, to: *mut u8, len: usize) {
    if !(8..=64).contains(&len) {
        // SAFETY: what this function asks for.
        unsafe { std::ptr::copy_nonoverlapping(from, to, len) }
        return;
    }
    let mut at = 0;
    while at + 8 < len {
        // SAFETY: `at + 8` is below the length.
        unsafe { copy_word(from, to, at) };
        at += 8;
    }
    // SAFETY: the last eight bytes; some may be copied twice.
    unsafe { copy_word(from, to, len - 8) }
}

/// Copies the eight bytes at an offset.
///
/// # Safety
///
/// Source and target are valid for eight bytes from the offset and do not overlap.
#[inline]
unsafe fn copy_word(from: *const u8, to: *mut u8, at: usize) {
    // SAFETY: `at` is inside what the caller vouches for.
    let from = unsafe { from.add(at) };
    // SAFETY: as above.
    let to = unsafe { to.add(at) };
    // SAFETY: eight bytes from each are valid and do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(from, to, 8) }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if matches!(self.owner, Owner::Allocator) {
            // SAFETY: allocated with this layout by `zeroed`, or a boxed slice of as many words (same layout).
            unsafe { dealloc(self.words.cast::<u8>().as_ptr(), Self::layout(self.len)) }
        }
    }
}

/// The segments that the cells of an arena refer to, by number from 1.
pub(crate) struct LinkTable {
    entries: UnsafeCell<Vec<NonNull<Segment>>>,
    /// The numbers by the segments' addresses, once there are many.
    numbers: UnsafeCell<HashMap<usize, u16>>,
}

/// Up to this many segments are compared one by one.
const LINKS_COMPARED_MAX: usize = 16;

impl LinkTable {
    pub(crate) fn new() -> Self {
        Self {
            entries: UnsafeCell::new(vec![NonNull::from_ref(Segment::empty())]),
            numbers: UnsafeCell::default(),
        }
    }

    /// Returns the table of segments that are kept by whoever keeps the table.
    fn of(segments: &[Arc<Segment>]) -> Self {
        let first = NonNull::from_ref(Segment::empty());
        let rest = segments.iter().map(|it| NonNull::from_ref(&**it));
        let entries = UnsafeCell::new(std::iter::once(first).chain(rest).collect());
        Self { entries, numbers: UnsafeCell::default() }
    }

    /// Returns the segment of a number; the empty one if there is none.
    #[inline]
    pub(crate) fn get(&self, number: u16) -> &Segment {
        // SAFETY: the vector is only changed by `number_of` and `clear`, on the one thread that owns the arena,
        // and no reference to it outlives a call.
        let entries = unsafe { &*self.entries.get() };
        let Some(entry) = entries.get(number as usize) else { return Segment::empty() };
        // SAFETY: an entry was put in from a reference that lives as long as the values that use its number.
        unsafe { entry.as_ref() }
    }

    /// Returns the number of a segment, entering it if it is new; none if the table is full.
    pub(crate) fn number_of(&self, segment: &Segment) -> Option<u16> {
        // SAFETY: as in `get`; this is the only reference while the call lasts.
        let entries = unsafe { &mut *self.entries.get() };
        // SAFETY: as above; nobody else uses the numbers.
        let numbers = unsafe { &mut *self.numbers.get() };
        let pointer = NonNull::from_ref(segment);
        let address = pointer.as_ptr().addr();
        let compared = entries.len().min(LINKS_COMPARED_MAX);
        if let Some(found) = entries[..compared].iter().rposition(|it| *it == pointer) {
            return u16::try_from(found).ok();
        }
        if let Some(found) = numbers.get(&address) {
            return Some(*found);
        }
        let number = u16::try_from(entries.len()).ok()?;
        if entries.len() >= LINKS_COMPARED_MAX {
            numbers.insert(address, number);
        }
        entries.push(pointer);
        Some(number)
    }

    /// Forgets all segments.
    pub(crate) fn clear(&mut self) {
        self.entries.get_mut().truncate(1);
        self.numbers.get_mut().clear();
    }
}

/// Empties a vector and gives its memory to values of another type with the same layout, of another lifetime mostly.
///
/// # Panics
/// When the layouts differ.
#[must_use]
#[inline]
pub fn recycle<T, U>(mut vector: Vec<T>) -> Vec<U> {
    assert!(Layout::new::<T>() == Layout::new::<U>(), "the layouts must be equal");
    vector.clear();
    let mut vector = std::mem::ManuallyDrop::new(vector);
    let (pointer, capacity) = (vector.as_mut_ptr().cast::<U>(), vector.capacity());
    // SAFETY: allocated by a vector of as many elements of this layout, which no longer owns it; none is initialised.
    unsafe { Vec::from_raw_parts(pointer, 0, capacity) }
}

/// Returns the bytes of words.
pub(crate) fn bytes_of(words: &[u64]) -> &[u8] {
    // SAFETY: the words are initialised, borrowed for the result, and bytes have no alignment.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words)) }
}

/// Returns the bytes of words for writing.
pub(crate) fn bytes_of_mut(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: as in `bytes_of`, borrowed exclusively; any bytes are a valid word.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), size_of_val(words)) }
}

/// Returns the text of bytes that were written from a `&str`.
pub(crate) fn written_text(bytes: &[u8]) -> &str {
    debug_assert!(std::str::from_utf8(bytes).is_ok(), "written from a `&str`");
    // SAFETY: only called on ranges that `DocumentBuilder` copied from a `&str` or found to be UTF-8.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

/// Returns the text that stands inside a cell.
#[inline]
pub(crate) fn inline_text(cell: &Cell) -> &str {
    let len = cell.inline_len();
    // SAFETY: the second byte of eight is inside the cell.
    let first = unsafe { NonNull::from_ref(cell).cast::<u8>().add(1) };
    // SAFETY: `len` is at most 7, so the bytes are inside the cell, which is borrowed; little-endian is asserted
    // at compile time below.
    let bytes = unsafe { std::slice::from_raw_parts(first.as_ptr(), len) };
    // SAFETY: inline text is made from `&str` (`Cell::inline` through `Arena` and `DocumentBuilder`), of the ASCII
    // of a number, or of what `scan::short_string` found to be ASCII.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

const _: () = assert!(cfg!(target_endian = "little"), "inline text is read in little-endian order");
