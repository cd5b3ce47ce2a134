//! PEM text as certificates and keys, with Go's texts for what is not there.
//!
//! Apart because the faults are many and need no TLS. It opens no files.

use rustls::pki_types::pem::{PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Returns the certificates of a text; what is something else, or broken, is passed over.
pub(crate) fn certificates(text: &[u8]) -> Vec<CertificateDer<'static>> {
    sections(text).into_iter().filter_map(|(kind, der)| CertificateDer::from_pem(kind, der)).collect()
}

/// Returns a chain of certificates and the key to the first.
///
/// # Errors
///
/// Go's text for what is missing.
pub(crate) fn key_pair(
    certificates: &[u8],
    key: &[u8],
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), String> {
    Ok((chain(certificates)?, private_key(key)?))
}

fn is_key(section: &(SectionKind, Vec<u8>)) -> bool {
    matches!(section.0, SectionKind::PrivateKey | SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey)
}

/// Returns a chain of certificates.
///
/// # Errors
///
/// Go's text for what is missing.
pub(crate) fn chain(certificates: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let found = sections(certificates);
    if found.is_empty() {
        return Err("tls: failed to find any PEM data in certificate input".to_owned());
    }
    if found.len() == 1 && found.iter().all(is_key) {
        let text = "tls: failed to find certificate PEM data in certificate input, but did find a private key; \
                    PEM inputs may have been switched";
        return Err(text.to_owned());
    }
    let chain: Vec<_> =
        found.into_iter().filter_map(|(kind, der)| CertificateDer::from_pem(kind, der)).collect();
    if chain.is_empty() {
        return Err("tls: failed to find \"CERTIFICATE\" PEM block in certificate input".to_owned());
    }
    Ok(chain)
}

fn private_key(key: &[u8]) -> Result<PrivateKeyDer<'static>, String> {
    let found = sections(key);
    if found.is_empty() {
        return Err("tls: failed to find any PEM data in key input".to_owned());
    }
    if found.len() == 1 && found.iter().all(|it| matches!(it.0, SectionKind::Certificate)) {
        return Err("tls: found a certificate rather than a key in the PEM for the private key".to_owned());
    }
    let key = found.into_iter().find(is_key).and_then(|(kind, der)| PrivateKeyDer::from_pem(kind, der));
    let missing = "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input";
    key.ok_or_else(|| missing.to_owned())
}

fn sections(text: &[u8]) -> Vec<(SectionKind, Vec<u8>)> {
    let mut rest = text;
    let mut sections = Vec::new();
    // A broken section is passed over; the reader goes on behind it.
    let mut faults = 0;
    while faults <= text.len() {
        match rustls::pki_types::pem::from_buf(&mut rest) {
            Ok(Some(section)) => sections.push(section),
            Ok(None) => break,
            Err(_) if rest.is_empty() => break,
            Err(_) => faults += 1,
        }
    }
    sections
}
