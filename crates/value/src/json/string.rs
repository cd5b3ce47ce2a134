//! Strings: the plain short ones straight into a cell, the others found first and decoded after.
//!
//! A string is validated as Go does it: control characters and unknown escapes are refused, while lone surrogates
//! and bytes that are no UTF-8 become U+FFFD, one for each byte.

use crate::cell::{Cell, tag};
use crate::json::error::Fault;
use crate::json::parse::Parser;
use crate::json::sink::Sink;
use crate::raw::scan;

/// Longer strings with escapes are measured first and decoded in place.
const SCRATCH_BYTES_MAX: usize = 32 * 1024;
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

impl<S: Sink> Parser<'_, S> {
    /// Reads the string whose opening quote was just passed.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<Cell, Fault> {
        if let Some((cell, len)) = scan::short_string(scan::word_at(self.input, self.at)) {
            self.at += len + 1;
            return Ok(cell);
        }
        self.long_string()
    }

    #[inline(never)]
    fn long_string(&mut self) -> Result<Cell, Fault> {
        let text = scan::plain_text(self.input, self.at);
        if self.input.get(self.at + text.len()) == Some(&b'"') {
            self.at += text.len() + 1;
            // Shorter text had a cell before.
            return self.add_text(text);
        }
        let start = self.at;
        self.at += text.len();
        let escapes = self.skip_string()?;
        let raw = self.input.get(start..self.at - 1).unwrap_or(&[]);
        if let (false, Ok(text)) = (escapes, std::str::from_utf8(raw)) {
            return self.add_text(text);
        }
        self.decoded(raw)
    }

    fn add_text(&mut self, text: &str) -> Result<Cell, Fault> {
        match Cell::inline(tag::STRING, text.as_bytes()) {
            Some(cell) => Ok(cell),
            None => self.sink.text(tag::STRING_REF, text, &mut self.scratch.cells).ok_or(Fault::TooLarge),
        }
    }

    fn decoded(&mut self, raw: &[u8]) -> Result<Cell, Fault> {
        if raw.len() > SCRATCH_BYTES_MAX {
            return self.decoded_in_place(raw);
        }
        let mut out = std::mem::take(&mut self.scratch.text);
        out.clear();
        decode(raw, &mut out);
        // Decoding makes UTF-8 of anything.
        let cell = self.add_text(std::str::from_utf8(&out).unwrap_or(""));
        self.scratch.text = out;
        cell
    }

    fn decoded_in_place(&mut self, raw: &[u8]) -> Result<Cell, Fault> {
        let mut length = Length(0);
        decode(raw, &mut length);
        let mut write = |bytes: &mut [u8]| decode(raw, &mut Place { bytes, len: 0 });
        self.sink
            .text_with(tag::STRING_REF, length.0, &mut write, &mut self.scratch.cells)
            .ok_or(Fault::TooLarge)
    }

    /// Reads a key whose opening quote was just passed, and returns its cell and what is wanted of its value.
    pub(super) fn wanted_key(&mut self) -> Result<Option<(Cell, u32)>, Fault> {
        let node = self.top.node();
        let start = self.at;
        let escapes = self.skip_string()?;
        let raw = self.input.get(start..self.at - 1).unwrap_or(&[]);
        let plain = std::str::from_utf8(raw).ok().filter(|_| !escapes);
        let wanted = match plain {
            Some(text) => self.projection.key(node, text),
            None => self.projection.key(node, &decoded_text(raw)),
        };
        let Some(child) = wanted else { return Ok(None) };
        let end = self.at;
        self.at = start;
        let cell = self.string()?;
        debug_assert_eq!(self.at, end, "both readings end at the same quote");
        Ok(Some((cell, child)))
    }

    /// Goes past the closing quote and says whether there were escapes.
    pub(super) fn skip_string(&mut self) -> Result<bool, Fault> {
        let mut escapes = false;
        loop {
            self.at += scan::plain_text(self.input, self.at).len();
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return Ok(escapes);
                }
                b'\\' => {
                    escapes = true;
                    self.skip_escape()?;
                }
                0x80.. => {
                    let rest = self.input.get(self.at..).unwrap_or(&[]);
                    self.at += rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
                }
                _ => return Err(Fault::InString),
            }
        }
    }

    fn skip_escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.byte() {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => self.at += 1,
            b'u' => {
                for _ in 0..4 {
                    self.at += 1;
                    if !self.byte().is_ascii_hexdigit() {
                        return Err(Fault::InHexadecimal);
                    }
                }
                self.at += 1;
            }
            _ => return Err(Fault::InEscape),
        }
        Ok(())
    }
}

/// Returns the text that a valid string stands for.
pub(super) fn decoded_text(raw: &[u8]) -> String {
    let mut out = Vec::new();
    decode(raw, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Where decoded text goes: a buffer, a place of the right length, or nowhere but for its length.
trait Output {
    fn push(&mut self, byte: u8);
    fn extend(&mut self, bytes: &[u8]);
}

impl Output for Vec<u8> {
    #[inline]
    fn push(&mut self, byte: u8) {
        Self::push(self, byte);
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// The length of what was pushed.
struct Length(usize);

impl Output for Length {
    #[inline]
    fn push(&mut self, _byte: u8) {
        self.0 += 1;
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }
}

/// A place that was measured before.
struct Place<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl Output for Place<'_> {
    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
        }
        self.len += 1;
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        self.len += bytes.len();
    }
}

/// Writes the text that a valid string stands for.
fn decode(raw: &[u8], out: &mut impl Output) {
    let mut rest = raw;
    while let Some(at) = next_escape(rest) {
        let (plain, escape) = rest.split_at(at);
        decode_plain(plain, out);
        rest = decode_escape(escape, out);
    }
    decode_plain(rest, out);
}

#[inline]
fn next_escape(rest: &[u8]) -> Option<usize> {
    // Escapes often come one behind the other.
    if rest.first() == Some(&b'\\') { Some(0) } else { memchr::memchr(b'\\', rest) }
}

/// Writes bytes, with U+FFFD for each that is no UTF-8.
#[inline]
fn decode_plain(bytes: &[u8], out: &mut impl Output) {
    let mut rest = bytes;
    while let Some(first) = rest.first() {
        // No character starts with these.
        if matches!(first, 0x80..=0xc1 | 0xf5..) {
            out.extend(REPLACEMENT);
            rest = rest.get(1..).unwrap_or(&[]);
            continue;
        }
        let Some(chunk) = rest.utf8_chunks().next() else { return };
        out.extend(chunk.valid().as_bytes());
        chunk.invalid().iter().for_each(|_| out.extend(REPLACEMENT));
        rest = rest.get(chunk.valid().len() + chunk.invalid().len()..).unwrap_or(&[]);
    }
}

/// Decodes the escape that the bytes start with, or two that make a pair, and returns what follows.
#[inline]
fn decode_escape<'a>(escape: &'a [u8], out: &mut impl Output) -> &'a [u8] {
    let byte = match escape.get(1) {
        Some(b'u') => return decode_unit(escape, out),
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(other) => *other,
        None => return &[],
    };
    out.push(byte);
    escape.get(2..).unwrap_or(&[])
}

fn decode_unit<'a>(escape: &'a [u8], out: &mut impl Output) -> &'a [u8] {
    let unit = code_unit(escape).unwrap_or(0);
    let rest = escape.get(6..).unwrap_or(&[]);
    let (found, used) = match code_unit(rest) {
        Some(low) if is_pair(unit, low) => (char::from_u32(pair(unit, low)), 6),
        _ => (char::from_u32(unit), 0),
    };
    let mut buffer = [0; 4];
    out.extend(found.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut buffer).as_bytes());
    rest.get(used..).unwrap_or(&[])
}

/// Returns the number of a `\uXXXX` that the bytes start with.
fn code_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.first_chunk::<4>()?;
    digits.iter().try_fold(0, |unit, it| Some(unit << 4 | char::from(*it).to_digit(16)?))
}

fn is_pair(high: u32, low: u32) -> bool {
    (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low)
}

fn pair(high: u32, low: u32) -> u32 {
    0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)
}
