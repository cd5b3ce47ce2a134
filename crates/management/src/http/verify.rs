//! Whether a server is who it says it is, by the trusted certificates of a request.
//!
//! The chains are `webpki`'s to check. Two things are added: a request that wants no check, and a certificate that is
//! itself among the trusted ones, which Go takes even if it may sign others. Texts are Go's.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use lictor::http::Url;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

use crate::civil::rfc3339;
use crate::http::der;

/// Who is trusted.
pub(crate) enum Trust {
    /// Any certificate will do.
    Anyone,
    /// A chain must lead to a certificate that is trusted.
    Signed(Arc<WebPkiServerVerifier>),
    /// There is no certificate that a chain could lead to.
    Nobody,
}

/// Checks servers for one request's settings.
pub(crate) struct Verifier {
    pub(crate) provider: Arc<CryptoProvider>,
    pub(crate) trust: Trust,
    /// The certificates that the request itself trusts.
    pub(crate) trusted: Vec<CertificateDer<'static>>,
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.trust {
            Trust::Anyone => Ok(ServerCertVerified::assertion()),
            _ if self.trusted.iter().any(|it| it == end_entity) => {
                verify_trusted(end_entity, server_name, now)
            }
            Trust::Signed(chains) => {
                chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
            }
            Trust::Nobody => Err(CertificateError::UnknownIssuer.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Checks time and name of a certificate that needs no chain.
fn verify_trusted(
    certificate: &CertificateDer<'_>,
    name: &ServerName<'_>,
    time: UnixTime,
) -> Result<ServerCertVerified, Error> {
    let (first, last) = der::validity(certificate).ok_or(CertificateError::BadEncoding)?;
    let (first, last) = (unix_time(first), unix_time(last));
    if time < first {
        return Err(CertificateError::NotValidYetContext { time, not_before: first }.into());
    }
    if time > last {
        return Err(CertificateError::ExpiredContext { time, not_after: last }.into());
    }
    verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
    Ok(ServerCertVerified::assertion())
}

fn unix_time(seconds: u64) -> UnixTime {
    UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds))
}

/// Returns what is wrong with a server's certificate, in Go's words.
pub(crate) fn text(fault: &CertificateError, url: &Url) -> String {
    let expired = "certificate has expired or is not yet valid";
    match fault {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "certificate signed by unknown authority".to_owned()
        }
        CertificateError::ExpiredContext { time, not_after } => {
            let (time, last) = (rfc3339(time.as_secs()), rfc3339(not_after.as_secs()));
            format!("{expired}: current time {time} is after {last}")
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            let (time, first) = (rfc3339(time.as_secs()), rfc3339(not_before.as_secs()));
            format!("{expired}: current time {time} is before {first}")
        }
        CertificateError::NotValidForNameContext { expected, presented } => wrong_name(expected, presented),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "certificate specifies an incompatible key usage".to_owned()
        }
        CertificateError::UnhandledCriticalExtension => "unhandled critical extension".to_owned(),
        CertificateError::BadEncoding => "malformed certificate".to_owned(),
        // A certificate that may sign others and is none of those trusted has no chain of its own.
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            "certificate signed by unknown authority".to_owned()
        }
        other => {
            let host = String::from_utf8_lossy(&url.host);
            format!("certificate of {host} cannot be used: {other}")
        }
    }
}

/// Returns the text for a name that is not among those presented, `DnsName("a")` and `IpAddress(1.2.3.4)`.
fn wrong_name(expected: &ServerName<'_>, presented: &[String]) -> String {
    let inside = |it: &String, kind: &str| {
        let inside = it.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')')?;
        Some(inside.trim_matches('"').to_owned())
    };
    let addresses: Vec<String> = presented.iter().filter_map(|it| inside(it, "IpAddress")).collect();
    let names: Vec<String> = presented.iter().filter_map(|it| inside(it, "DnsName")).collect();
    let wanted = expected.to_str();
    if wanted.parse::<IpAddr>().is_ok() {
        if addresses.is_empty() {
            return format!(
                "cannot validate certificate for {wanted} because it doesn't contain any IP SANs"
            );
        }
        return format!("certificate is valid for {}, not {wanted}", addresses.join(", "));
    }
    if names.is_empty() {
        return format!("certificate is not valid for any names, but wanted to match {wanted}");
    }
    format!("certificate is valid for {}, not {wanted}", names.join(", "))
}
