//! The world that policies may ask: clock, randomness, environment, `print`, and whether there is time left.
//!
//! The one place of the binary where the engine meets the world; everything below takes it as a trait. It holds no
//! policy and no state but the deadline.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lictor::Host;

use crate::output::{error_line, json};

/// The version that policies see in `opa.runtime`: the one of OPA whose language this is.
pub(crate) const LANGUAGE_VERSION: &str = "1.22.0";

/// Is the host of commands that evaluate once.
#[derive(Debug)]
pub(crate) struct Terminal {
    deadline: Option<Instant>,
}

impl Terminal {
    /// Returns a host whose evaluations end after this time, counted from now.
    pub(crate) fn new(timeout: Option<Duration>) -> Self {
        Self { deadline: timeout.and_then(|it| Instant::now().checked_add(it)) }
    }

    /// Says whether the time is over.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|it| Instant::now() >= it)
    }
}

impl Host for Terminal {
    fn now_ns(&self) -> i64 {
        now_ns()
    }

    fn cancelled(&self) -> bool {
        self.is_late()
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        fill_random(bytes);
    }

    fn wants_print(&self) -> bool {
        true
    }

    fn print(&self, _position: &str, line: &str) {
        error_line(line);
    }

    fn runtime_json(&self) -> String {
        runtime_json()
    }
}

/// Returns the nanoseconds since the epoch; 0 for a clock that stands before it.
pub(crate) fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Fills a buffer with random bytes of the system's.
pub(crate) fn fill_random(bytes: &mut [u8]) {
    if let Err(error) = getrandom::fill(bytes) {
        // Guessable bytes would be worse than none.
        error_line(&format!("no randomness from the system: {error}"));
        std::process::abort();
    }
}

/// Returns what `opa.runtime` answers.
pub(crate) fn runtime_json() -> String {
    let mut out = b"{".to_vec();
    json::key("authorization_enabled", &mut out);
    out.extend_from_slice(b"false");
    json::key("commit", &mut out);
    json::string(option_env!("LICTOR_BUILD_COMMIT").unwrap_or_default(), &mut out);
    json::key("env", &mut out);
    out.push(b'{');
    for (name, value) in std::env::vars_os() {
        json::key(&name.to_string_lossy(), &mut out);
        json::string(&value.to_string_lossy(), &mut out);
    }
    out.push(b'}');
    json::key("skip_known_schema_check", &mut out);
    out.extend_from_slice(b"false");
    json::key("version", &mut out);
    json::string(LANGUAGE_VERSION, &mut out);
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}
