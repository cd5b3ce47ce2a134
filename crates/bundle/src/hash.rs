//! Digests of members, as signatures name them.
//!
//! A member that is JSON or YAML is read first and its value hashed with keys in order, so that layout does not
//! count; any other member is hashed byte by byte.

use std::fmt::Write as _;

use lictor_value::{Document, Value, json};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};

use crate::reader::YamlReader;

/// The function that signing uses.
pub(crate) const DEFAULT: &str = "SHA-256";

/// Returns the digest of bytes under a function by its name in signatures.
pub(crate) fn digest(algorithm: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    Ok(match algorithm {
        "MD5" => Md5::digest(bytes).to_vec(),
        "SHA-1" => Sha1::digest(bytes).to_vec(),
        "SHA-224" => Sha224::digest(bytes).to_vec(),
        "SHA-256" => Sha256::digest(bytes).to_vec(),
        "SHA-384" => Sha384::digest(bytes).to_vec(),
        "SHA-512" => Sha512::digest(bytes).to_vec(),
        "SHA-512-224" => Sha512_224::digest(bytes).to_vec(),
        "SHA-512-256" => Sha512_256::digest(bytes).to_vec(),
        _ => return Err(format!("unsupported hashing algorithm: {algorithm}")),
    })
}

/// Returns the digest of a member: of its value if its name says that it is one.
pub(crate) fn member_digest(
    algorithm: &str,
    name: &str,
    bytes: &[u8],
    yaml: YamlReader,
) -> Result<Vec<u8>, String> {
    if !is_structured(name) {
        return digest(algorithm, bytes);
    }
    // The name of the function is judged before the text.
    digest(algorithm, b"")?;
    let document = structured(bytes, yaml)?;
    value_digest(algorithm, document.root())
}

/// Returns the digest of a value.
pub(crate) fn value_digest(algorithm: &str, value: Value<'_>) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    value.write_json_plain(&mut text);
    digest(algorithm, &text)
}

/// Returns bytes as hexadecimal text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Reads hexadecimal text, with Go's words for faults.
pub(crate) fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    if let Some(odd) = text.bytes().find(|it| digit(*it).is_none()) {
        return Err(format!("encoding/hex: invalid byte: U+{odd:04X} {:?}", char::from(odd)));
    }
    if !text.len().is_multiple_of(2) {
        return Err("encoding/hex: odd length hex string".to_owned());
    }
    let pair = |pair: &[u8]| match pair {
        [high, low] => digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect::<Option<_>>().ok_or_else(|| "no hex string".to_owned())
}

fn is_structured(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    matches!(base, "data.json" | "data.yaml" | "data.yml" | ".manifest")
}

fn structured(bytes: &[u8], yaml: YamlReader) -> Result<Document, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    json::read_document(bytes).or_else(|_| yaml(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_yaml(_: &[u8]) -> Result<Document, String> {
        Err("no YAML here".to_owned())
    }

    #[test]
    fn functions_are_those_of_the_names() {
        let cases = [
            ("MD5", "900150983cd24fb0d6963f7d28e17f72"),
            ("SHA-1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("SHA-224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            ("SHA-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "SHA-384",
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            ),
            (
                "SHA-512",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ),
            ("SHA-512-224", "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"),
            ("SHA-512-256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ];
        for (name, wanted) in cases {
            assert_eq!(digest(name, b"abc").map(|it| hex(&it)).as_deref(), Ok(wanted), "{name}");
        }
        assert_eq!(digest("sha-256", b""), Err("unsupported hashing algorithm: sha-256".to_owned()));
    }

    #[test]
    fn layout_of_values_does_not_count() {
        let of = |name: &str, text: &str| member_digest(DEFAULT, name, text.as_bytes(), no_yaml);
        let empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(of("/.manifest", " { }\n").map(|it| hex(&it)).as_deref(), Ok(empty));
        assert_eq!(of("a/data.json", r#"{"b":1,"a":[2.50]}"#), of("data.json", "{\"a\": [2.50],\n\"b\":1}"));
        assert_ne!(of("a/data.json", "2.50"), of("data.json", "2.5"));
        assert_ne!(of("a/x.json", "{}"), of("a/x.json", "{ }"));
        assert_eq!(of("data.yml", "a: 1"), Err("no YAML here".to_owned()));
    }

    #[test]
    fn hexadecimal_faults_are_go_s() {
        assert_eq!(unhex("0aFf"), Ok(vec![0x0a, 0xff]));
        assert_eq!(unhex("0zz"), Err("encoding/hex: invalid byte: U+007A 'z'".to_owned()));
        assert_eq!(unhex("0aF"), Err("encoding/hex: odd length hex string".to_owned()));
    }
}
