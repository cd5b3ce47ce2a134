//! Finds where the plain part of a JSON string ends, eight or sixteen bytes at a time.
//!
//! Beside `raw.rs` because text leaves it as `&str` without a second look: what was scanned is ASCII.

use crate::cell::{Cell, tag};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Returns the eight bytes at a place, zeros past the end.
#[inline]
pub(crate) fn word_at(input: &[u8], at: usize) -> u64 {
    match input.get(at..).and_then(|it| it.first_chunk::<8>()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => last_word(input, at),
    }
}

/// The bytes at the end, from one load of the last eight where there are as many.
#[inline]
fn last_word(input: &[u8], at: usize) -> u64 {
    let rest = input.len().saturating_sub(at);
    if let Some(chunk) = input.last_chunk::<8>() {
        // All eight are gone when nothing is left.
        return u64::from_le_bytes(*chunk).checked_shr(u32::from(small(8 - rest)) * 8).unwrap_or(0);
    }
    input.iter().skip(at).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn small(bytes: usize) -> u8 {
    bytes.to_le_bytes()[0]
}

/// Marks the bytes that end plain text: a quote, a backslash, a control character or a byte beyond ASCII.
///
/// Only the lowest mark is exact; a byte above it may be marked wrongly.
#[inline]
fn stops(word: u64) -> u64 {
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    (quote | backslash | control | word) & HIGHS
}

/// Returns the cell of the string whose text and closing quote the word starts with, and the text's length.
///
/// None for longer text, escapes, control characters and text beyond ASCII.
#[inline]
pub(crate) fn short_string(word: u64) -> Option<(Cell, usize)> {
    let bits = stops(word).trailing_zeros() & !7;
    if bits == 64 || (word >> bits) & 0xff != 0x22 {
        return None;
    }
    // The text is ASCII: no byte before the first mark is beyond it.
    let text = (word << 8) & (u64::MAX >> (56 - bits));
    let len = bits / 8;
    Some((Cell(text | u64::from(tag::STRING) | u64::from(len)), len as usize))
}

/// Returns the longest run of plain ASCII text from a place: no quote, backslash or control character.
#[inline]
pub(crate) fn plain_text(input: &[u8], at: usize) -> &str {
    let rest = input.get(at..).unwrap_or(&[]);
    let len = plain_len(rest);
    debug_assert!(rest[..len].is_ascii(), "scanned as ASCII");
    // SAFETY: `plain_len` returns at most the length of `rest`.
    let bytes = unsafe { rest.get_unchecked(..len) };
    // SAFETY: `plain_len` stops before the first byte beyond ASCII, and ASCII is UTF-8.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

/// The number of plain ASCII bytes that the text starts with.
#[inline]
fn plain_len(text: &[u8]) -> usize {
    let mut len = 0;
    let mut rest = text;
    while let Some((chunk, tail)) = rest.split_first_chunk::<16>() {
        let marks = marks_of_16(chunk);
        if marks != 0 {
            return len + marks.trailing_zeros() as usize;
        }
        len += 16;
        rest = tail;
    }
    if rest.is_empty() {
        return len;
    }
    // The last bytes come with zeros behind them, which stop as control characters do.
    for at in [len, len + 8] {
        let marks = stops(word_at(text, at));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
    }
    text.len()
}

/// One bit for each byte that ends plain text.
#[cfg(target_arch = "x86_64")]
#[inline]
fn marks_of_16(chunk: &[u8; 16]) -> u32 {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { marks_by_sse2(chunk) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn marks_by_sse2(chunk: &[u8; 16]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    // SAFETY: the sixteen bytes are borrowed, and the load needs no alignment.
    let bytes = unsafe { _mm_loadu_si128(chunk.as_ptr().cast()) };
    let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x22));
    let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5c));
    // Signed: bytes beyond ASCII are below zero, and so below the space too.
    let low = _mm_cmpgt_epi8(_mm_set1_epi8(0x20), bytes);
    _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), low)).cast_unsigned()
}

/// One bit for each byte that ends plain text; only the lowest is exact.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn marks_of_16(chunk: &[u8; 16]) -> u32 {
    for at in [0, 8] {
        let marks = stops(word_at(chunk, at));
        if marks != 0 {
            return 1 << (at as u32 + marks.trailing_zeros() / 8);
        }
    }
    0
}

/// The number of bytes that a JSON writer copies as they are; `html` stops at `<`, `>` and `&` too.
///
/// Stops at every byte beyond ASCII as well.
#[inline]
pub(crate) fn unescaped_len(text: &[u8], html: bool) -> usize {
    let mut at = 0;
    while text.len() - at >= 8 {
        let marks = output_stops(word_at(text, at), html);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    // Zeros behind the end stop, so there is a mark.
    at + output_stops(word_at(text, at), html).trailing_zeros() as usize / 8
}

/// Marks the bytes that a JSON writer may have to escape; only the lowest mark is exact.
#[inline]
fn output_stops(word: u64, html: bool) -> u64 {
    let mut marks = stops(word);
    if html {
        // `&` is the quote and `>` is `<` but for one bit; the quote stops anyway.
        let ampersand = (word ^ (ONES * 0x26)).wrapping_sub(ONES);
        let angle = ((word | (ONES * 0x02)) ^ (ONES * 0x3e)).wrapping_sub(ONES);
        marks |= (ampersand | angle) & HIGHS;
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_is_told_apart() {
        for stop in 0..=255u8 {
            for at in 0..40 {
                for len in at + 1..at + 20 {
                    let mut input = vec![b'a'; len];
                    input[at] = stop;
                    let ends = matches!(stop, b'"' | b'\\' | 0..=0x1f | 0x80..);
                    let expected = if ends { at } else { len };
                    assert_eq!(plain_text(&input, 0).len(), expected, "byte {stop} at {at} of {len}");
                }
            }
        }
    }

    #[test]
    fn words_end_in_zeros() {
        let input = b"0123456789";
        assert_eq!(word_at(input, 0), u64::from_le_bytes(*b"01234567"));
        assert_eq!(word_at(input, 5), u64::from_le_bytes(*b"56789\0\0\0"));
        assert_eq!(word_at(input, 10), 0);
        assert_eq!(word_at(b"abc", 1), u64::from_le_bytes(*b"bc\0\0\0\0\0\0"));
    }

    #[test]
    fn short_strings_become_cells() {
        for text in ["", "a", "1234567"] {
            let input = format!("{text}\"");
            let found = short_string(word_at(input.as_bytes(), 0));
            let cell = Cell::inline(tag::STRING, text.as_bytes()).expect("short");
            assert_eq!(found, Some((cell, text.len())));
        }
        for text in ["12345678\"", "a\\n\"", "\u{e9}\"", "abc", "\u{1}\""] {
            assert_eq!(short_string(word_at(text.as_bytes(), 0)), None, "{text}");
        }
    }
}
