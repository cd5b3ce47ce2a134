//! The `lictor` binary: hands the command line to the command that it names.
//!
//! Everything that touches the world lives here and in the server: files, environment, clock, randomness. A small
//! command starts no runtime and no threads.

#![forbid(unsafe_code)]

mod ahead;
mod aside;
mod beside;
mod commands;
mod config;
mod draft;
mod external;
mod fault;
mod flags;
mod host;
mod in_order;
mod load;
mod output;
mod setup;
mod signing;
mod timers;
mod workers;

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Trees of thousands of modules are made of small pieces, and threads of the server free what others made. It is
/// version 2 of mimalloc: version 3 takes the slow way for each piece whose size is no power of two.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    ExitCode::from(commands::run(&arguments))
}
