//! Asks a service for a bundle: what is sent, and what an answer means.
//!
//! It remembers the tags that make an answer short and whether the server holds requests until there is something new.
//! What becomes of a bundle is said to it by `worker`, which alone knows whether it was activated.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;

use super::config::Polling;
use super::status::Trouble;
use crate::services::{Client, Limits, Response};

/// What servers say that hold requests until there is something new.
const LONG_POLL_TYPE: &str = "application/vnd.openpolicyagent.bundles";
/// What servers say of bundles.
const TYPES: [&str; 3] = ["application/gzip", "application/octet-stream", LONG_POLL_TYPE];
/// How many tags of bundles that were replaced are told.
const SUPERSEDED_MAX: usize = 8;
/// A bundle may have so many bytes compressed, however small its files must be.
const BODY_BYTES_MIN: u64 = 64 << 20;

/// What a service answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// There is nothing new.
    Unchanged,
    /// There is a bundle.
    Bundle(Arrived),
}

/// Is a bundle as it arrived.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) bytes: Bytes,
    pub(crate) etag: String,
    /// What the server says that it is, if that is no bundle.
    pub(crate) odd_type: Option<String>,
}

/// Asks for one bundle.
#[derive(Debug)]
pub(crate) struct Downloader {
    client: Client,
    resource: String,
    polling: Polling,
    size_limit_bytes: u64,
    /// The tag of the bundle that is active.
    etag: String,
    /// Tags of those before, and when they were replaced.
    superseded: VecDeque<(String, i64)>,
    /// Whether the server holds requests, as far as is known.
    is_held: bool,
}

impl Downloader {
    pub(crate) fn new(client: Client, resource: String, polling: Polling, size_limit_bytes: u64) -> Self {
        let is_held = polling.long_poll.is_some();
        let (etag, superseded) = (String::new(), VecDeque::new());
        Self { client, resource, polling, size_limit_bytes, etag, superseded, is_held }
    }

    /// Says whether the next request may follow at once, as the server holds it.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// Remembers that the bundle of this tag is active.
    pub(crate) fn activated(&mut self, etag: &str, now_ns: i64) {
        let before = std::mem::replace(&mut self.etag, etag.to_owned());
        if self.polling.superseded.is_zero() {
            return;
        }
        self.superseded.retain(|it| it.0 != before && it.0 != etag);
        if !before.is_empty() && before != etag {
            self.superseded.push_back((before, now_ns));
        }
        while self.superseded.len() > SUPERSEDED_MAX {
            self.superseded.pop_front();
        }
    }

    /// Forgets what is active, so that the whole bundle is asked for.
    pub(crate) fn forget(&mut self) {
        self.etag.clear();
        self.superseded.clear();
    }

    /// Sends a request and reads the answer.
    pub(crate) async fn ask(&mut self, now_ns: i64) -> Result<Answer, Trouble> {
        let tags = self.tags(now_ns);
        let prefer = self.preferences();
        let mut headers = vec![("Prefer", prefer.as_str())];
        if !tags.is_empty() {
            headers.push(("If-None-Match", tags.as_str()));
        }
        let prefix = if self.client.is_oci() { "" } else { "request failed: " };
        let failed = |error: crate::services::FetchError| Trouble::Text(format!("{prefix}{error}"));
        let response = self.client.get(&self.resource, &headers, &self.limits()).await;
        let mut response = response.map_err(failed)?;
        match response.status() {
            200 => {
                let arrived = self.arrived(&mut response);
                let bytes = Bytes::from(response.bytes().await.map_err(failed)?);
                Ok(Answer::Bundle(Arrived { bytes, ..arrived }))
            }
            304 => Ok(Answer::Unchanged),
            code => {
                let reason = StatusCode::from_u16(code).ok().and_then(|it| it.canonical_reason());
                let message = format!("server replied with {}", reason.unwrap_or_default());
                Err(Trouble::Http { code, message })
            }
        }
    }

    fn arrived(&mut self, response: &mut Response) -> Arrived {
        let kind = response.header("content-type").unwrap_or_default();
        self.is_held = self.polling.long_poll.is_some() && kind == LONG_POLL_TYPE;
        let odd_type = (!kind.is_empty() && !TYPES.contains(&kind)).then(|| kind.to_owned());
        let etag = response.header("etag").unwrap_or_default().to_owned();
        Arrived { bytes: Bytes::new(), etag, odd_type }
    }

    /// Returns the tags of what need not be sent again: that of the active bundle, then later before earlier ones.
    fn tags(&mut self, now_ns: i64) -> String {
        if self.etag.is_empty() {
            return String::new();
        }
        let life_ns = i64::try_from(self.polling.superseded.as_nanos()).unwrap_or(i64::MAX);
        self.superseded.retain(|it| now_ns.saturating_sub(it.1) < life_ns);
        let earlier = self.superseded.iter().rev().map(|it| it.0.as_str());
        let tags: Vec<&str> = std::iter::once(self.etag.as_str()).chain(earlier).collect();
        tags.join(", ")
    }

    fn preferences(&self) -> String {
        match self.polling.long_poll.filter(|_| self.is_held) {
            Some(wait) => format!("modes=snapshot,delta;wait={}", wait.as_secs()),
            None => "modes=snapshot,delta".to_owned(),
        }
    }

    fn limits(&self) -> Limits {
        // A server that holds a request answers late, but not for ever.
        let held = self.polling.long_poll.filter(|_| self.is_held);
        let head_time = held.map(|it| it + Duration::from_secs(30));
        Limits { body_bytes_max: self.size_limit_bytes.max(BODY_BYTES_MIN), head_time, ..Limits::default() }
    }
}

/// Tells a fault of a bundle that the server did not call one.
pub(crate) fn with_type(message: String, odd_type: Option<&str>) -> String {
    match odd_type {
        None => message,
        Some(kind) => {
            format!("{message} (the server calls it {kind:?}, expected one of [{}])", TYPES.join(" "))
        }
    }
}
