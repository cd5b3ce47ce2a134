//! How TLS is spoken with a service: its `tls`, and the certificate that `client_tls` shows.
//!
//! Certificates of authorities are read once. The client's own are read again as the configuration says, whenever a
//! connection is made; a connection without them is not made. Texts of faults are OPA's.

use std::sync::Arc;

use lictor::http::Url;
use rustls::ClientConfig;

use crate::http::connect::{Connector, TlsSource};
use crate::http::pem;
use crate::http::proxies::Proxies;
use crate::http::tls::{Roots, client_config, file};
use crate::services::config::ServiceConfig;
use crate::services::credentials::CredentialConfig;
use crate::services::credentials::client_tls::Certificate;
use crate::services::sender::Sender;
use crate::services::world::{Clock, World};

/// Returns what sends to a service.
pub(crate) fn sender(config: &ServiceConfig, world: &World) -> Sender {
    let (config, world) = (config.clone(), world.clone());
    Sender::new(move || {
        let url = Url::parse(config.url())?;
        let roots = roots(&config, url.scheme == "https" && config.allow_insecure_tls)?;
        let tls = match &config.credentials {
            CredentialConfig::ClientTls(certificate) => with_certificate(roots, certificate, &world.clock),
            _ => TlsSource::Fixed(client_config(&roots, None)?),
        };
        Ok(connector(tls, &world))
    })
}

/// Returns what sends to the endpoint that hands out tokens for a service; it is trusted as the service is.
pub(crate) fn token_sender(config: &ServiceConfig, world: &World) -> Sender {
    let (config, world) = (config.clone(), world.clone());
    Sender::new(move || {
        let roots = roots(&config, config.allow_insecure_tls)?;
        Ok(connector(TlsSource::Fixed(client_config(&roots, None)?), &world))
    })
}

fn connector(tls: TlsSource, world: &World) -> Connector {
    let proxies = Arc::new(Proxies::read(&world.environment));
    Connector { tls, server_name: None, socket: None, proxies }
}

/// Returns settings that follow the files of a certificate.
fn with_certificate(roots: Roots, certificate: &Arc<Certificate>, clock: &Clock) -> TlsSource {
    let (certificate, clock) = (Arc::clone(certificate), Arc::clone(clock));
    let read = move || -> Result<Arc<ClientConfig>, String> {
        certificate.current(clock(), |identity| client_config(&roots, Some(identity)))
    };
    TlsSource::Read(Arc::new(read))
}

/// Returns whom to trust. The place in `client_tls` counts where `tls` names none.
fn roots(config: &ServiceConfig, is_insecure: bool) -> Result<Roots, String> {
    let (path, with_system) = match &config.credentials {
        CredentialConfig::ClientTls(own) if config.ca_cert.is_empty() => {
            (&own.ca_cert, own.system_ca_required)
        }
        _ => (&config.ca_cert, config.system_ca_required),
    };
    let given = if path.is_empty() { None } else { Some(pem::certificates(&file(path)?)) };
    match given {
        Some(found) if found.is_empty() => {
            Err("unable to parse and append CA certificate to certificate pool".to_owned())
        }
        _ if is_insecure => Ok(Roots::Anyone),
        Some(trusted) => Ok(Roots::Given { trusted, with_system }),
        None => Ok(Roots::System),
    }
}
