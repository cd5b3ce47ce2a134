//! One attempt at a request: it is sent, redirects are followed if they are wanted, the body is read.
//!
//! What is checked before sending, what of the headers goes along to another place and how methods change is as Go's
//! client has it. Connections are the pool's, texts of failures are in `fault`.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Response, Uri};
use hyper_util::client::legacy::Error;
use lictor::http::{
    HttpFault, HttpRequest, HttpResponse, Redirects, Url, check_host, host_to_check, is_token,
};
use lictor_crypto::base64::{Alphabet, Fill, encode};
use tokio::time::{Instant, timeout, timeout_at};

use crate::http::pool::Client;
use crate::http::{answer, fault};

/// Longer chains of redirects are no good, whatever the time.
const HOPS_MAX: usize = 1_000;

/// Headers that the client makes itself.
const OWN_HEADERS: &[&str] = &["Host", "Content-Length", "Transfer-Encoding", "Trailer", "User-Agent"];
/// Headers that tell who asks; they do not go to other places.
const SENSITIVE_HEADERS: &[&str] =
    &["Authorization", "Www-Authenticate", "Cookie", "Cookie2", "Proxy-Authorization", "Proxy-Authenticate"];
/// Headers of a body; they go with it.
const BODY_HEADERS: &[&str] = &["Content-Encoding", "Content-Language", "Content-Location", "Content-Type"];

/// Who sends, where the request has no headers of its own.
const DEFAULT_AGENT: &str = "Go-http-client/1.1";

/// What an attempt needs.
pub(crate) struct Attempt {
    pub(crate) client: Client,
    pub(crate) request: HttpRequest,
    pub(crate) timeout: Option<Duration>,
    pub(crate) response_bytes_max: usize,
    pub(crate) course: Course,
}

/// How far a request may go, and what it may not take along.
pub(crate) struct Course {
    /// How many redirects are followed.
    pub(crate) hops_max: usize,
    /// How long each server may take to the head of its answer.
    pub(crate) head_time: Option<Duration>,
    /// Further headers that do not go to other places, by their canonical names.
    pub(crate) private: Vec<String>,
}

impl Default for Course {
    /// Returns what holds for requests of policies.
    fn default() -> Self {
        Self { hops_max: HOPS_MAX, head_time: None, private: Vec::new() }
    }
}

/// An answer whose body is still to be read.
pub(crate) struct Opened {
    pub(crate) response: Response<Incoming>,
    pub(crate) is_head: bool,
    /// Whether a compressed body was asked for unasked.
    pub(crate) asked_gzip: bool,
    /// Whether another place answered than the one that was asked.
    pub(crate) is_redirected: bool,
}

/// A request on its way through redirects.
struct Hop {
    method: String,
    url: Url,
    headers: Vec<(String, String)>,
    has_body: bool,
}

impl Attempt {
    /// Makes the attempt.
    pub(crate) async fn run(&self) -> Result<HttpResponse, HttpFault> {
        let deadline = self.timeout.and_then(|it| Instant::now().checked_add(it));
        let opened = self.open(deadline).await?;
        let read = answer::read(opened.response, opened.is_head, opened.asked_gzip, self.response_bytes_max);
        let read = match deadline {
            None => read.await,
            Some(deadline) => match timeout_at(deadline, read).await {
                Ok(read) => read,
                Err(_) => Err(format!("{} while reading body)", fault::LATE_OR_CANCELLED)),
            },
        };
        read.map_err(HttpFault::Failed)
    }

    /// Sends until there is an answer that is not followed further.
    pub(crate) async fn open(&self, deadline: Option<Instant>) -> Result<Opened, HttpFault> {
        let request = &self.request;
        let mut hop = Hop {
            method: request.method.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            has_body: true,
        };
        let hops_max = self.course.hops_max;
        for hops in 0..hops_max {
            let (response, asked_gzip) = self.send(&hop, deadline).await?;
            match self.next(&hop, &response)? {
                Some(next) => hop = next,
                None => {
                    let (is_head, is_redirected) = (hop.method == "HEAD", hops > 0);
                    return Ok(Opened { response, is_head, asked_gzip, is_redirected });
                }
            }
        }
        Err(self.failed(&hop.url.redacted(), format!("stopped after {hops_max} redirects")))
    }

    fn failed(&self, url: &str, text: String) -> HttpFault {
        fault::network(&self.request.method, url, text)
    }

    async fn send(
        &self,
        hop: &Hop,
        deadline: Option<Instant>,
    ) -> Result<(Response<Incoming>, bool), HttpFault> {
        let failed = |text: String| self.failed(&hop.url.redacted(), text);
        check(hop).map_err(failed)?;
        let body = if hop.has_body { self.request.body.clone() } else { Vec::new() };
        let (request, asked_gzip) = message(hop, body).map_err(failed)?;
        let sent = self.head(request);
        let answered = match deadline {
            None => sent.await,
            Some(deadline) => match timeout_at(deadline, sent).await {
                Ok(answered) => answered,
                Err(_) => return Err(fault::late(&self.request.method, &hop.url.redacted())),
            },
        };
        let Some(answered) = answered else { return Err(failed(fault::LATE_HEAD.to_owned())) };
        let response = answered.map_err(|it| failed(fault::text(&it, &hop.url)))?;
        Ok((response, asked_gzip))
    }

    /// Sends one message; nothing if the head of the answer takes too long.
    async fn head(&self, request: Request<Full<Bytes>>) -> Option<Result<Response<Incoming>, Error>> {
        let sent = self.client.request(request);
        match self.course.head_time {
            None => Some(sent.await),
            Some(time) => timeout(time, sent).await.ok(),
        }
    }

    /// Returns where an answer leads; nowhere if it is the answer.
    fn next(&self, hop: &Hop, response: &Response<Incoming>) -> Result<Option<Hop>, HttpFault> {
        let keeps_body = match response.status().as_u16() {
            301..=303 => false,
            307 | 308 => true,
            _ => return Ok(None),
        };
        let location = response.headers().get("location").map(|it| answer::header_text(it.as_bytes()));
        let Some(location) = location.filter(|it| !it.is_empty()) else { return Ok(None) };
        if self.request.redirects == Redirects::Return {
            return Ok(None);
        }
        let url = Url::parse(&location).map(|it| hop.url.resolve(&it)).map_err(|it| {
            self.failed(&hop.url.redacted(), format!("failed to parse Location header {location:?}: {it}"))
        })?;
        check_host(self.request.allow_net.as_deref(), &host_to_check(&url))
            .map_err(|it| self.failed(&location, it))?;
        let has_body = hop.has_body && keeps_body;
        let changes = !keeps_body && hop.method != "GET" && hop.method != "HEAD";
        let method = if changes { "GET".to_owned() } else { hop.method.clone() };
        Ok(Some(Hop { method, headers: self.headers_for(hop, &url, &location, has_body), url, has_body }))
    }

    fn headers_for(&self, last: &Hop, url: &Url, location: &str, has_body: bool) -> Vec<(String, String)> {
        let first = &self.request.url;
        let leaves = !is_within(&host(url), &host(first)) || !is_within(&host(&last.url), &host(first));
        // The name that the policy gave the host stays only while the place is told relative to it.
        let is_absolute = Url::parse(location).is_ok_and(|it| !it.scheme.is_empty());
        let mut headers: Vec<(String, String)> = self.request.headers.clone();
        headers.retain(|(name, _)| {
            let name = name.as_str();
            let is_private = || self.course.private.iter().any(|it| it == name);
            !(leaves && (SENSITIVE_HEADERS.contains(&name) || is_private())
                || !has_body && BODY_HEADERS.contains(&name)
                || is_absolute && name == "Host")
        });
        let to_open = last.url.scheme == "https" && url.scheme == "http";
        if to_open {
            headers.retain(|it| it.0 != "Referer");
        } else if !headers.iter().any(|it| it.0 == "Referer") {
            headers.push(("Referer".to_owned(), last.url.without_user()));
        }
        headers
    }
}

fn host(url: &Url) -> String {
    String::from_utf8_lossy(url.host_and_port().0).to_lowercase()
}

/// Says whether a host is another or below it.
fn is_within(host: &str, other: &str) -> bool {
    let below = || host.strip_suffix(other).is_some_and(|it| it.ends_with('.'));
    host == other || (!host.contains([':', '%']) && below())
}

/// Refuses what cannot be sent.
fn check(hop: &Hop) -> Result<(), String> {
    if !matches!(hop.url.scheme.as_str(), "http" | "https") {
        return Err(format!("unsupported protocol scheme {:?}", hop.url.scheme));
    }
    for (name, value) in &hop.headers {
        if !is_token(name) {
            return Err(format!("net/http: invalid header field name {name:?}"));
        }
        if value.bytes().any(|it| it < b' ' && it != b'\t' || it == 0x7f) {
            return Err(format!("net/http: invalid header field value for {name:?}"));
        }
    }
    if hop.url.host.is_empty() {
        return Err("http: no Host in request URL".to_owned());
    }
    let port = String::from_utf8_lossy(hop.url.host_and_port().1);
    if !port.is_empty() && port.parse::<u16>().is_err() {
        return Err(format!("dial tcp: address {port}: invalid port"));
    }
    Ok(())
}

/// Returns the request as it is sent, and whether it offers to take a compressed answer unasked.
fn message(hop: &Hop, body: Vec<u8>) -> Result<(Request<Full<Bytes>>, bool), String> {
    let has = |name: &str| hop.headers.iter().any(|it| it.0 == name);
    let own = |name: &str| hop.headers.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
    let method = Method::from_bytes(hop.method.as_bytes()).map_err(|it| it.to_string())?;
    let authority = String::from_utf8_lossy(&hop.url.host).into_owned();
    let asks_gzip = !has("Accept-Encoding") && !has("Range") && method != Method::HEAD;
    let mut request = Request::builder().method(method).uri(uri(&hop.url)?);
    let host = own("Host").filter(|it| !it.is_empty()).unwrap_or(&authority);
    request = request.header(hyper::header::HOST, value(host)?);
    let agent = own("User-Agent").unwrap_or(DEFAULT_AGENT);
    if !agent.is_empty() {
        request = request.header(hyper::header::USER_AGENT, value(agent)?);
    }
    // Where a body is expected its length is told even if there is none.
    if !body.is_empty() || matches!(hop.method.as_str(), "POST" | "PUT" | "PATCH") {
        request = request.header(hyper::header::CONTENT_LENGTH, body.len());
    }
    for (name, text) in hop.headers.iter().filter(|it| !OWN_HEADERS.contains(&it.0.as_str())) {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|it| it.to_string())?;
        request = request.header(name, value(text)?);
    }
    if let Some(user) = hop.url.user.as_ref().filter(|_| own("Authorization").is_none_or(str::is_empty)) {
        let basic = basic(&user.name, user.password.as_deref().unwrap_or_default());
        request = request.header(hyper::header::AUTHORIZATION, value(&basic)?);
    }
    if asks_gzip {
        request = request.header(hyper::header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let request = request.body(Full::new(Bytes::from(body))).map_err(|it| it.to_string())?;
    Ok((request, asks_gzip))
}

fn value(text: &str) -> Result<HeaderValue, String> {
    let text = text.trim_matches([' ', '\t']);
    let mut value = HeaderValue::from_bytes(text.as_bytes()).map_err(|it| it.to_string())?;
    // Nobody shows it by mistake.
    value.set_sensitive(true);
    Ok(value)
}

/// Returns the value of `Authorization` for a user's name and password.
pub(crate) fn basic(name: &[u8], password: &[u8]) -> String {
    let pair = [name, b":", password].concat();
    format!("Basic {}", encode(&pair, Alphabet::Standard, Fill::Padded))
}

fn uri(url: &Url) -> Result<Uri, String> {
    let mut target = url.request_uri();
    if !target.starts_with('/') {
        target.insert(0, '/');
    }
    let mut escaped = String::with_capacity(target.len());
    for byte in target.bytes() {
        // What may not stand in a request line at all would only confuse the server.
        if byte.is_ascii_graphic() && !b"\"<>".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    let host = String::from_utf8_lossy(&url.host);
    // A zone does not go over the wire.
    let host = match host.split_once('%') {
        Some((address, rest)) => {
            format!("{address}{}", rest.find(']').and_then(|at| rest.get(at..)).unwrap_or(""))
        }
        None => host.into_owned(),
    };
    Uri::builder()
        .scheme(url.scheme.as_str())
        .authority(host.trim_end_matches(':'))
        .path_and_query(escaped)
        .build()
        .map_err(|_| format!("lookup {host}: no such host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_passwords_are_written() {
        for (name, password, wanted) in [
            ("user", "pass", "Basic dXNlcjpwYXNz"),
            ("user", "pas", "Basic dXNlcjpwYXM="),
            ("user", "pa", "Basic dXNlcjpwYQ=="),
            ("", "", "Basic Og=="),
        ] {
            assert_eq!(basic(name.as_bytes(), password.as_bytes()), wanted);
        }
    }

    #[test]
    fn hosts_stand_within_others() {
        for (host, other, wanted) in [
            ("a.example", "a.example", true),
            ("b.a.example", "a.example", true),
            ("ba.example", "a.example", false),
            ("example", "a.example", false),
            ("::1", "1", false),
        ] {
            assert_eq!(is_within(host, other), wanted, "{host} {other}");
        }
    }
}
