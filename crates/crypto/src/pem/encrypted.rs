//! Blocks that are encrypted under a passphrase, in the old form whose headers say how (RFC 1423).
//!
//! Apart because it is weak (the key is one round of MD5) and only read for the sake of keys that people have. Of its
//! ciphers AES is there; DES is refused by name. Texts are Go's.

use md5::{Digest, Md5};

use super::Block;
use crate::backend;

/// The header that says how a block is encrypted.
const HEADER: &str = "DEK-Info";
/// All ciphers here work on blocks of this size.
const BLOCK_BYTES: usize = 16;

/// Says whether a block is encrypted.
#[must_use]
pub fn is_encrypted(block: &Block) -> bool {
    header(block).is_some()
}

fn header(block: &Block) -> Option<&str> {
    block.headers.iter().find(|it| it.0 == HEADER).map(|it| it.1.as_str())
}

/// Decrypts a block. A wrong passphrase is mostly, but not always, found out.
///
/// # Errors
///
/// Go's text, which holds nothing of the block or the passphrase.
pub fn decrypt(block: &Block, passphrase: &[u8]) -> Result<Vec<u8>, String> {
    let header = header(block).ok_or("x509: no DEK-Info header in block")?;
    let (mode, iv) = header.split_once(',').ok_or("x509: malformed DEK-Info header")?;
    let key_bytes = match mode {
        "AES-128-CBC" => 16,
        "AES-192-CBC" => 24,
        "AES-256-CBC" => 32,
        "DES-CBC" | "DES-EDE3-CBC" => return Err(format!("x509: {mode} is not supported, expected AES")),
        _ => return Err("x509: unknown encryption mode".to_owned()),
    };
    let iv = unhexed(iv).ok_or("x509: malformed DEK-Info header")?;
    let iv: [u8; BLOCK_BYTES] = iv.try_into().map_err(|_| "x509: incorrect IV size")?;
    if !block.bytes.len().is_multiple_of(BLOCK_BYTES) {
        return Err("x509: encrypted PEM data is not a multiple of the block size".to_owned());
    }
    let key = derived_key(passphrase, &iv, key_bytes);
    let data = backend::aes_cbc_decrypt(&key, iv, &block.bytes).ok_or("x509: no back end to decrypt with")?;
    unpadded(data)
}

/// Returns the key of a passphrase, with the first half of the initial vector as salt.
fn derived_key(passphrase: &[u8], iv: &[u8; BLOCK_BYTES], key_bytes: usize) -> Vec<u8> {
    let salt = iv.get(..BLOCK_BYTES / 2).unwrap_or(iv);
    let mut key = Vec::new();
    let mut digest = Vec::new();
    while key.len() < key_bytes {
        let hasher = Md5::new().chain_update(&digest).chain_update(passphrase).chain_update(salt);
        digest = hasher.finalize().to_vec();
        key.extend(&digest);
    }
    key.truncate(key_bytes);
    key
}

fn unpadded(mut data: Vec<u8>) -> Result<Vec<u8>, String> {
    let Some(last) = data.last().copied() else { return Err("x509: invalid padding".to_owned()) };
    let padding = usize::from(last);
    let start = data.len().checked_sub(padding).filter(|_| (1..=BLOCK_BYTES).contains(&padding));
    let start = start.filter(|it| data.get(*it..).is_some_and(|it| it.iter().all(|it| *it == last)));
    data.truncate(start.ok_or("x509: decryption password incorrect")?);
    Ok(data)
}

fn unhexed(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    let digit = |it: &u8| char::from(*it).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let byte = |it: &[u8]| match it {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    text.chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(info: &str, bytes: &[u8]) -> Block {
        let headers = vec![(HEADER.to_owned(), info.to_owned())];
        Block { label: "K".to_owned(), headers, bytes: bytes.to_vec() }
    }

    #[test]
    fn odd_blocks_are_refused() {
        let iv = "00".repeat(16);
        for (info, bytes, wanted) in [
            ("AES-128-CBC".to_owned(), 16, "x509: malformed DEK-Info header"),
            ("AES-128-CBC,0".to_owned(), 16, "x509: malformed DEK-Info header"),
            ("AES-128-CBC,00".to_owned(), 16, "x509: incorrect IV size"),
            (format!("RC2-CBC,{iv}"), 16, "x509: unknown encryption mode"),
            (format!("DES-EDE3-CBC,{iv}"), 16, "x509: DES-EDE3-CBC is not supported, expected AES"),
            (format!("AES-256-CBC,{iv}"), 15, "x509: encrypted PEM data is not a multiple of the block size"),
            (format!("AES-256-CBC,{iv}"), 0, "x509: invalid padding"),
            (format!("AES-256-CBC,{iv}"), 16, "x509: decryption password incorrect"),
        ] {
            assert_eq!(decrypt(&block(&info, &vec![0; bytes]), b"p"), Err(wanted.to_owned()), "{info}");
        }
    }

    #[test]
    fn padding_must_be_whole() {
        let padded = |tail: &[u8]| unpadded([&[7; 13], tail].concat()).ok().map(|it| it.len());
        assert_eq!(padded(&[3, 3, 3]), Some(13));
        assert_eq!(padded(&[2, 3, 3]), None);
        assert_eq!(padded(&[0, 0, 0]), None);
        assert_eq!(padded(&[17, 17, 17]), None);
        assert_eq!(unpadded(vec![16; 16]), Ok(Vec::new()));
    }
}
