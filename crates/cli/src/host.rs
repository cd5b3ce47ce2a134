//! The world that policies may ask: clock, randomness, environment, `print`, and whether there is time left.
//!
//! The one place of the binary where the engine meets the world; everything below takes it as a trait. It holds no
//! policy and no state but the deadline.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lictor::http::{HttpFault, HttpRequest, HttpResponse, LookupFault, Redirects, TlsSettings, Url};
use lictor::{ErrorCode, EvalError, Host};
use lictor_management::{Outgoing, Patience};
use lictor_server::{Field, Level, Log};

use crate::flags::values;
use crate::output::{error_line, json};

/// The version that policies see in `opa.runtime`: the one of OPA whose language this is.
pub(crate) const LANGUAGE_VERSION: &str = "1.22.0";

/// No more than this of what is printed is kept.
const PRINTED_BYTES_MAX: usize = 64 << 20;

/// The variable that says how long requests may take that do not say so themselves.
const SEND_TIMEOUT: &str = "HTTP_SEND_TIMEOUT";

/// What OPA says when the time of an evaluation is over.
const LATE: &str = "context deadline exceeded";

/// Is the host of commands that evaluate in the foreground.
#[derive(Debug)]
pub(crate) struct Terminal {
    start: Instant,
    /// Nanoseconds after the start.
    deadline: AtomicU64,
    printing: Printing,
}

/// Says where printed lines go.
#[derive(Debug)]
enum Printing {
    /// To the standard error.
    Shown,
    /// They are kept.
    Kept(Mutex<Vec<u8>>),
    /// To the log, with their place.
    Logged(Log),
}

impl Terminal {
    /// Returns a host whose evaluations end after this time, counted from now.
    pub(crate) fn new(timeout: Option<Duration>) -> Self {
        let host =
            Self { start: Instant::now(), deadline: AtomicU64::new(u64::MAX), printing: Printing::Shown };
        host.restart(timeout);
        host
    }

    /// Returns a host that keeps what is printed.
    pub(crate) fn keeping() -> Self {
        Self { printing: Printing::Kept(Mutex::default()), ..Self::new(None) }
    }

    /// Returns a host that logs what is printed.
    pub(crate) fn logging(timeout: Option<Duration>, log: Log) -> Self {
        Self { printing: Printing::Logged(log), ..Self::new(timeout) }
    }

    /// Makes the time begin now.
    pub(crate) fn restart(&self, timeout: Option<Duration>) {
        let end = timeout.and_then(|it| self.start.elapsed().checked_add(it));
        let end = end.and_then(|it| u64::try_from(it.as_nanos()).ok()).unwrap_or(u64::MAX);
        self.deadline.store(end, Ordering::Relaxed);
    }

    /// Says whether the time is over.
    pub(crate) fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        deadline != u64::MAX && self.start.elapsed().as_nanos() >= u128::from(deadline)
    }

    /// Says for how long the evaluation may wait.
    fn patience<'a>(&self, cancelled: &'a dyn Fn() -> bool) -> Patience<'a> {
        let deadline = self.deadline.load(Ordering::Relaxed);
        let deadline = (deadline != u64::MAX).then(|| Duration::from_nanos(deadline));
        let deadline = deadline.and_then(|it| self.start.checked_add(it));
        Patience { deadline, cancelled }
    }

    /// Returns what was printed since it was asked last.
    pub(crate) fn take_printed(&self) -> Vec<u8> {
        let Printing::Kept(printed) = &self.printing else { return Vec::new() };
        std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the error of an evaluation, which says so if it was the time that ended it.
    pub(crate) fn explained(&self, error: EvalError) -> EvalError {
        // A built-in that waited says so itself: `http.send: timed out (…)`.
        let mut words = error.message().split(": ");
        let is_named = words.next().is_some_and(|it| it.contains('.') && !it.contains(' '));
        if error.code() == ErrorCode::Cancel && self.is_late() && !is_named {
            return EvalError::new(ErrorCode::Cancel, LATE);
        }
        error
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

    fn print(&self, position: &str, line: &str) {
        match &self.printing {
            Printing::Shown => error_line(line),
            Printing::Logged(log) => log.write(Level::Info, line, &[("line", Field::Text(position))]),
            Printing::Kept(printed) => {
                let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
                if printed.len() < PRINTED_BYTES_MAX {
                    printed.extend_from_slice(line.as_bytes());
                    printed.push(b'\n');
                }
            }
        }
    }

    fn runtime_json(&self) -> String {
        runtime_json()
    }

    fn send_http(&self, request: &HttpRequest, ended: &dyn Fn() -> bool) -> Result<HttpResponse, HttpFault> {
        outgoing().send(request, &self.patience(ended))
    }

    fn lookup_ip(&self, name: &str, ended: &dyn Fn() -> bool) -> Result<Vec<String>, LookupFault> {
        outgoing().lookup(name, &self.patience(ended))
    }
}

/// Returns what sends requests for commands that run in the foreground; nothing is kept between evaluations.
fn outgoing() -> &'static Outgoing {
    static OUTGOING: OnceLock<Outgoing> = OnceLock::new();
    OUTGOING.get_or_init(|| Outgoing::new(outgoing_options()))
}

/// Returns how requests are sent, by the environment.
pub(crate) fn outgoing_options() -> lictor_management::Options {
    let default = lictor_management::Options::default();
    let timeout = match std::env::var(SEND_TIMEOUT) {
        Ok(text) if !text.is_empty() => {
            values::time(&text).map_err(|it| format!("invalid value for {SEND_TIMEOUT}: {it}"))
        }
        _ => default.timeout.clone(),
    };
    let environment = Arc::new(|name: &str| std::env::var(name).ok());
    lictor_management::Options { environment, timeout, ..default }
}

/// Reads a schema that stands at an address, for one that refers to it.
pub(crate) fn fetch_schema(address: &str) -> Result<Vec<u8>, String> {
    let request = HttpRequest {
        method: "GET".to_owned(),
        url: Url::parse(address)?,
        socket: None,
        headers: Vec::new(),
        body: Vec::new(),
        redirects: Redirects::Follow,
        timeout_ns: None,
        retries_max: 0,
        tls: TlsSettings::default(),
        caching: None,
        allow_net: None,
    };
    let answer = outgoing().send(&request, &Patience { deadline: None, cancelled: &|| false });
    let answer = answer.map_err(|fault| match fault {
        HttpFault::Failed(text) | HttpFault::Kept(text) | HttpFault::Cancelled(text) => text,
        HttpFault::Network { operation, url, text, .. } => format!("{operation} \"{url}\": {text}"),
    })?;
    if answer.status_code != 200 {
        return Err(format!("Could not read schema from HTTP, response status is {}", answer.status));
    }
    Ok(answer.body)
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
