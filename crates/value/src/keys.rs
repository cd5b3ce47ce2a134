//! The order of string keys, decided by their first bytes where these differ.
//!
//! Apart because the arena and the documents sort keys alike; where the text of a cell stands is theirs.

use std::cmp::Ordering;

use crate::cell::Cell;

/// Up to this many pairs are sorted by insertion.
const INSERTION_MAX: usize = 20;

/// Where the texts of key cells are found.
pub(crate) trait KeyTexts {
    /// Returns the first bytes of a text of more than seven bytes, the first one lowest.
    fn first_word(&self, key: Cell) -> u64;

    /// Compares two keys byte by byte.
    fn compare(&self, a: Cell, b: Cell) -> Ordering;
}

/// Returns the first seven bytes of a key as a number of the same order; zeros behind a shorter one.
#[inline]
fn prefix(texts: &impl KeyTexts, key: Cell) -> u64 {
    if key.is_reference() { texts.first_word(key).swap_bytes() & !0xff } else { (key.0 >> 8).swap_bytes() }
}

#[inline]
fn order(texts: &impl KeyTexts, a: Cell, b: Cell) -> Ordering {
    prefix(texts, a).cmp(&prefix(texts, b)).then_with(|| texts.compare(a, b))
}

/// Sorts flat pairs of key and value and returns how many cells remain; of a repeated key the last value stays.
#[inline]
pub(crate) fn sort_pairs(cells: &mut [Cell], texts: &impl KeyTexts) -> usize {
    let (pairs, _) = cells.as_chunks_mut::<2>();
    if is_sorted(pairs, texts) {
        return cells.len();
    }
    sort(pairs, texts)
}

#[inline]
fn is_sorted(pairs: &[[Cell; 2]], texts: &impl KeyTexts) -> bool {
    let Some(([first, _], rest)) = pairs.split_first() else { return true };
    let mut last = (prefix(texts, *first), *first);
    for [key, _] in rest {
        let next = (prefix(texts, *key), *key);
        if next.0 < last.0 || next.0 == last.0 && texts.compare(last.1, next.1) != Ordering::Less {
            return false;
        }
        last = next;
    }
    true
}

fn sort(pairs: &mut [[Cell; 2]], texts: &impl KeyTexts) -> usize {
    if pairs.len() <= INSERTION_MAX {
        insertion_sort(pairs, texts);
    } else {
        pairs.sort_by(|a, b| order(texts, a[0], b[0]));
    }
    let mut kept = 0;
    for at in 1..pairs.len() {
        if order(texts, pairs[kept][0], pairs[at][0]) != Ordering::Equal {
            kept += 1;
        }
        pairs[kept] = pairs[at];
    }
    2 * (kept + 1)
}

fn insertion_sort(pairs: &mut [[Cell; 2]], texts: &impl KeyTexts) {
    for at in 1..pairs.len() {
        let pair = pairs[at];
        let mut place = at;
        while place > 0 && order(texts, pairs[place - 1][0], pair[0]) == Ordering::Greater {
            pairs[place] = pairs[place - 1];
            place -= 1;
        }
        pairs[place] = pair;
    }
}
