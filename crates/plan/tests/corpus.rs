//! The plans and modules of `corpus`, text in and text out.
//!
//! One binary for both, since linking costs more than running. What each folder holds is told by its module.

#[path = "corpus/files.rs"]
mod files;
#[path = "corpus/lowering.rs"]
mod lowering;
