//! How TLS is spoken for a request: whom to trust, and what to show.
//!
//! Apart because this is where certificates are read, from the request, from files and from the environment. Texts of
//! faults are OPA's. Whether a server is right is decided in `verify`.

use std::sync::{Arc, OnceLock};

use lictor::http::{PemSource, TlsSettings};
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::http::fault::system_text;
use crate::http::pem;
use crate::http::verify::{Trust, Verifier};
use crate::outgoing::Environment;

/// A larger file holds no certificates that anyone wants.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Certificates and the key to the first.
pub(crate) type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// Returns the configuration for settings.
///
/// # Errors
///
/// OPA's text for what cannot be read or does not fit together.
pub(crate) fn config(settings: &TlsSettings, environment: &Environment) -> Result<Arc<ClientConfig>, String> {
    let identity = identity(settings, environment)?;
    let trusted = trusted(&settings.ca_cert, environment)?;
    let roots = match trusted {
        _ if settings.insecure_skip_verify => Roots::Anyone,
        Some(trusted) => Roots::Given { trusted, with_system: settings.use_system_certs },
        None => Roots::System,
    };
    client_config(&roots, identity)
}

/// Whom to trust.
pub(crate) enum Roots {
    /// Any certificate will do.
    Anyone,
    /// Those that the system trusts.
    System,
    /// These, and perhaps those of the system, too.
    Given { trusted: Vec<CertificateDer<'static>>, with_system: bool },
}

/// Returns the configuration for whom to trust and what to show.
///
/// # Errors
///
/// Go's text if the certificate and its key do not fit.
pub(crate) fn client_config(roots: &Roots, identity: Option<Identity>) -> Result<Arc<ClientConfig>, String> {
    let provider = provider();
    let store = match roots {
        Roots::Anyone => None,
        Roots::System => Some(system_store()),
        Roots::Given { trusted, with_system: true } => Some(Arc::new(store(system().iter().chain(trusted)))),
        Roots::Given { trusted, with_system: false } => Some(Arc::new(store(trusted.iter()))),
    };
    let trust = match store {
        None => Trust::Anyone,
        Some(store) => {
            let chains = WebPkiServerVerifier::builder_with_provider(store, Arc::clone(&provider)).build();
            chains.map_or(Trust::Nobody, Trust::Signed)
        }
    };
    let trusted = match roots {
        Roots::Given { trusted, .. } => trusted.clone(),
        Roots::Anyone | Roots::System => Vec::new(),
    };
    let verifier = Verifier { provider: Arc::clone(&provider), trust, trusted };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|it| format!("tls: {it}"))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let config = match identity {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(|it| match it {
            rustls::Error::InconsistentKeys(_) => "tls: private key does not match public key".to_owned(),
            _ => "tls: failed to parse private key".to_owned(),
        })?,
    };
    Ok(Arc::new(config))
}

fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    Arc::clone(PROVIDER.get_or_init(|| Arc::new(aws_lc_rs::default_provider())))
}

/// The certificates that the system trusts.
fn system() -> &'static [CertificateDer<'static>] {
    static SYSTEM: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();
    SYSTEM.get_or_init(|| rustls_native_certs::load_native_certs().certs)
}

fn system_store() -> Arc<RootCertStore> {
    static STORE: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    Arc::clone(STORE.get_or_init(|| Arc::new(store(system().iter()))))
}

/// Returns a store of those certificates that can be understood.
fn store<'a>(certificates: impl Iterator<Item = &'a CertificateDer<'static>>) -> RootCertStore {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(certificates.cloned());
    store
}

/// Returns the certificates that the request itself trusts; none if it names none.
fn trusted(
    source: &PemSource,
    environment: &Environment,
) -> Result<Option<Vec<CertificateDer<'static>>>, String> {
    let mut trusted = Vec::new();
    if !source.text.is_empty() {
        let text = source.text.replace("\\n", "\n");
        let found = pem::certificates(text.as_bytes());
        trusted.extend(some(found).ok_or("could not append certificates")?);
    }
    if !source.file.is_empty() {
        let found = pem::certificates(&file(&source.file)?);
        let fault = || format!("could not append CA certificates from {:?}", source.file);
        trusted.extend(some(found).ok_or_else(fault)?);
    }
    if !source.variable.is_empty() {
        let found = pem::certificates(environment(&source.variable).unwrap_or_default().as_bytes());
        let name = &source.variable;
        let fault =
            || format!("could not add CA certificates from envvar {name:?}: could not append certificates");
        trusted.extend(some(found).ok_or_else(fault)?);
    }
    Ok(some(trusted))
}

/// Returns the client's certificate: of those that are given whole, the first.
fn identity(settings: &TlsSettings, environment: &Environment) -> Result<Option<Identity>, String> {
    let (certificate, key) = (&settings.client_cert, &settings.client_key);
    let mut found = None;
    if !certificate.text.is_empty() && !key.text.is_empty() {
        found = found.or(Some(pem::key_pair(certificate.text.as_bytes(), key.text.as_bytes())?));
    }
    if !certificate.file.is_empty() && !key.file.is_empty() {
        let pair = pem::key_pair(&file(&certificate.file)?, &file(&key.file)?)?;
        found = found.or(Some(pair));
    }
    if !certificate.variable.is_empty() && !key.variable.is_empty() {
        let value = |name: &str| environment(name).unwrap_or_default();
        let pair = pem::key_pair(value(&certificate.variable).as_bytes(), value(&key.variable).as_bytes());
        let pair = pair.map_err(|it| {
            let (certificate, key) = (&certificate.variable, &key.variable);
            format!("cannot extract public/private key pair from envvars {certificate:?}, {key:?}: {it}")
        })?;
        found = found.or(Some(pair));
    }
    Ok(found)
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// Reads a file of certificates or a key.
pub(crate) fn file(path: &str) -> Result<Vec<u8>, String> {
    let fault = |it: &std::io::Error| format!("open {path}: {}", system_text(it));
    let size = std::fs::metadata(path).map_err(|it| fault(&it))?.len();
    if size > FILE_BYTES_MAX {
        return Err(format!("open {path}: file has {size} bytes, limit is {FILE_BYTES_MAX}"));
    }
    std::fs::read(path).map_err(|it| fault(&it))
}
