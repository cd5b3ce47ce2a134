//! The client of `services`: other machines that bundles come from, with the credentials that they ask for.
//!
//! A [`ServiceConfig`] is what a configuration says of one service, checked as far as that needs no world. A
//! [`Client`] sends to it: connections, TLS and redirects are those of `http`, what proves who asks is in
//! `credentials`, one file a kind. Files and variables are looked up when something is sent and not before, so that
//! a fault in them is the fault of one request and may be gone at the next. Nothing here knows what is fetched.

mod answer;
mod config;
mod credentials;
mod fault;
mod fields;
mod form;
mod oci;
mod response;
mod secret;
mod sender;
mod tls;
mod world;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lictor::http::{HttpRequest, Url, canonical_header};
use tokio::time::{Instant, timeout_at};

pub use config::ServiceConfig;
pub use fault::{FetchError, FetchErrorKind};
pub use response::Response;
pub use world::{Clock, Random, World};

use crate::http::attempt::{Attempt, Course, Opened};
use crate::http::pool;
use crate::services::credentials::{Authorization, Credential};
use crate::services::sender::{Sender, request};

/// How many redirects are followed.
const HOPS_MAX: usize = 10;

/// Who sends, unless the configuration says otherwise.
const AGENT: &str = concat!("lictor/", env!("CARGO_PKG_VERSION"));

/// Says how much and how long a call may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many bytes the body of an answer may have, as it is sent and expanded.
    pub body_bytes_max: u64,
    /// How long a server may take to the head of its answer, instead of what the configuration says; for requests
    /// that a server holds until there is something new.
    pub head_time: Option<Duration>,
    /// How long a body may stand still.
    pub idle_time: Duration,
    /// How long everything may take together, from the credentials to the last byte; no limit if absent.
    pub total_time: Option<Duration>,
}

impl Default for Limits {
    /// Returns a gibibyte, which OPA allows bundles, and a minute without a byte.
    fn default() -> Self {
        Self {
            body_bytes_max: 1 << 30,
            head_time: None,
            idle_time: Duration::from_secs(60),
            total_time: None,
        }
    }
}

/// Sends to one service. It is cheap to clone; clones share connections and credentials.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    config: ServiceConfig,
    world: World,
    credential: Credential,
    sender: Sender,
    registry: oci::Registry,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("service", &self.inner.config.name()).finish_non_exhaustive()
    }
}

impl Client {
    /// Returns a client; it reads nothing before something is sent.
    #[must_use]
    pub fn new(config: ServiceConfig, world: World) -> Self {
        let credential = Credential::new(&config, &world);
        let sender = tls::sender(&config, &world);
        Self {
            inner: Arc::new(Inner { config, world, credential, sender, registry: oci::Registry::default() }),
        }
    }

    /// Returns the name of the service.
    #[must_use]
    pub fn service(&self) -> &str {
        self.inner.config.name()
    }

    /// Says whether the service is a registry of OCI artifacts; errors of those say themselves what they are about.
    #[must_use]
    pub fn is_oci(&self) -> bool {
        self.inner.config.is_oci()
    }

    /// Asks for what is at a path below the service's URL, with further headers, on the runtime of the caller.
    ///
    /// Any status is an answer, and is the caller's to judge. The body is read from the [`Response`] piece by piece.
    ///
    /// Of a registry of OCI artifacts the path is a reference, `registry/repository:tag`, and the answer is the layer
    /// that is a bundle: 200 with its digest as `ETag`, or 304 if `If-None-Match` has that digest. All else is an
    /// error there.
    ///
    /// # Errors
    ///
    /// Why there is no answer, in OPA's words without those that name what it was for.
    pub async fn get(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        limits: &Limits,
    ) -> Result<Response, FetchError> {
        let deadline = limits.total_time.and_then(|it| Instant::now().checked_add(it));
        let call = Call { inner: &self.inner, limits, deadline };
        let opened = call.get(path, headers);
        match deadline {
            None => opened.await,
            Some(deadline) => timeout_at(deadline, opened).await.unwrap_or_else(|_| Err(FetchError::late())),
        }
    }
}

/// One call to a service.
struct Call<'a> {
    inner: &'a Inner,
    limits: &'a Limits,
    deadline: Option<Instant>,
}

impl Call<'_> {
    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Result<Response, FetchError> {
        let config = &self.inner.config;
        if config.is_oci() {
            let known = headers.iter().find(|it| it.0.eq_ignore_ascii_case("If-None-Match"));
            return oci::pull(self, path, known.map(|it| it.1)).await;
        }
        self.client().await?;
        let url = format!("{}/{}", config.url(), path.trim_matches('/'));
        let url = Url::parse(&url).map_err(FetchError::configuration)?;
        let request = request("GET", url, headers_of(config, headers));
        let authorization = self.authorize(&request).await?;
        let opened = self.open(request, authorization).await?;
        Ok(Response::new(opened, self.limits, self.deadline))
    }

    async fn client(&self) -> Result<pool::Client, FetchError> {
        self.inner.sender.client().await.map_err(FetchError::configuration)
    }

    /// Returns what proves to a server who asks.
    async fn authorize(&self, request: &HttpRequest) -> Result<Authorization, FetchError> {
        self.inner.credential.authorize(request, &self.inner.world).await
    }

    /// Sends a request and waits for the head of the answer.
    async fn open(
        &self,
        mut request: HttpRequest,
        authorization: Authorization,
    ) -> Result<Opened, FetchError> {
        let private = authorization.private_names();
        for (name, value) in authorization.headers {
            request.headers.retain(|it| it.0 != name);
            request.headers.push((name, value));
        }
        let course = Course { hops_max: HOPS_MAX, head_time: self.head_time(), private };
        let client = self.client().await?;
        let attempt = Attempt { client, request, timeout: None, response_bytes_max: usize::MAX, course };
        attempt.open(None).await.map_err(FetchError::network)
    }

    /// Returns how long a server may take to the head; 0 means no limit.
    fn head_time(&self) -> Option<Duration> {
        let time = self.limits.head_time.unwrap_or(self.inner.config.head_time());
        (!time.is_zero()).then_some(time)
    }
}

/// Returns the headers of a call: who sends, those of the configuration, those of the caller, later over earlier.
fn headers_of(config: &ServiceConfig, own: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut headers = vec![("User-Agent".to_owned(), AGENT.to_owned())];
    let configured = config.headers().iter().map(|(name, value)| (name.as_str(), value.expose()));
    for (name, value) in configured.chain(own.iter().copied()) {
        let name = canonical_header(name);
        headers.retain(|it| it.0 != name);
        headers.push((name, value.to_owned()));
    }
    headers
}
