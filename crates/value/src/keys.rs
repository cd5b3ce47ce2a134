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
    let repeats = if pairs.len() <= INSERTION_MAX { insert(pairs, texts) } else { merge(pairs, texts) };
    if repeats { drop_repeated(pairs, texts) } else { cells.len() }
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

/// Sorts a few pairs; says whether a key repeats.
fn insert(pairs: &mut [[Cell; 2]], texts: &impl KeyTexts) -> bool {
    let mut prefixes = [0; INSERTION_MAX];
    let mut repeats = false;
    for at in 0..pairs.len().min(INSERTION_MAX) {
        let pair = pairs[at];
        let own = prefix(texts, pair[0]);
        let mut place = at;
        while place > 0 {
            let order = prefixes[place - 1].cmp(&own);
            let order = order.then_with(|| texts.compare(pairs[place - 1][0], pair[0]));
            repeats |= order == Ordering::Equal;
            if order != Ordering::Greater {
                break;
            }
            prefixes[place] = prefixes[place - 1];
            pairs[place] = pairs[place - 1];
            place -= 1;
        }
        prefixes[place] = own;
        pairs[place] = pair;
    }
    repeats
}

/// Sorts many pairs; says whether a key repeats.
fn merge(pairs: &mut [[Cell; 2]], texts: &impl KeyTexts) -> bool {
    pairs.sort_by(|a, b| order(texts, a[0], b[0]));
    !is_sorted(pairs, texts)
}

/// Keeps the last of equal keys, which stand together in the order that they came in.
#[cold]
fn drop_repeated(pairs: &mut [[Cell; 2]], texts: &impl KeyTexts) -> usize {
    let mut kept = 0;
    for at in 1..pairs.len() {
        if order(texts, pairs[kept][0], pairs[at][0]) != Ordering::Equal {
            kept += 1;
        }
        pairs[kept] = pairs[at];
    }
    2 * (kept + 1)
}
