//! `client_tls`: a certificate that is shown when TLS begins, and its key, both from files.
//!
//! Apart because files are read again while a program runs: never more often than the configuration says, and what
//! has not changed is not parsed anew. It knows nothing of connections.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use lictor_crypto::key::PrivateKey;
use lictor_crypto::pem::encrypted::{decrypt, is_encrypted};
use lictor_crypto::pem::next_block;
use lictor_crypto::{parse_pkcs1, parse_pkcs8};
use rustls::ClientConfig;
use rustls::pki_types::PrivateKeyDer;

use crate::http::pem;
use crate::http::tls::{Identity, file};
use crate::services::fields::Fields;
use crate::services::secret::Secret;

/// A certificate and where it is.
pub(crate) struct Certificate {
    cert: String,
    private_key: String,
    passphrase: Secret,
    pub(crate) ca_cert: String,
    pub(crate) system_ca_required: bool,
    reread_interval_ns: i64,
    kept: Mutex<Option<Kept>>,
}

/// What was made of files.
struct Kept {
    config: Arc<ClientConfig>,
    cert: Vec<u8>,
    key: Vec<u8>,
    read_at_ns: i64,
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("cert", &self.cert)
            .field("private_key", &self.private_key)
            .field("passphrase", &self.passphrase)
            .finish_non_exhaustive()
    }
}

impl Certificate {
    /// Reads the credential; the inner fault is one that OPA tells when something is sent.
    pub(crate) fn read(fields: &Fields<'_>) -> Result<Result<Self, String>, String> {
        let seconds = fields.whole("cert_reread_interval_seconds")?.unwrap_or(0);
        let certificate = Self {
            cert: fields.text("cert")?,
            private_key: fields.text("private_key")?,
            passphrase: fields.secret("private_key_passphrase")?,
            ca_cert: fields.text("ca_cert")?,
            system_ca_required: fields.flag("system_ca_required")?,
            reread_interval_ns: seconds.saturating_mul(1_000_000_000),
            kept: Mutex::default(),
        };
        if certificate.cert.is_empty() {
            return Ok(Err("client certificate is needed when client TLS is enabled".to_owned()));
        }
        if certificate.private_key.is_empty() {
            return Ok(Err("private key is needed when client TLS is enabled".to_owned()));
        }
        Ok(Ok(certificate))
    }

    /// Returns what was made of the files as they are now, or were within the interval.
    pub(crate) fn current(
        &self,
        now_ns: i64,
        make: impl FnOnce(Identity) -> Result<Arc<ClientConfig>, String>,
    ) -> Result<Arc<ClientConfig>, String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|it| now_ns - it.read_at_ns < self.reread_interval_ns) {
            return Ok(Arc::clone(&kept.config));
        }
        let cert = file(&self.cert).map_err(|it| format!("failed to read client certificate file: {it}"))?;
        let key = file(&self.private_key).map_err(|it| format!("failed to read client key file: {it}"))?;
        if let Some(same) = kept.as_mut().filter(|it| it.cert == cert && it.key == key) {
            same.read_at_ns = now_ns;
            return Ok(Arc::clone(&same.config));
        }
        let identity = self.identity(&cert, &key)?;
        let config = make(identity).map_err(|it| unpaired(&it))?;
        *kept = Some(Kept { config: Arc::clone(&config), cert, key, read_at_ns: now_ns });
        Ok(config)
    }

    fn identity(&self, cert: &[u8], key: &[u8]) -> Result<Identity, String> {
        let (block, _) = next_block(key).ok_or("PEM data could not be found")?;
        if !is_encrypted(&block) {
            return pem::key_pair(cert, key).map_err(|it| unpaired(&it));
        }
        if self.passphrase.is_empty() {
            let text =
                "client private key passphrase is needed, because the certificate is password encrypted";
            return Err(text.to_owned());
        }
        let key = rsa_key(decrypt(&block, self.passphrase.expose().as_bytes())?)?;
        Ok((pem::chain(cert).map_err(|it| unpaired(&it))?, key))
    }
}

/// Takes a key that was encrypted, which must be one of RSA.
fn rsa_key(der: Vec<u8>) -> Result<PrivateKeyDer<'static>, String> {
    match parse_pkcs8(&der) {
        Ok(PrivateKey::Rsa(_)) => return Ok(PrivateKeyDer::Pkcs8(der.into())),
        Ok(_) => return Err("private key is invalid".to_owned()),
        Err(_) => {}
    }
    let fault = |it| format!("private key should be a PEM or plain PKCS1 or PKCS8; parse error: {it}");
    parse_pkcs1(&der).map_err(fault)?;
    Ok(PrivateKeyDer::Pkcs1(der.into()))
}

fn unpaired(text: &str) -> String {
    format!("failed to parse public/private key pair: {text}")
}
