//! Kills the product while it writes, starts it again, and looks at what is left; closes with `N kills, N failed`.
//!
//! Each run is a module: what is started, when it is killed and what must hold after. Times come from a seed, so that
//! a run can be repeated and taken up again.

#![forbid(unsafe_code)]

mod activation;
mod snapshot;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str =
    "usage: kill activation|snapshot LICTOR FOLDER [--count N] [--start N] [--seed N] [--seconds N]";
/// Numbers beside the ones that count, so that reading and writing a bundle takes its time.
const FILLER: u64 = 4_000;

fn main() -> ExitCode {
    match run() {
        Ok((line, fine)) => {
            // Nothing is left to do if standard output is gone.
            drop(writeln!(io::stdout(), "{line}"));
            if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(err) => {
            drop(writeln!(io::stderr(), "{err}"));
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(String, bool), String> {
    let options = options()?;
    match options.run.as_str() {
        "activation" => activation::run(&options),
        "snapshot" => snapshot::run(&options),
        _ => Err(USAGE.to_owned()),
    }
}

/// Says what is killed how often.
struct Options {
    run: String,
    program: PathBuf,
    folder: PathBuf,
    count: u64,
    start: u64,
    seed: u64,
    seconds: u64,
}

fn options() -> Result<Options, String> {
    let mut args = std::env::args().skip(1);
    let mut words = Vec::new();
    let (mut count, mut start, mut seed, mut seconds) = (1_000, 0, 1, u64::MAX);
    while let Some(arg) = args.next() {
        let place = match arg.as_str() {
            "--count" => &mut count,
            "--start" => &mut start,
            "--seed" => &mut seed,
            "--seconds" => &mut seconds,
            _ => {
                words.push(arg);
                continue;
            }
        };
        *place = args.next().and_then(|it| it.parse().ok()).ok_or(USAGE)?;
    }
    let [run, program, folder] = <[String; 3]>::try_from(words).map_err(|_| USAGE)?;
    Ok(Options { run, program: program.into(), folder: folder.into(), count, start, seed, seconds })
}

/// Returns the files of a bundle whose data, rule and revision say the same number, so that a mixture shows.
fn members(number: u64) -> [(&'static str, String); 5] {
    let filler: Vec<String> =
        (0..FILLER).map(|it| format!("\"n{it}\":{}", it.wrapping_mul(number))).collect();
    [
        ("/.manifest", format!(r#"{{"revision": "{number}", "roots": ["k"]}}"#)),
        ("/m.rego", format!("package k.m\n\nnumber := {number}\n")),
        ("/k/first/data.json", number.to_string()),
        ("/k/filler/data.json", format!("{{{}}}", filler.join(","))),
        ("/k/last/data.json", number.to_string()),
    ]
}
