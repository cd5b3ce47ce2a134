//! The globs of the gateway scenario by hand: `*` within a segment, `**` across, `{a,b}` a choice.
//!
//! Enough for the patterns that the generator writes; both handwritten peers use it.

/// Tells whether a path matches a pattern.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=text.len()).any(|at| matches(rest, &text[at..])),
        [b'*', rest @ ..] => {
            let end = text.iter().position(|it| *it == b'/').unwrap_or(text.len());
            (0..=end).any(|at| matches(rest, &text[at..]))
        }
        [b'{', rest @ ..] => {
            let end = rest.iter().position(|it| *it == b'}').expect("a choice is closed");
            let (choices, rest) = (&rest[..end], &rest[end + 1..]);
            choices
                .split(|it| *it == b',')
                .any(|it| text.strip_prefix(it).is_some_and(|text| matches(rest, text)))
        }
        [first, rest @ ..] => text.first() == Some(first) && matches(rest, &text[1..]),
    }
}
