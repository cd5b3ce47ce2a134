//! Searching in time linear in the text, whatever the pattern and however many matches there are.
//!
//! The automata crate is linear for one search; but a search that reads on to the end of the text before it settles
//! for a short match, made again behind each match, is quadratic, and a pattern that counts (`a[ab]{100}c`) may need
//! a new state at each character. Here the text is read backwards once, which tells for each place what of the
//! pattern can still reach a match from there (`linear/alive.rs`); then a match is walked forwards without ever
//! turning back, always by the first alternative that is alive (`linear/walk.rs`). `linear/program.rs` makes
//! the steps of a pattern, by characters, `linear/follow.rs` what may come behind each.
//!
//! For long texts only; short ones are quicker with automata.

mod alive;
mod follow;
mod program;
mod walk;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_syntax::hir::Hir;

use self::follow::Follow;
use self::program::Program;
use self::walk::Walk;

/// Contexts of assertions that one pattern may meet.
const CONTEXTS_MAX: usize = 64;

/// A pattern for long texts.
#[derive(Debug)]
pub(super) struct Linear {
    program: Program,
    /// By what holds at a place; made when it is met, nothing where it would be too large.
    follows: Box<[OnceLock<Option<Arc<Follow>>>]>,
}

/// A text that is searched for match after match.
pub(super) struct Search<'p, 't>(Walk<'p, 't>);

impl Linear {
    /// Returns nothing for a pattern that is too large, or has something that is not known here.
    pub(super) fn new(hir: &Hir) -> Option<Self> {
        let program = Program::new(hir)?;
        let linear = Self { program, follows: vec![OnceLock::new(); CONTEXTS_MAX].into() };
        // What is too large in one context is in others.
        linear.follow(0)?;
        Some(linear)
    }

    /// How many characters are written in the pattern, repetitions written out.
    pub(super) fn len(&self) -> usize {
        self.program.positions.len()
    }

    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        Walk::new(self, text).is_match()
    }

    /// Begins to search from a place on; nothing if it would cost too much.
    pub(super) fn search<'p, 't>(&'p self, text: &'t str, from: usize) -> Option<Search<'p, 't>> {
        let mut walk = Walk::new(self, text);
        walk.read_back(from)?;
        Some(Search(walk))
    }

    /// Says whether a search for the match that begins at a place reads on far behind it before it is sure.
    pub(super) fn reads_on(&self, text: &str, start: usize) -> bool {
        let mut walk = Walk::new(self, text);
        walk.reads_on(start).unwrap_or(false)
    }

    /// Returns what follows where these assertions hold.
    fn follow(&self, context: u8) -> Option<Arc<Follow>> {
        let place = self.follows.get(usize::from(context))?;
        place.get_or_init(|| Follow::new(&self.program, context).map(Arc::new)).clone()
    }
}

impl Search<'_, '_> {
    /// Finds the leftmost match that begins at a place or behind it. Places do not go back.
    pub(super) fn find(&mut self, from: usize) -> Option<Range<usize>> {
        self.0.find(from, &mut [])
    }

    /// As [`Self::find`], with the places of groups: of each its start and its end.
    pub(super) fn find_groups(&mut self, from: usize, slots: &mut [Option<usize>]) -> Option<Range<usize>> {
        let range = self.0.find(from, slots)?;
        for (slot, place) in slots.iter_mut().zip([range.start, range.end]) {
            *slot = Some(place);
        }
        Some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Regex, each_match, input, place_range};
    use super::*;

    const PATTERNS: &[&str] = &[
        "a",
        "",
        "a|ab",
        "(?:a|ab)(?:c|bcd)?",
        "a*",
        "a*?",
        "(|a)*",
        "(|a)+",
        "(a|b)*?b",
        "(a*)*",
        "(a*)+",
        "(a*?)*?b?",
        "(?:a*?b|a*?a)",
        r"\b",
        r"\B",
        r"\bé|\Bé",
        r"^a|b$",
        "(?m)^",
        "(?m)$",
        "(?m)^a*$",
        "(?i)k+",
        "a.*b|a",
        "a{2,3}",
        "a{2,3}?",
        "(a|ab){0,3}c?",
        "(a){0}b",
        "((a)|(b))*",
        "(?:(a)|b)*",
        "(a?){3}b?",
        "[^a]",
        "[^a]+é?",
        r"\pL+",
        "(?s).",
        ".*",
        ".*?",
        "x*(a|b)*$",
        "(a(b)?)+?",
        "(?U)a+b",
        r"(\w+)\s?",
        r"[^\x00-\x{10FFFF}]",
        "(^|a)b?",
        "(a|$)+",
        r"(\b|a)*",
        "a[ab]{5}c",
        "(?:a{0,3}){3}b",
        "(é|b)+?a",
    ];

    fn texts() -> impl Iterator<Item = String> {
        let mut seed = 7_u64;
        let fixed = ["", "a", "é", "aab", "abcabcd", "ab\nb\n", "a é b"].map(str::to_owned).into_iter();
        fixed.chain((0..150).map(move |length| {
            (0..length % 30)
                .map(|_| {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ['a', 'b', 'c', 'é', ' ', '\n', 'K', 'x', 'a', 'b'][(seed >> 40) as usize % 10]
                })
                .collect()
        }))
    }

    type Groups = Vec<Option<Range<usize>>>;

    fn all_groups(linear: &Linear, regex: &Regex, text: &str) -> Vec<Groups> {
        let mut search = linear.search(text, 0).expect("small enough");
        let mut found = Vec::new();
        let next = |pos: usize| -> Option<Groups> {
            let mut slots = vec![None; regex.engine.group_info().slot_len()];
            search.find_groups(pos, &mut slots)?;
            Some(regex.slots.iter().map(|it| place_range(&slots, *it)).collect())
        };
        each_match(text, -1, next, |it| it[0].clone().unwrap_or(0..0), |it| found.push(it.clone()));
        found
    }

    #[test]
    fn matches_are_those_of_automata() {
        for pattern in PATTERNS {
            let regex = Regex::new(pattern).expect("a pattern");
            let linear = Linear::new(&regex.hir).expect("small enough");
            for text in texts() {
                let mut want: Vec<Groups> = Vec::new();
                regex.each_groups(&text, -1, |it| want.push(it.clone()));
                let got = all_groups(&linear, &regex, &text);
                assert_eq!(got, want, "{pattern} on {text:?}");
                assert_eq!(linear.is_match(&text), Some(regex.is_match(&text)), "{pattern} on {text:?}");
            }
        }
    }

    fn ranges_by_automata(regex: &Regex, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let search = |pos| regex.engine.search(&input(text, pos)).map(|it| it.range());
        each_match(text, -1, search, Range::clone, |it| found.push(it.clone()));
        found
    }

    #[test]
    fn long_texts_with_ever_new_states() {
        let mut seed = 7_u64;
        let letter = |_: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if seed >> 40 & 1 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..40_000).map(letter).collect();
        for pattern in ["a[ab]{60}a", "(a|b)[ab]{30,50}?ba{7}"] {
            let regex = Regex::new(pattern).expect("a pattern");
            assert_eq!(regex.find_all_ranges(&text, -1), ranges_by_automata(&regex, &text), "{pattern}");
        }
        assert!(!Regex::new("a[ab]{100}c").expect("a pattern").is_match(&text));
    }

    #[test]
    fn matches_that_are_settled_at_the_end() {
        let text = "a".repeat(30_000);
        let regex = Regex::new("(a).*b|a").expect("a pattern");
        assert_eq!(regex.find_all_ranges(&text, -1).len(), text.len());
        assert_eq!(regex.find_all_submatch(&text, -1), vec![vec!["a", ""]; text.len()]);
        assert_eq!(regex.replace_all(&text, "x"), "x".repeat(text.len()));
    }

    #[test]
    fn what_is_too_large_is_left() {
        let regex = Regex::new("v{1000}x{1000}y{1000}z{1000}w{1000}").expect("a pattern");
        assert!(Linear::new(&regex.hir).is_none());
    }
}
