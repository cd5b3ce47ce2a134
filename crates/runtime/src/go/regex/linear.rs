//! Searching in time linear in the text, whatever the pattern and however many matches there are.
//!
//! The automata crate is linear for one search; but a search that reads on to the end of the text before it settles
//! for a short match, made again behind each match, is quadratic, and a pattern that counts (`a[ab]{100}c`) may need
//! a new state at each character. Here the text is read backwards once, which tells for each place what of the
//! pattern can still reach a match from there (`linear/alive.rs`); then a match is walked forwards without ever
//! turning back, always by the first alternative that is alive (`linear/walk.rs`). `linear/program.rs` makes
//! the steps of a pattern, by characters, `linear/follow.rs` what may come behind each, and `linear/before.rs` before.
//!
//! For long texts only; short ones are quicker with automata.

mod alive;
mod before;
mod follow;
mod program;
mod walk;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use regex_automata::util::primitives::NonMaxUsize;
use regex_syntax::hir::Hir;

use self::alive::States;
use self::follow::{Bits, Follow, set};
use self::program::Program;
pub(in crate::go) use self::program::{Ranges, Step, StepId};
use self::walk::Walk;

/// Contexts of assertions that one pattern may meet.
const CONTEXTS_MAX: usize = 64;
/// With more kinds of assertions, not all contexts are made at once.
const LOOKS_TOTAL_MAX: u32 = 3;

/// A pattern for long texts.
#[derive(Debug)]
pub(in crate::go) struct Linear {
    program: Program,
    /// Of each unit the positions that take it.
    takes: Vec<Bits>,
    /// By what holds at a place; made when it is met, nothing where it would be too large.
    follows: Box<[OnceLock<Option<Arc<Follow>>>]>,
    /// The states that the last text left, for the next one; whoever finds them taken makes new ones.
    kept: Mutex<Option<States>>,
}

/// A text that is searched for match after match.
pub(super) struct Search<'p, 't>(Walk<'p, 't>);

impl Linear {
    /// Returns nothing for a pattern that is too large, or has something that is not known here.
    pub(super) fn new(hir: &Hir) -> Option<Self> {
        Self::of_program(Program::new(hir)?)
    }

    /// Makes a pattern for whole texts of steps that begin with the first one, without assertions, and for each
    /// position the characters that it takes and the step behind it. The last position stands for the end of the text:
    /// it takes nothing.
    pub(in crate::go) fn whole(steps: Vec<Step>, takes: Vec<(Ranges, StepId)>) -> Option<Self> {
        Self::of_program(Program::of_steps(steps, takes)?)
    }

    fn of_program(program: Program) -> Option<Self> {
        let words = words(&program);
        let of_unit = |unit: usize| {
            let mut bits = vec![0; words];
            let positions = (0..program.positions.len()).filter(|it| program.takes(unit, *it));
            positions.for_each(|it| set(&mut bits, it));
            bits
        };
        let takes = (0..program.unit_count()).map(of_unit).collect();
        let follows = vec![OnceLock::new(); CONTEXTS_MAX].into();
        let linear = Self { program, takes, follows, kept: Mutex::new(None) };
        // What is too large in one context is in others.
        linear.follow(0)?;
        Some(linear)
    }

    /// Says whether no text can be too much.
    pub(super) fn is_total(&self) -> bool {
        let looks = self.program.looks;
        let mut contexts = (0..=looks).filter(|it| it & !looks == 0);
        looks.count_ones() <= LOOKS_TOTAL_MAX && contexts.all(|it| self.follow(it).is_some())
    }

    fn words(&self) -> usize {
        words(&self.program)
    }

    fn states(&self) -> States {
        let kept = self.kept.try_lock().ok().and_then(|mut it| it.take());
        kept.unwrap_or_else(|| States::new(self))
    }

    fn keep(&self, states: States) {
        if states.is_small()
            && let Ok(mut kept) = self.kept.try_lock()
        {
            *kept = Some(states);
        }
    }

    /// How many characters are written in the pattern, repetitions written out.
    pub(super) fn len(&self) -> usize {
        self.program.positions.len()
    }

    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        Walk::new(self, text).is_match()
    }

    /// Says whether a pattern for whole texts matches.
    pub(in crate::go) fn is_whole_match(&self, text: &str) -> Option<bool> {
        Walk::new(self, text).is_whole_match()
    }

    /// Begins to search from a place on; nothing if it would cost too much.
    pub(super) fn search<'p, 't>(&'p self, text: &'t str, from: usize) -> Option<Search<'p, 't>> {
        let mut walk = Walk::new(self, text);
        walk.read_back(from)?;
        Some(Search(walk))
    }

    /// Says whether a search from a place on reads on far behind the match before it is sure.
    pub(super) fn reads_on(&self, text: &str, from: usize) -> bool {
        let mut walk = Walk::new(self, text);
        walk.reads_on(from).unwrap_or(false)
    }

    /// Returns what follows where these assertions hold.
    fn follow(&self, context: u8) -> Option<Arc<Follow>> {
        let place = self.follows.get(usize::from(context))?;
        place.get_or_init(|| Follow::new(&self.program, context).map(Arc::new)).clone()
    }
}

/// How many words the bits of all positions take.
fn words(program: &Program) -> usize {
    program.positions.len().div_ceil(64).max(1)
}

impl Search<'_, '_> {
    /// Finds the leftmost match that begins at a place or behind it. Places do not go back.
    pub(super) fn find(&mut self, from: usize) -> Option<Range<usize>> {
        self.0.find(from, &mut [])
    }

    /// As [`Self::find`], with the places of groups: of each its start and its end.
    pub(super) fn find_groups(
        &mut self,
        from: usize,
        slots: &mut [Option<NonMaxUsize>],
    ) -> Option<Range<usize>> {
        let range = self.0.find(from, slots)?;
        for (slot, place) in slots.iter_mut().zip([range.start, range.end]) {
            *slot = NonMaxUsize::new(place);
        }
        Some(range)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_automata::{Input, meta};

    use super::super::matches::{Steps, group};
    use super::super::{Regex, automaton};
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

    /// Walks over all matches, which a search from a place finds.
    fn all(text: &str, mut search: impl FnMut(usize) -> Option<Groups>) -> Vec<Groups> {
        let mut steps = Steps::new(-1);
        let mut found = Vec::new();
        while let Some(groups) = steps.pos(text).and_then(&mut search) {
            if steps.accepts(text, &groups[0].clone().expect("a match")) {
                found.push(groups);
            }
        }
        found
    }

    /// A pattern with both ways to search for it.
    struct Both {
        regex: Regex,
        automaton: meta::Regex,
        slot_count: usize,
    }

    impl Both {
        fn new(pattern: &str) -> Self {
            let regex = Regex::new(pattern).expect("a pattern");
            let automaton = automaton(&regex.hir).expect("small enough");
            let slot_count = regex.slots.iter().map(|it| it * 2 + 2).max().expect("a group");
            Self { regex, automaton, slot_count }
        }

        fn groups(&self, slots: &[Option<NonMaxUsize>]) -> Groups {
            self.regex.slots.iter().map(|it| group(slots, *it)).collect()
        }

        fn by_linear(&self, linear: &Linear, text: &str) -> Vec<Groups> {
            let mut search = linear.search(text, 0).expect("small enough");
            all(text, |pos| {
                let mut slots = vec![None; self.slot_count];
                search.find_groups(pos, &mut slots)?;
                Some(self.groups(&slots))
            })
        }

        fn by_automata(&self, text: &str) -> Vec<Groups> {
            all(text, |pos| {
                let mut slots = vec![None; self.slot_count];
                self.automaton.search_slots(&Input::new(text).range(pos..), &mut slots)?;
                Some(self.groups(&slots))
            })
        }

        fn check(&self, texts: impl IntoIterator<Item = String>) {
            let linear = Linear::new(&self.regex.hir).expect("small enough");
            for text in texts {
                let want = self.by_automata(&text);
                assert_eq!(self.by_linear(&linear, &text), want, "{:?} on {text:?}", self.regex.hir);
                assert_eq!(
                    linear.is_match(&text),
                    Some(!want.is_empty()),
                    "{:?} on {text:?}",
                    self.regex.hir
                );
            }
        }
    }

    #[test]
    fn matches_are_those_of_automata() {
        for pattern in PATTERNS {
            Both::new(pattern).check(texts());
        }
    }

    const ATOMS: &[&str] = &[
        "a", "b", "é", "[ab]", "[^a]", ".", r"\w", r"\pL", r"\b", r"\B", "^", "$", "(?m:^)", "(?m:$)",
        "(?s:.)", "(?i:k)", "", "ab", "aba", r"\n",
    ];
    const REPEATS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{3,}", "{0}"];
    const GROUPS: &[&str] = &["(", "(?:", "(?P<n>", "(?U:"];

    fn pattern() -> impl Strategy<Value = String> {
        let atom = prop::sample::select(ATOMS).prop_map(str::to_owned);
        atom.prop_recursive(5, 24, 4, |inner| {
            let group = prop::sample::select(GROUPS);
            let repeat = prop::sample::select(REPEATS);
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..5).prop_map(|it| it.concat()),
                prop::collection::vec(inner.clone(), 2..4).prop_map(|it| format!("(?:{})", it.join("|"))),
                (inner.clone(), group).prop_map(|(it, open)| format!("{open}{it})")),
                (inner, repeat).prop_map(|(it, repeat)| format!("(?:{it}){repeat}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn random_patterns_match_as_automata_do(
            pattern in pattern(),
            text in "[ab]{0,9}[abékK\n .]{0,12}[ab]{0,9}",
            times in 1..4_usize,
        ) {
            prop_assume!(Regex::is_valid(&pattern));
            // The second time the states are known.
            Both::new(&pattern).check([text.repeat(times), text]);
        }
    }

    #[test]
    fn patterns_without_an_automaton() {
        let patterns =
            [r"(\pL{1,100})(\d?)", r"^\pL{60,}$|^$", r"(?:\pL\b){0,80}(b)", r"(?i)\pL{70}?|(?:K|\PL)*"];
        for pattern in patterns {
            let both = Both::new(pattern);
            assert!(both.regex.engine.is_none(), "{pattern}");
            for text in texts().flat_map(|it| [it.repeat(5), it]) {
                check_calls(&both, &text);
            }
        }
    }

    /// Compares what callers of a pattern get.
    fn check_calls(both: &Both, text: &str) {
        let Both { regex, .. } = both;
        let want = both.by_automata(text);
        let part = |it: &Option<Range<usize>>| it.clone().and_then(|it| text.get(it));
        let parts: Vec<Vec<_>> = want.iter().map(|it| it.iter().map(part).collect()).collect();
        let first = want.first().and_then(|it| it[0].clone());
        assert_eq!(regex.is_match(text), first.is_some(), "{:?} on {text:?}", regex.hir);
        assert_eq!(regex.find(text), first, "{:?} on {text:?}", regex.hir);
        assert_eq!(regex.captures(text), parts.first().cloned(), "{:?} on {text:?}", regex.hir);
        let parts: Vec<Vec<_>> =
            parts.iter().map(|it| it.iter().map(|it| it.unwrap_or_default()).collect()).collect();
        assert_eq!(regex.find_all_submatch(text, -1), parts, "{:?} on {text:?}", regex.hir);
    }

    #[test]
    fn long_texts_with_ever_new_states() {
        let mut seed = 7_u64;
        let letter = |_: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if seed >> 40 & 1 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..40_000).map(letter).collect();
        for pattern in ["a[ab]{60}a", "(?:a|b)[ab]{30,50}?ba{7}"] {
            Both::new(pattern).check([text.clone()]);
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
        // Only each second match reads on.
        let text = "ab".repeat(40_000);
        assert_eq!(Regex::new("a.*c|a|b").expect("a pattern").find_all(&text, -1).len(), text.len());
    }

    #[test]
    fn searches_that_read_on() {
        let reads_on = |pattern: &str, text: &str| {
            let regex = Regex::new(pattern).expect("a pattern");
            Linear::new(&regex.hir).expect("small enough").reads_on(&text.repeat(1000), 1)
        };
        assert!(reads_on("a.*b|a", "a"));
        assert!(!reads_on("a.*b|a", "ab\n"));
        assert!(!reads_on("a.{0,9}b|a", "a"));
        // What reads on began before the match.
        assert!(reads_on(r#""(?:[^"\\]|\\.)*"|\\"#, "\\\""));
        assert!(!reads_on(r#""(?:[^"\\]|\\.)*"|\\"#, "\\\"\""));
    }

    #[test]
    fn what_is_too_large_is_left() {
        let regex = Regex::new("v{1000}x{1000}y{1000}z{1000}w{1000}").expect("a pattern");
        assert!(Linear::new(&regex.hir).is_none());
    }
}
