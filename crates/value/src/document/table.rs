//! Finds nodes of a document by their content while it is built.
//!
//! Own because a general table takes two cache misses for a new string, one for its tags and one for its entries;
//! here the hash and the place stand together. What the content is, the caller knows.

/// The places of nodes by a 32-bit hash; open addressing, at most two thirds full.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The hash in the upper half, the place in the lower; 0 is empty, as no node stands at 0.
    slots: Vec<u64>,
    len: usize,
    /// At so many entries all are forgotten; 0 for never.
    len_max: usize,
}

const SLOTS_MIN: usize = 64;

impl Table {
    /// Returns a table that forgets all entries when there are so many.
    pub(super) fn forgetting(len_max: usize) -> Self {
        Self { len_max, ..Self::default() }
    }

    /// Returns the place of a node of the hash that is the same.
    #[inline]
    pub(super) fn find(&self, hash: u32, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        loop {
            let slot = *self.slots.get(at)?;
            if slot == 0 {
                return None;
            }
            let place = (slot & 0xffff_ffff) as u32;
            if (slot >> 32) as u32 == hash && same(place) {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a node that is not there.
    pub(super) fn insert(&mut self, hash: u32, place: u32) {
        if self.len * 3 >= self.slots.len() * 2 {
            self.grow();
        }
        if self.len_max > 0 && self.len == self.len_max {
            self.slots.fill(0);
            self.len = 0;
        }
        self.len += 1;
        self.put(u64::from(hash) << 32 | u64::from(place));
    }

    fn put(&mut self, entry: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (entry >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = entry;
    }

    #[cold]
    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(SLOTS_MIN);
        let old = std::mem::replace(&mut self.slots, vec![0; len]);
        old.into_iter().filter(|it| *it != 0).for_each(|it| self.put(it));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_added() {
        let mut table = Table::default();
        assert_eq!(table.find(7, |_| true), None);
        for place in 1..10_000 {
            table.insert(place % 500, place);
        }
        for place in 1..10_000 {
            assert_eq!(table.find(place % 500, |it| it == place), Some(place));
        }
        assert_eq!(table.find(3, |it| it == 4), None);
        assert_eq!(table.find(500, |_| true), None);
    }
}
