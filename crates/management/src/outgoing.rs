//! The face of the crate: what hosts call on behalf of policies.
//!
//! Everything that costs time to make (runtime, certificates, proxies) is made when it is first needed, so that a
//! program that sends nothing starts as fast as one that cannot.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lictor::http::{HttpFault, HttpRequest, HttpResponse, LookupFault};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::http::cache::{Cache, CacheLimits};
use crate::http::{Exchange, send};
use crate::names;
use crate::waiting::Patience;

/// Threads that drive connections; they never block.
const WORKERS: usize = 2;
/// Threads that may wait for the system to look up names.
const LOOKUPS_MAX: usize = 16;

/// Finds environment variables, so that only the program's outermost part reads the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Says how to send.
#[derive(Clone)]
pub struct Options {
    /// Where proxies and certificates are found by name.
    pub environment: Environment,
    /// How long an attempt may take if the request does not say; no limit if it is zero. A text is the fault of a
    /// setting, which requests without a time of their own then meet.
    pub timeout: Result<Duration, String>,
    /// How many bytes the body of an answer may have, as it is sent and expanded.
    pub response_bytes_max: usize,
    /// How much is kept between evaluations; nothing if absent.
    pub cache: Option<CacheLimits>,
}

impl Default for Options {
    /// Returns options that see no environment and keep nothing.
    fn default() -> Self {
        Self {
            environment: Arc::new(|_| None),
            timeout: Ok(Duration::from_secs(5)),
            response_bytes_max: 128 << 20,
            cache: None,
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("timeout", &self.timeout)
            .field("response_bytes_max", &self.response_bytes_max)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

/// Sends requests and looks up names. Threads share it.
pub struct Outgoing {
    exchange: Arc<Exchange>,
    cache: Option<Cache>,
    runtime: OnceLock<Result<Runtime, String>>,
}

impl std::fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outgoing").finish_non_exhaustive()
    }
}

impl Outgoing {
    /// Returns a sender; nothing is started before something is sent.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let cache = options.cache.map(Cache::new);
        Self { exchange: Arc::new(Exchange::new(options)), cache, runtime: OnceLock::new() }
    }

    /// Says whether answers are kept between evaluations.
    #[must_use]
    pub fn keeps_answers(&self) -> bool {
        self.cache.is_some()
    }

    /// Sends a request and waits for the answer, or takes one that was kept.
    ///
    /// # Errors
    ///
    /// Why there is no answer, in OPA's words.
    pub fn send(&self, request: &HttpRequest, patience: &Patience<'_>) -> Result<HttpResponse, HttpFault> {
        let runtime = self.runtime().map_err(HttpFault::Failed)?;
        send(&self.exchange, runtime, self.cache.as_ref(), request, patience)
    }

    /// Returns the addresses of a name.
    ///
    /// # Errors
    ///
    /// Why there are none, in Go's words.
    pub fn lookup(&self, name: &str, patience: &Patience<'_>) -> Result<Vec<String>, LookupFault> {
        if let Some(known) = names::without_system(name) {
            return known.map_err(LookupFault::Failed);
        }
        let runtime = self.runtime().map_err(LookupFault::Failed)?;
        let name = name.to_owned();
        match patience.wait(runtime, async move { names::addresses(&name).await }) {
            Ok(Ok(found)) => Ok(found.iter().map(ToString::to_string).collect()),
            Ok(Err(text)) => Err(LookupFault::Failed(text)),
            Err(reason) => Err(LookupFault::Cancelled(reason.text().to_owned())),
        }
    }

    fn runtime(&self) -> Result<&Handle, String> {
        let started = self.runtime.get_or_init(|| {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(WORKERS).max_blocking_threads(LOOKUPS_MAX).thread_name("outgoing");
            builder.enable_all().build().map_err(|it| format!("no threads for requests: {it}"))
        });
        started.as_ref().map(Runtime::handle).map_err(Clone::clone)
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        // Whoever drops this may itself be on a runtime, where waiting for threads is not allowed.
        if let Some(Ok(runtime)) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
