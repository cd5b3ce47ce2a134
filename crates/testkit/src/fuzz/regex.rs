//! Regular expressions in Go's syntax.
//!
//! The first line is the pattern, the rest the text. Every way to search must agree with the others.

use lictor_runtime::go::regex::{Regex, quote_meta};

/// Compiles the first line and searches the rest.
///
/// It panics if two ways to search disagree, or a quoted text does not match itself.
pub(super) fn regex(bytes: &[u8]) {
    let Ok(all) = std::str::from_utf8(bytes) else { return };
    let (pattern, text) = all.split_once('\n').unwrap_or((all, ""));
    let quoted = Regex::new(&quote_meta(text)).map(|it| it.find(text));
    assert!(quoted.is_ok_and(|it| it == Some(0..text.len())), "a quoted text does not match itself");
    let compiled = Regex::new(pattern);
    assert_eq!(compiled.is_ok(), Regex::is_valid(pattern), "valid, but refused, or the other way");
    let regex = match compiled {
        Ok(regex) => regex,
        Err(error) => return assert!(!error.to_string().is_empty(), "refused without a reason"),
    };
    let found = regex.find(text);
    assert_eq!(regex.is_match(text), found.is_some(), "a match without a place");
    let whole = |range: std::ops::Range<usize>| text.get(range).expect("a match ends between characters");
    let captures = regex.captures(text);
    let first = captures.as_ref().and_then(|it| it.first().copied().flatten());
    assert_eq!(first, found.clone().map(whole), "the first group is not the match");
    assert!(captures.is_none_or(|it| it.len() == regex.group_count() + 1), "a group is lost");
    let all = regex.find_all_ranges(text, -1);
    assert_eq!(all.first().cloned(), found, "the first of all matches is another");
    assert!(all.windows(2).all(|it| it[0].end <= it[1].start), "matches overlap");
    assert_eq!(regex.find_all_submatch(text, -1).len(), all.len(), "a match is lost");
    assert_eq!(regex.replace_all(text, "${0}"), text, "a match replaced by itself changes the text");
    drop(regex.split(text, -1));
}
