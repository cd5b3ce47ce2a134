//! Holds lists that stand in two places to one truth.
//!
//! A file that no `mod` line names is dead text that no compiler reads; a crate that the code map does
//! not name is one that no newcomer finds. Lists that are generated from code are compared with what
//! the code would write today.

use std::{fs, path::Path};

use crate::{read, root};

/// Every source file below a crate's `src` is named by the `mod` line of its parent.
#[test]
fn every_source_file_is_a_module() {
    let mut orphans = Vec::new();
    for entry in fs::read_dir(root().join("crates")).expect("crates/ can be read").flatten() {
        let source = entry.path().join("src");
        for name in ["lib.rs", "main.rs"] {
            if source.join(name).is_file() {
                orphans_below(&source, &source.join(name), &mut orphans);
                break;
            }
        }
    }
    assert!(orphans.is_empty(), "not named by a `mod` line:\n  {}", orphans.join("\n  "));
}

/// Compares the files of `folder` with the `mod` lines of `parent`, then goes down.
fn orphans_below(folder: &Path, parent: &Path, orphans: &mut Vec<String>) {
    let text = fs::read_to_string(parent).expect("a source file can be read");
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(stem) = path.file_stem().and_then(|it| it.to_str()) else {
            continue;
        };
        let is_root = ["lib", "main", "bin"].contains(&stem) && folder.ends_with("src");
        if is_root || path.is_dir() || path.extension().is_none_or(|it| it != "rs") {
            continue;
        }
        let is_named = text.lines().any(|line| line.trim_end().ends_with(&format!("mod {stem};")));
        if is_named {
            orphans_below(&folder.join(stem), &path, orphans);
        } else {
            orphans.push(path.display().to_string());
        }
    }
}

/// The code map names each crate, and no crate that does not exist.
#[test]
fn architecture_names_every_crate() {
    let text = read("ARCHITECTURE.md");
    let mut faults = Vec::new();
    for entry in fs::read_dir(root().join("crates")).expect("crates/ can be read").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !text.contains(&format!("`crates/{name}`")) {
            faults.push(format!("ARCHITECTURE.md does not name `crates/{name}`"));
        }
    }
    for piece in text.split("`crates/").skip(1) {
        let name = piece.split(['`', '/']).next().unwrap_or_default();
        if !root().join("crates").join(name).is_dir() {
            faults.push(format!("ARCHITECTURE.md names `crates/{name}`, which is not there"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
