//! What a check found: failures, and how well the value matched all the same.
//!
//! Apart because every family adds to it. The score tells which of several alternatives came nearest, whose failures
//! are then shown.

/// Why a value does not match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind, as OPA names it.
    pub kind: &'static str,
    /// Where in the value: keys and indexes with dots, or `(Root)`.
    pub field: String,
    /// What is wrong.
    pub description: String,
}

/// The failures of one part for one value.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) failures: Vec<Failure>,
    pub(super) score: i64,
}

impl Outcome {
    pub(super) fn is_valid(&self) -> bool {
        self.failures.is_empty()
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.failures.extend(other.failures);
        self.score += other.score;
    }

    /// Counts something that was looked at.
    pub(super) fn count(&mut self) {
        self.score += 1;
    }
}

/// Keeps the better of two failed alternatives, the first if they are alike.
pub(super) fn better(best: &mut Option<Outcome>, other: Outcome) {
    if best.as_ref().is_none_or(|it| other.score > it.score) {
        *best = Some(other);
    }
}
