//! `lictor capabilities`: what policies may use, of this release, of one of OPA's, or by a file.
//!
//! As OPA it fails without a word if there is no such release or file.

use lictor::Capabilities;

use crate::commands::Failure;
use crate::flags::Parsed;
use crate::load::read_file;
use crate::output::write_out;
use crate::setup;

/// Exit code if there is nothing to show.
const NOTHING_EXIT: u8 = 1;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    let (version, file) = (flags.text("version"), flags.text("file"));
    let found = if !version.is_empty() {
        Capabilities::of_version(version)
    } else if !file.is_empty() {
        read_file(file).ok().and_then(|it| Capabilities::from_json(&it).ok())
    } else if flags.is_on("current") {
        Some(Capabilities::current(setup::version(flags)))
    } else {
        let names: Vec<String> = Capabilities::versions().collect();
        write_out(format!("{}\n", names.join("\n")).as_bytes());
        return Ok(0);
    };
    let Some(found) = found else { return Ok(NOTHING_EXIT) };
    let mut text = found.to_json();
    if text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
    write_out(&text);
    Ok(0)
}
