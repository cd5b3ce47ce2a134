//! Patterns of text, `?` and stars alone, matched without being compiled.
//!
//! Apart because patterns that come from data are many, each used once or twice, and compiling one costs more than
//! matching it. Going back to the last star is enough: the text between two stars is best met as early as it can be, and
//! a single star can never reach over a delimiter that the text before it did not (Krauss, "Matching Wildcards", 2008,
//! with a second kind of star). It knows neither classes, groups nor escapes.

/// More work than this, in bytes of the pattern times bytes of the text, is left to the compiled form.
const WORK_MAX: usize = 1 << 20;

/// Says whether the pattern matches the whole text; none if it is not that plain.
pub(crate) fn is_plain_match(pattern: &str, delimiters: &[char], text: &str) -> Option<bool> {
    let is_plain = |it: u8| !matches!(it, b'[' | b'{' | b'\\');
    let is_small = pattern.len().checked_mul(text.len()).is_some_and(|it| it <= WORK_MAX);
    (is_small && pattern.bytes().all(is_plain) && delimiters.iter().all(char::is_ascii))
        .then(|| Matcher { pattern: pattern.as_bytes(), delimiters, text: text.as_bytes() }.run())
}

struct Matcher<'a> {
    pattern: &'a [u8],
    delimiters: &'a [char],
    text: &'a [u8],
}

/// Where matching goes on after a star took one character more: in the pattern, in the text.
type Retry = Option<(usize, usize)>;

impl Matcher<'_> {
    fn run(&self) -> bool {
        let (mut at, mut place) = (0, 0);
        let (mut single, mut double): (Retry, Retry) = (None, None);
        loop {
            match (self.pattern.get(at), self.text.get(place)) {
                (Some(b'*'), _) => {
                    let stars = self.stars(at);
                    at += stars;
                    let retry = Some((at, place));
                    (single, double) = if stars == 1 { (retry, double) } else { (None, retry) };
                    continue;
                }
                (None, None) => return true,
                // Whoever begins later has less text still.
                (Some(_), None) => return false,
                (Some(b'?'), Some(first)) if !self.stops(*first) => {
                    at += 1;
                    place += width(*first);
                    continue;
                }
                (Some(want), Some(found)) if want == found && *want != b'?' => {
                    at += 1;
                    place += 1;
                    continue;
                }
                _ => {}
            }
            single = single.and_then(|it| self.longer(it, |first| !self.stops(first)));
            if single.is_none() {
                double = double.and_then(|it| self.longer(it, |_| true));
            }
            match single.or(double) {
                Some(retry) => (at, place) = retry,
                None => return false,
            }
        }
    }

    /// Lets a star take one character more, if there is one that it may take.
    fn longer(&self, retry: (usize, usize), may_take: impl Fn(u8) -> bool) -> Retry {
        let first = self.text.get(retry.1).copied().filter(|it| may_take(*it))?;
        Some((retry.0, retry.1 + width(first)))
    }

    fn stars(&self, at: usize) -> usize {
        self.pattern.iter().skip(at).take_while(|it| **it == b'*').count()
    }

    fn stops(&self, first: u8) -> bool {
        self.delimiters.contains(&char::from(first)) && first.is_ascii()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::go::glob::Glob;

    #[test]
    fn leaves_the_rest_to_the_compiled_form() {
        assert_eq!(is_plain_match("a[b]", &['.'], "ab"), None);
        assert_eq!(is_plain_match("a*", &['é'], "ab"), None);
        assert_eq!(is_plain_match("a/*/**", &['/'], "a/b/c/d"), Some(true));
        assert_eq!(is_plain_match("?", &['/'], "é"), Some(true));
    }

    proptest! {
        #[test]
        fn agrees_with_the_compiled_form(
            pattern in "[ab/é?*]{0,9}",
            text in "[ab/é?]{0,12}",
            delimiters in prop::sample::subsequence(vec!['/', 'a'], 0..=2),
        ) {
            let compiled = Glob::new(&pattern, &delimiters).unwrap().is_match(&text);
            prop_assert_eq!(is_plain_match(&pattern, &delimiters, &text), Some(compiled));
        }
    }
}
