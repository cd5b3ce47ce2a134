//! The per-evaluation arena: bump allocation of values, all freed at once by a reset.
//!
//! It gives out handles through `&self` and takes them all back through `&mut self`. After the first evaluations
//! it no longer calls the system allocator. It knows the node formats of `node`, not where values come from.

mod filler;

use std::cell::{Cell as Slot, RefCell};
use std::ptr::NonNull;

use crate::cell::{Cell, tag};
use crate::hash::hash_bytes;
use crate::json::Scratch;
use crate::node::{self, Header};
use crate::number::Number;
use crate::raw::{LinkTable, Segment};
use crate::value::Value;

pub(crate) use filler::Filler;

const FIRST_CHUNK_WORDS: usize = 4 * 1024;
const CHUNK_WORDS_MAX: usize = 512 * 1024;

/// The home of the values of one evaluation.
///
/// ```
/// use lictor_value::Arena;
///
/// let arena = Arena::new();
/// let roles = arena.array(&[arena.string("admin"), arena.string("viewer")]);
/// assert_eq!(roles.to_json(), r#"["admin","viewer"]"#);
/// ```
pub struct Arena {
    links: Box<LinkTable>,
    /// The chunk that is being filled; the empty segment before the first.
    chunk: Slot<NonNull<Segment>>,
    /// Words given out of it.
    used: Slot<usize>,
    /// Words of it that may be given out: its length, or less where the limit of bytes ends before.
    limit: Slot<usize>,
    /// The last foreign segment and its number.
    last_link: Slot<Option<(NonNull<Segment>, u16)>>,
    state: RefCell<State>,
    /// The stacks of the JSON reader.
    pub(crate) scratch: RefCell<Scratch>,
}

#[derive(Default)]
struct State {
    #[expect(clippy::vec_box, reason = "values point at the segments, so they must not move")]
    chunks: Vec<Box<Segment>>,
    /// The place in `chunks` of the one that is being filled.
    current: usize,
    /// Words given out of the chunks before it.
    before: usize,
    words_max: Option<usize>,
    exhausted: bool,
}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

/// A place of words reserved in a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Place<'e> {
    pub(crate) segment: &'e Segment,
    pub(crate) at: u32,
}

impl Place<'_> {
    #[inline]
    fn put(self, index: usize, word: u64) {
        self.segment.put(self.at + small(index), word);
    }
}

#[inline]
fn small(index: usize) -> u32 {
    u32::try_from(index).expect("chunks are smaller than 2^32 words")
}

impl Arena {
    /// Returns an empty arena, which has not allocated yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            links: Box::new(LinkTable::new()),
            chunk: Slot::new(NonNull::from_ref(Segment::empty())),
            used: Slot::new(0),
            limit: Slot::new(0),
            last_link: Slot::new(None),
            state: RefCell::default(),
            scratch: RefCell::default(),
        }
    }

    /// Frees all values at once; memory is kept for the next evaluation.
    pub fn reset(&mut self) {
        let state = self.state.get_mut();
        // Chunks beyond the usual size served one large evaluation: give them back.
        state.chunks.retain(|it| it.len() <= CHUNK_WORDS_MAX);
        state.current = 0;
        state.before = 0;
        state.exhausted = false;
        let first = state.chunks.first().map_or(Segment::empty(), |it| it);
        self.chunk.set(NonNull::from_ref(first));
        // Word 0 of a segment is the empty collection.
        self.used.set(usize::from(!state.chunks.is_empty()));
        self.last_link.set(None);
        self.links.clear();
        self.set_limit();
    }

    /// Sets how many bytes the values may take; beyond, [`Self::exhausted`] says so.
    pub fn set_bytes_max(&mut self, bytes_max: Option<usize>) {
        self.state.get_mut().words_max = bytes_max.map(|it| it / 8);
        self.set_limit();
    }

    /// Returns the bytes given out since the last reset.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.state.borrow().before + self.used.get()) * 8
    }

    /// Says whether the limit of bytes was passed. The evaluation must end then: later values may be null.
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.state.borrow().exhausted
    }

    /// Says whether so many more bytes are within the limit; for work that gathers values before it makes them.
    #[must_use]
    pub fn has_room(&self, bytes: usize) -> bool {
        let state = self.state.borrow();
        let given = state.before + self.used.get();
        !state.exhausted && state.words_max.is_none_or(|max| bytes / 8 <= max.saturating_sub(given))
    }

    /// Makes a string.
    #[inline]
    pub fn string(&self, text: &str) -> Value<'_> {
        if let Some(cell) = Cell::inline(tag::STRING, text.as_bytes()) {
            return Value::inline(cell);
        }
        self.text_node(tag::STRING_REF, text)
    }

    /// Makes an integer.
    #[inline]
    pub fn int(&self, value: i64) -> Value<'_> {
        match Cell::int(value) {
            Some(cell) => Value::inline(cell),
            None => self.number_text(&value.to_string()),
        }
    }

    /// Makes a number from the result of arithmetic.
    pub fn number(&self, number: &Number) -> Value<'_> {
        match number {
            Number::Int(value) => self.int(*value),
            Number::Big(_) | Number::Float(_) => self.number_text(&number.to_text()),
        }
    }

    /// Makes a number that keeps its text, which must be a JSON number.
    pub fn number_text(&self, text: &str) -> Value<'_> {
        match node::number_cell(text) {
            Some(cell) => Value::inline(cell),
            None => self.text_node(tag::NUMBER_REF, text),
        }
    }

    /// Makes an array.
    pub fn array<'e>(&'e self, items: &[Value<'e>]) -> Value<'e> {
        if items.is_empty() {
            return Value::empty(tag::ARRAY);
        }
        let Some(place) = self.reserve(1 + items.len()) else { return Value::NULL };
        place.put(0, Header::list(node::ARRAY, items.len()).0);
        for (index, item) in items.iter().enumerate() {
            place.put(1 + index, self.cell_at(place, *item).0);
        }
        Value::reference(tag::ARRAY, place)
    }

    /// Makes a set; sorts the items and drops repeated ones (the first stays).
    pub fn set<'e>(&'e self, items: &mut Vec<Value<'e>>) -> Value<'e> {
        sort_unique(items);
        self.set_sorted(items)
    }

    /// Makes a set of items that are sorted and different.
    pub fn set_sorted<'e>(&'e self, items: &[Value<'e>]) -> Value<'e> {
        if items.is_empty() {
            return Value::empty(tag::SET);
        }
        let Some(place) = self.reserve(1 + items.len()) else { return Value::NULL };
        place.put(0, Header::list(node::SET, items.len()).0);
        for (index, item) in items.iter().enumerate() {
            place.put(1 + index, self.cell_at(place, *item).0);
        }
        Value::reference(tag::SET, place)
    }

    /// Makes an object; sorts the keys, and of a repeated key the last value stays.
    pub fn object<'e>(&'e self, pairs: &mut Vec<(Value<'e>, Value<'e>)>) -> Value<'e> {
        sort_pairs(pairs);
        self.object_sorted(pairs)
    }

    /// Makes an object of different keys in any order and their values.
    pub fn object_of<'e>(&'e self, keys: &[Value<'e>], values: &[Value<'e>]) -> Value<'e> {
        let len = keys.len().min(values.len());
        if len == 0 {
            return Value::empty(tag::OBJECT);
        }
        let sorted = keys.is_sorted_by(|a, b| a < b);
        let mut order: Vec<u32> = Vec::new();
        if !sorted {
            order.extend(0..small(len));
            order.sort_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]));
        }
        let Some(place) = self.reserve(1 + 2 * len) else { return Value::NULL };
        place.put(0, Header::list(node::PAIRS, len).0);
        for index in 0..len {
            let from = order.get(index).map_or(index, |it| *it as usize);
            place.put(1 + 2 * index, self.cell_at(place, keys[from]).0);
            place.put(2 + 2 * index, self.cell_at(place, values[from]).0);
        }
        Value::reference(tag::OBJECT, place)
    }

    /// Makes an object of pairs whose keys are sorted and different.
    pub fn object_sorted<'e>(&'e self, pairs: &[(Value<'e>, Value<'e>)]) -> Value<'e> {
        if pairs.is_empty() {
            return Value::empty(tag::OBJECT);
        }
        let Some(place) = self.reserve(1 + 2 * pairs.len()) else { return Value::NULL };
        place.put(0, Header::list(node::PAIRS, pairs.len()).0);
        for (index, (key, value)) in pairs.iter().enumerate() {
            place.put(1 + 2 * index, self.cell_at(place, *key).0);
            place.put(2 + 2 * index, self.cell_at(place, *value).0);
        }
        Value::reference(tag::OBJECT, place)
    }

    /// Makes an object that is `base` with some keys set (`Some`) or removed (`None`), in O(changes) for a large base.
    ///
    /// The changes must be sorted by key and different; a removed key need not be there.
    pub fn object_with<'e>(
        &'e self,
        base: Value<'e>,
        changes: &[(Value<'e>, Option<Value<'e>>)],
    ) -> Value<'e> {
        let Some(view) = base.as_object() else { return base };
        let (root, changes) = view.flatten_changes(changes);
        let root_view = root.as_object().unwrap_or(view);
        if root_view.len() <= node::REBUILD_KEYS_MAX || changes.len() * 2 > root_view.len() {
            return self.object_sorted(&root_view.merged(&changes));
        }
        let len = changes.iter().fold(root_view.len(), |len, (key, value)| {
            match (root_view.get(*key).is_some(), value.is_some()) {
                (true, false) => len - 1,
                (false, true) => len + 1,
                (true, true) | (false, false) => len,
            }
        });
        let Some(place) = self.reserve(3 + 2 * changes.len()) else { return Value::NULL };
        place.put(0, Header::list(node::OVERLAY, len).0);
        place.put(1, self.cell_at(place, root).0);
        place.put(2, changes.len() as u64);
        for (index, (key, value)) in changes.iter().enumerate() {
            let cell = value.map_or(Cell::REMOVED, |it| self.cell_at(place, it));
            place.put(3 + 2 * index, self.cell_at(place, *key).0);
            place.put(4 + 2 * index, cell.0);
        }
        Value::reference(tag::OBJECT, place)
    }

    /// Returns what stands in a node of this arena for the value.
    #[inline]
    fn cell_at(&self, place: Place<'_>, value: Value<'_>) -> Cell {
        if !value.cell.is_reference() || std::ptr::eq(value.segment, place.segment) {
            return value.cell;
        }
        if let Some((last, number)) = self.last_link.get()
            && std::ptr::eq(last.as_ptr(), value.segment)
        {
            return value.cell.with_segment(number);
        }
        self.link(value)
    }

    fn link(&self, value: Value<'_>) -> Cell {
        let Some(number) = self.link_number(value.segment) else { return Cell::NULL };
        self.last_link.set(Some((NonNull::from_ref(value.segment), number)));
        value.cell.with_segment(number)
    }

    /// Returns the number by which cells of this arena refer to the segment.
    fn link_number(&self, segment: &Segment) -> Option<u16> {
        let number = self.links.number_of(segment);
        if number.is_none() {
            self.state.borrow_mut().exhausted = true;
        }
        number
    }

    fn text_node(&self, tag: u8, text: &str) -> Value<'_> {
        let Some(place) = self.reserve((text.len() + 4).div_ceil(8)) else { return Value::NULL };
        place.segment.put_text(place.at, text);
        let hash = hash_bytes(text.as_bytes()).to_le_bytes()[0];
        Value {
            cell: Cell::reference(tag, hash, place.at),
            segment: place.segment,
            thread: std::marker::PhantomData,
        }
    }

    /// Reserves words, in a new chunk if the current one is full. None when the limit is passed.
    #[inline]
    fn reserve(&self, words: usize) -> Option<Place<'_>> {
        let used = self.used.get();
        if words > self.limit.get().saturating_sub(used) {
            self.next_chunk(words)?;
            return self.reserve_fresh(words);
        }
        self.used.set(used + words);
        Some(Place { segment: self.chunk(), at: small(used) })
    }

    #[cold]
    fn reserve_fresh(&self, words: usize) -> Option<Place<'_>> {
        let used = self.used.get();
        if words > self.limit.get().saturating_sub(used) {
            self.state.borrow_mut().exhausted = true;
            return None;
        }
        self.used.set(used + words);
        Some(Place { segment: self.chunk(), at: small(used) })
    }

    #[inline]
    fn chunk(&self) -> &Segment {
        Segment::of_arena(self, self.chunk.get())
    }

    /// Goes on to a chunk that has room for the words.
    #[cold]
    fn next_chunk(&self, words: usize) -> Option<()> {
        let mut state = self.state.borrow_mut();
        let given = state.before + self.used.get();
        let over = state.words_max.is_some_and(|max| words > max.saturating_sub(given));
        if over || words >= u32::MAX as usize {
            state.exhausted = true;
            return None;
        }
        state.before = given;
        let mut next = if state.chunks.is_empty() { 0 } else { state.current + 1 };
        while state.chunks.get(next).is_some_and(|it| it.len() <= words) {
            next += 1;
        }
        if next >= state.chunks.len() {
            let doubled = FIRST_CHUNK_WORDS << state.chunks.len().min(16);
            let len = doubled.min(CHUNK_WORDS_MAX).max(words + 1);
            let links = NonNull::from_ref(&*self.links);
            state.chunks.push(Box::new(Segment::zeroed(len, Some(links))));
            next = state.chunks.len() - 1;
        }
        state.current = next;
        self.chunk.set(NonNull::from_ref(&**state.chunks.get(next)?));
        self.used.set(1);
        drop(state);
        self.set_limit();
        Some(())
    }

    fn set_limit(&self) {
        let state = self.state.borrow();
        let len = state.chunks.get(state.current).map_or(0, |it| it.len());
        self.limit.set(state.words_max.map_or(len, |max| len.min(max.saturating_sub(state.before))));
    }
}

/// Sorts by Rego's order and drops repeated values; the first of equal ones stays.
pub(crate) fn sort_unique(items: &mut Vec<Value<'_>>) {
    if !items.is_sorted_by(|a, b| a < b) {
        items.sort();
    }
    items.dedup_by(|later, first| first.same_member(*later));
}

/// Sorts by key; of a repeated key the first text and the last value stay.
pub(crate) fn sort_pairs(pairs: &mut Vec<(Value<'_>, Value<'_>)>) {
    if !pairs.is_sorted_by(|a, b| a.0 < b.0) {
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
    }
    pairs.dedup_by(|later, first| {
        let same = first.0.same_member(later.0);
        if same {
            first.1 = later.1;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_several_chunks_hold_together() {
        let mut arena = Arena::new();
        for _ in 0..3 {
            let texts: Vec<String> = (0..20_000).map(|it| format!("a longer text {it}")).collect();
            let items: Vec<Value<'_>> = texts.iter().map(|it| arena.string(it)).collect();
            let list = arena.array(&items);
            let again = list.as_array().expect("an array");
            assert_eq!(again.len(), items.len());
            assert_eq!(
                again.get(19_999).and_then(|it| it.as_str().map(str::to_owned)),
                texts.last().cloned()
            );
            arena.reset();
        }
    }

    #[test]
    fn limit_is_reported() {
        let mut arena = Arena::new();
        arena.set_bytes_max(Some(1_000));
        let _ = arena.string(&"x".repeat(2_000));
        assert!(arena.exhausted());
        arena.reset();
        assert!(!arena.exhausted());
    }

    #[test]
    fn reset_keeps_the_empty_collection() {
        let mut arena = Arena::new();
        for _ in 0..2 {
            let full = arena.array(&[arena.string("more than seven bytes")]);
            let list = arena.array(&[Value::empty_array(), full]);
            assert_eq!(list.to_json(), r#"[[],["more than seven bytes"]]"#);
            arena.reset();
        }
    }

    #[test]
    fn overlay_shows_changes() {
        let arena = Arena::new();
        let mut pairs: Vec<_> = (0..100).map(|it| (arena.int(it), arena.int(it))).collect();
        let base = arena.object(&mut pairs);
        let changed = arena.object_with(
            base,
            &[
                (arena.int(3), None),
                (arena.int(7), Some(arena.string("seven"))),
                (arena.int(1_000), Some(Value::TRUE)),
            ],
        );
        let view = changed.as_object().expect("an object");
        assert_eq!(view.len(), 100);
        assert_eq!(view.iter().count(), 100);
        assert!(view.get(arena.int(3)).is_none());
        assert_eq!(view.get(arena.int(7)), Some(arena.string("seven")));
        assert_eq!(view.get(arena.int(1_000)), Some(Value::TRUE));
        let back = arena.object_with(changed, &[(arena.int(3), Some(arena.int(3)))]);
        assert_eq!(back.as_object().map(|it| it.len()), Some(101));
    }
}
