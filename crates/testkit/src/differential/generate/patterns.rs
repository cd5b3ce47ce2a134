//! Regular expressions and globs, most of them valid, and texts that they may match.
//!
//! Apart because long runs ask for them alone. Letters come from a small alphabet so that patterns match often.

use crate::mutate::Random;

const ATOMS: &[&str] = &[
    "a",
    "b",
    "ab",
    "abc",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "\\D",
    "\\W",
    "\\S",
    "[abc]",
    "[a-z]",
    "[^a]",
    "[^\\d]",
    "[[:alpha:]]",
    "[[:^digit:]x]",
    "\\pL",
    "\\p{Lu}",
    "\\P{Greek}",
    "[\\p{Ll}\\d_-]",
    "\u{e9}",
    "\\x41",
    "\\x{1F600}",
    "\\.",
    "\\t",
    "\\n",
    "1",
    "\\/",
    "\\Qa.b\\E",
    "[a\\]b]",
    "[]a]",
    "[-a]",
    "\\07",
    "_",
    "-",
    ":",
    "/",
    " ",
    "B",
    "\\C",
    "[\\Q-\\E]",
];
const ANCHORS: &[&str] = &["^", "$", "\\b", "\\B", "\\A", "\\z"];
const REPEATS: &[&str] =
    &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}", "{0}", "{,2}", "{1,2", "{1,60}"];
const INVALID: &[&str] = &[
    "(",
    ")",
    "[",
    "a**",
    "(?P<n>a)(?P<n>b)",
    "\\8",
    "(?=a)",
    "a{1001}",
    "[z-a]",
    "(?<n",
    "*",
    "\\p{Nope}",
    "(?P<1>a)",
    "\\",
    "[[:nope:]]",
    "(?i",
    "a{2}{3}",
    "x{2,1}",
    "(?z)",
    "(?P=n)",
    "\\k<n>",
    "[a",
    "(?#c)",
];
const GROUPS: &[&str] = &["(", "(?:", "(?i:", "(?s:", "(?P<n>", "(?<m>", "(?m:", "(?U:", "(?i-s:", "(?-i:"];

/// Returns a regular expression of so many levels.
pub(crate) fn regex(random: &mut Random, depth: usize) -> String {
    if random.below(30) == 0 {
        return (random.choose(INVALID)).to_owned();
    }
    let mut out = String::new();
    if random.below(12) == 0 {
        out += random.choose(&["(?i)", "(?s)", "(?m)", "(?U)", "(?im)"]);
    }
    alternation(random, depth, &mut out);
    out
}

fn alternation(random: &mut Random, depth: usize, out: &mut String) {
    let count = if random.below(4) == 0 { 2 + random.below(2) } else { 1 };
    for index in 0..count {
        if index > 0 {
            out.push('|');
        }
        for _ in 0..random.below(4) + usize::from(index == 0) {
            piece(random, depth, out);
        }
    }
}

fn piece(random: &mut Random, depth: usize, out: &mut String) {
    match random.below(10) {
        0 => out.push_str(random.choose(ANCHORS)),
        1 | 2 if depth > 0 => {
            out.push_str(random.choose(GROUPS));
            alternation(random, depth - 1, out);
            out.push(')');
            repeat(random, out);
        }
        _ => {
            out.push_str(random.choose(ATOMS));
            repeat(random, out);
        }
    }
}

fn repeat(random: &mut Random, out: &mut String) {
    if random.below(3) == 0 {
        out.push_str(random.choose(REPEATS));
    }
}

/// Returns a text that patterns may match.
pub(crate) fn subject(random: &mut Random) -> String {
    let pieces = [
        "a",
        "b",
        "c",
        "ab",
        "abc",
        "A",
        "B",
        "1",
        "42",
        " ",
        "\n",
        "_",
        "-",
        ".",
        "/",
        ":",
        "\u{e9}",
        "\u{3b1}",
        "\u{1f600}",
        "x",
        "a.b",
        "\t",
        "\u{17f}",
        "K",
        "\u{212a}",
    ];
    let count = random.below(8);
    (0..count).map(|_| random.choose(&pieces)).collect()
}

/// Returns a text that is long to regular expressions: these are searched for in another way then.
pub(crate) fn long_subject(random: &mut Random) -> String {
    let mut out = String::new();
    while out.len() < 17_000 {
        out += &subject(random);
    }
    out
}

/// Returns what matches are replaced with.
pub(crate) fn replacement(random: &mut Random) -> String {
    let pieces = ["x", "$1", "${1}", "$0", "$n", "${n}y", "$$", "$", "${", "$1x", "$2", "\\1", "\u{e9}", ""];
    let count = random.below(3);
    (0..=count).map(|_| random.choose(&pieces)).collect()
}

const GLOBS: &[&str] = &[
    "a",
    "b",
    "abc",
    "*",
    "**",
    "?",
    ".",
    "/",
    ":",
    "[abc]",
    "[!a]",
    "[a-c]",
    "[!a-c]",
    "{a,b}",
    "{ab,*c}",
    "{a*,?b}",
    "\\*",
    "\\{",
    "\u{e9}",
    "-",
    "{**.a,b}",
    "{,a}",
    "[\u{e9}]",
    "a*",
    "*b",
    "*.a",
    "{a,{b,c}}",
    "[a-",
    "1",
];
const LONG_GLOBS: &[&str] =
    &["a", "b", "?", "/", ".", "[abc]", "[!a]", "[a-c]", "{a,b}", "{ab,c}", "{?,[!b]x}", "{a,{b,c/}}"];
const INVALID_GLOBS: &[&str] =
    &["[", "{a", "a}", "[]", "[!]", "\\", "{", "[a-", "{}", "{a,b", "]", "[z-a]", "[a-bc]", ","];

/// Returns a glob.
pub(crate) fn glob(random: &mut Random) -> String {
    if random.below(20) == 0 {
        return (random.choose(INVALID_GLOBS)).to_owned();
    }
    let count = 1 + random.below(4);
    (0..count).map(|_| random.choose(GLOBS)).collect()
}

/// Returns a text that globs may match.
pub(crate) fn glob_subject(random: &mut Random) -> String {
    let pieces = ["a", "b", "c", "abc", ".", "/", ":", "ab", "1", "\u{e9}", "-", "*", "{", "aab", "x"];
    let count = random.below(6);
    (0..count).map(|_| random.choose(&pieces)).collect()
}

/// Returns a glob and a text that is long to it: they are matched in another way then.
pub(crate) fn long_glob(random: &mut Random) -> (String, String) {
    // OPA's library takes very long, and all memory, for more stars, or stars in groups.
    let mut pattern = random.choose(&["**", "*", "a**", ""]).to_owned();
    for _ in 0..3 + random.below(3) {
        pattern += random.choose(LONG_GLOBS);
    }
    pattern += random.choose(&["**", "*", "**a", "?"]);
    let subjects: String = (0..700).map(|_| glob_subject(random)).collect();
    (pattern, subjects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_patterns() {
        let make = |seed| {
            let mut random = Random::new(seed);
            (0..20).map(|_| regex(&mut random, 3) + &glob(&mut random)).collect::<Vec<_>>()
        };
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
    }
}
