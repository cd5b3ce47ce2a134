//! The budget of an evaluation.
//!
//! Apart because embedders set it and every part of the machine asks it. Deadlines are the host's to know.

/// How much an evaluation may take; beyond, it ends with `eval_cancel_error`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Calls, loop turns and insertions.
    pub steps_max: u64,
    /// Bytes of values made.
    pub bytes_max: usize,
    /// Calls inside each other.
    pub depth_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps_max: 10_000_000_000, bytes_max: 4 << 30, depth_max: 10_000 }
    }
}
