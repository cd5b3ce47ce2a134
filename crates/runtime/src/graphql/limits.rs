//! How much work one document may cause; beyond, the answer is an error.
//!
//! Apart so that all numbers stand together. OPA has no such limits and runs for minutes, or until its stack is
//! full, on documents that pass them.

use std::fmt;

/// Selections, values and types nest so deep in a text or an object.
pub(crate) const NESTING_MAX: u32 = 200;
/// A rule follows selections, fragments and input objects so deep.
const DEPTH_MAX: u32 = 400;
/// The steps of validating one document: nodes visited, fields compared, names looked at. A step takes up to some
/// hundred nanoseconds and bytes.
const STEPS_MAX: u64 = 5_000_000;

/// A limit that was passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// Too much to compare.
    Steps,
    /// Too deep.
    Depth,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps => write!(f, "document needs more than {STEPS_MAX} steps to validate"),
            Self::Depth => write!(f, "document leads deeper than {DEPTH_MAX} levels"),
        }
    }
}

/// What is left of the limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    steps_left: u64,
    depth: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self::of(STEPS_MAX)
    }
}

impl Budget {
    /// Returns a budget of so many steps.
    pub(crate) fn of(steps: u64) -> Self {
        Self { steps_left: steps, depth: 0 }
    }

    /// Counts steps.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Limit> {
        let left = u64::try_from(steps).ok().and_then(|it| self.steps_left.checked_sub(it));
        self.steps_left = left.ok_or(Limit::Steps)?;
        Ok(())
    }

    /// Counts a step and goes a level down; [`Self::leave`] comes back.
    pub(crate) fn enter(&mut self) -> Result<(), Limit> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(Limit::Depth) } else { self.spend(1) }
    }

    /// Comes back from a level.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
