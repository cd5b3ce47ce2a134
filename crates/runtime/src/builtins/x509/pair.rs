//! `crypto.x509.parse_keypair`: a certificate with its private key, as Go's `tls` pairs them.
//!
//! Apart because two texts come in, each in any wrapping, and must belong together.

use lictor_crypto::key::PrivateKey;
use lictor_crypto::pem::{Block, next_block};
use lictor_crypto::x509::{Certificate, parse_certificate};
use lictor_crypto::{parse_ec, parse_pkcs1, parse_pkcs8};
use lictor_value::Value;

use crate::builtins::operands::{Answer, answer, any};
use crate::context::Context;
use crate::error::BuiltinError;

use super::shapes::{Shaper, UriTexts};
use super::{base64, uri_host};

const BEGIN: &str = "-----BEGIN ";

pub(super) fn parse_keypair<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    // OPA counts both operands as the first.
    let text = |index: usize| {
        let value = any(args, index);
        value.as_str().map(str::to_owned).ok_or_else(|| BuiltinError::operand(1, &["string"], value))
    };
    let (certificates, key) = (text(0)?, text(1)?);
    let (certificates, key) = (blocks(&certificates, "CERTIFICATE")?, blocks(&key, "PRIVATE KEY")?);
    let pair = pair(&certificates, &key).map_err(BuiltinError::value)?;
    let shape = Shaper(ctx);
    let fields = [
        ("Certificate", shape.list(pair.chain.iter().map(|it| shape.bytes(it)))),
        ("PrivateKey", shape.private_key(&pair.key)),
        ("SupportedSignatureAlgorithms", Value::NULL),
        ("OCSPStaple", Value::NULL),
        ("SignedCertificateTimestamps", Value::NULL),
        ("Leaf", shape.certificate(&pair.leaf, UriTexts::Absent)),
    ];
    answer(shape.object(&fields))
}

/// Reads the blocks of an operand; bytes that are no PEM are one block.
fn blocks(text: &str, label: &str) -> Result<Vec<Block>, BuiltinError> {
    let bytes = if text.starts_with(BEGIN) { text.as_bytes().to_vec() } else { base64(text)? };
    if !bytes.starts_with(BEGIN.as_bytes()) {
        return Ok(vec![Block { label: label.to_owned(), headers: Vec::new(), bytes }]);
    }
    let mut data = bytes.as_slice();
    let mut blocks = Vec::new();
    while let Some((block, rest)) = next_block(data) {
        blocks.push(block);
        data = rest;
    }
    Ok(blocks)
}

struct Pair {
    chain: Vec<Vec<u8>>,
    leaf: Certificate,
    key: PrivateKey,
}

fn pair(certificates: &[Block], key: &[Block]) -> Result<Pair, String> {
    let (chain, skipped): (Vec<&Block>, Vec<&Block>) =
        certificates.iter().partition(|it| it.label == "CERTIFICATE");
    let Some(first) = chain.first() else { return Err(no_certificate(&skipped)) };
    let key = key_block(key)?;
    let leaf = parse_certificate(&first.bytes, uri_host)?;
    let key = private_key(&key.bytes)?;
    match &leaf.public_key {
        Some(public) if *public == key.public() => {}
        Some(public) if std::mem::discriminant(public) == std::mem::discriminant(&key.public()) => {
            return Err("tls: private key does not match public key".to_owned());
        }
        Some(
            lictor_crypto::key::PublicKey::Rsa(_)
            | lictor_crypto::key::PublicKey::Ec(_)
            | lictor_crypto::key::PublicKey::Ed25519(_),
        ) => return Err("tls: private key type does not match public key type".to_owned()),
        _ => return Err("tls: unknown public key algorithm".to_owned()),
    }
    Ok(Pair { chain: chain.iter().map(|it| it.bytes.clone()).collect(), leaf, key })
}

fn labels(blocks: &[&Block]) -> String {
    blocks.iter().map(|it| it.label.as_str()).collect::<Vec<_>>().join(" ")
}

fn no_certificate(skipped: &[&Block]) -> String {
    match skipped {
        [] => "tls: failed to find any PEM data in certificate input".to_owned(),
        [one] if one.label.ends_with("PRIVATE KEY") => {
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM \
             inputs may have been switched"
                .to_owned()
        }
        several => format!(
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the \
             following types: [{}]",
            labels(several)
        ),
    }
}

fn key_block(blocks: &[Block]) -> Result<&Block, String> {
    let is_key = |it: &&Block| it.label == "PRIVATE KEY" || it.label.ends_with(" PRIVATE KEY");
    if let Some(block) = blocks.iter().find(is_key) {
        return Ok(block);
    }
    Err(match blocks {
        [] => "tls: failed to find any PEM data in key input".to_owned(),
        [one] if one.label == "CERTIFICATE" => {
            "tls: found a certificate rather than a key in the PEM for the private key".to_owned()
        }
        several => format!(
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM \
             blocks of the following types: [{}]",
            labels(&several.iter().collect::<Vec<_>>())
        ),
    })
}

/// Reads a private key of whatever form, as its label says nothing sure.
fn private_key(der: &[u8]) -> Result<PrivateKey, String> {
    if let Ok(key) = parse_pkcs1(der) {
        return Ok(PrivateKey::Rsa(key));
    }
    match parse_pkcs8(der) {
        Ok(PrivateKey::X25519(_)) => {
            return Err("tls: found unknown private key type in PKCS#8 wrapping".to_owned());
        }
        Ok(key) => return Ok(key),
        Err(_) => {}
    }
    parse_ec(der).map(PrivateKey::Ec).map_err(|_| "tls: failed to parse private key".to_owned())
}
