//! Base64 with Go's rules: line ends are skipped, spare bits taken, and the byte at fault named.
//!
//! Here, not with the built-ins that show it to policies, because PEM and keys need it too.

use std::fmt;

/// The two alphabets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alphabet {
    /// With `+` and `/`.
    Standard,
    /// With `-` and `_`.
    Url,
}

impl Alphabet {
    fn bytes(self) -> &'static [u8; 64] {
        match self {
            Self::Standard => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            Self::Url => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        }
    }
}

/// Whether groups are filled up with `=`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// They are, and must be.
    Padded,
    /// They are not, and must not be.
    Raw,
}

/// A text that is not base64, with the position of the byte at fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CorruptAt(pub usize);

impl fmt::Display for CorruptAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "illegal base64 data at input byte {}", self.0)
    }
}

/// Appends bytes as base64.
pub fn encode_into(bytes: &[u8], alphabet: Alphabet, fill: Fill, out: &mut String) {
    let alphabet = alphabet.bytes();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at <= chunk.len() {
                out.push(char::from(alphabet[(word >> (18 - 6 * at) & 63) as usize]));
            } else if fill == Fill::Padded {
                out.push('=');
            }
        }
    }
}

/// Returns bytes as base64.
#[must_use]
pub fn encode(bytes: &[u8], alphabet: Alphabet, fill: Fill) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    encode_into(bytes, alphabet, fill, &mut out);
    out
}

/// Reads base64.
///
/// # Errors
/// If the text is none, with the position that Go names.
pub fn decode(text: &[u8], alphabet: Alphabet, fill: Fill) -> Result<Vec<u8>, CorruptAt> {
    let mut values = [0xff_u8; 256];
    for (value, byte) in (0..).zip(alphabet.bytes()) {
        values[usize::from(*byte)] = value;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    // The bits of the group so far, and how many characters it has.
    let (mut word, mut count, mut at) = (0_u32, 0_usize, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        let value = values[usize::from(*byte)];
        if value != 0xff {
            word = word << 6 | u32::from(value);
            count += 1;
            if count == 4 {
                out.extend(word.to_be_bytes().get(1..).unwrap_or(&[]));
                (word, count) = (0, 0);
            }
            continue;
        }
        if is_line_end(*byte) {
            continue;
        }
        if *byte != b'=' || fill == Fill::Raw || count < 2 {
            return Err(CorruptAt(at - 1));
        }
        check_fill(text, at, count)?;
        push_rest(&mut out, word, count);
        return Ok(out);
    }
    match (count, fill) {
        (0, _) => {}
        (2 | 3, Fill::Raw) => push_rest(&mut out, word, count),
        _ => return Err(CorruptAt(at - count)),
    }
    Ok(out)
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Checks what follows the first `=` of a group of so many characters: its second one, and then nothing.
fn check_fill(text: &[u8], mut at: usize, count: usize) -> Result<(), CorruptAt> {
    let skip = |from: usize| {
        from + text.get(from..).unwrap_or(&[]).iter().take_while(|it| is_line_end(**it)).count()
    };
    if count == 2 {
        at = skip(at);
        match text.get(at) {
            None => return Err(CorruptAt(text.len())),
            Some(b'=') => at += 1,
            Some(_) => return Err(CorruptAt(at - 1)),
        }
    }
    at = skip(at);
    if at < text.len() { Err(CorruptAt(at)) } else { Ok(()) }
}

fn push_rest(out: &mut Vec<u8>, word: u32, count: usize) {
    let bytes = (word << (6 * (4 - count))).to_be_bytes();
    out.extend(bytes.get(1..count).unwrap_or(&[]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_the_byte() {
        let cases = [
            ("YQ", Err(0)),
            ("YQ==", Ok("a")),
            ("YR==", Ok("a")),
            ("Y\nQ=\r\n=\n", Ok("a")),
            ("YWI=", Ok("ab")),
            ("YQ==x", Err(4)),
            ("YQ=a", Err(2)),
            ("Y!Q=", Err(1)),
            ("====", Err(0)),
            ("A===", Err(1)),
            ("YWJjZ", Err(4)),
            ("AAA=A", Err(4)),
            ("YQ=", Err(3)),
        ];
        for (text, want) in cases {
            let got = decode(text.as_bytes(), Alphabet::Standard, Fill::Padded).map_err(|it| it.0);
            assert_eq!(got, want.map(|it| it.as_bytes().to_vec()), "{text}");
        }
    }

    #[test]
    fn raw_texts_have_no_padding() {
        for (text, want) in [("YQ", Ok("a")), ("YWI", Ok("ab")), ("YQ==", Err(2)), ("YWJjZ", Err(4))] {
            let got = decode(text.as_bytes(), Alphabet::Url, Fill::Raw).map_err(|it| it.0);
            assert_eq!(got, want.map(|it| it.as_bytes().to_vec()), "{text}");
        }
    }
}
