//! Faults of recursion.
