//! Keys of bundle signatures, and what they are used with.
//!
//! The algorithm comes from whoever holds the key, never from what was signed: a token that names another one is
//! refused, so that a public key cannot be turned into a shared secret. Texts of faults are OPA's.

use lictor_crypto::signature::{Algorithm, AnyKey};
use lictor_crypto::x509::parse_certificate;
use lictor_crypto::{parse_ec, parse_pkcs1, parse_pkcs1_public, parse_pkcs8, parse_pkix, pem};

const NO_PEM: &str = "failed to parse PEM block containing the key";

/// Returns the algorithm of a name; bundles are signed with twelve of those that tokens know.
pub(crate) fn algorithm(name: &str) -> Result<Algorithm, String> {
    match Algorithm::named(name) {
        Some(Algorithm::EdDsa) | None => Err(format!("unknown signature algorithm: {name}")),
        Some(algorithm) => Ok(algorithm),
    }
}

/// Reads a key to verify with: a secret, or a key or certificate in PEM.
pub(crate) fn verification_key(text: &str, algorithm: Algorithm) -> Result<AnyKey, String> {
    if let Algorithm::Hmac(_) = algorithm {
        return Ok(AnyKey::Secret(text.as_bytes().to_vec()));
    }
    let (block, _) = pem::next_block(text.as_bytes()).ok_or(NO_PEM)?;
    let der = block.bytes.as_slice();
    match block.label.as_str() {
        "RSA PUBLIC KEY" => {
            parse_pkcs1_public(der).map(|it| AnyKey::Public(lictor_crypto::key::PublicKey::Rsa(it)))
        }
        "PUBLIC KEY" => parse_pkix(der).map(AnyKey::Public),
        "CERTIFICATE" => {
            // Only the key counts, whatever addresses the certificate is for.
            let certificate = parse_certificate(der, |_| Ok(Vec::new()))?;
            certificate.public_key.map(AnyKey::Public).ok_or_else(|| NO_PEM.to_owned())
        }
        label => private(label, der).unwrap_or_else(|| Err(NO_PEM.to_owned())),
    }
}

/// Reads a key to sign with: a secret, or a key in PEM.
pub(crate) fn signing_key(text: &str, algorithm: Algorithm) -> Result<AnyKey, String> {
    if let Algorithm::Hmac(_) = algorithm {
        return Ok(AnyKey::Secret(text.as_bytes().to_vec()));
    }
    let (block, _) = pem::next_block(text.as_bytes()).ok_or(NO_PEM)?;
    let key = private(&block.label, &block.bytes);
    key.unwrap_or_else(|| Err(format!("unsupported key type: {}", block.label)))
}

fn private(label: &str, der: &[u8]) -> Option<Result<AnyKey, String>> {
    use lictor_crypto::key::PrivateKey;
    let key = match label {
        "RSA PRIVATE KEY" => parse_pkcs1(der).map(PrivateKey::Rsa),
        "PRIVATE KEY" => parse_pkcs8(der),
        "EC PRIVATE KEY" => parse_ec(der).map(PrivateKey::Ec),
        _ => return None,
    };
    Some(key.map(AnyKey::Private))
}

/// Says why a signature does not fit, in the words of the family.
pub(crate) fn mismatch(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Hmac(_) => "invalid HMAC signature",
        Algorithm::RsaPkcs1(_) | Algorithm::RsaPss(_) => "crypto/rsa: verification error",
        Algorithm::Ecdsa(_) => "invalid ECDSA signature",
        Algorithm::EdDsa => "invalid EdDSA signature",
    }
}
