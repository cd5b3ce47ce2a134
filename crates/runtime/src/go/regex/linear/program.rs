//! The steps of a pattern: characters, choices in their order, assertions, places of groups.
//!
//! Apart from what is done with them. Repetitions are written out as the automata crate does it, since an
//! empty turn of a loop shows in what matches. Characters are told apart only as far as the pattern does.

use std::collections::BTreeMap;

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// A pattern has at most so many characters, repetitions written out.
pub(super) const POSITIONS_MAX: usize = 4096;
/// A pattern has at most so many steps.
const STEPS_MAX: usize = 1 << 15;
/// Ranges of characters times kinds of classes.
const UNITS_WORK_MAX: usize = 1 << 22;

/// A step of a pattern, by its number.
pub(in crate::go) type StepId = usize;

#[derive(Debug)]
pub(in crate::go) enum Step {
    /// Takes a character; the number is its position among such steps.
    Take(usize),
    /// Goes on at one of these, the first one first.
    Split(Vec<StepId>),
    /// Goes on where an assertion holds, by its bit.
    Look(u8, StepId),
    /// Notes the place.
    Slot(usize, StepId),
    Match,
}

/// Where a character is taken: by which class, and what comes behind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    class: usize,
    pub(super) next: StepId,
}

#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) start: StepId,
    /// In the order of the pattern.
    pub(super) positions: Vec<Position>,
    /// The assertions that occur, as bits.
    pub(super) looks: u8,
    units: Units,
}

/// The assertions by their bits.
pub(super) const LOOKS: [Look; 6] =
    [Look::Start, Look::End, Look::StartLF, Look::EndLF, Look::WordAscii, Look::WordAsciiNegate];

/// Characters from one to another, sorted and apart.
pub(in crate::go) type Ranges = Vec<(u32, u32)>;

impl Program {
    pub(super) fn new(hir: &Hir) -> Option<Self> {
        let mut maker =
            Maker { steps: vec![Step::Match], positions: Vec::new(), looks: 0, classes: BTreeMap::new() };
        let start = maker.hir(hir, 0)?;
        let Maker { mut steps, mut positions, looks, classes } = maker;
        // They were made from the end.
        let last = positions.len().checked_sub(1);
        positions.reverse();
        for step in &mut steps {
            if let (Step::Take(position), Some(last)) = (step, last) {
                *position = last - *position;
            }
        }
        Some(Self { steps, start, positions, looks, units: units(classes)? })
    }

    /// Takes steps that begin with the first one, and for each position the characters that it takes.
    pub(super) fn of_steps(steps: Vec<Step>, takes: Vec<(Ranges, StepId)>) -> Option<Self> {
        if steps.len() > STEPS_MAX || takes.len() > POSITIONS_MAX {
            return None;
        }
        let mut classes = BTreeMap::new();
        let mut position = |(ranges, next)| {
            let count = classes.len();
            Position { class: *classes.entry(ranges).or_insert(count), next }
        };
        let positions = takes.into_iter().map(&mut position).collect();
        Some(Self { steps, start: 0, positions, looks: 0, units: units(classes)? })
    }

    /// Characters of one unit are the same to the pattern.
    #[inline]
    pub(super) fn unit(&self, c: char) -> usize {
        self.units.of(c)
    }

    pub(super) fn unit_count(&self) -> usize {
        self.units.classes.len()
    }

    /// Says whether a character of a unit is taken at a position.
    pub(super) fn takes(&self, unit: usize, position: usize) -> bool {
        let class = self.positions.get(position).map(|it| it.class);
        let classes = self.units.classes.get(unit);
        class.zip(classes).is_some_and(|(class, classes)| classes.binary_search(&class).is_ok())
    }
}

/// Makes steps from the end of the pattern to its start: each part knows what comes behind it.
struct Maker {
    steps: Vec<Step>,
    positions: Vec<Position>,
    looks: u8,
    classes: BTreeMap<Ranges, usize>,
}

impl Maker {
    fn add(&mut self, step: Step) -> Option<StepId> {
        self.steps.push(step);
        (self.steps.len() <= STEPS_MAX).then_some(self.steps.len() - 1)
    }

    fn hir(&mut self, hir: &Hir, next: StepId) -> Option<StepId> {
        match hir.kind() {
            HirKind::Empty => Some(next),
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).ok()?;
                text.chars().rev().try_fold(next, |next, c| self.take(vec![(c.into(), c.into())], next))
            }
            HirKind::Class(class) => self.take(ranges(class)?, next),
            HirKind::Look(look) => {
                let bit = 1 << LOOKS.iter().position(|it| it == look)?;
                self.looks |= bit;
                self.add(Step::Look(bit, next))
            }
            HirKind::Repetition(repetition) => self.repetition(repetition, next),
            HirKind::Capture(capture) => {
                let slot = usize::try_from(capture.index).ok()? * 2;
                let end = self.add(Step::Slot(slot + 1, next))?;
                let start = self.hir(&capture.sub, end)?;
                self.add(Step::Slot(slot, start))
            }
            HirKind::Concat(parts) => parts.iter().rev().try_fold(next, |next, it| self.hir(it, next)),
            HirKind::Alternation(parts) => {
                let mut starts = Vec::new();
                for part in parts.iter().rev() {
                    starts.push(self.hir(part, next)?);
                }
                starts.reverse();
                self.add(Step::Split(starts))
            }
        }
    }

    fn take(&mut self, ranges: Ranges, next: StepId) -> Option<StepId> {
        let count = self.classes.len();
        let class = *self.classes.entry(ranges).or_insert(count);
        self.positions.push(Position { class, next });
        if self.positions.len() > POSITIONS_MAX {
            return None;
        }
        self.add(Step::Take(self.positions.len() - 1))
    }

    fn repetition(&mut self, repetition: &Repetition, next: StepId) -> Option<StepId> {
        let Repetition { min, max, greedy, sub } = repetition;
        let split = |more: StepId, leave: StepId| {
            Step::Split(if *greedy { vec![more, leave] } else { vec![leave, more] })
        };
        let mut start = next;
        match max {
            Some(max) => {
                for _ in *min..*max {
                    let more = self.hir(sub, start)?;
                    start = self.add(split(more, next))?;
                }
            }
            None => {
                let again = self.add(Step::Split(Vec::new()))?;
                let more = self.hir(sub, again)?;
                if let Some(step) = self.steps.get_mut(again) {
                    *step = split(more, next);
                }
                start = match min {
                    0 if sub.properties().minimum_len() > Some(0) => again,
                    0 => self.add(split(more, next))?,
                    _ => more,
                };
            }
        }
        let written = min.saturating_sub(u32::from(max.is_none()));
        (0..written).try_fold(start, |next, _| self.hir(sub, next))
    }
}

fn units(classes: BTreeMap<Ranges, usize>) -> Option<Units> {
    let mut list = vec![Ranges::new(); classes.len()];
    for (ranges, class) in classes {
        *list.get_mut(class)? = ranges;
    }
    Units::new(&list)
}

fn ranges(class: &Class) -> Option<Ranges> {
    Some(match class {
        Class::Unicode(class) => class.iter().map(|it| (it.start().into(), it.end().into())).collect(),
        Class::Bytes(class) if class.is_ascii() => {
            class.iter().map(|it| (it.start().into(), it.end().into())).collect()
        }
        Class::Bytes(_) => return None,
    })
}

/// Which characters are the same to a pattern.
#[derive(Debug)]
struct Units {
    /// Where ranges of characters begin, and the unit of each.
    starts: Vec<(u32, u16)>,
    ascii: [u16; 128],
    /// Of each unit the classes that hold it, sorted.
    classes: Vec<Vec<usize>>,
}

impl Units {
    fn new(classes: &[Ranges]) -> Option<Self> {
        let ends = classes.iter().flatten().flat_map(|it| [it.0, it.1 + 1]);
        let mut cuts: Vec<u32> = ends.chain([0]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        if cuts.len() * classes.len() > UNITS_WORK_MAX {
            return None;
        }
        let mut units: BTreeMap<Vec<usize>, u16> = BTreeMap::new();
        let mut starts = Vec::new();
        for cut in cuts {
            let holds = |class: &Ranges| {
                let behind = class.partition_point(|it| it.0 <= cut);
                behind.checked_sub(1).and_then(|it| class.get(it)).is_some_and(|it| cut <= it.1)
            };
            let held = classes.iter().enumerate().filter(|it| holds(it.1)).map(|it| it.0).collect();
            let count = u16::try_from(units.len()).ok()?;
            starts.push((cut, *units.entry(held).or_insert(count)));
        }
        let mut made = Self { starts, ascii: [0; 128], classes: vec![Vec::new(); units.len()] };
        for (held, unit) in units {
            *made.classes.get_mut(usize::from(unit))? = held;
        }
        for byte in 0..128_u8 {
            made.ascii[usize::from(byte)] = made.search(u32::from(byte));
        }
        Some(made)
    }

    fn search(&self, c: u32) -> u16 {
        let behind = self.starts.partition_point(|it| it.0 <= c);
        behind.checked_sub(1).and_then(|it| self.starts.get(it)).map_or(0, |it| it.1)
    }

    #[inline]
    fn of(&self, c: char) -> usize {
        let code = u32::from(c);
        usize::from(match self.ascii.get(code as usize) {
            Some(unit) => *unit,
            None => self.search(code),
        })
    }
}
