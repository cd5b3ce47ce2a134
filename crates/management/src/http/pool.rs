//! Clients by how they connect: each keeps its own connections, so that settings never mix.
//!
//! Certificates are read when a client is made and files may change, so that a client lives for a while only. Proxies
//! are read once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use lictor::http::{HttpRequest, TlsSettings};

use crate::http::connect::{Connector, TlsSource};
use crate::http::proxies::Proxies;
use crate::http::tls;
use crate::outgoing::Environment;

/// Clients with settings of their own that are kept.
const CLIENTS_MAX: usize = 64;
/// After this time certificates are read again.
const CLIENT_LIFE: Duration = Duration::from_secs(10);
/// A connection that nobody used for so long is closed.
const IDLE: Duration = Duration::from_secs(90);
/// Connections to one place that wait for use.
const IDLE_MAX: usize = 32;
/// The most that the head of an answer may have.
const HEAD_BYTES_MAX: usize = 1 << 20;

/// Sends over connections that it keeps.
pub(crate) type Client = legacy::Client<Connector, Full<Bytes>>;

/// What must be equal for connections to be shared.
#[derive(PartialEq, Eq, Hash)]
struct Kind {
    tls: TlsSettings,
    socket: Option<String>,
}

/// Clients by their settings.
pub(crate) struct Pool {
    environment: Environment,
    proxies: OnceLock<Arc<Proxies>>,
    clients: Mutex<HashMap<Kind, (Client, Instant)>>,
}

impl Pool {
    pub(crate) fn new(environment: Environment) -> Self {
        Self { environment, proxies: OnceLock::new(), clients: Mutex::default() }
    }

    /// Returns the client for a request.
    pub(crate) fn client(&self, request: &HttpRequest) -> Result<Client, String> {
        let kind = Kind { tls: request.tls.clone(), socket: request.socket.clone() };
        // Settings of TLS are looked at even where nothing is encrypted: a fault in them shows either way.
        let plain = TlsSettings { server_name: String::new(), ..kind.tls.clone() } == TlsSettings::default();
        let now = Instant::now();
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((client, made)) = clients.get(&kind)
            && (plain || now.duration_since(*made) < CLIENT_LIFE)
        {
            return Ok(client.clone());
        }
        let client = self.make(&kind)?;
        if clients.len() >= CLIENTS_MAX {
            clients.clear();
        }
        clients.insert(kind, (client.clone(), now));
        Ok(client)
    }

    fn make(&self, kind: &Kind) -> Result<Client, String> {
        let proxies = self.proxies.get_or_init(|| Arc::new(Proxies::read(&self.environment)));
        let name = kind.tls.server_name.as_str();
        Ok(client(Connector {
            tls: TlsSource::Fixed(tls::config(&kind.tls, &self.environment)?),
            server_name: (!name.is_empty()).then(|| name.into()),
            socket: kind.socket.as_deref().map(Into::into),
            proxies: Arc::clone(proxies),
        }))
    }
}

/// Returns a client that makes its connections so.
pub(crate) fn client(connector: Connector) -> Client {
    let mut builder = legacy::Client::builder(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_MAX)
        .http1_max_buf_size(HEAD_BYTES_MAX)
        .http1_title_case_headers(true)
        .set_host(false);
    builder.build(connector)
}
