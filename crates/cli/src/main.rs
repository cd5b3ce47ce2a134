//! The `lictor` binary: hands the command line to the command that it names.
//!
//! Everything that touches the world lives here and in the server: files, environment, clock, randomness. A small
//! command starts no runtime and no threads.

#![forbid(unsafe_code)]

mod commands;
mod fault;
mod flags;
mod host;
mod load;
mod output;
mod setup;
mod timers;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    ExitCode::from(commands::run(&arguments))
}
