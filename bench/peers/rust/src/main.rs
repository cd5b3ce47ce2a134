//! Peers written in Rust, one binary: regorus (interpreter and RVM) and code written by hand.
//!
//! usage: `peers --peer NAME --dir DIR --cases a,b [--secs 1]` with NAME one of `regorus`,
//! `regorus-rvm`, `hand-value`, `hand-typed`. Answers are checked before anything is timed; each case
//! and mode gives one JSON line. A case that a peer does not have is left out.

mod glob;
mod harness;
mod regorus_peer;
mod typed;
mod value;

use std::process::ExitCode;

use harness::{Scenario, measure};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut peer, mut dir, mut cases, mut secs) = (String::new(), String::new(), String::new(), 1.0);
    while let Some(arg) = args.next() {
        let value = args.next().unwrap_or_default();
        match arg.as_str() {
            "--peer" => peer = value,
            "--dir" => dir = value,
            "--cases" => cases = value,
            "--secs" => secs = value.parse().expect("--secs is a number"),
            _ => {
                eprintln!("unknown argument {arg}");
                return ExitCode::FAILURE;
            }
        }
    }
    for case in cases.split(',') {
        let scenario = match Scenario::load(&dir, case) {
            Ok(scenario) => scenario,
            Err(err) => {
                eprintln!("{case}: {err}");
                return ExitCode::FAILURE;
            }
        };
        let prepared = match peer.as_str() {
            "regorus" => regorus_peer::interpreter(&scenario),
            "regorus-rvm" => regorus_peer::rvm(&scenario),
            "hand-value" => value::prepare(&scenario),
            "hand-typed" => typed::prepare(&scenario),
            _ => {
                eprintln!("unknown peer {peer}");
                return ExitCode::FAILURE;
            }
        };
        match prepared {
            Ok(Some(prepared)) => measure(&peer, &scenario, prepared, secs),
            Ok(None) => (),
            Err(err) => eprintln!("{peer}: {case}: {err}"),
        }
    }
    ExitCode::SUCCESS
}
