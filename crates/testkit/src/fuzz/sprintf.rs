//! Go's format verbs.
//!
//! The first line is the format; each further line is an argument: a number if it reads as one, else a string.

use lictor_runtime::go::fmt::{Arg, Native, sprint, sprintf as format};

/// No result is longer.
const BYTES_MAX: usize = 1 << 20;

/// Formats the lines behind the first by it.
///
/// It panics if the limit does not hold, or a format without verbs changes.
pub(super) fn sprintf(bytes: &[u8]) {
    let Ok(all) = std::str::from_utf8(bytes) else { return };
    let mut lines = all.lines();
    let text = lines.next().unwrap_or("");
    let args: Vec<Arg<'_>> = lines.map(argument).collect();
    let Ok(result) = format(text, &args, BYTES_MAX) else { return };
    assert!(result.len() <= BYTES_MAX, "the result is longer than the limit");
    if args.is_empty() && !text.contains('%') {
        assert_eq!(result, text, "a format without verbs changes");
    }
    // The kinds that templates have go by other ways.
    let native: Vec<Arg<'_>> = args
        .iter()
        .map(|it| match it {
            Arg::Int(int) => Arg::Native(Native::Int(*int)),
            Arg::Str(text) => Arg::Native(Native::Number(text)),
            other => Arg::Native(Native::List(vec![other.clone(), Arg::Native(Native::Nil)])),
        })
        .collect();
    drop(format(text, &native, BYTES_MAX));
    drop(sprint(&native));
}

fn argument(line: &str) -> Arg<'_> {
    let is_number = line.starts_with(|it: char| it == '-' || it.is_ascii_digit());
    if is_number && line.len() < 400 { Arg::number(line) } else { Arg::Str(line) }
}
