//! PEM blocks, found and skipped as Go's `encoding/pem` does.
//!
//! A block that is broken is passed over for the next; the scan moves on with every round, so it ends.

pub mod encrypted;

use crate::base64::{Alphabet, Fill, decode};

/// One block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// What stands after `BEGIN`.
    pub label: String,
    /// Names and values of the lines before the content.
    pub headers: Vec<(String, String)>,
    /// The content.
    pub bytes: Vec<u8>,
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// Finds the next block; returns it and what follows.
#[must_use]
pub fn next_block(data: &[u8]) -> Option<(Block, &[u8])> {
    let mut from = 0;
    loop {
        let rest = data.get(from..)?;
        let end = find(rest, END)?;
        let begin = find_last(rest.get(..end)?, BEGIN);
        let at_line_start = |it: usize| it == 0 || rest.get(it - 1) == Some(&b'\n');
        if let Some(begin) = begin.filter(|it| at_line_start(*it)) {
            match block_at(data, from + begin + BEGIN.len(), from + end) {
                Found::Block(block, rest) => return Some((block, rest)),
                Found::Broken => {}
                Found::Truncated => return None,
            }
        }
        from += end + END.len();
    }
}

enum Found<'a> {
    Block(Block, &'a [u8]),
    Broken,
    Truncated,
}

/// Reads the block whose label starts and whose content ends there.
fn block_at(data: &[u8], label_at: usize, end: usize) -> Found<'_> {
    let Some((line, mut at)) = line_at(data, label_at) else { return Found::Truncated };
    let Some(label) = line.strip_suffix(DASHES) else { return Found::Broken };
    let mut headers = Vec::new();
    loop {
        // Headers that run past the end line end the whole search, as in Go.
        let line = line_at(data, at).filter(|_| at < data.len() && at <= end + END.len());
        let Some((line, next)) = line else { return Found::Truncated };
        let Some(colon) = line.iter().position(|it| *it == b':') else { break };
        let (name, value) = line.split_at(colon);
        let text = |it: &[u8]| String::from_utf8_lossy(it.trim_ascii()).into_owned();
        headers.push((text(name), text(value.get(1..).unwrap_or_default())));
        at = next;
    }
    if !headers.is_empty() && at > end {
        return Found::Broken;
    }
    let trailer = data.get(end + END.len()..).unwrap_or(&[]);
    let Some(after) = trailer.strip_prefix(label).and_then(|it| it.strip_prefix(DASHES)) else {
        return Found::Broken;
    };
    if line_at(after, 0).is_some_and(|it| !it.0.is_empty()) {
        return Found::Broken;
    }
    let blank = |it: &u8| matches!(it, b' ' | b'\t');
    let content: Vec<u8> = data.get(at..end).unwrap_or(&[]).iter().copied().filter(|it| !blank(it)).collect();
    let Ok(bytes) = decode(&content, Alphabet::Standard, Fill::Padded) else { return Found::Broken };
    let rest = line_at(data, end + 1).map_or(data.len(), |it| it.1);
    let label = String::from_utf8_lossy(label).into_owned();
    Found::Block(Block { label, headers, bytes }, data.get(rest..).unwrap_or(&[]))
}

/// Returns the line there without blanks at its end, and where the next one starts.
fn line_at(data: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let from = data.get(at..)?;
    let (line, next) = match from.iter().position(|it| *it == b'\n') {
        Some(end) => (from.get(..end)?, at + end + 1),
        None => (from, data.len()),
    };
    let line = if next > at + line.len() { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
    let blanks = line.iter().rev().take_while(|it| matches!(it, b' ' | b'\t')).count();
    Some((line.get(..line.len() - blanks)?, next))
}

fn find(data: &[u8], text: &[u8]) -> Option<usize> {
    data.windows(text.len()).position(|it| it == text)
}

fn find_last(data: &[u8], text: &[u8]) -> Option<usize> {
    data.windows(text.len()).rposition(|it| it == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<(String, usize)> {
        let mut data = text.as_bytes();
        let mut out = Vec::new();
        while let Some((block, rest)) = next_block(data) {
            out.push((block.label, block.bytes.len()));
            data = rest;
        }
        out
    }

    #[test]
    fn blocks_are_go_s() {
        let cases = [
            ("-----BEGIN A-----\nYQ==\n-----END A-----\n", vec![("A", 1)]),
            ("-----BEGIN A-----\n-----END A-----", vec![("A", 0)]),
            ("x-----BEGIN A-----\nYQ==\n-----END A-----\n", vec![]),
            ("-----BEGIN A-----\nk: v\n\nYQ==\n-----END A-----  \t\n", vec![("A", 1)]),
            ("-----BEGIN A-----\nYQ==\n-----END B-----\n", vec![]),
            ("-----BEGIN a:-----\nk:v\n-----END b:-----\n-----BEGIN C-----\n-----END C-----", vec![]),
            ("-----BEGIN a:-----\nk:v\n-----END a:-----\nx: y", vec![]),
            ("-----BEGIN A-----\nYQ==\n-----END A-----x\n", vec![]),
            (
                "-----BEGIN A-----\n!\n-----END A-----\n-----BEGIN B-----\r\nY Q==\r\n-----END B-----\r\n",
                vec![("B", 1)],
            ),
        ];
        for (text, want) in cases {
            let want: Vec<(String, usize)> = want.into_iter().map(|it| (it.0.to_owned(), it.1)).collect();
            assert_eq!(labels(text), want, "{text}");
        }
    }
}
