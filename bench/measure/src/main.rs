//! Measures what needs no peer, one figure a process, and prints it as JSON lines.
//!
//! `bench/figures` starts it and holds the lines against the goals. Every answer is checked before it counts; a
//! wrong one ends the process with an error.

mod allocations;
mod compiling;
mod memory;
mod patterns;
mod reading;
mod replacing;
mod usage;
mod writing;

use std::alloc::System;
use std::process::ExitCode;

use stats_alloc::StatsAlloc;

/// What a measurement may end with.
type Outcome = Result<(), Box<dyn std::error::Error>>;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &stats_alloc::INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["allocations", folders @ ..] => folders.iter().try_for_each(|it| allocations::measure(it)),
        ["compiling"] => compiling::measure(),
        ["memory", file] => memory::measure(file),
        ["patterns"] => patterns::measure(),
        ["reading"] => reading::measure(),
        ["replacing"] => replacing::measure(),
        ["writing", keys] => keys.parse().map_err(Into::into).and_then(writing::measure),
        _ => Err("usage: measure allocations FOLDER .. | compiling | memory FILE | patterns | reading | replacing | writing KEYS".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
