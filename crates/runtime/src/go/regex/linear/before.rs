//! What may stand before each character of a pattern, as bits by position.
//!
//! Most characters follow the one before them or themselves, and patterns that repeat a group have few other distances,
//! each of which is one shift of all bits. What is left is looked up for each position alone. It knows pairs of
//! positions only, not where they come from.

use std::ops::Range;

use super::follow::{Bits, has, set};

/// So many distances are shifts.
const SHIFTS_MAX: usize = 16;
/// A distance that occurs less often is no shift.
const SHIFT_PAIRS_MIN: usize = 8;
/// So many words are looked at for a character, at most, besides shifts.
const WORDS_MAX: usize = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct Before {
    /// Before the end of the match.
    end: Bits,
    /// What stands before itself.
    itself: Bits,
    /// Distances, and what stands before a position so far behind.
    shifts: Vec<(isize, Bits)>,
    /// The positions that others may stand before, too; of each of them from where to where in `words`.
    odd: Bits,
    others: Vec<(usize, Range<usize>)>,
    words: Vec<(usize, u64)>,
}

impl Before {
    /// Takes what may end a match, and all pairs of a position and one that may come next, of so many positions;
    /// nothing if that is too much.
    pub(super) fn new(count: usize, end: Bits, pairs: &[(usize, usize)]) -> Option<Self> {
        let words = end.len();
        let mut made = Self { itself: vec![0; words], odd: vec![0; words], end, ..Self::default() };
        // By distance, which may be below zero.
        let distance = |pair: &(usize, usize)| pair.1 + count - pair.0;
        let mut pairs_of = vec![0_usize; 2 * count + 1];
        for pair in pairs {
            *pairs_of.get_mut(distance(pair))? += 1;
        }
        let mut shift_of: Vec<Option<usize>> = vec![None; pairs_of.len()];
        for chosen in frequent(&pairs_of, count) {
            *shift_of.get_mut(chosen)? = Some(made.shifts.len());
            let distance = isize::try_from(chosen).ok()? - isize::try_from(count).ok()?;
            made.shifts.push((distance, vec![0; words]));
        }
        let mut left: Vec<Option<Bits>> = vec![None; count];
        for pair in pairs {
            let shift = shift_of.get(distance(pair)).copied().flatten();
            let bits = match shift.and_then(|it| made.shifts.get_mut(it)) {
                _ if pair.0 == pair.1 => &mut made.itself,
                Some(shift) => &mut shift.1,
                None => left.get_mut(pair.1)?.get_or_insert_with(|| vec![0; words]),
            };
            set(bits, pair.0);
        }
        made.look_up(&left)?;
        Some(made)
    }

    /// Takes for each position what is to be looked up; nothing if that is too much.
    fn look_up(&mut self, left: &[Option<Bits>]) -> Option<()> {
        for (position, bits) in left.iter().enumerate() {
            let Some(bits) = bits else { continue };
            let from = self.words.len();
            let words = bits.iter().copied().enumerate();
            self.words.extend(words.filter(|it| it.1 != 0));
            set(&mut self.odd, position);
            self.others.push((position, from..self.words.len()));
        }
        (self.words.len() <= WORDS_MAX).then_some(())
    }

    /// Returns the positions, of those that take a character, behind which one of these, or the end of the match, may
    /// come.
    pub(super) fn of(&self, alive: &[u64], takes: &[u64], out: &mut Bits) {
        let count = takes.len();
        let (alive, end, itself) = (&alive[..count], &self.end[..count], &self.itself[..count]);
        out.resize(count, 0);
        for index in 0..count {
            out[index] = end[index] | alive[index] & itself[index];
        }
        for (distance, mask) in &self.shifts {
            shift(alive, *distance, mask, out);
        }
        if !self.others.is_empty() {
            self.add_others(alive, out);
        }
        for index in 0..count {
            out[index] &= takes[index];
        }
    }

    fn add_others(&self, alive: &[u64], out: &mut [u64]) {
        if alive.iter().zip(&self.odd).all(|it| it.0 & it.1 == 0) {
            return;
        }
        for (_, words) in self.others.iter().filter(|it| has(alive, it.0)) {
            for (index, word) in &self.words[words.clone()] {
                out[*index] |= word;
            }
        }
    }
}

/// Returns the distances that are worth a shift, the most frequent ones.
fn frequent(pairs_of: &[usize], count: usize) -> Vec<usize> {
    let worth = |it: &usize| pairs_of.get(*it).is_some_and(|pairs| *pairs >= SHIFT_PAIRS_MIN);
    let mut chosen: Vec<usize> = (0..pairs_of.len()).filter(worth).filter(|it| *it != count).collect();
    chosen.sort_by_key(|it| std::cmp::Reverse(pairs_of.get(*it).copied()));
    chosen.truncate(SHIFTS_MAX);
    // Most characters follow the one before them, however few they are.
    if !chosen.contains(&(count + 1)) && count > 0 {
        chosen.push(count + 1);
    }
    chosen
}

/// Adds what stands so far before these bits, of the bits in the mask. All have as many words.
fn shift(bits: &[u64], distance: isize, mask: &[u64], out: &mut [u64]) {
    let (words, by) = (distance.div_euclid(64), distance.rem_euclid(64));
    // In two steps, since a shift by all 64 bits is none.
    let join = |low: u64, high: u64| low >> by | high << 1 << (63 - by);
    let is_ahead = words < 0;
    let skipped = words.unsigned_abs();
    let Some(count) = out.len().checked_sub(skipped + usize::from(!is_ahead)) else { return };
    let (from, to) = if is_ahead { (0, skipped) } else { (skipped, 0) };
    // One of the two words behind an edge is empty.
    let (edge, word) = match is_ahead {
        true => (skipped - 1, join(0, bits[0])),
        false => (count, join(bits[from + count], 0)),
    };
    out[edge] |= word & mask[edge];
    let (low, high) = (&bits[from..from + count], &bits[from + 1..=from + count]);
    let (mask, out) = (&mask[to..to + count], &mut out[to..to + count]);
    for index in 0..count {
        out[index] |= join(low[index], high[index]) & mask[index];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pairs_are_found_by_shifts_and_alone(
            pairs in prop::collection::btree_set((0..200_usize, 0..200_usize), 0..60),
            distances in prop::collection::vec((-130..130_isize, 0..200_usize, 1..40_usize), 0..20),
            alive in prop::collection::btree_set(0..200_usize, 0..50),
        ) {
            let mut pairs = pairs;
            for (distance, from, count) in distances {
                let groups = (from..from + count).filter_map(|it| Some((it, it.checked_add_signed(distance)?)));
                pairs.extend(groups.filter(|it| it.0 < 200 && it.1 < 200));
            }
            let pairs: Vec<_> = pairs.into_iter().collect();
            let (mut bits, mut want, mut out) = (vec![0; 4], vec![0; 4], Vec::new());
            alive.iter().for_each(|it| set(&mut bits, *it));
            let meets = pairs.iter().filter(|it| alive.contains(&it.1));
            meets.for_each(|it| set(&mut want, it.0));
            Before::new(200, vec![0; 4], &pairs).expect("few").of(&bits, &[u64::MAX; 4], &mut out);
            prop_assert_eq!(out, want);
        }
    }
}
