//! Tags and lengths of the lenient reader.
//!
//! Apart because its messages and its bounds are its own: lengths stay below 2³¹ whatever the bytes say.

use std::fmt;

use super::{base_128, structure, syntax};

/// A tag and a length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    class: u8,
    tag: u32,
    pub(super) len: usize,
    pub(super) is_compound: bool,
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{{class:{} tag:{} length:{} isCompound:{}}}",
            self.class, self.tag, self.len, self.is_compound
        )
    }
}

impl Header {
    pub(super) fn is_context(self, tag: u32) -> bool {
        self.class == 2 && self.tag == tag
    }

    pub(super) fn is_universal(self, tag: u32) -> bool {
        self.class == 0 && self.tag == tag
    }

    /// Returns the tag of a simple element that every protocol knows.
    pub(super) fn simple(self) -> Option<u32> {
        (self.class == 0 && !self.is_compound).then_some(self.tag)
    }

    /// Returns the content, which starts there, if it is all there.
    pub(super) fn content(self, bytes: &[u8], offset: usize) -> Option<&[u8]> {
        bytes.get(offset..offset.checked_add(self.len)?)
    }

    /// Reads a header; returns it and where the content starts.
    pub(super) fn read(bytes: &[u8], start: usize) -> Result<(Self, usize), String> {
        let Some(first) = bytes.get(start) else { return syntax("truncated tag or length") };
        let (mut tag, mut offset) = (u32::from(first & 0x1f), start + 1);
        if tag == 0x1f {
            (tag, offset) = base_128(bytes, offset)?;
            if tag < 0x1f {
                return syntax("non-minimal tag");
            }
        }
        let (len, offset) = read_len(bytes, offset)?;
        Ok((Self { class: first >> 6, tag, len, is_compound: first & 0x20 != 0 }, offset))
    }
}

fn read_len(bytes: &[u8], mut offset: usize) -> Result<(usize, usize), String> {
    let mut next = || {
        let byte = bytes.get(offset).copied();
        offset += 1;
        byte.map_or_else(|| syntax("truncated tag or length"), Ok)
    };
    let first = next()?;
    if first & 0x80 == 0 {
        return Ok((usize::from(first), offset));
    }
    if first == 0x80 {
        return syntax("indefinite length found (not DER)");
    }
    let mut len = 0_usize;
    for _ in 0..first & 0x7f {
        let byte = next()?;
        if len >= 1 << 23 {
            return structure("length too large");
        }
        len = len << 8 | usize::from(byte);
        if len == 0 {
            return structure("superfluous leading zeros in length");
        }
    }
    if len < 0x80 { structure("non-minimal length") } else { Ok((len, offset)) }
}
