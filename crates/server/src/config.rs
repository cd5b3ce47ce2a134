//! What the server is told before it starts.
//!
//! Plain data, filled by the command line. It opens nothing and checks only what can be checked without the world.

use std::time::Duration;

use crate::log::Log;

/// Says where and how to serve.
#[derive(Clone, Debug)]
pub struct Config {
    /// Addresses to listen on: `host:port`, `[ip]:port`, `:port` or `http://host:port`.
    pub addresses: Vec<String>,
    /// How many threads serve; each has a listener on every address.
    pub threads: usize,
    /// How long requests may take to end once the server stops.
    pub grace: Duration,
    /// How many bytes a request's body may have as it is sent.
    pub body_bytes_max: u64,
    /// How many bytes a compressed body may have once it is expanded.
    pub expanded_bytes_max: u64,
    /// How many bytes a request's line and headers may have.
    pub head_bytes_max: usize,
    /// How long a request's line and headers may take to come.
    pub head_time: Duration,
    /// How many threads at most take decisions that may wait for something outside.
    pub waiting_threads_max: usize,
    /// How many requests at most wait for such a thread; more are refused.
    pub waiting_requests_max: usize,
    /// The keys below `data` of what is decided if nobody says what.
    pub default_decision: Vec<String>,
    /// What is logged, and how.
    pub log: Log,
    /// What `provenance` says of the build: version, commit, time, host.
    pub build: [String; 4],
}

impl Default for Config {
    fn default() -> Self {
        Self {
            addresses: vec!["127.0.0.1:8181".to_owned()],
            threads: 1,
            grace: Duration::from_secs(10),
            body_bytes_max: 256 << 20,
            expanded_bytes_max: 512 << 20,
            head_bytes_max: 1 << 20,
            head_time: Duration::from_secs(32),
            waiting_threads_max: 128,
            waiting_requests_max: 4_096,
            default_decision: ["system", "main"].map(str::to_owned).to_vec(),
            log: Log::default(),
            build: [const { String::new() }; 4],
        }
    }
}
