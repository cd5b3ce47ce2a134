//! Kills `build -t snapshot` while it writes over an older snapshot.
//!
//! Whenever it ends, what stands there is a whole snapshot: the old one, or the new one, and the new one if the command
//! had ended by itself.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use lictor_testkit::mutate::Random;

use crate::{Options, members};

/// Kills as often as the options say; the closing line comes back, and whether nothing failed.
pub(crate) fn run(options: &Options) -> Result<(String, bool), String> {
    let start = Instant::now();
    let (mut kills, mut replaced, mut failed) = (0, 0, 0);
    let mut number = 1;
    build(options, number)?.wait().map_err(|it| it.to_string())?;
    // It is killed at any time of what it takes when it is let be, or a little after.
    let whole = start.elapsed();
    let delay_us_max = usize::try_from(whole.as_micros() * 5 / 4).map_err(|it| it.to_string())?;
    for round in options.start..options.start.saturating_add(options.count) {
        if start.elapsed().as_secs() >= options.seconds {
            break;
        }
        let next = number + 1;
        let mut command = build(options, next)?;
        let mut random = Random::new(options.seed.wrapping_mul(1 << 32).wrapping_add(round));
        thread::sleep(Duration::from_micros(random.below(delay_us_max) as u64));
        command.kill().map_err(|it| it.to_string())?;
        let is_done = command.wait().map_err(|it| it.to_string())?.success();
        kills += 1;
        match found(options) {
            Ok(found) if found == next || found == number && !is_done => {
                replaced += u64::from(found == next);
                number = found;
            }
            found => {
                failed += 1;
                let line =
                    format!("round {round}: wanted {number} or {next}, done {is_done}, found {found:?}");
                drop(writeln!(io::stderr(), "{line}"));
            }
        }
        remove_parts(&options.folder).map_err(|it| it.to_string())?;
    }
    let seed = options.seed;
    let line =
        format!("seed {seed}: {kills} kills, {replaced} after the snapshot was replaced, {failed} failed");
    Ok((line, failed == 0))
}

/// Starts to build a snapshot of the bundle of a number.
fn build(options: &Options, number: u64) -> Result<std::process::Child, String> {
    let bundle = options.folder.join("bundle");
    for (path, text) in members(number) {
        let path = bundle.join(path.trim_start_matches('/'));
        let folder = path.parent().unwrap_or(&bundle);
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(|it| it.to_string())?;
    }
    let mut command = Command::new(&options.program);
    command.args(["build", "-t", "snapshot", "-b"]).arg(bundle);
    command.arg("-o").arg(options.folder.join("k.snapshot"));
    command.stdout(Stdio::null()).spawn().map_err(|it| format!("cannot start: {it}"))
}

/// Returns the number of the snapshot that is there, if everything of it says the same.
fn found(options: &Options) -> Result<u64, String> {
    let query = "data.k.filler.n1 + data.k.first + data.k.last + data.k.m.number + to_number(data.system.bundles[_].manifest.revision)";
    let mut command = Command::new(&options.program);
    command.args(["eval", "-f", "raw", query, "-b"]).arg(options.folder.join("k.snapshot"));
    let output = command.output().map_err(|it| it.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let sum: u64 = text.parse().map_err(|_| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))?;
    if sum.is_multiple_of(5) { Ok(sum / 5) } else { Err(format!("a mixture: {sum}")) }
}

/// Removes what killed commands have begun.
fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "part") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
