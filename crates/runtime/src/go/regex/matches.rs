//! The loop over all matches of a text.
//!
//! By Go's rules: an empty match that touches the match before it does not count, and the search always moves on by at
//! least a character. Automata search, until a match shows that they would read the rest of a long text again and again;
//! then the linear search goes on.

use std::ops::Range;

use regex_automata::Input;
use regex_automata::util::primitives::NonMaxUsize;

use super::linear::Search;
use super::{LONG_BYTES, Regex};

/// This match is looked at, whether the search reads on behind it.
const LOOKED_AT_FIRST: u32 = 2;
/// After that, one match of the next so many; not always the last of them, since texts repeat themselves.
const LOOKED_AT: u32 = 64;
/// Groups of so many matches that stand close to each other are found quicker in linear time, too.
const CLOSE_MATCHES: u32 = 1024;
/// So close, in bytes from one match to the next.
const CLOSE_BYTES: usize = 64;
/// Matches of patterns that cannot be longer need no look.
const SHORT_BYTES: usize = 64;

/// One match: the byte range of each group, the whole match first.
pub(super) type Groups = Vec<Option<Range<usize>>>;

impl Regex {
    pub(super) fn each_range(&self, text: &str, limit: i64, mut deliver: impl FnMut(Range<usize>)) {
        let mut matcher = Matcher::new(self, text);
        let mut steps = Steps::new(limit);
        while let Some(range) = steps.pos(text).and_then(|pos| matcher.find(pos)) {
            if steps.accepts(text, &range) {
                deliver(range);
            }
        }
    }

    pub(super) fn each_groups(&self, text: &str, limit: i64, mut deliver: impl FnMut(&Groups)) {
        let mut matcher = Matcher::new(self, text);
        let mut steps = Steps::new(limit);
        let mut groups = Groups::new();
        while let Some(range) = steps.pos(text).and_then(|pos| matcher.find_groups(pos, &mut groups)) {
            if steps.accepts(text, &range) {
                deliver(&groups);
            }
        }
    }

    /// Says whether searching on behind a match could read the rest of a long text again and again.
    fn reads_on(&self, text: &str, found: &Range<usize>, pos: usize) -> bool {
        text.len() - found.end >= LONG_BYTES
            && self.hir.properties().maximum_len().is_none_or(|it| it > SHORT_BYTES)
            && self.linear().is_some_and(|it| it.reads_on(text, pos))
    }
}

/// Searches a text for one match after the other.
pub(super) struct Matcher<'p, 't> {
    regex: &'p Regex,
    text: &'t str,
    linear: Option<Search<'p, 't>>,
    count: u32,
    /// The match to look at next, and what the choice of it comes from.
    look_at: u32,
    seed: u32,
    /// The places of groups.
    slots: Vec<Option<NonMaxUsize>>,
}

impl<'p, 't> Matcher<'p, 't> {
    fn new(regex: &'p Regex, text: &'t str) -> Self {
        let mut made = Self::at_first(regex, text);
        if regex.engine.is_some() {
            made.linear = regex.linear_at_once(text).and_then(|it| it.search(text, 0));
        }
        made
    }

    /// For the first match alone.
    pub(super) fn at_first(regex: &'p Regex, text: &'t str) -> Self {
        let linear = regex.engine.is_none().then(|| regex.linear_only(text));
        Self { regex, text, linear, count: 0, look_at: LOOKED_AT_FIRST, seed: 1, slots: Vec::new() }
    }

    /// Finds the leftmost match from a place on. Places do not go back.
    fn find(&mut self, pos: usize) -> Option<Range<usize>> {
        if let Some(linear) = &mut self.linear {
            return linear.find(pos);
        }
        let found = self.regex.engine.as_ref()?.search(&Input::new(self.text).range(pos..))?.range();
        self.look(&found, pos);
        Some(found)
    }

    /// As [`Self::find`], with the groups.
    pub(super) fn find_groups(&mut self, pos: usize, groups: &mut Groups) -> Option<Range<usize>> {
        if self.regex.slots.len() == 1 {
            let found = self.find(pos)?;
            groups.clear();
            groups.push(Some(found.clone()));
            return Some(found);
        }
        let slot_count = self.regex.slots.iter().map(|it| it * 2 + 2).max().unwrap_or(2);
        self.slots.clear();
        self.slots.resize(slot_count, None);
        let found = match &mut self.linear {
            Some(linear) => linear.find_groups(pos, &mut self.slots)?,
            None => {
                let input = Input::new(self.text).range(pos..);
                self.regex.engine.as_ref()?.search_slots(&input, &mut self.slots)?;
                let found = group(&self.slots, 0)?;
                self.look(&found, pos);
                if self.count == CLOSE_MATCHES && self.is_close(pos) {
                    self.go_on_linear(pos);
                }
                found
            }
        };
        groups.clear();
        groups.extend(self.regex.slots.iter().map(|it| group(&self.slots, *it)));
        Some(found)
    }

    /// Goes on in linear time if a match shows that automata would not.
    fn look(&mut self, found: &Range<usize>, pos: usize) {
        self.count = self.count.wrapping_add(1);
        if self.count != self.look_at {
            return;
        }
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.look_at = self.look_at.wrapping_add(1 + (self.seed >> 16) % LOOKED_AT);
        if self.regex.reads_on(self.text, found, pos) {
            self.go_on_linear(pos);
        }
    }

    fn is_close(&self, pos: usize) -> bool {
        pos < CLOSE_BYTES << CLOSE_MATCHES.ilog2() && self.text.len() - pos >= LONG_BYTES
    }

    fn go_on_linear(&mut self, pos: usize) {
        self.linear = self.regex.linear().and_then(|it| it.search(self.text, pos));
    }
}

/// Returns the range of a group.
pub(super) fn group(slots: &[Option<NonMaxUsize>], group: usize) -> Option<Range<usize>> {
    let place = |slot: usize| slots.get(slot).copied().flatten().map(NonMaxUsize::get);
    Some(place(group * 2)?..place(group * 2 + 1)?)
}

/// Where to search next, and which matches count.
pub(super) struct Steps {
    left: u64,
    pos: usize,
    last_end: Option<usize>,
}

impl Steps {
    pub(super) fn new(limit: i64) -> Self {
        Self { left: u64::try_from(limit).unwrap_or(u64::MAX), pos: 0, last_end: None }
    }

    /// Returns where to search; none if nothing is left.
    pub(super) fn pos(&self, text: &str) -> Option<usize> {
        (self.left > 0 && self.pos <= text.len()).then_some(self.pos)
    }

    /// Moves on behind what was found, and says whether it counts.
    pub(super) fn accepts(&mut self, text: &str, found: &Range<usize>) -> bool {
        let accepted = found.end != self.pos || self.last_end != Some(found.start);
        if found.end == self.pos {
            let next = text.get(self.pos..).and_then(|rest| rest.chars().next());
            self.pos += next.map_or(1, char::len_utf8);
        } else {
            self.pos = found.end;
        }
        self.last_end = Some(found.end);
        self.left -= u64::from(accepted);
        accepted
    }
}
