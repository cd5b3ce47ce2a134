//! Requests over HTTP: what was kept is looked for, then attempts are made until one has an answer.
//!
//! The order of these is here; an attempt is in `attempt`, what is kept in `cache`. It runs on the caller's thread
//! and hands asynchronous work to the runtime.

mod alerts;
mod answer;
pub(crate) mod attempt;
pub(crate) mod cache;
pub(crate) mod connect;
mod der;
pub(crate) mod fault;
mod flights;
mod freshness;
mod line;
pub(crate) mod pem;
pub(crate) mod pool;
pub(crate) mod proxies;
pub(crate) mod tls;
mod verify;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use lictor::http::{HttpCaching, HttpFault, HttpRequest, HttpResponse};
use tokio::runtime::Handle;

use crate::http::attempt::{Attempt, Course};
use crate::http::cache::Cache;
use crate::http::flights::Flights;
use crate::http::pool::Pool;
use crate::outgoing::Options;
use crate::waiting::{Patience, Unfinished};

/// The pause before the second further attempt; it grows from there.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
/// The longest pause between attempts.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// What all requests share.
pub(crate) struct Exchange {
    pool: Pool,
    flights: Flights,
    timeout: Result<Duration, String>,
    response_bytes_max: usize,
}

impl Exchange {
    pub(crate) fn new(options: Options) -> Self {
        Self {
            timeout: options.timeout,
            response_bytes_max: options.response_bytes_max,
            pool: Pool::new(options.environment),
            flights: Flights::default(),
        }
    }
}

/// Sends a request, or takes an answer that was kept for it.
pub(crate) fn send(
    exchange: &Arc<Exchange>,
    runtime: &Handle,
    cache: Option<&Cache>,
    request: &HttpRequest,
    patience: &Patience<'_>,
) -> Result<HttpResponse, HttpFault> {
    let sender = Sender { exchange, runtime, patience };
    let (Some(cache), Some(caching)) = (cache, &request.caching) else {
        return sender.fetch(request);
    };
    if let Some(fresh) = cache.fresh(&caching.key, caching.now_ns) {
        return Ok(fresh);
    }
    // Of equal requests at the same time one is sent; the others look at what it left behind.
    let turn = exchange.flights.join(&caching.key, patience).map_err(cancelled)?;
    if turn.waited()
        && let Some(fresh) = cache.fresh(&caching.key, caching.now_ns)
    {
        return Ok(fresh);
    }
    if let Some(answer) = sender.revalidate(cache, request, caching)? {
        return Ok(answer);
    }
    let answer = sender.fetch(request)?;
    cache.keep(caching, &answer);
    Ok(answer)
}

fn cancelled(reason: Unfinished) -> HttpFault {
    match reason {
        Unfinished::Broken => HttpFault::Failed(reason.text().to_owned()),
        Unfinished::Late | Unfinished::Cancelled => HttpFault::Cancelled(reason.text().to_owned()),
    }
}

/// Sends on behalf of one caller.
struct Sender<'a> {
    exchange: &'a Arc<Exchange>,
    runtime: &'a Handle,
    patience: &'a Patience<'a>,
}

impl Sender<'_> {
    /// Asks whether a kept answer that is too old still holds; none if there is none or it does not.
    fn revalidate(
        &self,
        cache: &Cache,
        request: &HttpRequest,
        caching: &HttpCaching,
    ) -> Result<Option<HttpResponse>, HttpFault> {
        let Some(old) = cache.take(&caching.key) else { return Ok(None) };
        let conditions = [("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")];
        let conditions = conditions.map(|(name, header)| (name, old.header(header).unwrap_or("")));
        if conditions.iter().all(|it| it.1.is_empty()) {
            return Ok(None);
        }
        let mut headers = caching.headers.clone();
        for (name, value) in conditions.into_iter().filter(|it| !it.1.is_empty()) {
            headers.retain(|it| it.0 != name);
            headers.push((name.to_owned(), value.to_owned()));
        }
        let answer = self.fetch(&HttpRequest { headers, ..request.clone() })?;
        match answer.status_code {
            200 => {
                cache.keep(caching, &answer);
                Ok(Some(answer))
            }
            304 => cache.renew(caching, old, &answer).map(Some).map_err(HttpFault::Kept),
            _ => Ok(None),
        }
    }

    /// Makes attempts until one has an answer.
    fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, HttpFault> {
        let timeout = match request.timeout_ns {
            Some(nanoseconds) => Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(0)),
            None => self.exchange.timeout.clone().map_err(HttpFault::Failed)?,
        };
        let attempt = Arc::new(Attempt {
            client: self.exchange.pool.client(request).map_err(HttpFault::Failed)?,
            request: HttpRequest { caching: None, ..request.clone() },
            timeout: (!timeout.is_zero()).then_some(timeout),
            response_bytes_max: self.exchange.response_bytes_max,
            course: Course::default(),
        });
        let mut retry = 0;
        loop {
            let run = Arc::clone(&attempt);
            let outcome = self.patience.wait(self.runtime, async move { run.run().await });
            let fault = match outcome.map_err(cancelled)? {
                Err(fault @ HttpFault::Network { .. }) if retry < request.retries_max => fault,
                done => return done,
            };
            drop(fault);
            let pause = pause(retry);
            let rest = async move { tokio::time::sleep(pause).await };
            self.patience.wait(self.runtime, rest).map_err(cancelled)?;
            retry += 1;
        }
    }
}

/// Returns the pause before a further attempt: none at first, then longer each time, within a fifth of chance.
fn pause(retry: u64) -> Duration {
    if retry == 0 {
        return Duration::ZERO;
    }
    let mut pause = PAUSE_FIRST;
    for _ in 0..retry {
        pause = pause.mul_f64(1.6);
        if pause >= PAUSE_MAX {
            break;
        }
    }
    // A hash with keys of chance is chance enough.
    let chance = u16::try_from(RandomState::new().hash_one(retry) & 0xffff).unwrap_or(0);
    pause.min(PAUSE_MAX).mul_f64(0.8 + 0.4 * f64::from(chance) / 65_535.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_minute() {
        assert_eq!(pause(0), Duration::ZERO);
        let between = |retry, low, high| {
            let pause = pause(retry).as_millis();
            assert!((low..=high).contains(&pause), "{retry}: {pause}");
        };
        between(1, 128, 192);
        between(2, 204, 308);
        between(60, 48_000, 72_000);
        between(u64::MAX, 48_000, 72_000);
    }
}
