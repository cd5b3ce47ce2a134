//! Compares the JSON reader with Go's on made-up and spoiled documents; closes with `N passed, N failed`.
//!
//! The peer is the program of `crates/testkit/peers/json`, built with `go build`. It only makes documents, asks
//! and prints; what is compared is the whole answer: accepted or refused, the value as text, the error text and
//! its place, for both homes of values and for a projection.

#![forbid(unsafe_code)]

use std::{
    io::{self, BufReader, BufWriter, Read, Write},
    process::{ChildStdout, Command, ExitCode, Stdio},
    sync::mpsc,
};

use lictor_testkit::mutate::{self, Random};
use lictor_value::{
    Arena,
    json::{self, JsonError, Projection, Rest, Step},
};

const USAGE: &str = "usage: diff_json PEER [--count N] [--seed N]";
const FAILURES_SHOWN: usize = 20;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            // Nothing is left to do if standard error is gone.
            drop(writeln!(io::stderr(), "{err}"));
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let (peer, count, seed) = options()?;
    let mut child = Command::new(&peer)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|err| format!("cannot start {peer}: {err}"))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the peer has no pipes".to_owned());
    };
    let (sender, documents) = mpsc::sync_channel::<Vec<u8>>(256);
    let failed = std::thread::scope(|scope| {
        scope.spawn(move || feed(input, &sender, count, seed));
        compare_all(output, &documents)
    })?;
    child.wait().map_err(|err| err.to_string())?;
    // Nothing is left to do if standard output is gone.
    drop(writeln!(io::stdout(), "seed {seed}: {} passed, {failed} failed", count - failed));
    Ok(failed == 0)
}

fn options() -> Result<(String, usize, u64), String> {
    let mut args = std::env::args().skip(1);
    let (mut peer, mut count, mut seed) = (None, 100_000, 1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|it| it.parse::<u64>().ok()).ok_or(USAGE);
        match arg.as_str() {
            "--count" => count = usize::try_from(number()?).map_err(|err| err.to_string())?,
            "--seed" => seed = number()?,
            _ if peer.is_none() && !arg.starts_with('-') => peer = Some(arg),
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok((peer.ok_or(USAGE)?, count, seed))
}

/// Sends the documents to the peer and to the comparison; ends when either is gone.
fn feed(input: impl Write, sender: &mpsc::SyncSender<Vec<u8>>, count: usize, seed: u64) {
    let mut input = BufWriter::with_capacity(1 << 16, input);
    let mut random = Random::new(seed);
    for index in 0..count {
        let size = if index % 100 == 0 { 400 } else { random.below(25) };
        let mut document = mutate::document(&mut random, size);
        if index % 8 != 0 {
            mutate::mutate(&mut random, &mut document);
        }
        let len = u32::try_from(document.len()).unwrap_or(0);
        let sent = input.write_all(&len.to_le_bytes()).and_then(|()| input.write_all(&document));
        let queued = match sender.try_send(document) {
            Ok(()) => true,
            Err(mpsc::TrySendError::Disconnected(_)) => false,
            // What waits for an answer must have left before this waits.
            Err(mpsc::TrySendError::Full(document)) => input.flush().is_ok() && sender.send(document).is_ok(),
        };
        if sent.is_err() || !queued {
            return;
        }
    }
}

fn compare_all(output: ChildStdout, documents: &mpsc::Receiver<Vec<u8>>) -> Result<usize, String> {
    let mut output = BufReader::with_capacity(1 << 16, output);
    let mut arena = Arena::new();
    let mut failed = 0;
    while let Ok(document) = documents.recv() {
        let whole = frame(&mut output).map_err(|err| err.to_string())?;
        let first = frame(&mut output).map_err(|err| err.to_string())?;
        let found = compare(&document, [&whole, &first], &arena);
        arena.reset();
        if let Err(reason) = found {
            failed += 1;
            if failed <= FAILURES_SHOWN {
                let text = document.escape_ascii();
                // Nothing is left to do if standard output is gone.
                drop(writeln!(io::stdout(), "{text}\n    {reason}"));
            }
        }
    }
    Ok(failed)
}

fn frame(output: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut len = [0; 4];
    output.read_exact(&mut len)?;
    let mut bytes = vec![0; u32::from_le_bytes(len) as usize];
    output.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Says what differs from the peer's answers to the whole text and to its first value.
fn compare(document: &[u8], expected: [&[u8]; 2], arena: &Arena) -> Result<(), String> {
    let whole = json::read(document, arena).map(|it| it.to_json());
    same(expected[0], &answer(&whole), "whole")?;
    let first = json::read_first(document, arena).map(|it| it.to_json());
    same(expected[1], &answer(&first), "first")?;
    let owned = json::read_document(document).map(|it| it.root().to_json());
    same(expected[0], &answer(&owned), "document")?;
    compare_projected(document, &whole, arena)
}

fn compare_projected(
    document: &[u8],
    whole: &Result<String, JsonError>,
    arena: &Arena,
) -> Result<(), String> {
    let mut projection = Projection::nothing();
    projection.add(&[Step::Key("a")]);
    projection.add(&[Step::Any, Step::Key("b"), Step::Any]);
    projection.add(&[Step::Key("key"), Step::Key("\u{e9}")]);
    let found = json::read_with(document, arena, &projection, Rest::Checked);
    match (&found, whole) {
        (Ok(_), Ok(_)) => {}
        (Err(one), Err(other)) if one == other => return Ok(()),
        (found, whole) => return Err(format!("projected: {found:?}, not {whole:?}")),
    }
    // What is kept is what the whole value has there.
    let all = json::read(document, arena).map_err(|err| err.to_string())?;
    let part = found.map_err(|err| err.to_string())?;
    for path in [&["a"][..], &["key", "b"], &["b", "b", "a"], &["key", "\u{e9}"]] {
        let walk = |value| {
            path.iter().try_fold(value, |value: lictor_value::Value<'_>, key| value.as_object()?.get_str(key))
        };
        if walk(all).map(|it| it.to_json()) != walk(part).map(|it| it.to_json()) {
            return Err(format!("projected: {path:?} differs in {}", part.to_json()));
        }
    }
    Ok(())
}

fn same(expected: &[u8], found: &str, how: &str) -> Result<(), String> {
    let expected = String::from_utf8_lossy(expected);
    // Syntax errors carry a place; the others have none, and that of a second value counts otherwise.
    let unplaced = expected.strip_prefix("e-1 ").or(if how == "first" {
        None
    } else {
        expected.strip_prefix('e').and_then(|it| it.split_once(' ')).map(|it| it.1)
    });
    let agrees = match unplaced {
        Some(text) => {
            found.strip_prefix('e').and_then(|it| it.split_once(' ')).is_some_and(|it| it.1 == text)
        }
        None => expected == found,
    };
    if agrees { Ok(()) } else { Err(format!("{how}: {found}\n    not: {expected}")) }
}

fn answer(result: &Result<String, JsonError>) -> String {
    match result {
        Ok(text) => format!("a{text}"),
        Err(err) => format!("e{} {err}", err.offset() + 1),
    }
}
