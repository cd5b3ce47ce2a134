//! Runs random policies through the product and through OPA; closes with a table of what was tried.
//!
//! The work is in `lictor_testkit::differential`; this reads the arguments, starts the peer and says how it ended. It
//! must not know what a case looks like.

#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::process::ExitCode;

use lictor_testkit::differential::batches::{FAMILIES, Family};
use lictor_testkit::differential::faults;
use lictor_testkit::differential::run::{self, Options};

const USAGE: &str = "usage: diff_opa PEER [--count N] [--seconds N] [--seed S] [--start N] [--keep FOLDER] [--tally FILE] [--full] [--refused]
\
                     [--regex] [--glob] [--sprintf] [--numbers] [--faults]";

fn main() -> ExitCode {
    let outcome = options().and_then(|(options, families)| {
        if options.show {
            return run::show(&options, &mut io::stdout());
        }
        if options.faults {
            return faults::run(&options.peer, options.seed, &mut io::stdout());
        }
        if families.is_empty() {
            return run::run(&options, &mut io::stdout());
        }
        let mut same = true;
        for family in families {
            same &= family.run(&options.peer, options.seed, options.count, &mut io::stdout())?;
        }
        Ok(same)
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            // Nothing is left to do if standard error is gone.
            drop(writeln!(io::stderr(), "{err}"));
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<(Options, Vec<&'static Family>), String> {
    let mut families = Vec::new();
    let mut args = std::env::args().skip(1);
    let mut options = Options::default();
    while let Some(arg) = args.next() {
        let mut text = || args.next().ok_or(USAGE);
        let number = |text: String| text.parse::<u64>().map_err(|_| USAGE.to_owned());
        match arg.as_str() {
            "--count" => options.count = number(text()?)?,
            "--seconds" => options.seconds = Some(number(text()?)?),
            "--seed" => options.seed = number(text()?)?,
            "--start" => options.start = number(text()?)?,
            "--keep" => options.keep = Some(text()?.into()),
            "--tally" => options.tally = Some(text()?.into()),
            "--faults" => options.faults = true,
            "--show" => options.show = true,
            "--refused" => options.refused = true,
            "--full" => options.full = true,
            _ if let Some(family) = FAMILIES.iter().find(|it| arg.strip_prefix("--") == Some(it.name)) => {
                families.push(family);
            }
            _ if options.peer.is_empty() && !arg.starts_with('-') => options.peer = arg,
            _ => return Err(USAGE.to_owned()),
        }
    }
    if options.peer.is_empty() { Err(USAGE.to_owned()) } else { Ok((options, families)) }
}
