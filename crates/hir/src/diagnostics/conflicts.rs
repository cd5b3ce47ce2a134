//! Faults of conflicts.
