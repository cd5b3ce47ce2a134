//! What sends for a service or a credential: made when it is first needed, kept from then on.
//!
//! Apart because making it reads files, which may fail now and succeed later. Errands, the small requests that fetch
//! credentials, go out from here too: they follow no redirects, so that a secret goes to the place it was meant for.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lictor::http::{HttpRequest, HttpResponse, Redirects, TlsSettings, Url, canonical_header};
use tokio::task::spawn_blocking;

use crate::http::attempt::{Attempt, Course};
use crate::http::connect::{Connector, TlsSource};
use crate::http::pool;
use crate::http::proxies::Proxies;
use crate::http::tls::{Roots, client_config};
use crate::services::fault;
use crate::services::world::World;

/// No answer to an errand is larger.
const ERRAND_BYTES_MAX: usize = 1 << 20;

type Make = dyn Fn() -> Result<Connector, String> + Send + Sync;

/// Keeps the connections of one kind.
pub(crate) struct Sender {
    kept: OnceLock<pool::Client>,
    make: Arc<Make>,
}

/// A small request.
#[derive(Default)]
pub(crate) struct Errand {
    pub(crate) method: &'static str,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) time: Duration,
}

impl Sender {
    pub(crate) fn new(make: impl Fn() -> Result<Connector, String> + Send + Sync + 'static) -> Self {
        Self { kept: OnceLock::new(), make: Arc::new(make) }
    }

    /// Returns a sender that trusts whom the system trusts.
    pub(crate) fn plain(world: &World) -> Self {
        let environment = Arc::clone(&world.environment);
        Self::new(move || {
            let tls = TlsSource::Fixed(client_config(&Roots::System, None)?);
            let proxies = Arc::new(Proxies::read(&environment));
            Ok(Connector { tls, server_name: None, socket: None, proxies })
        })
    }

    /// Returns what keeps the connections; if it cannot be made, the next call tries again.
    pub(crate) async fn client(&self) -> Result<pool::Client, String> {
        if let Some(kept) = self.kept.get() {
            return Ok(kept.clone());
        }
        let make = Arc::clone(&self.make);
        let connector = spawn_blocking(move || make()).await.map_err(|it| it.to_string())?;
        let client = pool::client(connector?);
        Ok(self.kept.get_or_init(|| client).clone())
    }

    /// Sends a small request and reads the answer, whatever its status.
    ///
    /// # Errors
    ///
    /// Go's text.
    pub(crate) async fn errand(&self, errand: Errand) -> Result<HttpResponse, String> {
        let url = Url::parse(&errand.url)?;
        let headers = errand.headers.iter().map(|it| (canonical_header(&it.0), it.1.clone())).collect();
        let request = HttpRequest {
            body: errand.body,
            redirects: Redirects::Return,
            ..request(errand.method, url, headers)
        };
        let attempt = Attempt {
            client: self.client().await?,
            request,
            timeout: Some(errand.time),
            response_bytes_max: ERRAND_BYTES_MAX,
            course: Course::default(),
        };
        attempt.run().await.map_err(fault::text)
    }
}

/// Returns a request without a body.
pub(crate) fn request(method: &str, url: Url, headers: Vec<(String, String)>) -> HttpRequest {
    HttpRequest {
        method: method.to_owned(),
        url,
        socket: None,
        headers,
        body: Vec::new(),
        redirects: Redirects::Follow,
        timeout_ns: None,
        retries_max: 0,
        tls: TlsSettings::default(),
        caching: None,
        allow_net: None,
    }
}
