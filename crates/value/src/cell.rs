//! The 8-byte cell: what a value is at rest, in the arena, the constants and the data alike.
//!
//! Apart because its bits are a format that segments on disk share. The byte-by-byte description is
//! `docs/internals/values.md`. It knows nothing of memory: a reference is a segment number and a word offset.

/// Tags, in the lowest byte. Everything below [`tag::REFERENCE`] is the value itself.
pub(crate) mod tag {
    pub(crate) const NULL: u8 = 0;
    pub(crate) const FALSE: u8 = 1;
    pub(crate) const TRUE: u8 = 2;
    /// An engine's own handle (a number in the upper bytes); never in a segment.
    pub(crate) const HANDLE: u8 = 5;
    /// A 56-bit signed integer in the upper bytes.
    pub(crate) const INT: u8 = 3;
    /// Marks a removed key in an overlay object; never the cell of a value.
    pub(crate) const REMOVED: u8 = 4;
    /// `STRING + n`: a string of n <= 7 bytes in the upper bytes.
    pub(crate) const STRING: u8 = 0x10;
    /// `NUMBER + n`: the text of a number, n <= 7 bytes, that is no canonical integer of 56 bits.
    pub(crate) const NUMBER: u8 = 0x18;
    pub(crate) const REFERENCE: u8 = 0x20;
    pub(crate) const STRING_REF: u8 = 0x20;
    pub(crate) const NUMBER_REF: u8 = 0x21;
    pub(crate) const ARRAY: u8 = 0x22;
    pub(crate) const OBJECT: u8 = 0x23;
    pub(crate) const SET: u8 = 0x24;
}

/// The longest string or number text that stands inside a cell, in bytes.
pub(crate) const INLINE_BYTES_MAX: usize = 7;
const SEGMENT_MASK: u64 = 0xffff_0000;

/// One value at rest, or the reference to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Cell(pub(crate) u64);

impl Cell {
    pub(crate) const NULL: Self = Self(tag::NULL as u64);
    pub(crate) const FALSE: Self = Self(tag::FALSE as u64);
    pub(crate) const TRUE: Self = Self(tag::TRUE as u64);
    pub(crate) const REMOVED: Self = Self(tag::REMOVED as u64);

    /// Returns the integer's cell if it fits in 56 bits.
    #[inline]
    pub(crate) fn int(value: i64) -> Option<Self> {
        let bits = (value << 8).cast_unsigned() | u64::from(tag::INT);
        (Self(bits).as_int() == value).then_some(Self(bits))
    }

    /// Returns the cell of a short string or number text.
    #[inline]
    pub(crate) fn inline(tag: u8, text: &[u8]) -> Option<Self> {
        if text.len() > INLINE_BYTES_MAX {
            return None;
        }
        let mut bytes = [0; 8];
        bytes[0] = tag | text.len().to_le_bytes()[0];
        bytes[1..=text.len()].copy_from_slice(text);
        Some(Self(u64::from_le_bytes(bytes)))
    }

    /// Returns a reference within the segment that holds the cell.
    #[inline]
    pub(crate) const fn reference(tag: u8, hash: u8, offset: u32) -> Self {
        Self(tag as u64 | (hash as u64) << 8 | (offset as u64) << 32)
    }

    #[inline]
    pub(crate) const fn tag(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    #[inline]
    pub(crate) const fn is_reference(self) -> bool {
        self.tag() >= tag::REFERENCE
    }

    /// Says whether this is a string, inline or by reference.
    #[inline]
    pub(crate) const fn is_string(self) -> bool {
        self.tag() & 0xf8 == tag::STRING || self.tag() == tag::STRING_REF
    }

    #[inline]
    pub(crate) const fn as_int(self) -> i64 {
        self.0.cast_signed() >> 8
    }

    /// The length of the inline text in bytes; only for the inline text tags.
    #[inline]
    pub(crate) const fn inline_len(self) -> usize {
        (self.tag() & 7) as usize
    }

    #[inline]
    pub(crate) const fn offset(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The segment's number in the link table of the segment that holds the cell; 0 is that segment itself.
    #[inline]
    pub(crate) const fn segment(self) -> u16 {
        let bytes = self.0.to_le_bytes();
        u16::from_le_bytes([bytes[2], bytes[3]])
    }

    /// Returns the reference to the same thing at another place of the segment that holds the cell.
    #[inline]
    pub(crate) const fn moved(self, offset: u32) -> Self {
        Self(self.0 & 0xffff | (offset as u64) << 32)
    }

    #[inline]
    pub(crate) const fn with_segment(self, segment: u16) -> Self {
        Self(self.0 & !SEGMENT_MASK | (segment as u64) << 16)
    }
}
