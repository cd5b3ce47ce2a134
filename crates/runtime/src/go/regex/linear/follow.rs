//! What may come behind each character of a pattern, where some assertions hold and the others do not.
//!
//! Twice: as lists in the order of preference, for walking forwards, and as bits by position, for reading
//! backwards (`linear/before.rs`).

use super::before::Before;
use super::program::{Program, Step, StepId};

/// All lists of a pattern together have so many entries.
const ENTRIES_MAX: usize = 1 << 20;
/// So many steps are followed, at most, to make all lists of a pattern.
const WORK_MAX: usize = 1 << 22;

/// Positions as bits.
pub(super) type Bits = Vec<u64>;

pub(super) fn set(bits: &mut [u64], position: usize) {
    if let Some(word) = bits.get_mut(position / 64) {
        *word |= 1 << (position % 64);
    }
}

pub(super) fn has(bits: &[u64], position: usize) -> bool {
    bits.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
}

/// What may come next: a character, or the end of the match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The position; none for the end.
    pub(super) position: Option<u32>,
    /// The places of groups that are noted on the way.
    slots: (u32, u32),
}

#[derive(Debug)]
pub(super) struct Follow {
    /// By position, that of the start last.
    lists: Vec<(u32, u32)>,
    targets: Vec<Target>,
    slots: Vec<u32>,
    /// What can begin a match, and whether nothing can.
    pub(super) first: Bits,
    pub(super) first_is_match: bool,
    before: Before,
}

impl Follow {
    pub(super) fn new(program: &Program, context: u8) -> Option<Self> {
        let count = program.positions.len();
        let words = count.div_ceil(64).max(1);
        let mut made = Self {
            lists: Vec::with_capacity(count + 1),
            targets: Vec::new(),
            slots: Vec::new(),
            first: vec![0; words],
            first_is_match: false,
            before: Before::default(),
        };
        let seen = vec![usize::MAX; program.steps.len()];
        let mut closing = Closing { program, context, seen, work: 0 };
        for (index, position) in program.positions.iter().enumerate() {
            made.add(&mut closing, index, position.next)?;
        }
        made.add(&mut closing, count, program.start)?;
        made.link(count)?;
        Some(made)
    }

    fn add(&mut self, closing: &mut Closing<'_>, index: usize, from: StepId) -> Option<()> {
        let first = self.targets.len();
        closing.close(index, from, &mut self.targets, &mut self.slots);
        if self.targets.len() + self.slots.len() > ENTRIES_MAX || closing.work > WORK_MAX {
            return None;
        }
        self.lists.push((u32::try_from(first).ok()?, u32::try_from(self.targets.len()).ok()?));
        Some(())
    }

    /// Makes the bits of the lists.
    fn link(&mut self, count: usize) -> Option<()> {
        let mut pairs = Vec::with_capacity(self.targets.len());
        let mut ends = vec![0; self.first.len()];
        for index in 0..=count {
            let (from, to) = self.lists.get(index).copied()?;
            for target in self.targets.get(from as usize..to as usize)? {
                match (target.position, index == count) {
                    (None, true) => self.first_is_match = true,
                    (Some(position), true) => set(&mut self.first, position as usize),
                    (None, false) => set(&mut ends, index),
                    (Some(position), false) => pairs.push((index, position as usize)),
                }
            }
        }
        self.before = Before::new(count, ends, &pairs)?;
        Some(())
    }

    /// Returns what may come behind a position, or first, in the order of preference.
    pub(super) fn list(&self, index: usize) -> &[Target] {
        let (from, to) = self.lists.get(index).copied().unwrap_or_default();
        self.targets.get(from as usize..to as usize).unwrap_or_default()
    }

    pub(super) fn slots(&self, target: Target) -> &[u32] {
        self.slots.get(target.slots.0 as usize..target.slots.1 as usize).unwrap_or_default()
    }

    /// Says whether a match begins here with one of these characters.
    pub(super) fn begins(&self, alive: &[u64]) -> bool {
        self.first_is_match || self.first.iter().zip(alive).any(|it| it.0 & it.1 != 0)
    }

    /// Returns the positions, of those that take a character, behind which one of these, or the end of the match, may
    /// come.
    pub(super) fn before(&self, alive: &[u64], takes: &[u64], out: &mut Bits) {
        self.before.of(alive, takes, out);
    }
}

/// Follows all steps that take no character.
struct Closing<'p> {
    program: &'p Program,
    context: u8,
    /// For each step the last list that it was met for.
    seen: Vec<usize>,
    work: usize,
}

enum Task {
    Go(StepId),
    /// Leaves the place of a group.
    Forget,
}

impl Closing<'_> {
    fn close(&mut self, list: usize, from: StepId, targets: &mut Vec<Target>, slots: &mut Vec<u32>) {
        let mut tasks = vec![Task::Go(from)];
        let mut noted: Vec<u32> = Vec::new();
        while let Some(task) = tasks.pop() {
            self.work += 1;
            let Task::Go(step) = task else {
                noted.pop();
                continue;
            };
            match self.seen.get_mut(step) {
                Some(seen) if *seen != list => *seen = list,
                _ => continue,
            }
            let position = match self.program.steps.get(step) {
                Some(Step::Take(position)) => u32::try_from(*position).ok(),
                Some(Step::Match) => None,
                Some(Step::Split(next)) => {
                    tasks.extend(next.iter().rev().map(|it| Task::Go(*it)));
                    continue;
                }
                Some(Step::Look(look, next)) => {
                    tasks.extend((self.context & look != 0).then_some(Task::Go(*next)));
                    continue;
                }
                Some(Step::Slot(slot, next)) => {
                    noted.push(u32::try_from(*slot).unwrap_or(u32::MAX));
                    tasks.extend([Task::Forget, Task::Go(*next)]);
                    continue;
                }
                None => continue,
            };
            let place = |slots: &[u32]| u32::try_from(slots.len()).unwrap_or(u32::MAX);
            let from = place(slots);
            slots.extend_from_slice(&noted);
            targets.push(Target { position, slots: (from, place(slots)) });
            if position.is_none() {
                // Whatever comes behind is never preferred.
                return;
            }
        }
    }
}
