//! An answer whose body is read piece by piece, within limits.
//!
//! Apart from sending because a body fails on its own. A body that was compressed for the way is expanded on the fly;
//! both its sizes count.

use std::fmt;
use std::io::Write;

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue};
use tokio::time::{Duration, Instant, timeout_at};

use crate::http::attempt::Opened;
use crate::http::fault::body_text;
use crate::services::Limits;
use crate::services::fault::{self, FetchError, FetchErrorKind};
use crate::services::oci::Check;

/// So much is expanded at once; a thousand times as much may come of it.
const EXPANDED_AT_ONCE: usize = 4 << 10;

/// What a service answers. Dropping it ends the transfer.
pub struct Response {
    status: u16,
    headers: HeaderMap,
    body: Body,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("status", &self.status).finish_non_exhaustive()
    }
}

impl Response {
    pub(crate) fn new(opened: Opened, limits: &Limits, deadline: Option<Instant>) -> Self {
        let (parts, incoming) = opened.response.into_parts();
        let mut headers = parts.headers;
        let is_packed =
            headers.get(CONTENT_ENCODING).is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"gzip"));
        let unpacker = (opened.asked_gzip && is_packed && !opened.is_head).then(|| {
            headers.remove(CONTENT_ENCODING);
            headers.remove(CONTENT_LENGTH);
            MultiGzDecoder::new(Vec::new())
        });
        let bytes_max = limits.body_bytes_max;
        let body = Body {
            incoming: Some(incoming),
            unpacker,
            check: None,
            packed: Bytes::new(),
            arrived: 0,
            expanded: 0,
            bytes_max,
            idle_time: limits.idle_time,
            deadline,
        };
        Self { status: parts.status.as_u16(), headers, body }
    }

    /// Returns an answer that says that nothing has changed.
    pub(crate) fn unchanged(etag: &str) -> Self {
        let body = Body {
            incoming: None,
            unpacker: None,
            check: None,
            packed: Bytes::new(),
            arrived: 0,
            expanded: 0,
            bytes_max: 0,
            idle_time: Duration::ZERO,
            deadline: None,
        };
        Self { status: 304, headers: HeaderMap::new(), body }.with_etag(etag)
    }

    /// Has the bytes checked that are read; what the server calls them says nothing then.
    pub(crate) fn checked(mut self, check: Check) -> Self {
        self.headers.remove(CONTENT_TYPE);
        self.body.check = Some(check);
        self
    }

    pub(crate) fn with_etag(mut self, etag: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(etag) {
            self.headers.insert(ETAG, value);
        }
        self
    }

    /// Returns the code of the answer.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the first value of a header that is text, whatever the case of its name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the next bytes of the body; nothing at its end.
    ///
    /// What came before an error is not the whole, and must not be used.
    ///
    /// # Errors
    ///
    /// Why the body does not go on.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        self.body.next().await
    }

    /// Returns the whole body, for bodies that are known to be small.
    ///
    /// # Errors
    ///
    /// Why there is no whole body.
    pub async fn bytes(&mut self) -> Result<Vec<u8>, FetchError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

struct Body {
    /// Absent where there is no body.
    incoming: Option<Incoming>,
    unpacker: Option<MultiGzDecoder<Vec<u8>>>,
    check: Option<Check>,
    /// What arrived and is still to be expanded.
    packed: Bytes,
    arrived: u64,
    expanded: u64,
    bytes_max: u64,
    idle_time: Duration,
    deadline: Option<Instant>,
}

impl Body {
    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        loop {
            if !self.packed.is_empty() {
                let expanded = self.expand()?;
                if !expanded.is_empty() {
                    return Ok(Some(expanded));
                }
                continue;
            }
            let Some(data) = self.arrive().await? else { return self.finish() };
            if let Some(check) = &mut self.check {
                check.update(&data).map_err(mismatched)?;
            }
            if self.unpacker.is_none() {
                return Ok(Some(data));
            }
            self.packed = data;
        }
    }

    /// Waits for bytes; nothing at the end of those that are sent.
    async fn arrive(&mut self) -> Result<Option<Bytes>, FetchError> {
        let idle = Instant::now().checked_add(self.idle_time);
        let until = self.deadline.into_iter().chain(idle).min();
        loop {
            let Some(incoming) = &mut self.incoming else { return Ok(None) };
            let frame = incoming.frame();
            let frame = match until {
                None => frame.await,
                Some(until) => timeout_at(until, frame).await.map_err(|_| fault::stalled())?,
            };
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|it| FetchError::new(FetchErrorKind::Network, body_text(&it)))?;
            let Ok(data) = frame.into_data() else { continue };
            self.arrived = self.arrived.saturating_add(data.len() as u64);
            self.check(self.arrived)?;
            if !data.is_empty() {
                return Ok(Some(data));
            }
        }
    }

    fn check(&self, bytes: u64) -> Result<(), FetchError> {
        if bytes <= self.bytes_max {
            return Ok(());
        }
        let text = format!("the body of the response is larger than {} bytes", self.bytes_max);
        Err(FetchError::new(FetchErrorKind::TooLarge, text))
    }

    fn expand(&mut self) -> Result<Bytes, FetchError> {
        let part = self.packed.split_to(EXPANDED_AT_ONCE.min(self.packed.remaining()));
        let Some(unpacker) = &mut self.unpacker else { return Ok(part) };
        unpacker.write_all(&part).and_then(|()| unpacker.flush()).map_err(|_| broken())?;
        let expanded = std::mem::take(unpacker.get_mut());
        self.expanded = self.expanded.saturating_add(expanded.len() as u64);
        self.check(self.expanded)?;
        Ok(Bytes::from(expanded))
    }

    fn finish(&mut self) -> Result<Option<Bytes>, FetchError> {
        if let Some(check) = self.check.take() {
            check.finish().map_err(mismatched)?;
        }
        let Some(mut unpacker) = self.unpacker.take() else { return Ok(None) };
        if self.arrived == 0 {
            return Ok(None);
        }
        unpacker.try_finish().map_err(|_| broken())?;
        let rest = std::mem::take(unpacker.get_mut());
        self.check(self.expanded.saturating_add(rest.len() as u64))?;
        Ok((!rest.is_empty()).then(|| Bytes::from(rest)))
    }
}

fn mismatched(text: String) -> FetchError {
    FetchError::new(FetchErrorKind::Content, text)
}

fn broken() -> FetchError {
    FetchError::new(FetchErrorKind::Content, "gzip: invalid header or checksum")
}
