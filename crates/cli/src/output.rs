//! Writing to the terminal: the two streams, and the formats of results below.
//!
//! Apart so that only one file touches the streams; a closed pipe ends the process quietly. Formats are files below and
//! write into buffers.

pub(crate) mod contents;
pub(crate) mod diff;
pub(crate) mod json;
pub(crate) mod memory;
pub(crate) mod solutions;
pub(crate) mod table;
pub(crate) mod verdicts;

use std::io::Write as _;

/// Writes to the standard output. A reader that has gone away is no fault of ours.
pub(crate) fn write_out(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Writes to the standard error.
pub(crate) fn write_error(bytes: &[u8]) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(bytes);
}

/// Writes a line to the standard error.
pub(crate) fn error_line(line: &str) {
    write_error(format!("{line}\n").as_bytes());
}
