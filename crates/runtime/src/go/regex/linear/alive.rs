//! The states of reading a text backwards: sets of positions that can still reach a match.
//!
//! A state is remembered with what comes before it, so that most characters cost one look-up, and from one text to the
//! next if that takes little memory. A pattern that makes too many states goes on with the sets themselves.

use std::sync::Arc;

use super::Linear;
use super::follow::{Bits, Follow, set};

/// Memory of the states that are remembered.
const STATES_BYTES_MAX: usize = 4 << 20;
/// Of so many states, most must have been met again.
const STATES_NEW_MAX: usize = 4096;
/// States are kept for the next text if they take no more than this.
const KEPT_BYTES_MAX: usize = 256 << 10;
/// Stands for what is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// A set of positions, by its number if it has one.
#[derive(Clone, Debug)]
pub(super) enum State {
    Known(u32),
    Plain(Bits),
}

#[derive(Debug, Default)]
pub(super) struct States {
    follows: Vec<Option<Arc<Follow>>>,
    units: usize,
    words: usize,
    /// The sets of known states, one behind the other.
    sets: Vec<u64>,
    /// Of known states whether a match begins there, if no assertion has a say.
    begins: Vec<bool>,
    numbers: foldhash::HashMap<Bits, u32>,
    /// By context, then by state and unit: the state before.
    steps: Vec<Vec<u32>>,
    /// How often a character led to a state that was known.
    met_again: usize,
    /// Known states are given up.
    full: bool,
    out: Bits,
}

impl States {
    pub(super) fn new(linear: &Linear) -> Self {
        let words = linear.words();
        Self {
            follows: vec![None; super::CONTEXTS_MAX],
            units: linear.takes.len(),
            words,
            sets: vec![0; words],
            begins: linear.follow(0).iter().map(|it| it.first_is_match).collect(),
            numbers: [(vec![0; words], 0)].into_iter().collect(),
            steps: vec![Vec::new(); super::CONTEXTS_MAX],
            met_again: 0,
            full: false,
            out: Vec::new(),
        }
    }

    /// Says whether the states are worth to be kept for the next text.
    pub(super) fn is_small(&self) -> bool {
        !self.full && self.begins.len() * self.state_bytes() <= KEPT_BYTES_MAX
    }

    fn state_bytes(&self) -> usize {
        (self.words * 2 + self.units) * 8 + 128
    }

    /// The state at the end of a text: nothing takes a character.
    pub(super) fn at_end(&self) -> State {
        if self.full { State::Plain(vec![0; self.words]) } else { State::Known(0) }
    }

    /// The state where only the last position is left.
    pub(super) fn at_last(&mut self, linear: &Linear) -> State {
        let mut bits = vec![0; self.words];
        if let Some(last) = linear.len().checked_sub(1) {
            set(&mut bits, last);
        }
        self.number(linear, &bits).map_or(State::Plain(bits), State::Known)
    }

    /// Says whether no position is left.
    pub(super) fn is_dead(&self, state: &State) -> bool {
        match state {
            State::Known(number) => *number == 0,
            State::Plain(bits) => bits.iter().all(|it| *it == 0),
        }
    }

    pub(super) fn bits<'s>(&'s self, state: &'s State) -> &'s [u64] {
        match state {
            State::Known(number) => self.known(*number),
            State::Plain(bits) => bits,
        }
    }

    pub(super) fn known(&self, number: u32) -> &[u64] {
        let from = number as usize * self.words;
        self.sets.get(from..from + self.words).unwrap_or_default()
    }

    pub(super) fn follow(&mut self, linear: &Linear, context: u8) -> Option<Arc<Follow>> {
        let place = self.follows.get_mut(usize::from(context))?;
        if place.is_none() {
            *place = Some(linear.follow(context)?);
        }
        place.clone()
    }

    /// Says whether a match begins where this state is.
    #[inline]
    pub(super) fn begins(&mut self, linear: &Linear, state: &State, context: u8) -> Option<bool> {
        match state {
            State::Known(number) if context == 0 => self.begins.get(*number as usize).copied(),
            _ => self.begins_with(linear, state, context),
        }
    }

    fn begins_with(&mut self, linear: &Linear, state: &State, context: u8) -> Option<bool> {
        if self.follows.get(usize::from(context)).is_none_or(Option::is_none) {
            self.follow(linear, context)?;
        }
        let follow = self.follows.get(usize::from(context))?.as_deref()?;
        Some(follow.begins(self.bits(state)))
    }

    /// Moves a state back over a character, behind which the context is.
    #[inline]
    pub(super) fn back(
        &mut self,
        linear: &Linear,
        state: &mut State,
        unit: usize,
        context: u8,
    ) -> Option<()> {
        if let State::Known(number) = state
            && let Some(steps) = self.steps.get(usize::from(context))
            && let Some(known) = steps.get(*number as usize * self.units + unit)
            && *known != UNKNOWN
        {
            *number = *known;
            return Some(());
        }
        self.back_new(linear, state, unit, context)
    }

    fn back_new(&mut self, linear: &Linear, state: &mut State, unit: usize, context: u8) -> Option<()> {
        let units = self.units;
        if let (true, State::Plain(bits)) = (self.full, &mut *state)
            && let Some(Some(follow)) = self.follows.get(usize::from(context))
        {
            follow.before(bits, linear.takes.get(unit)?, &mut self.out);
            std::mem::swap(bits, &mut self.out);
            return Some(());
        }
        let mut out = std::mem::take(&mut self.out);
        if self.follows.get(usize::from(context)).is_none_or(Option::is_none) {
            self.follow(linear, context)?;
        }
        self.follows.get(usize::from(context))?.as_deref()?.before(
            self.bits(state),
            linear.takes.get(unit)?,
            &mut out,
        );
        let made = self.number(linear, &out);
        match (state, made) {
            (state, None) => {
                self.full = true;
                match state {
                    State::Plain(bits) => std::mem::swap(bits, &mut out),
                    known => *known = State::Plain(out.clone()),
                }
            }
            (State::Known(number), Some(made)) => {
                let at = *number as usize * units + unit;
                let steps = self.steps.get_mut(usize::from(context))?;
                if steps.len() <= at {
                    steps.resize((*number as usize + 1) * units, UNKNOWN);
                }
                *steps.get_mut(at)? = made;
                *number = made;
            }
            (state, Some(made)) => *state = State::Known(made),
        }
        self.out = out;
        Some(())
    }

    /// Returns the number of a set; none if there are too many.
    fn number(&mut self, linear: &Linear, bits: &Bits) -> Option<u32> {
        if self.full {
            return None;
        }
        if let Some(known) = self.numbers.get(bits) {
            self.met_again += 1;
            return Some(*known);
        }
        let is_new_always = self.begins.len() > STATES_NEW_MAX && self.met_again < STATES_NEW_MAX / 8;
        if is_new_always || (self.begins.len() + 1) * self.state_bytes() > STATES_BYTES_MAX {
            return None;
        }
        let number = u32::try_from(self.begins.len()).ok()?;
        let begins = self.follow(linear, 0)?.begins(bits);
        self.begins.push(begins);
        self.sets.extend_from_slice(bits);
        self.numbers.insert(bits.clone(), number);
        Some(number)
    }
}
