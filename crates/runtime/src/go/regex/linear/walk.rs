//! Reads a text backwards, then walks matches forwards.
//!
//! The text is read backwards twice: first as a whole, keeping the state at the end of each segment, then segment by
//! segment as the walk gets there, keeping the state at each place. Memory is bounded so, whatever the text.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::util::primitives::NonMaxUsize;
use regex_syntax::hir::Look;

use super::Linear;
use super::alive::{State, States};
use super::follow::{Bits, Follow, has};
use super::program::LOOKS;

/// How long a segment is, in bytes.
const SEGMENT: usize = 1 << 12;
/// Reading on so many characters is fine.
const READ_ON_MAX: usize = 256;
/// So many characters are followed.
const FOLLOWED_MAX: usize = 1 << 12;

pub(super) struct Walk<'p, 't> {
    linear: &'p Linear,
    text: &'t str,
    states: States,
    /// Where reading backwards ended.
    from: usize,
    /// The segments, the last one first.
    segments: Vec<Segment>,
    /// The segment whose places are known, and where these are.
    loaded: Option<usize>,
    known: Range<usize>,
    places: Vec<Place>,
    /// The sets of places that have no number.
    plain: Vec<Bits>,
    /// What follows where the walk is, and for which context.
    follow: Option<(u8, Arc<Follow>)>,
}

struct Segment {
    start: usize,
    end: usize,
    /// The state at its end.
    state: State,
    /// Whether a match begins in it.
    begins: bool,
}

/// What is known of a byte's place.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The number of its state, or of its set.
    number: u32,
    is_plain: bool,
    begins: bool,
}

impl Drop for Walk<'_, '_> {
    fn drop(&mut self) {
        self.linear.keep(std::mem::take(&mut self.states));
    }
}

impl<'p, 't> Walk<'p, 't> {
    pub(super) fn new(linear: &'p Linear, text: &'t str) -> Self {
        let states = linear.states();
        Self {
            linear,
            text,
            states,
            from: 0,
            segments: Vec::new(),
            loaded: None,
            known: 0..0,
            places: Vec::new(),
            plain: Vec::new(),
            follow: None,
        }
    }

    /// Says whether there is a match; nothing if that would cost too much.
    pub(super) fn is_match(&mut self) -> Option<bool> {
        let mut state = self.states.at_end();
        let mut context = self.context(self.text.len());
        let mut begins = self.states.begins(self.linear, &state, context)?;
        for (at, c) in self.text.char_indices().rev() {
            if begins {
                return Some(true);
            }
            self.states.back(self.linear, &mut state, self.linear.program.unit(c), context)?;
            context = self.context(at);
            begins = self.states.begins(self.linear, &state, context)?;
        }
        Some(begins)
    }

    /// Says whether a pattern for whole texts matches; nothing if that would cost too much.
    pub(super) fn is_whole_match(&mut self) -> Option<bool> {
        let mut state = self.states.at_last(self.linear);
        for c in self.text.chars().rev() {
            self.states.back(self.linear, &mut state, self.linear.program.unit(c), 0)?;
            if self.states.is_dead(&state) {
                return Some(false);
            }
        }
        self.states.begins(self.linear, &state, 0)
    }

    /// Reads the text from its end to a place; nothing if that costs too much.
    pub(super) fn read_back(&mut self, from: usize) -> Option<()> {
        self.from = from;
        let mut state = self.states.at_end();
        let mut end = self.text.len();
        loop {
            let start = self.segment_start(end);
            let first = state.clone();
            let mut begins = false;
            self.read_segment(start, end, &mut state, |_, _, it| begins |= it)?;
            self.segments.push(Segment { start, end, state: first, begins });
            if start == from {
                return Some(());
            }
            end = start;
        }
    }

    fn segment_start(&self, end: usize) -> usize {
        let start = end.saturating_sub(SEGMENT).max(self.from);
        self.text.floor_char_boundary(start).max(self.from)
    }

    /// Reads a segment backwards and calls back with each place but its end, which is the next one's start; the end of
    /// the text is told, too.
    fn read_segment(
        &mut self,
        start: usize,
        end: usize,
        state: &mut State,
        mut tell: impl FnMut(usize, &State, bool),
    ) -> Option<()> {
        let mut context = self.context(end);
        if end == self.text.len() {
            tell(end, state, self.states.begins(self.linear, state, context)?);
        }
        for (offset, c) in self.text.get(start..end)?.char_indices().rev() {
            self.states.back(self.linear, state, self.linear.program.unit(c), context)?;
            context = self.context(start + offset);
            tell(start + offset, state, self.states.begins(self.linear, state, context)?);
        }
        Some(())
    }

    /// Returns the assertions that hold at a place, of those that the pattern has.
    #[inline]
    fn context(&self, at: usize) -> u8 {
        if self.linear.program.looks == 0 { 0 } else { self.context_of_looks(at) }
    }

    fn context_of_looks(&self, at: usize) -> u8 {
        let wanted = self.linear.program.looks;
        let bytes = self.text.as_bytes();
        let before = at.checked_sub(1).and_then(|it| bytes.get(it)).copied();
        let behind = bytes.get(at).copied();
        let is_word = |it: Option<u8>| it.is_some_and(|it| it.is_ascii_alphanumeric() || it == b'_');
        let holds = |look: &Look| match look {
            Look::Start => before.is_none(),
            Look::End => behind.is_none(),
            Look::StartLF => before.is_none_or(|it| it == b'\n'),
            Look::EndLF => behind.is_none_or(|it| it == b'\n'),
            Look::WordAscii => is_word(before) != is_word(behind),
            _ => is_word(before) == is_word(behind),
        };
        let bits = LOOKS.iter().enumerate().filter(|it| wanted >> it.0 & 1 == 1 && holds(it.1));
        bits.fold(0, |bits, it| bits | 1 << it.0)
    }

    /// Finds the leftmost match from a place on, and notes the places of its groups.
    pub(super) fn find(&mut self, from: usize, slots: &mut [Option<NonMaxUsize>]) -> Option<Range<usize>> {
        let start = self.next_start(from)?;
        let mut at = start;
        let mut index = self.linear.program.positions.len();
        loop {
            let context = self.context(at);
            if self.follow.as_ref().is_none_or(|it| it.0 != context) {
                self.follow = Some((context, self.states.follow(self.linear, context)?));
            }
            let from = self.load(at)?;
            let place = self.places.get(at - from)?;
            let alive = match place.is_plain {
                true => self.plain.get(place.number as usize)?.as_slice(),
                false => self.states.known(place.number),
            };
            let (_, follow) = self.follow.as_ref()?;
            let list = follow.list(index).iter();
            let target = list.copied().find(|it| it.position.is_none_or(|it| has(alive, it as usize)))?;
            if !slots.is_empty() {
                for slot in follow.slots(target) {
                    if let Some(slot) = slots.get_mut(*slot as usize) {
                        *slot = NonMaxUsize::new(at);
                    }
                }
            }
            let Some(position) = target.position else { return Some(start..at) };
            index = position as usize;
            at += width(*self.text.as_bytes().get(at)?);
        }
    }

    /// Follows all alternatives of a search from a place on, as automata do, and says whether some live on long after
    /// the match was found.
    pub(super) fn reads_on(&mut self, from: usize) -> Option<bool> {
        let program = &self.linear.program;
        let start = program.positions.len();
        let mut current = Vec::new();
        let mut seen = vec![usize::MAX; start];
        // How many characters ago the match was found.
        let mut since = None;
        for (offset, c) in self.text.get(from..)?.char_indices().take(FOLLOWED_MAX) {
            let follow = self.states.follow(self.linear, self.context(from + offset))?;
            let unit = program.unit(c);
            let mut next = Vec::new();
            // A match may begin here as long as there is none that begins before.
            current.extend(since.is_none().then_some(start));
            'preferred: for index in &current {
                for target in follow.list(*index) {
                    let Some(position) = target.position.map(|it| it as usize) else {
                        since = Some(0);
                        break 'preferred;
                    };
                    let place = seen.get_mut(position)?;
                    if program.takes(unit, position) && std::mem::replace(place, offset) != offset {
                        next.push(position);
                    }
                }
            }
            since = since.map(|it| it + 1);
            if since.is_some_and(|it| next.is_empty() || it > READ_ON_MAX) {
                return Some(!next.is_empty());
            }
            current = next;
        }
        Some(false)
    }

    /// Returns the first place from one on where a match begins.
    fn next_start(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let start = self.load(at)?;
            let places = self.places.get(at - start..)?;
            if let Some(found) = places.iter().position(|it| it.begins) {
                return Some(at + found);
            }
            // Segments in which nothing begins are passed over unread.
            at = self.segments.get(..self.loaded?)?.iter().rev().find(|it| it.begins)?.start;
        }
    }

    /// Reads the segment of a place, if it is not the one that was read last; returns where it starts.
    fn load(&mut self, at: usize) -> Option<usize> {
        if (self.known.start..self.known.end).contains(&at) {
            return Some(self.known.start);
        }
        let index = self.segments.partition_point(|it| it.start > at);
        let segment = self.segments.get(index)?;
        let (start, end, mut state) = (segment.start, segment.end, segment.state.clone());
        let mut places = std::mem::take(&mut self.places);
        let mut plain = std::mem::take(&mut self.plain);
        places.clear();
        places.resize(end - start + 1, Place::default());
        plain.clear();
        self.read_segment(start, end, &mut state, |at, state, begins| {
            let (number, is_plain) = match state {
                State::Known(number) => (*number, false),
                State::Plain(bits) => {
                    plain.push(bits.clone());
                    (u32::try_from(plain.len() - 1).unwrap_or(u32::MAX), true)
                }
            };
            if let Some(place) = places.get_mut(at - start) {
                *place = Place { number, is_plain, begins };
            }
        })?;
        self.places = places;
        self.plain = plain;
        self.loaded = Some(index);
        // The end of the text has a place of its own.
        self.known = start..end + usize::from(end == self.text.len());
        Some(start)
    }
}

/// The bytes of the character that begins so.
fn width(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}
