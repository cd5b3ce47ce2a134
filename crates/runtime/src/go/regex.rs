//! Regular expressions with Go's syntax and Go's results.
//!
//! The syntax is parsed by our own parser, because the usual crate reads `\d`, `\b`, class
//! operators and repetition differently; the automata crate then runs it in time linear in
//! the text. Matching is leftmost-first like Go's, and the loops over all matches, `split`
//! and the replacement templates follow Go's rules for empty matches. Nothing here knows
//! of values, caches of patterns or budgets.

pub(super) mod class;
mod error;
pub(super) mod linear;
mod matches;
mod node;
mod parse;
mod replace;

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::Input;
use regex_automata::meta;
use regex_syntax::hir::{Class, Hir, HirKind};

pub use self::error::{RegexError, RegexErrorKind};
use self::linear::{Linear, Search};
use self::matches::{Groups, Matcher};

/// The most memory that the automaton of one pattern may take.
const PROGRAM_BYTES_MAX: usize = 64 << 20;
/// A text of so many bytes is long: what is not linear in it would be felt. Less for fuzzers, so that they meet it.
const LONG_BYTES: usize = if cfg!(fuzzing) { 16 } else { 16 << 10 };
/// Automata run any pattern of so many characters, repetitions written out, fast enough on long texts.
const FEW_POSITIONS: usize = 12;
/// So much of a long text is tried first.
const HEAD_BYTES: usize = 256;
/// Making the automaton of more ranges of characters, repetitions written out, takes long.
const RANGES_MAX: usize = 1 << 15;
/// Why a pattern without an automaton can be searched for.
const TOTAL: &str = "no text is too much for a pattern without an automaton";

/// A compiled pattern; cheap to share between threads.
#[derive(Debug)]
pub struct Regex {
    /// None for a pattern whose automaton would take long to make: it is searched for in linear time always.
    engine: Option<meta::Regex>,
    names: Vec<Option<String>>,
    slots: Vec<usize>,
    pattern_is_empty: bool,
    hir: Hir,
    /// For long texts; made for the first one.
    linear: OnceLock<Option<Box<Linear>>>,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Returns Go's error if Go refuses the pattern, and "expression too large" for one
    /// whose automaton would take more than 64 MiB.
    pub fn new(pattern: &str) -> Result<Self, RegexError> {
        let parse::Parsed { hir, names, slots } = parse::parse(pattern)?;
        let is_costly = range_count(&hir) > RANGES_MAX;
        let linear = is_costly.then(|| Linear::new(&hir)).flatten().filter(Linear::is_total);
        let engine = match linear {
            Some(_) => None,
            None => Some(automaton(&hir).ok_or(RegexError::new(RegexErrorKind::TooLarge, pattern))?),
        };
        let linear = linear.map_or_else(OnceLock::new, |it| OnceLock::from(Some(Box::new(it))));
        Ok(Self { engine, names, slots, pattern_is_empty: pattern.is_empty(), hir, linear })
    }

    /// Says whether Go accepts the pattern; cheaper than compiling it.
    pub fn is_valid(pattern: &str) -> bool {
        parse::parse(pattern).is_ok()
    }

    /// Says whether the pattern matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        let Some(engine) = &self.engine else {
            return self.is_linear_match(text);
        };
        if let Some(linear) = self.linear_at_once(text) {
            let head = Input::new(text).range(..text.floor_char_boundary(HEAD_BYTES));
            if engine.is_match(head) {
                return true;
            }
            if let Some(found) = linear.is_match(text) {
                return found;
            }
        }
        engine.is_match(text)
    }

    /// Returns the byte range of the leftmost match.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        match &self.engine {
            Some(engine) => engine.find(text).map(|found| found.range()),
            None => self.linear_only(text).find(0),
        }
    }

    /// Returns the text of all matches, at most `limit` of them if it is not negative.
    pub fn find_all<'t>(&self, text: &'t str, limit: i64) -> Vec<&'t str> {
        let mut found = Vec::new();
        self.each_match(text, limit, |part| found.push(part));
        found
    }

    /// As [`Self::find_all`], one match after the other.
    pub fn each_match<'t>(&self, text: &'t str, limit: i64, mut deliver: impl FnMut(&'t str)) {
        self.each_range(text, limit, |range| deliver(slice(text, range)));
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
        let mut groups = Groups::new();
        Matcher::at_first(self, text).find_groups(0, &mut groups)?;
        Some(groups.into_iter().map(|range| range.map(|range| slice(text, range))).collect())
    }

    /// Returns the groups of all matches, at most `limit` of them if it is not negative; a
    /// group that took no part is the empty string, as in Go.
    pub fn find_all_submatch<'t>(&self, text: &'t str, limit: i64) -> Vec<Vec<&'t str>> {
        let mut found = Vec::new();
        self.each_submatch(text, limit, |parts| found.push(parts.to_vec()));
        found
    }

    /// As [`Self::find_all_submatch`], one match after the other.
    pub fn each_submatch<'t>(&self, text: &'t str, limit: i64, mut deliver: impl FnMut(&[&'t str])) {
        if self.group_count() == 0 {
            return self.each_range(text, limit, |range| deliver(&[slice(text, range)]));
        }
        let mut parts = Vec::new();
        self.each_groups(text, limit, |groups| {
            parts.clear();
            parts.extend(groups.iter().map(|it| it.clone().map_or("", |range| slice(text, range))));
            deliver(&parts);
        });
    }

    /// Returns the parts of the text between matches, at most `limit` of them if it is not
    /// negative; the last one then holds the rest.
    pub fn split<'t>(&self, text: &'t str, limit: i64) -> Vec<&'t str> {
        let mut parts = Vec::new();
        self.each_part(text, limit, |part| parts.push(part));
        parts
    }

    /// As [`Self::split`], one part after the other.
    pub fn each_part<'t>(&self, text: &'t str, limit: i64, mut deliver: impl FnMut(&'t str)) {
        if limit == 0 {
            return;
        }
        if text.is_empty() && !self.pattern_is_empty {
            return deliver("");
        }
        let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
        let (mut begin, mut end) = (0, 0);
        self.each_range(text, limit, |range| {
            if left <= 1 {
                return;
            }
            end = range.start;
            if range.end != 0 {
                deliver(slice(text, begin..end));
                left -= 1;
            }
            begin = range.end;
        });
        if end != text.len() {
            deliver(slice(text, begin..text.len()));
        }
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

    /// Says whether a pattern that has no automaton matches.
    fn is_linear_match(&self, text: &str) -> bool {
        self.linear().and_then(|it| it.is_match(text)).expect(TOTAL)
    }

    /// Searches with a pattern that has no automaton.
    fn linear_only<'t>(&self, text: &'t str) -> Search<'_, 't> {
        self.linear().and_then(|it| it.search(text, 0)).expect(TOTAL)
    }
}

fn automaton(hir: &Hir) -> Option<meta::Regex> {
    let config = meta::Config::new().utf8_empty(true).nfa_size_limit(Some(PROGRAM_BYTES_MAX));
    meta::Builder::new().configure(config).build_from_hir(hir).ok()
}

/// Counts ranges of characters that are not ASCII alone, repetitions written out.
fn range_count(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) if !class.is_ascii() => class.ranges().len(),
        HirKind::Repetition(it) => {
            let times = it.max.unwrap_or(it.min).max(1);
            range_count(&it.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(it) => range_count(&it.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(0, |count, it| count.saturating_add(range_count(it)))
        }
        _ => 0,
    }
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or("")
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
