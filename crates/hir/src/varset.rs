//! Sets of a rule's variables as bits.
//!
//! Apart because ordering bodies asks for unions and subsets all the time, and hashing would cost more than the rest. It
//! knows numbers, not names.

use smallvec::SmallVec;

use crate::tree::VarId;

/// A set of variables. No trailing zero words, so that equal sets are equal values.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct VarSet {
    words: SmallVec<[u64; 2]>,
}

fn place(var: VarId) -> (usize, u64) {
    ((var.0 / 64) as usize, 1 << (var.0 % 64))
}

impl VarSet {
    pub(crate) fn insert(&mut self, var: VarId) {
        let (word, bit) = place(var);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if let Some(it) = self.words.get_mut(word) {
            *it |= bit;
        }
    }

    pub(crate) fn remove(&mut self, var: VarId) {
        let (word, bit) = place(var);
        if let Some(it) = self.words.get_mut(word) {
            *it &= !bit;
        }
        self.trim();
    }

    pub(crate) fn contains(&self, var: VarId) -> bool {
        let (word, bit) = place(var);
        self.words.get(word).is_some_and(|it| it & bit != 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (it, more) in self.words.iter_mut().zip(&other.words) {
            *it |= more;
        }
    }

    pub(crate) fn remove_all(&mut self, other: &Self) {
        for (it, less) in self.words.iter_mut().zip(&other.words) {
            *it &= !less;
        }
        self.trim();
    }

    pub(crate) fn keep_all(&mut self, other: &Self) {
        self.words.truncate(other.words.len());
        for (it, keep) in self.words.iter_mut().zip(&other.words) {
            *it &= keep;
        }
        self.trim();
    }

    /// Tells whether all of these are in `other`.
    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().enumerate().all(|(at, it)| it & !other.words.get(at).copied().unwrap_or(0) == 0)
    }

    /// Returns how many variables are in both.
    pub(crate) fn common(&self, other: &Self) -> u32 {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones()).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        (0..).zip(&self.words).flat_map(|(at, word)| {
            (0..64u32).filter(move |bit| word & (1 << bit) != 0).map(move |bit| VarId(at * 64 + bit))
        })
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave() {
        let mut a = VarSet::default();
        a.insert(VarId(3));
        a.insert(VarId(200));
        assert_eq!(a.iter().map(|it| it.0).collect::<Vec<_>>(), [3, 200]);
        let mut b = VarSet::default();
        b.insert(VarId(3));
        assert!(b.is_subset(&a) && !a.is_subset(&b));
        a.remove(VarId(200));
        assert_eq!(a, b);
        a.remove_all(&b);
        assert!(a.is_empty());
    }
}
