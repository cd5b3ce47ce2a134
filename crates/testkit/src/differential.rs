//! Differential testing against OPA: random policies run through both, and what they say compared.
//!
//! `generate` makes cases from a seed, `peer` asks OPA (a program in Go that stays up) and `own` asks the product;
//! `compare` judges, `shrink` makes a difference small, `coverage` counts what was tried. The programs that use this
//! are `diff_opa` and, for planted faults, the same with `faults`.

pub mod batches;
pub mod compare;
pub mod coverage;
pub mod faults;
pub mod generate;
pub mod kinds;
pub mod outside;
pub mod own;
pub mod peer;
pub mod run;
pub mod shrink;
pub mod tally;
pub mod tree;
