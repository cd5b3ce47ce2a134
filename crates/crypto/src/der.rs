//! A strict reader of DER, with the rules of the one that Go reads certificates with.
//!
//! It answers nothing where the bytes break a rule; what that means is said by the caller. It borrows, and knows
//! no structure. The other reader, `asn1`, takes more and explains itself, as Go's older package does.

use num_bigint::{BigInt, Sign};

use crate::oid::{Oid, unpack};

pub(crate) const BOOLEAN: u8 = 1;
pub(crate) const INTEGER: u8 = 2;
pub(crate) const BIT_STRING: u8 = 3;
pub(crate) const OCTET_STRING: u8 = 4;
pub(crate) const OID: u8 = 6;
pub(crate) const UTC_TIME: u8 = 23;
pub(crate) const GENERALIZED_TIME: u8 = 24;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;

/// Returns a tag of the context-specific class.
pub(crate) const fn context(number: u8) -> u8 {
    0x80 | number
}

/// Returns a tag of the context-specific class whose content is made of elements.
pub(crate) const fn constructed(number: u8) -> u8 {
    0xa0 | number
}

/// Bits, filled up to whole bytes at the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bits<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) len: usize,
}

impl Bits<'_> {
    pub(crate) fn at(self, index: usize) -> bool {
        index < self.len && self.bytes.get(index / 8).is_some_and(|it| it >> (7 - index % 8) & 1 == 1)
    }

    /// Returns the bits moved so that the last one is the last of a byte.
    pub(crate) fn right_aligned(self) -> Vec<u8> {
        let shift = 8 - self.len % 8;
        if shift == 8 {
            return self.bytes.to_vec();
        }
        let mut before = 0_u16;
        let moved = self.bytes.iter().map(|byte| {
            let word = before << 8 | u16::from(*byte);
            before = u16::from(*byte);
            (word >> shift).to_be_bytes()[1]
        });
        moved.collect()
    }

    /// Splits the content of a bit string.
    pub(crate) fn split(content: &[u8]) -> Option<Bits<'_>> {
        let (padding, bytes) = content.split_first()?;
        let used = bytes.last().is_some_and(|it| u32::from(*it) & ((1 << padding.min(&8)) - 1) != 0);
        if *padding > 7 || (bytes.is_empty() && *padding != 0) || used {
            return None;
        }
        Some(Bits { bytes, len: bytes.len() * 8 - usize::from(*padding) })
    }
}

/// What is left to read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

/// An element: its tag, and its bytes with and without the header.
pub(crate) struct Element<'a> {
    pub(crate) tag: u8,
    pub(crate) full: &'a [u8],
    pub(crate) content: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn peek(self, tag: u8) -> bool {
        self.0.first() == Some(&tag)
    }

    /// Reads an element of any tag.
    pub(crate) fn any(&mut self) -> Option<Element<'a>> {
        let [tag, first, rest @ ..] = self.0 else { return None };
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (header, len) = if first & 0x80 == 0 {
            (2, usize::from(*first))
        } else {
            let count = usize::from(first & 0x7f);
            if !(1..=4).contains(&count) {
                return None;
            }
            let digits = rest.get(..count)?;
            let len = digits.iter().fold(0_u64, |len, it| len << 8 | u64::from(*it));
            if len < 128 || digits.first() == Some(&0) {
                return None;
            }
            (2 + count, usize::try_from(len).ok()?)
        };
        let full = self.0.get(..header.checked_add(len)?)?;
        self.0 = self.0.get(full.len()..)?;
        Some(Element { tag: *tag, full, content: full.get(header..)? })
    }

    /// Reads an element of this tag; returns its content.
    pub(crate) fn read(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.any().filter(|it| it.tag == tag).map(|it| it.content)
    }

    /// Reads an element of this tag; returns it with its header.
    pub(crate) fn full(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.any().filter(|it| it.tag == tag).map(|it| it.full)
    }

    /// Reads an element of this tag; returns a reader of its content.
    pub(crate) fn inside(&mut self, tag: u8) -> Option<Reader<'a>> {
        self.read(tag).map(Reader)
    }

    /// Reads an element if the next one has this tag.
    pub(crate) fn optional(&mut self, tag: u8) -> Option<Option<Reader<'a>>> {
        if self.peek(tag) { self.inside(tag).map(Some) } else { Some(None) }
    }

    pub(crate) fn boolean(&mut self) -> Option<bool> {
        match self.read(BOOLEAN)? {
            [0] => Some(false),
            [0xff] => Some(true),
            _ => None,
        }
    }

    pub(crate) fn big_int(&mut self) -> Option<BigInt> {
        Some(BigInt::from_signed_bytes_be(checked_integer(self.read(INTEGER)?)?))
    }

    /// Reads an integer that fits 64 bits, of any tag.
    pub(crate) fn int(&mut self, tag: u8) -> Option<i64> {
        i64::try_from(BigInt::from_signed_bytes_be(checked_integer(self.read(tag)?)?)).ok()
    }

    /// Reads an integer that is not negative and fits 63 bits.
    pub(crate) fn length(&mut self) -> Option<i64> {
        self.big_int().filter(|it| it.sign() != Sign::Minus).and_then(|it| i64::try_from(it).ok())
    }

    pub(crate) fn bits(&mut self) -> Option<Bits<'a>> {
        Bits::split(self.read(BIT_STRING)?)
    }

    pub(crate) fn oid(&mut self) -> Option<Oid> {
        let mut content = self.read(OID)?.iter();
        let mut components = unpack(base_128(&mut content)?).to_vec();
        while !content.as_slice().is_empty() {
            components.push(base_128(&mut content)?);
        }
        Some(Oid(components))
    }
}

/// Refuses integers without bytes and those with a byte too many.
pub(crate) fn checked_integer(content: &[u8]) -> Option<&[u8]> {
    match content {
        [] | [0, 0..0x80, ..] | [0xff, 0x80..=0xff, ..] => None,
        content => Some(content),
    }
}

fn base_128(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let mut number = 0_u32;
    for index in 0..5 {
        let byte = *bytes.next()?;
        if number >= 1 << 24 || (index == 0 && byte == 0x80) {
            return None;
        }
        number = number << 7 | u32::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_strict() {
        let cases: [(&[u8], bool); 8] = [
            (&[0x04, 0x01, 0x00], true),
            (&[0x04, 0x02, 0x00], false),
            (&[0x04, 0x81, 0x01, 0x00], false),
            (&[0x04, 0x80, 0x00, 0x00], false),
            (&[0x1f, 0x01, 0x00], false),
            (&[0x04, 0x85, 0, 0, 0, 0, 1], false),
            (&[0x04, 0x84, 0xff, 0xff, 0xff, 0xff], false),
            (&[], false),
        ];
        for (bytes, want) in cases {
            assert_eq!(Reader(bytes).any().is_some(), want, "{bytes:?}");
        }
        let integers: [(&[u8], Option<i64>); 5] = [
            (&[2, 1, 0x80], Some(-128)),
            (&[2, 2, 0, 0x80], Some(128)),
            (&[2, 2, 0, 0x7f], None),
            (&[2, 0], None),
            (&[2, 9, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], None),
        ];
        for (bytes, want) in integers {
            assert_eq!(Reader(bytes).int(INTEGER), want, "{bytes:?}");
        }
    }

    #[test]
    fn bits_move_to_the_right() {
        let bits = Bits::split(&[4, 0xab, 0xc0]).expect("well formed");
        assert_eq!((bits.right_aligned(), bits.at(0), bits.at(1)), (vec![0x0a, 0xbc], true, false));
        assert!(Bits::split(&[4, 0xab]).is_none() && Bits::split(&[8, 0]).is_none());
    }
}
