//! All outgoing input and output: requests of policies, look-ups of names, calls to configured services, bundles.
//!
//! The engine is synchronous and knows no network; what a policy asks of it arrives here through the host. An
//! [`Outgoing`] owns a small runtime of its own, started with the first request, on which everything asynchronous
//! runs; callers wait on their own threads for as long as their evaluation may last. Connections are kept by how TLS
//! is spoken, answers are kept within bounds if policies ask for it. It serves nothing and reads no policy.
#![forbid(unsafe_code)]

pub mod bundles;
mod civil;
pub mod config;
mod discovery;
mod http;
mod manager;
mod names;
mod outgoing;
pub mod redis;
pub mod services;
mod surroundings;
mod waiting;

pub use http::cache::CacheLimits;
pub use manager::Manager;
pub use outgoing::{Environment, Options, Outgoing};
pub use redis::{Redis, RedisOptions};
pub use surroundings::{Activate, Clock, Journal, Severity, Sleep, SystemClock};
pub use waiting::Patience;
