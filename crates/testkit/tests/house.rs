//! The rules that hold the repository together, as tests: layers, tidiness, lists that must agree.
//!
//! One binary for all of them, because each integration-test binary links the world again. They read
//! the tree as text and `cargo metadata`; none of them runs the engine.

mod dependencies;
mod layering;
mod sourcegen;
mod tidy;

use std::path::{Path, PathBuf};

/// Returns the root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the testkit lies two folders below the root")
}

/// Reads a text file of the repository by its path from the root.
fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect(path)
}
