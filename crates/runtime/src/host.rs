//! The world outside, as a trait: whoever embeds the engine hands it in.
//!
//! Apart because everything below the command line and the server is pure: time, randomness, cancellation, lines of
//! `print` and requests to other machines pass through here alone. It knows nothing of policies.

use crate::http::{HttpFault, HttpRequest, HttpResponse, LookupFault};

/// What built-ins may ask of the world. Every method has a safe answer by default.
pub trait Host: Send + Sync {
    /// Returns the nanoseconds since the epoch.
    fn now_ns(&self) -> i64 {
        0
    }

    /// Says whether the evaluation must end: its deadline has passed or its caller has left.
    fn cancelled(&self) -> bool {
        false
    }

    /// Fills the buffer with random bytes.
    fn fill_random(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }

    /// Says whether lines of `print` are wanted; without, their arguments are not looked at.
    fn wants_print(&self) -> bool {
        false
    }

    /// Takes a line of `print`, with the position it came from (`file:row`).
    fn print(&self, _position: &str, _line: &str) {}

    /// Takes a message of `trace`.
    fn note(&self, _message: &str) {}

    /// Returns the JSON object that `opa.runtime` answers with.
    fn runtime_json(&self) -> String {
        "{}".to_owned()
    }

    /// Sends a request and waits for the answer, until `ended` says that the evaluation must end.
    ///
    /// # Errors
    ///
    /// Why there is no answer. A host without a network refuses all.
    fn send_http(
        &self,
        _request: &HttpRequest,
        _ended: &dyn Fn() -> bool,
    ) -> Result<HttpResponse, HttpFault> {
        Err(HttpFault::Failed("requests are not allowed here".to_owned()))
    }

    /// Says whether answers of requests are kept between evaluations for policies that ask for it.
    fn keeps_http(&self) -> bool {
        false
    }

    /// Returns the addresses of a name; waits until `ended` says that the evaluation must end.
    ///
    /// # Errors
    ///
    /// Why there are none. A host without a network refuses all.
    fn lookup_ip(&self, _name: &str, _ended: &dyn Fn() -> bool) -> Result<Vec<String>, LookupFault> {
        Err(LookupFault::Failed("look-ups are not allowed here".to_owned()))
    }
}

/// A host without a world: time stands at the epoch and nothing is random.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullHost;

impl Host for NullHost {}
