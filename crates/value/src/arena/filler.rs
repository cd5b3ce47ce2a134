//! Fills an arena from a reader: cells instead of handles, the place to write in registers.
//!
//! Apart from `arena.rs` because it trades the checks of the public API for speed: all its values are of one
//! arena, so no cell needs a look at its segment.

use std::cmp::Ordering;

use crate::arena::{Arena, small};
use crate::cell::{Cell, tag};
use crate::hash::hash_bytes;
use crate::json::sink::Sink;
use crate::keys::{self, KeyTexts};
use crate::node::{self, Header};
use crate::raw::Segment;
use crate::value::Value;

/// Writes nodes into an arena, which must not be used otherwise until [`Filler::finish`].
///
/// References are as seen from the chunk that is being filled.
pub(crate) struct Filler<'e> {
    arena: &'e Arena,
    segment: &'e Segment,
    used: usize,
    limit: usize,
    /// So many of the lowest live cells refer to earlier chunks only.
    relinked: usize,
}

impl<'e> Filler<'e> {
    pub(crate) fn new(arena: &'e Arena) -> Self {
        Self { arena, segment: arena.chunk(), used: arena.used.get(), limit: arena.limit.get(), relinked: 0 }
    }

    /// Ends filling. Without it, what was filled last is given up.
    pub(crate) fn finish(self, root: Cell) -> Value<'e> {
        self.arena.used.set(self.used);
        Value::load(self.segment, root)
    }

    #[inline]
    fn reserve(&mut self, words: usize, live: &mut [Cell]) -> Option<u32> {
        let at = self.used;
        if words > self.limit - at {
            return self.reserve_in_next(words, live);
        }
        self.used = at + words;
        Some(small(at))
    }

    #[cold]
    fn reserve_in_next(&mut self, words: usize, live: &mut [Cell]) -> Option<u32> {
        self.arena.used.set(self.used);
        let place = self.arena.reserve(words)?;
        if !std::ptr::eq(place.segment, self.segment) {
            self.relink(live)?;
        }
        self.segment = place.segment;
        self.used = self.arena.used.get();
        self.limit = self.arena.limit.get();
        Some(place.at)
    }

    /// Makes references into the chunk that was filled so far hold in the next one.
    fn relink(&mut self, live: &mut [Cell]) -> Option<()> {
        let own = |it: &&mut Cell| it.is_reference() && it.segment() == 0 && it.offset() != 0;
        let fresh = live.get_mut(self.relinked..).unwrap_or_default();
        let mut own = fresh.iter_mut().filter(own).peekable();
        if own.peek().is_some() {
            let number = self.arena.link_number(self.segment)?;
            own.for_each(|it| *it = it.with_segment(number));
        }
        self.relinked = live.len();
        Some(())
    }

    fn text_cell(&mut self, tag: u8, at: u32) -> Cell {
        let hash = hash_bytes(self.segment.text(at).as_bytes()).to_le_bytes()[0];
        Cell::reference(tag, hash, at)
    }
}

impl KeyTexts for Filler<'_> {
    #[inline]
    fn first_word(&self, key: Cell) -> u64 {
        self.segment.linked(key.segment()).text_start(key.offset())
    }

    fn compare(&self, a: Cell, b: Cell) -> Ordering {
        Value::load(self.segment, a).text_at().cmp(Value::load(self.segment, b).text_at())
    }
}

impl Sink for Filler<'_> {
    #[inline]
    fn text(&mut self, tag: u8, text: &str, live: &mut Vec<Cell>) -> Option<Cell> {
        let at = self.reserve((text.len() + 4).div_ceil(8), live)?;
        self.segment.put_text(at, text);
        let hash = hash_bytes(text.as_bytes()).to_le_bytes()[0];
        Some(Cell::reference(tag, hash, at))
    }

    fn text_with(
        &mut self,
        tag: u8,
        len: usize,
        write: &mut dyn FnMut(&mut [u8]),
        live: &mut Vec<Cell>,
    ) -> Option<Cell> {
        let at = self.reserve((len + 4).div_ceil(8), live)?;
        self.segment.put_text_with(at, len, write);
        Some(self.text_cell(tag, at))
    }

    #[inline]
    fn array(&mut self, live: &mut Vec<Cell>, start: usize) -> Option<Cell> {
        let len = live.len() - start;
        if len == 0 {
            return Some(Cell::reference(tag::ARRAY, 0, 0));
        }
        let at = self.reserve(1 + len, live)?;
        // What comes in the place of the items is new.
        self.relinked = self.relinked.min(start);
        self.segment.put(at, Header::list(node::ARRAY, len).0);
        self.segment.put_cells(at + 1, live.get(start..).unwrap_or(&[]));
        Some(Cell::reference(tag::ARRAY, 0, at))
    }

    #[inline]
    fn object(&mut self, live: &mut Vec<Cell>, start: usize) -> Option<Cell> {
        // Sorting mixes older cells with new ones.
        self.relinked = self.relinked.min(start);
        let len = keys::sort_pairs(live.get_mut(start..).unwrap_or(&mut []), self);
        if len == 0 {
            return Some(Cell::reference(tag::OBJECT, 0, 0));
        }
        let at = self.reserve(1 + len, live)?;
        self.relinked = self.relinked.min(start);
        self.segment.put(at, Header::list(node::PAIRS, len / 2).0);
        self.segment.put_cells(at + 1, live.get(start..start + len).unwrap_or(&[]));
        Some(Cell::reference(tag::OBJECT, 0, at))
    }
}
