//! Requests that policies send, and what comes back: the words between `http.send` and the host that sends.
//!
//! Apart because both sides use them and neither may know the other: the built-in reads operands and shapes answers,
//! the host has sockets, files, clocks and caches. Secrets stand in requests, so nothing here shows them.

pub mod sigv4;

use std::fmt;
use std::sync::Arc;

pub use crate::go::url::{Url, User};

/// A request, checked as far as that is possible without the world.
#[derive(Clone)]
pub struct HttpRequest {
    /// The method, upper case.
    pub method: String,
    /// Where to; its scheme may be one that nobody can send to.
    pub url: Url,
    /// The path of the unix socket to send through.
    pub socket: Option<String>,
    /// The headers, by their canonical name; `Host` is among them if the policy sets it.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// What becomes of an answer that points elsewhere.
    pub redirects: Redirects,
    /// How long an attempt may take: no limit if it is 0 or less, the host's own if absent.
    pub timeout_ns: Option<i64>,
    /// How often to try again after a failure.
    pub retries_max: u64,
    /// How to speak TLS.
    pub tls: TlsSettings,
    /// How to keep the answer for other evaluations; not at all if absent.
    pub caching: Option<HttpCaching>,
    /// The hosts that may be asked; all if absent.
    pub allow_net: Option<Arc<[String]>>,
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url.without_user())
            .finish_non_exhaustive()
    }
}

/// What becomes of an answer that points elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Redirects {
    /// It is the answer.
    #[default]
    Return,
    /// It is followed.
    Follow,
}

/// How to speak TLS. Empty texts mean: not given.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct TlsSettings {
    /// Whether the system's certificates count beside those given here.
    pub use_system_certs: bool,
    /// Whether any certificate will do.
    pub insecure_skip_verify: bool,
    /// The name that the server must have, instead of the URL's host.
    pub server_name: String,
    /// Whom to trust.
    pub ca_cert: PemSource,
    /// The client's own certificate.
    pub client_cert: PemSource,
    /// The key of it.
    pub client_key: PemSource,
}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSettings").finish_non_exhaustive()
    }
}

/// Where PEM text comes from; several places may be given. Empty means: not given.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct PemSource {
    /// The text itself.
    pub text: String,
    /// The path of a file.
    pub file: String,
    /// The name of an environment variable.
    pub variable: String,
}

impl fmt::Debug for PemSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PemSource").field("file", &self.file).finish_non_exhaustive()
    }
}

/// How to keep an answer for other evaluations.
#[derive(Clone)]
pub struct HttpCaching {
    /// What equal requests have in common.
    pub key: String,
    /// The headers with which to ask whether a kept answer still holds.
    pub headers: Vec<(String, String)>,
    /// For how many seconds to keep it whatever the server says; 0 if the server says.
    pub force_seconds: i32,
    /// Whether the answer may be kept at all; if not, one may only be looked for.
    pub may_store: bool,
    /// The time of the evaluation.
    pub now_ns: i64,
}

impl fmt::Debug for HttpCaching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpCaching").field("force_seconds", &self.force_seconds).finish_non_exhaustive()
    }
}

/// What came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpResponse {
    /// Code and words: `200 OK`.
    pub status: String,
    /// The code.
    pub status_code: u16,
    /// The headers by their names in lower case, sorted.
    pub headers: Vec<(String, Vec<String>)>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Returns the first value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|it| it.0 == name)?;
        found.1.first().map(String::as_str)
    }
}

/// Why nothing came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HttpFault {
    /// The request could not be made, or the body of the answer not be read.
    Failed(String),
    /// What was kept could not be asked for again.
    Kept(String),
    /// The other side could not be reached, or did not answer as it should.
    Network {
        /// The method, as Go capitalises it.
        operation: String,
        /// Where to, without the password.
        url: String,
        /// What happened.
        text: String,
        /// Whether the time was over.
        timed_out: bool,
    },
    /// The evaluation ends.
    Cancelled(String),
}

/// Why a name has no addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LookupFault {
    /// The text says why.
    Failed(String),
    /// The evaluation ends.
    Cancelled(String),
}

/// Returns a header's name as Go writes it: `X-Request-Id`. One that is no name stays as it is.
#[must_use]
pub fn canonical_header(name: &str) -> String {
    if !is_token(name) {
        return name.to_owned();
    }
    let mut upper = true;
    let mut out = String::with_capacity(name.len());
    for it in name.chars() {
        out.push(if upper { it.to_ascii_uppercase() } else { it.to_ascii_lowercase() });
        upper = it == '-';
    }
    out
}

/// Says whether a text is a token of HTTP, as names of methods and headers must be.
#[must_use]
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it))
}

/// Returns the refusal of a host that is not among those allowed.
///
/// # Errors
///
/// OPA's text.
pub fn check_host(allowed: Option<&[String]>, host: &str) -> Result<(), String> {
    if allowed.is_none_or(|it| it.iter().any(|name| name == host)) {
        return Ok(());
    }
    Err(format!("disallowed host: {host}"))
}

/// Returns the host of a URL as [`check_host`] takes it: what stands before the first colon.
#[must_use]
pub fn host_to_check(url: &Url) -> String {
    let host = url.host.split(|it| *it == b':').next().unwrap_or(&[]);
    crate::go_text::lossy(host).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_headers_are_go_s() {
        for (name, wanted) in [
            ("x-request-id", "X-Request-Id"),
            ("ETAG", "Etag"),
            ("bad name", "bad name"),
            ("é", "é"),
            ("", ""),
            ("--a", "--A"),
        ] {
            assert_eq!(canonical_header(name), wanted);
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let url = Url::parse("http://ann:sesame@h/x").expect("a URL");
        let secret = || PemSource { text: "sesame".to_owned(), ..PemSource::default() };
        let request = HttpRequest {
            method: "GET".to_owned(),
            url,
            socket: None,
            headers: vec![("Authorization".to_owned(), "sesame".to_owned())],
            body: b"sesame".to_vec(),
            redirects: Redirects::Return,
            timeout_ns: None,
            retries_max: 0,
            tls: TlsSettings { client_key: secret(), ..TlsSettings::default() },
            caching: None,
            allow_net: None,
        };
        let shown = format!("{request:?} {:?} {:?} {:?}", request.tls, request.tls.client_key, request.url);
        assert!(!shown.contains("sesame"), "{shown}");
    }
}
