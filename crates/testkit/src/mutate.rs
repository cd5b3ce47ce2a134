//! Makes up JSON documents and spoils them, always the same ones from one seed.
//!
//! Apart from what compares them, so that the fuzz targets' seeds and long runs draw on one source. It knows JSON
//! only as text.

/// A small generator of numbers (splitmix64): the same sequence everywhere from one seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.word() % bound).unwrap_or(0)
    }

    /// Returns one of the texts.
    pub fn choose(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.below(texts.len())]
    }

    /// Returns one of the texts, however long they live.
    pub fn choose_any<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len())]
    }

    /// Returns one of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const SCALARS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "7",
    "12345678",
    "36028797018963967",
    "36028797018963968",
    "-36028797018963968",
    "-36028797018963969",
    "9223372036854775807",
    "9223372036854775808",
    "123456789012345678901234567890",
    "0.5",
    "1.0",
    "1.50",
    "-0.0",
    "1e3",
    "1E+3",
    "1e-3",
    "1e400",
    "-1e400",
    "0e0",
    "3.141592653589793238",
    "\"\"",
    "\"a\"",
    "\"sevench\"",
    "\"eight ch\"",
    "\"a string of more than sixteen bytes\"",
    "\"\\n\\t\\\"\\\\\\/\\b\\f\\r\"",
    "\"\\u0041\\u00e9\\u2028\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\ud800\\ud800\\udc00\"",
    "\"\u{e9}\u{4e2d}\u{1f600}\"",
    "\"<script>&amp;</script>\"",
    "\"\u{7f}\"",
];

const KEYS: &[&str] = &[
    "a",
    "b",
    "",
    "key",
    "sevenct",
    "eightcha",
    "eightchb",
    "a longer key than that",
    "a longer key",
    "\\u0061",
    "\u{e9}",
    "\\ud800",
    "z",
];

/// Pieces that are likely to matter where they are put.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b" ",
    b"\n",
    b"\t",
    b"\r",
    b"0",
    b"1",
    b"9",
    b"-",
    b"+",
    b".",
    b"e",
    b"E",
    b"null",
    b"true",
    b"false",
    b"nul",
    b"\\u",
    b"\\ud800",
    b"\\udfff",
    b"\\u00",
    b"\\n",
    b"\\x",
    b"\x00",
    b"\x01",
    b"\x1f",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xc0\x80",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\x0b",
    b"\x0c",
    b"\xc2\xa0",
    b"/",
    b"//",
    b"/**/",
    b"'",
    b"NaN",
    b"Infinity",
    b"[]",
    b"{}",
    b"\"\"",
    b"\"a\":",
    b",,",
    b"[[[[",
];

/// Makes a valid document of about so many values.
pub fn document(random: &mut Random, size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut left = size;
    value(random, &mut left, 0, &mut out);
    out
}

fn value(random: &mut Random, left: &mut usize, depth: usize, out: &mut Vec<u8>) {
    *left = left.saturating_sub(1);
    let kind = if *left == 0 || depth > 40 { 0 } else { random.below(4) };
    if kind < 2 {
        out.extend_from_slice(random.pick(SCALARS).as_bytes());
        return;
    }
    let is_object = kind == 2;
    out.push(if is_object { b'{' } else { b'[' });
    let bound = if random.below(20) == 0 { 60 } else { 6 };
    let items = random.below(bound);
    for index in 0..items {
        if index > 0 {
            out.push(b',');
        }
        space(random, out);
        if is_object {
            key(random, out);
        }
        value(random, left, depth + 1, out);
        space(random, out);
    }
    out.push(if is_object { b'}' } else { b']' });
}

fn key(random: &mut Random, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(random.pick(KEYS).as_bytes());
    if random.below(2) == 0 {
        out.extend_from_slice(random.below(100).to_string().as_bytes());
    }
    out.push(b'"');
    space(random, out);
    out.push(b':');
    space(random, out);
}

fn space(random: &mut Random, out: &mut Vec<u8>) {
    if random.below(8) == 0 {
        out.extend_from_slice(random.pick(&[" ", "\n", "\t", "\r\n", "  ", "\n        "]).as_bytes());
    }
}

/// Changes a document in up to four places.
pub fn mutate(random: &mut Random, document: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        let at = random.below(document.len() + 1);
        let end = (at + random.below(12)).min(document.len());
        match random.below(8) {
            0 => document.truncate(at),
            1 => drop(document.drain(at..end)),
            2 => {
                if let Some(byte) = document.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            3 => {
                let again = document[at..end].to_vec();
                let to = random.below(document.len() + 1);
                document.splice(to..to, again);
            }
            4 => {
                let byte = random.word().to_le_bytes()[0];
                document.insert(at, byte);
            }
            5 => {
                let piece = random.pick(PIECES).to_vec();
                document.splice(at..end, piece);
            }
            _ => {
                let piece = random.pick(PIECES).to_vec();
                document.splice(at..at, piece);
            }
        }
    }
}
