//! What went wrong on the way, in Go's words.
//!
//! Errors of the client hold those of connections and of TLS inside; the innermost one that is known tells most. It
//! knows error types and nothing of requests.

use std::error::Error;
use std::io;

use hyper_util::client::legacy;
use lictor::http::{HttpFault, Url};

use crate::http::alerts;
use crate::http::verify;

/// What a body that ends too early is called.
pub(crate) const SHORT_BODY: &str = "unexpected EOF";

/// What it is called when a server takes too long to begin with its answer.
pub(crate) const LATE_HEAD: &str = "net/http: timeout awaiting response headers";

/// How a text begins that says that the time ended.
pub(crate) const LATE_OR_CANCELLED: &str =
    "context deadline exceeded (Client.Timeout or context cancellation";

/// A failure of ours on the way to a connection, with its text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LineFault(pub(crate) String);

/// Returns a fault of the network.
pub(crate) fn network(method: &str, url: &str, text: String) -> HttpFault {
    HttpFault::Network { operation: operation(method), url: url.to_owned(), text, timed_out: false }
}

/// Returns the fault of an attempt whose time is over.
pub(crate) fn late(method: &str, url: &str) -> HttpFault {
    let text = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)".to_owned();
    HttpFault::Network { operation: operation(method), url: url.to_owned(), text, timed_out: true }
}

/// Writes a method as Go names an operation: `Get`.
fn operation(method: &str) -> String {
    let mut chars = method.chars();
    chars.next().map(|first| format!("{first}{}", chars.as_str().to_lowercase())).unwrap_or_default()
}

/// Returns what happened before there was an answer.
pub(crate) fn text(error: &legacy::Error, url: &Url) -> String {
    if let Some(text) = innermost(error, url) {
        return text;
    }
    let Some(error) = cause::<hyper::Error>(error) else { return lower(&error.to_string()) };
    if error.is_parse_status() {
        return "net/http: HTTP/1.x transport connection broken: malformed HTTP status code".to_owned();
    }
    if error.is_parse() {
        return "net/http: HTTP/1.x transport connection broken: malformed HTTP response".to_owned();
    }
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        return "EOF".to_owned();
    }
    lower(&error.to_string())
}

/// Returns what happened while a body was read.
pub(crate) fn body_text(error: &hyper::Error) -> String {
    innermost(error, &Url::default()).unwrap_or_else(|| SHORT_BODY.to_owned())
}

/// Returns the text of the first error in the chain that is one of ours, of TLS or of the system.
fn innermost(error: &(dyn Error + 'static), url: &Url) -> Option<String> {
    if let Some(fault) = cause::<LineFault>(error) {
        return Some(fault.0.clone());
    }
    if let Some(fault) = cause::<rustls::Error>(error) {
        return Some(tls_text(fault, url));
    }
    let io = cause::<io::Error>(error)?;
    if io.kind() == io::ErrorKind::UnexpectedEof { None } else { Some(system_text(io)) }
}

/// Finds an error of a type in the chain, also inside of errors of input and output.
fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// Returns a text of the system's as Go has it: lower case, without the number.
pub(crate) fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    lower(text.split(" (os error").next().unwrap_or(&text))
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn tls_text(error: &rustls::Error, url: &Url) -> String {
    match error {
        rustls::Error::InvalidCertificate(fault) => {
            format!("tls: failed to verify certificate: x509: {}", verify::text(fault, url))
        }
        rustls::Error::AlertReceived(alert) => format!("remote error: tls: {}", alerts::text(*alert)),
        rustls::Error::InvalidMessage(_) => "tls: first record does not look like a TLS handshake".to_owned(),
        rustls::Error::PeerIncompatible(_) => "remote error: tls: protocol version not supported".to_owned(),
        other => format!("tls: {}", lower(&other.to_string())),
    }
}
