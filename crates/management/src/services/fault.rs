//! Why a service gave no answer.
//!
//! One error for all of them, because callers do one thing: wait and try again, and tell what it was. Texts are
//! OPA's; none holds a secret.

use std::fmt;

use lictor::http::HttpFault;

use crate::http::fault::LATE_OR_CANCELLED;

/// Says what kind of fault it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FetchErrorKind {
    /// The configuration cannot work, or names files that cannot be read.
    Configuration,
    /// What proves who asks could not be had.
    Credentials,
    /// The service could not be reached, or broke off.
    Network,
    /// It took too long.
    Late,
    /// The body has more bytes than allowed.
    TooLarge,
    /// What came is not what it claims to be.
    Content,
}

/// Why there is no answer of a service, or not the whole of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchError {
    kind: FetchErrorKind,
    text: String,
}

impl FetchError {
    pub(crate) fn new(kind: FetchErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    pub(crate) fn configuration(text: impl Into<String>) -> Self {
        Self::new(FetchErrorKind::Configuration, text)
    }

    pub(crate) fn credentials(text: impl Into<String>) -> Self {
        Self::new(FetchErrorKind::Credentials, text)
    }

    pub(crate) fn late() -> Self {
        Self::new(FetchErrorKind::Late, "context deadline exceeded")
    }

    /// Returns the error for a fault of the client below.
    pub(crate) fn network(fault: HttpFault) -> Self {
        let kind = match fault {
            HttpFault::Network { timed_out: true, .. } => FetchErrorKind::Late,
            _ => FetchErrorKind::Network,
        };
        Self::new(kind, text(fault))
    }

    /// Returns the same fault, told as a part of something larger.
    pub(crate) fn within(self, what: &str) -> Self {
        Self { text: format!("{what}: {}", self.text), ..self }
    }

    /// Returns the kind of the fault.
    #[must_use]
    pub fn kind(&self) -> FetchErrorKind {
        self.kind
    }

    /// Says whether the same call may succeed later without a change of the configuration.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        !matches!(self.kind, FetchErrorKind::TooLarge)
    }
}

/// Writes a fault as Go writes it: `Get "http://h/": EOF`.
pub(crate) fn text(fault: HttpFault) -> String {
    match fault {
        HttpFault::Network { operation, url, text, .. } => format!("{operation} {url:?}: {text}"),
        HttpFault::Failed(text) | HttpFault::Kept(text) | HttpFault::Cancelled(text) => text,
    }
}

/// Returns the text for a body that does not go on.
pub(crate) fn stalled() -> FetchError {
    FetchError::new(FetchErrorKind::Late, format!("{LATE_OR_CANCELLED} while reading body)"))
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for FetchError {}
