//! The name that was probably meant.
//!
//! Apart because several faults want it: names are near if few single changes turn one into the other. It knows words,
//! not what they name.

/// Returns the candidate nearest to a name, if one is near: of several the first in order.
pub(crate) fn nearest<S: AsRef<str> + Ord>(name: &str, candidates: impl IntoIterator<Item = S>) -> Option<S> {
    let limit = if name.len() < 3 { return None } else { 1 + name.len() / 4 };
    candidates
        .into_iter()
        .map(|it| (distance(name, it.as_ref(), limit), it))
        .filter(|(distance, _)| (1..=limit).contains(distance))
        .min()
        .map(|(_, it)| it)
}

/// Returns how many single changes make one name of the other, `limit + 1` if more than `limit`.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let b = b.as_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(0);
            let here = (diagonal + usize::from(x != *y)).min(above + 1).min(left + 1);
            if let Some(cell) = row.get_mut(j) {
                *cell = left;
            }
            diagonal = above;
            left = here;
        }
        if let Some(cell) = row.last_mut() {
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, want) in
            [("abc", "abc", 0), ("startwith", "startswith", 1), ("kitten", "sitting", 3), ("", "ab", 2)]
        {
            assert_eq!(distance(a, b, 9), want, "{a} {b}");
        }
        assert_eq!(nearest("startwith", ["count", "startswith"]), Some("startswith"));
        assert_eq!(nearest("x", ["y"]), None);
    }
}
