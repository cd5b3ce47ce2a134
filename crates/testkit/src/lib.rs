//! Corpora, oracles and runners for tests.
//!
//! Nothing of the product depends on this crate; it may depend on all of it. It reads cases (its own
//! and those in the shared conformance format), runs them on any engine behind one small trait, and
//! compares what comes out. The rules of the house are tests of this crate, in `tests/`.

#![forbid(unsafe_code)]

pub mod conformance;
#[cfg(feature = "differential")]
pub mod differential;
pub mod engines;
pub mod fuzz;
pub mod json;
pub mod mutate;
#[cfg(feature = "differential")]
pub mod peers;
pub mod yaml;

/// The program in the README, which must compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
