//! Regular expressions with Go's syntax and Go's results.
//!
//! The syntax is parsed by our own parser, because the usual crate reads `\d`, `\b`, class
//! operators and repetition differently; the automata crate then runs it in time linear in
//! the text. Matching is leftmost-first like Go's, and the loops over all matches, `split`
//! and the replacement templates follow Go's rules for empty matches. Nothing here knows
//! of values, caches of patterns or budgets.

pub(super) mod class;
mod error;
mod linear;
mod node;
mod parse;
mod replace;

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::Input;
use regex_automata::meta;
use regex_automata::util::primitives::NonMaxUsize;
use regex_syntax::hir::Hir;

pub use self::error::{RegexError, RegexErrorKind};
use self::linear::{Linear, Search};

/// The most memory that the automaton of one pattern may take.
const PROGRAM_BYTES_MAX: usize = 64 << 20;
/// A text of so many bytes is long: what is not linear in it would be felt.
const LONG_BYTES: usize = 16 << 10;
/// Automata run any pattern of so many characters, repetitions written out, fast enough on long texts.
const FEW_POSITIONS: usize = 12;
/// So much of a long text is tried first.
const HEAD_BYTES: usize = 256;
/// One match of so many is looked at, whether the search reads on behind it.
const LOOKED_AT: u32 = 64;
/// Matches of patterns that cannot be longer need no look.
const SHORT_BYTES: usize = 64;

/// A compiled pattern; cheap to share between threads.
#[derive(Debug)]
pub struct Regex {
    engine: meta::Regex,
    names: Vec<Option<String>>,
    slots: Vec<usize>,
    pattern_is_empty: bool,
    hir: Hir,
    /// For long texts; made for the first one.
    linear: OnceLock<Option<Box<Linear>>>,
}

/// One match: the byte range of each group, the whole match first.
type Groups = Vec<Option<Range<usize>>>;

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Returns Go's error if Go refuses the pattern, and "expression too large" for one
    /// whose automaton would take more than 64 MiB.
    pub fn new(pattern: &str) -> Result<Self, RegexError> {
        let parsed = parse::parse(pattern)?;
        let config = meta::Config::new().utf8_empty(true).nfa_size_limit(Some(PROGRAM_BYTES_MAX));
        let engine = meta::Builder::new().configure(config).build_from_hir(&parsed.hir);
        let Ok(engine) = engine else {
            return Err(RegexError::new(RegexErrorKind::TooLarge, pattern));
        };
        let parse::Parsed { hir, names, slots } = parsed;
        Ok(Self { engine, names, slots, pattern_is_empty: pattern.is_empty(), hir, linear: OnceLock::new() })
    }

    /// Says whether Go accepts the pattern; cheaper than compiling it.
    pub fn is_valid(pattern: &str) -> bool {
        parse::parse(pattern).is_ok()
    }

    /// Says whether the pattern matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        if let Some(linear) = self.linear_at_once(text) {
            let head = Input::new(text).range(..text.floor_char_boundary(HEAD_BYTES));
            if self.engine.is_match(head) {
                return true;
            }
            if let Some(found) = linear.is_match(text) {
                return found;
            }
        }
        self.engine.is_match(text)
    }

    /// Returns the byte range of the leftmost match.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.engine.find(text).map(|found| found.range())
    }

    /// Returns the text of all matches, at most `limit` of them if it is not negative.
    pub fn find_all<'t>(&self, text: &'t str, limit: i64) -> Vec<&'t str> {
        let mut found = Vec::new();
        self.each_range(text, limit, |range| found.push(slice(text, range)));
        found
    }

    /// Returns the byte ranges of all matches, at most `limit` of them if it is not negative.
    pub fn find_all_ranges(&self, text: &str, limit: i64) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.each_range(text, limit, |range| found.push(range));
        found
    }

    /// Returns the groups of the leftmost match, the whole match first; a group that took
    /// no part is `None`.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Vec<Option<&'t str>>> {
        let groups = self.groups_from(text, 0)?;
        Some(groups.into_iter().map(|range| range.map(|range| slice(text, range))).collect())
    }

    /// Returns the groups of all matches, at most `limit` of them if it is not negative; a
    /// group that took no part is the empty string, as in Go.
    pub fn find_all_submatch<'t>(&self, text: &'t str, limit: i64) -> Vec<Vec<&'t str>> {
        let mut found = Vec::new();
        self.each_groups(text, limit, |groups| {
            let part = |range: &Option<Range<usize>>| slice(text, range.clone().unwrap_or(0..0));
            found.push(groups.iter().map(part).collect());
        });
        found
    }

    /// Returns the parts of the text between matches, at most `limit` of them if it is not
    /// negative; the last one then holds the rest.
    pub fn split<'t>(&self, text: &'t str, limit: i64) -> Vec<&'t str> {
        if limit == 0 {
            return Vec::new();
        }
        if text.is_empty() && !self.pattern_is_empty {
            return vec![""];
        }
        let parts_max = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut parts = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for range in self.find_all_ranges(text, limit) {
            if parts.len() + 1 >= parts_max {
                break;
            }
            end = range.start;
            if range.end != 0 {
                parts.push(slice(text, begin..end));
            }
            begin = range.end;
        }
        if end != text.len() {
            parts.push(slice(text, begin..text.len()));
        }
        parts
    }

    /// Returns the text with every match replaced by the expanded template, in which `$1`,
    /// `${1}`, `$name` and `${name}` stand for groups and `$$` for a dollar sign.
    pub fn replace_all(&self, text: &str, template: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut last = 0;
        if template.contains('$') {
            let template = replace::Template::parse(template, &self.names);
            self.each_groups(text, -1, |groups| {
                let Some(Some(whole)) = groups.first() else {
                    return;
                };
                out.push_str(slice(text, last..whole.start));
                template.expand(text, groups, &mut out);
                last = whole.end;
            });
        } else {
            self.each_range(text, -1, |range| {
                out.push_str(slice(text, last..range.start));
                out.push_str(template);
                last = range.end;
            });
        }
        out.push_str(slice(text, last..text.len()));
        out
    }

    /// Returns the number of capturing groups.
    pub fn group_count(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    fn linear(&self) -> Option<&Linear> {
        self.linear.get_or_init(|| Linear::new(&self.hir).map(Box::new)).as_deref()
    }

    /// Returns what searches a long text for a pattern that may be too much for automata.
    fn linear_at_once(&self, text: &str) -> Option<&Linear> {
        if text.len() < LONG_BYTES {
            return None;
        }
        self.linear().filter(|it| it.len() > FEW_POSITIONS)
    }

    /// Says whether searching on behind a match could read the rest of a long text again and again.
    fn reads_on(&self, text: &str, found: &Range<usize>) -> bool {
        text.len() - found.end >= LONG_BYTES
            && self.hir.properties().maximum_len().is_none_or(|it| it > SHORT_BYTES)
            && self.linear().is_some_and(|it| it.reads_on(text, found.start))
    }

    /// Walks over matches: by automata, and where these would read too much, in linear time.
    fn each<M>(
        &self,
        text: &str,
        limit: i64,
        by: &impl Fn(Way<'_, '_, '_>, usize) -> Option<M>,
        whole: impl Fn(&M) -> Range<usize>,
        deliver: impl FnMut(&M),
    ) {
        let mut linear = self.linear_at_once(text).and_then(|it| it.search(text, 0));
        let mut count = 0_u32;
        let search = |pos: usize| {
            if let Some(linear) = &mut linear {
                return by(Way::Linear(linear), pos);
            }
            let found = by(Way::Automata, pos)?;
            count = count.wrapping_add(1);
            if count.is_multiple_of(LOOKED_AT) && self.reads_on(text, &whole(&found)) {
                linear = self.linear().and_then(|it| it.search(text, pos));
            }
            Some(found)
        };
        each_match(text, limit, search, &whole, deliver);
    }

    fn each_range(&self, text: &str, limit: i64, mut deliver: impl FnMut(Range<usize>)) {
        let by = |way: Way<'_, '_, '_>, pos| match way {
            Way::Automata => self.engine.search(&input(text, pos)).map(|found| found.range()),
            Way::Linear(search) => search.find(pos),
        };
        self.each(text, limit, &by, Range::clone, |range| deliver(range.clone()));
    }

    fn each_groups(&self, text: &str, limit: i64, mut deliver: impl FnMut(&Groups)) {
        let whole = |groups: &Groups| match groups.first() {
            Some(Some(range)) => range.clone(),
            _ => 0..0,
        };
        let by = |way: Way<'_, '_, '_>, pos| match way {
            Way::Automata => self.groups_from(text, pos),
            Way::Linear(search) => {
                let mut slots = vec![None; self.engine.group_info().slot_len()];
                search.find_groups(pos, &mut slots)?;
                Some(self.slots.iter().map(|&group| place_range(&slots, group)).collect())
            }
        };
        self.each(text, limit, &by, whole, |groups| deliver(groups));
    }

    fn groups_from(&self, text: &str, pos: usize) -> Option<Groups> {
        let mut slots = vec![None; self.engine.group_info().slot_len()];
        self.engine.search_slots(&input(text, pos), &mut slots)?;
        Some(self.slots.iter().map(|&group| slot_range(&slots, group)).collect())
    }
}

/// How to search for the next match.
enum Way<'s, 'p, 't> {
    Automata,
    Linear(&'s mut Search<'p, 't>),
}

fn place_range(slots: &[Option<usize>], group: usize) -> Option<Range<usize>> {
    let start = slots.get(group * 2).copied().flatten()?;
    Some(start..slots.get(group * 2 + 1).copied().flatten()?)
}

fn slot_range(slots: &[Option<NonMaxUsize>], group: usize) -> Option<Range<usize>> {
    let start = slots.get(group * 2).copied().flatten()?;
    let end = slots.get(group * 2 + 1).copied().flatten()?;
    Some(start.get()..end.get())
}

fn input(text: &str, pos: usize) -> Input<'_> {
    Input::new(text).range(pos..)
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or("")
}

/// Walks over the matches that Go reports: an empty match that touches the match before it
/// does not count, and the search always moves on by at least a character.
fn each_match<M>(
    text: &str,
    limit: i64,
    mut search: impl FnMut(usize) -> Option<M>,
    whole: impl Fn(&M) -> Range<usize>,
    mut deliver: impl FnMut(&M),
) {
    let mut left = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut pos = 0;
    let mut last_end = None;
    while left > 0 && pos <= text.len() {
        let Some(found) = search(pos) else {
            return;
        };
        let range = whole(&found);
        let accepted = range.end != pos || last_end != Some(range.start);
        if range.end == pos {
            let next = text.get(pos..).and_then(|rest| rest.chars().next());
            pos += next.map_or(1, char::len_utf8);
        } else {
            pos = range.end;
        }
        last_end = Some(range.end);
        if accepted {
            deliver(&found);
            left -= 1;
        }
    }
}

/// Returns a pattern that matches exactly the text.
pub fn quote_meta(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pattern, text, and what `find_all` gives joined by `|`.
    const MATCHES: &[(&str, &str, &str)] = &[
        ("a+b", "aab ab b", "aab|ab"),
        ("a|ab", "ab", "a"),
        ("(?:a|ab)(?:c|bcd)", "abcd", "abcd"),
        ("a*", "baac", "|aa|"),
        ("a*?", "aa", "||"),
        ("(|a)*", "aa", "||"),
        ("(?:a*?b|a*?a)", "aab", "aab"),
        (r"\d+", "12 ٣ 4", "12|4"),
        (r"\w+", "naïve_1", "na|ve_1"),
        (r"\s", "a\u{a0}b\u{b}c d", " "),
        (r"\S+", "a\u{a0}b c", "a\u{a0}b|c"),
        (r"\bé|\Bé", "é é", "é|é"),
        (r"\b", "ab é", "|"),
        (r"\D", "1é", "é"),
        ("(?i)k", "kK\u{212a}", "k|K|\u{212a}"),
        ("(?i)straße", "STRAßE STRA\u{1e9e}E", "STRAßE|STRA\u{1e9e}E"),
        ("(?i)[^k]", "K\u{212a}x", "x"),
        ("(?i:a)b", "Ab AB", "Ab"),
        ("a(?i)b|c", "aB C", "aB|C"),
        ("(?i)\\w", "\u{17f}", "\u{17f}"),
        ("^a$", "a\na", ""),
        ("(?m)^a$", "a\na", "a|a"),
        (r"\Aa", "aa", "a"),
        (r"a\z", "aa", "a"),
        ("a.b", "a\nb axb", "axb"),
        ("(?s)a.b", "a\nb", "a\nb"),
        ("[^a]", "\n", "\n"),
        ("(?U)a+", "aa", "a|a"),
        ("(?U)a+?", "aa", "aa"),
        ("a{2}", "aaaaa", "aa|aa"),
        ("a{,2}", "a{,2}", "a{,2}"),
        ("a{", "a{", "a{"),
        ("a{01}", "a{01}", "a{01}"),
        ("x{2,}y", "xy xxy xxxy", "xxy|xxxy"),
        (r"\Qa.b\E+", "a.bb", "a.bb"),
        (r"\Q*", "*", "*"),
        (r"a\Q\E*", "aa", "aa"),
        (r"\101\x42\x{43}", "ABC", "ABC"),
        (r"\07", "\u{7}", "\u{7}"),
        (r"\<\-\_\!", "<-_!", "<-_!"),
        (r"\a\f\t\n\r\v", "\u{7}\u{c}\t\n\r\u{b}", "\u{7}\u{c}\t\n\r\u{b}"),
        ("[a&&b]", "a&b", "a|&|b"),
        ("[+--]", "+,-.", "+|,|-"),
        ("[[a]b]", "[b] ab] b", "[b]|ab]"),
        ("[]a]", "a]", "a|]"),
        ("[^]a]", "a]b", "b"),
        (r"[\d\-x]", "1-xy", "1|-|x"),
        ("[[:alpha:]]", "aé1", "a"),
        ("[[:^alpha:]]", "aé1", "é|1"),
        ("[[:word:]]+", "a_1-", "a_1"),
        (r"\pL", "aé1", "a|é"),
        (r"\PL", "aé1", "1"),
        (r"\p{Greek}", "aλ", "λ"),
        (r"\p{^Greek}", "aλ", "a"),
        (r"\p{greek}", "λ", "λ"),
        (r"\p{Lowercase_Letter}", "aB", "a"),
        (r"[\p{Lu}\d]+", "aB1", "B1"),
        (r"(?i)\p{Lu}", "aB", "a|B"),
        (r"[^\x00-\x{10FFFF}]", "a", ""),
        (r"\x{D800}", "a", ""),
        (r"[^\x{0}-\x{D7FF}\x{E000}-\x{10FFFF}]", "a\u{e000}", ""),
        ("(?P<x>a)(?<y>b)(?<x>c)", "abc", "abc"),
        ("日本?", "日本日", "日本|日"),
        ("", "é", "|"),
    ];

    #[test]
    fn matches_are_those_of_go() {
        for (pattern, text, want) in MATCHES {
            let regex = Regex::new(pattern).unwrap();
            assert_eq!(regex.find_all(text, -1).join("|"), *want, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn refusals_have_gos_text() {
        let cases = [
            ("[a", "missing closing ]: `[a`"),
            ("(a", "missing closing ): `(a`"),
            ("a)", "unexpected ): `a)`"),
            ("*a", "missing argument to repetition operator: `*`"),
            ("a|*?", "missing argument to repetition operator: `*?`"),
            ("a**b", "invalid nested repetition operator: `**`"),
            ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{3,2}", "invalid repeat count: `{3,2}`"),
            ("(a{100}){11}", "invalid repeat count: `{11}`"),
            (r"a\", r"trailing backslash at end of expression: ``"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"[a-\d]", r"invalid escape sequence: `\d`"),
            (r"\1", r"invalid escape sequence: `\1`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"\u0041", r"invalid escape sequence: `\u`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?x)", "invalid or unsupported Perl syntax: `(?x`"),
            ("(?<a-b>c)", "invalid named capture: `(?<a-b>`"),
            ("(?P<a", "invalid named capture: `(?P<a`"),
            ("[b-a]", "invalid character class range: `b-a`"),
            (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
            (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ];
        for (pattern, want) in cases {
            let error = Regex::new(pattern).map(|_| pattern).unwrap_err();
            assert_eq!(error.to_string(), format!("error parsing regexp: {want}"));
            assert!(!Regex::is_valid(pattern));
        }
        let deep = format!("{}a{}", "(".repeat(1000), ")".repeat(1000));
        let kind = |pattern: &str| Regex::new(pattern).map_err(|err| err.kind()).err();
        assert_eq!(kind(&deep), Some(RegexErrorKind::NestingDepth));
        assert_eq!(kind(&"x{1000}".repeat(4000)), Some(RegexErrorKind::TooLarge));
    }

    #[test]
    fn deep_patterns_fit_the_stack() {
        let deep = format!("{}a{}", "(".repeat(998), ")*".repeat(499) + &")".repeat(499));
        assert!(Regex::is_valid(&"(?:".repeat(100_000)) == Regex::is_valid("("));
        if let Ok(regex) = Regex::new(&deep) {
            assert!(regex.is_match("aa"));
        }
    }

    #[test]
    fn split_follows_go() {
        let cases: [(&str, &str, i64, &[&str]); 7] = [
            ("a", "banana", -1, &["b", "n", "n", ""]),
            ("a", "banana", 2, &["b", "nana"]),
            ("a*", "baac", -1, &["b", "c"]),
            ("", "abc", -1, &["a", "b", "c"]),
            ("", "", -1, &[]),
            ("x", "", -1, &[""]),
            ("a", "aba", 0, &[]),
        ];
        for (pattern, text, limit, want) in cases {
            let regex = Regex::new(pattern).unwrap();
            assert_eq!(regex.split(text, limit), want, "{pattern} on {text}");
        }
    }

    #[test]
    fn templates_follow_go() {
        let cases = [
            ("(a)(b)?", "ab a", "[$1-$2]", "[a-b] [a-]"),
            ("(a)", "a", "$1x|${1}x|$$1|$|${|$9", "|ax|$1|$|${|"),
            ("(?P<n>a)|(?<n>b)", "ab", "<$n>", "<a><b>"),
            ("a*", "baac", "-", "-b-c-"),
            ("(é)", "é", "$01${0}", "é"),
            ("b", "abc", "", "ac"),
        ];
        for (pattern, text, template, want) in cases {
            let regex = Regex::new(pattern).unwrap();
            assert_eq!(regex.replace_all(text, template), want, "{pattern} {template}");
        }
    }

    #[test]
    fn groups_that_took_no_part_are_empty() {
        let regex = Regex::new("(a)|(b){0}(c)").unwrap();
        assert_eq!(regex.find_all_submatch("ac", -1), [["a", "a", "", ""], ["c", "", "", "c"]]);
        assert_eq!(regex.captures("c"), Some(vec![Some("c"), None, None, Some("c")]));
        assert_eq!(regex.group_count(), 3);
        assert_eq!(quote_meta("a.b[é]"), r"a\.b\[é\]");
    }
}
