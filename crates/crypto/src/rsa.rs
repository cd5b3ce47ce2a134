//! RSA as Go judges it: which keys may be used, and the two paddings.
//!
//! The back end does the work where it can. Keys of sizes that it does not take, and salts of any length, are
//! worked out here on plain numbers: nothing secret is in a verification, and the rare small private key is
//! blinded.

use num_bigint::BigUint;

use crate::backend;
use crate::hash::Hash;
use crate::key::{Precomputed, RsaPrivateKey, RsaPublicKey};

/// How a digest is filled up to the size of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Padding {
    /// PKCS #1 v1.5.
    Pkcs1,
    /// PSS with a salt as long as the digest.
    Pss,
}

/// How long a salt may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Salt {
    /// As long as the digest.
    Digest,
    /// Of any length.
    Any,
}

/// Keys of more bits are refused; Go has no bound.
const BITS_MAX: u64 = 16_384;
/// Keys of fewer bits are refused, as in Go.
const BITS_MIN: u64 = 1024;

/// Checks what Go asks of a public key before use.
fn check_public(key: &RsaPublicKey) -> Result<(), String> {
    let bits = key.n.bits();
    if bits < BITS_MIN {
        return Err(format!(
            "crypto/rsa: {bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"
        ));
    }
    if bits > BITS_MAX {
        return Err(format!("crypto/rsa: {bits}-bit keys are too large, limit is {BITS_MAX}"));
    }
    check_numbers(key).map_err(str::to_owned)
}

fn check_numbers(key: &RsaPublicKey) -> Result<(), &'static str> {
    match key.e {
        _ if !key.n.bit(0) => Err("crypto/rsa: public modulus is even"),
        0 | 1 => Err("crypto/rsa: public exponent too small or negative"),
        e if e % 2 == 0 => Err("crypto/rsa: public exponent is even"),
        0x8000_0000.. => Err("crypto/rsa: public exponent too large"),
        _ => Ok(()),
    }
}

/// Verifies a signature with PKCS #1 v1.5 padding.
pub(crate) fn verify_pkcs1(key: &RsaPublicKey, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
    if check_public(key).is_err() {
        return false;
    }
    let n = key.n.to_bytes_be();
    if let Some(verified) = backend::rsa_verify(&n, &key.e_bytes(), Padding::Pkcs1, hash, message, signature)
    {
        return verified;
    }
    let expected = hash.digest(&[message]).and_then(|it| encode_pkcs1(hash, &it, n.len()));
    let opened = public_operation(key, signature);
    expected.is_some() && expected == opened
}

/// Verifies a signature with PSS padding.
pub(crate) fn verify_pss(
    key: &RsaPublicKey,
    hash: Hash,
    salt: Salt,
    message: &[u8],
    signature: &[u8],
) -> bool {
    if check_public(key).is_err() {
        return false;
    }
    let n = key.n.to_bytes_be();
    let verified = backend::rsa_verify(&n, &key.e_bytes(), Padding::Pss, hash, message, signature);
    match (verified, salt) {
        (Some(true), _) => return true,
        (Some(false), Salt::Digest) => return false,
        _ => {}
    }
    let Some(opened) = public_operation(key, signature) else { return false };
    pss_fits(hash, salt, message, &opened, key.n.bits() - 1).unwrap_or(false)
}

/// Raises a signature of the key's length to the public exponent.
fn public_operation(key: &RsaPublicKey, signature: &[u8]) -> Option<Vec<u8>> {
    let number = BigUint::from_bytes_be(signature);
    let size = usize::try_from(key.n.bits().div_ceil(8)).ok()?;
    if signature.len() != size || number >= key.n {
        return None;
    }
    pad(&number.modpow(&BigUint::from(key.e), &key.n), size)
}

fn pad(number: &BigUint, size: usize) -> Option<Vec<u8>> {
    let bytes = number.to_bytes_be();
    let mut out = vec![0; size.checked_sub(bytes.len())?];
    out.extend(bytes);
    Some(out)
}

fn encode_pkcs1(hash: Hash, digest: &[u8], size: usize) -> Option<Vec<u8>> {
    let (kind, len) = match hash {
        Hash::Sha256 => (1, 32),
        Hash::Sha384 => (2, 48),
        Hash::Sha512 => (3, 64),
    };
    // A sequence of the algorithm's identifier, without parameters, and of the digest.
    let prefix = [0x30, 17 + len, 0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, kind, 5, 0, 4, len];
    let filling = size.checked_sub(prefix.len() + digest.len() + 3).filter(|it| *it >= 8)?;
    let mut out = vec![0, 1];
    out.resize(filling + 2, 0xff);
    out.push(0);
    out.extend(prefix);
    out.extend(digest);
    Some(out)
}

/// Says whether an opened signature holds the message under PSS; nothing if it is malformed.
fn pss_fits(hash: Hash, salt: Salt, message: &[u8], opened: &[u8], bits: u64) -> Option<bool> {
    let size = usize::try_from(bits.div_ceil(8)).ok()?;
    // The number has one byte more than the padding where the modulus starts a byte.
    let (before, encoded) = opened.split_at(opened.len().checked_sub(size)?);
    let (last, rest) = encoded.split_last()?;
    let (masked, code) = rest.split_at(rest.len().checked_sub(hash.size())?);
    let spare = u32::try_from(size as u64 * 8 - bits).ok()?;
    let mask = 0xff_u8 >> spare;
    if before.iter().any(|it| *it != 0) || *last != 0xbc || masked.first()? & !mask != 0 {
        return None;
    }
    let mut block = xor_mask(hash, masked, code)?;
    *block.first_mut()? &= mask;
    let one = block.iter().position(|it| *it != 0)?;
    let found = block.get(one + 1..)?;
    if block.get(one) != Some(&1) || (salt == Salt::Digest && found.len() != hash.size()) {
        return None;
    }
    let digest = hash.digest(&[message])?;
    Some(hash.digest(&[&[0; 8], &digest, found])? == code)
}

/// Masks bytes with the stream that a seed makes (MGF1).
fn xor_mask(hash: Hash, bytes: &[u8], seed: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    for (counter, chunk) in (0_u32..).zip(bytes.chunks(hash.size())) {
        let mask = hash.digest(&[seed, &counter.to_be_bytes()])?;
        out.extend(chunk.iter().zip(mask).map(|(a, b)| a ^ b));
    }
    Some(out)
}

fn encode_pss(hash: Hash, message: &[u8], bits: u64) -> Option<Vec<u8>> {
    let size = usize::try_from(bits.div_ceil(8)).ok()?;
    let mut salt = vec![0; hash.size()];
    backend::random(&mut salt)?;
    let digest = hash.digest(&[message])?;
    let code = hash.digest(&[&[0; 8], &digest, &salt])?;
    let mut block = vec![0; size.checked_sub(2 * hash.size() + 2)?];
    block.push(1);
    block.extend(salt);
    let mut out = xor_mask(hash, &block, &code)?;
    *out.first_mut()? &= 0xff_u8 >> u32::try_from(size as u64 * 8 - bits).ok()?;
    out.extend(code);
    out.push(0xbc);
    Some(out)
}

/// Signs with a private key that was checked here.
///
/// # Errors
/// If the key is refused, with Go's message.
pub(crate) fn sign(
    key: &RsaPrivateKey,
    padding: Padding,
    hash: Hash,
    message: &[u8],
) -> Result<Vec<u8>, String> {
    check_public(&key.public)?;
    check_private(key)?;
    if let Some(signature) = backend::rsa_sign(key, padding, hash, message) {
        return Ok(signature);
    }
    let size = usize::try_from(key.public.n.bits().div_ceil(8)).unwrap_or(0);
    let encoded = match padding {
        Padding::Pkcs1 => hash.digest(&[message]).and_then(|it| encode_pkcs1(hash, &it, size)),
        Padding::Pss => encode_pss(hash, message, key.public.n.bits() - 1),
    };
    let encoded = encoded.ok_or("crypto/rsa: message too long for RSA key size")?;
    private_operation(key, &encoded, size).ok_or_else(|| "rsa: internal error".to_owned())
}

/// Raises to the private exponent, blinded, and checks the result.
fn private_operation(key: &RsaPrivateKey, encoded: &[u8], size: usize) -> Option<Vec<u8>> {
    let (n, e) = (&key.public.n, BigUint::from(key.public.e));
    let mut bytes = vec![0; size + 8];
    backend::random(&mut bytes)?;
    let blind = BigUint::from_bytes_be(&bytes) % n;
    let inverse = blind.modinv(n)?;
    let number = BigUint::from_bytes_be(encoded);
    let blinded = &number * blind.modpow(&e, n) % n;
    let signed = blinded.modpow(&key.d, n) * inverse % n;
    if signed.modpow(&e, n) != number % n {
        return None;
    }
    pad(&signed, size)
}

/// Checks that a number is below another, in the words of Go, whose numbers are words of 64 bits.
fn check_below(number: &BigUint, bound: &BigUint) -> Result<(), &'static str> {
    if number.bits().div_ceil(64) > bound.bits().div_ceil(64) {
        return Err("input overflows the modulus size");
    }
    if number >= bound { Err("input overflows the modulus") } else { Ok(()) }
}

/// Checks that the numbers of a private key belong together, with Go's messages.
pub(crate) fn check_private(key: &RsaPrivateKey) -> Result<(), &'static str> {
    let n = &key.public.n;
    let prime_bits: u64 = key.primes.iter().map(BigUint::bits).sum();
    if n.bits() > BITS_MAX || prime_bits > 2 * BITS_MAX {
        return Err("crypto/rsa: key is too large");
    }
    let one = BigUint::from(1_u8);
    if *n <= one || (key.primes.len() == 2 && key.primes.iter().any(|it| *it <= one)) {
        return Err("modulus must be > 1");
    }
    check_below(&key.d, n)?;
    let [p, q] = key.primes.as_slice() else { return check_numbers(&key.public) };
    match &key.precomputed {
        Precomputed { dp: Some(_), dq: Some(_), qinv: Some(qinv), .. } => check_below(qinv, p)?,
        _ if !p.bit(0) => return Err("crypto/rsa: p is even"),
        _ => {}
    }
    check_numbers(&key.public)?;
    if p >= n || q >= n {
        return Err("crypto/rsa: invalid prime");
    }
    if p * q % n != BigUint::ZERO {
        return Err("crypto/rsa: p * q != n");
    }
    let crt = key.crt().ok_or("crypto/rsa: invalid CRT coefficient")?;
    let (p1, q1) = (p - &one, q - &one);
    let e = BigUint::from(key.public.e);
    if crt.dp >= p1 || &crt.dp * &e % &p1 != one || crt.dq >= q1 || &crt.dq * &e % &q1 != one {
        return Err("crypto/rsa: invalid CRT exponent");
    }
    if q * &crt.qinv % p != one {
        return Err("crypto/rsa: invalid CRT coefficient");
    }
    if &key.d % &p1 != crt.dp {
        return Err("crypto/rsa: d does not match dP");
    }
    if &key.d % &q1 != crt.dq {
        return Err("crypto/rsa: d does not match dQ");
    }
    let difference = if p > q { p - q } else { q - p };
    if difference.bits() + 100 <= n.bits() / 2 {
        return Err("crypto/rsa: |p - q| too small");
    }
    if key.d.bits() <= n.bits() / 2 { Err("crypto/rsa: d too small") } else { Ok(()) }
}
