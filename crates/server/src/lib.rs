//! The policy server: OPA's REST API over HTTP/1.
//!
//! Each core runs a thread with its own listener on the same port, its own engine memory and its own prepared
//! queries: nothing is locked on the way of a decision. A protocol is a folder (`rest`), an endpoint a file in it;
//! `router` is the table of them. What a request may do to its thread is bounded: bodies have a limit, and a
//! panic answers 500 and is counted.

#![forbid(unsafe_code)]

mod body;
mod config;
mod connection;
mod core;
mod facts;
mod generation;
mod listen;
mod log;
mod reply;
mod request;
mod rest;
mod router;
mod serve;
mod waiting;

pub use crate::core::Start;
pub use config::Config;
pub use facts::{Facts, PluginState};
pub use listen::ListenError;
pub use log::{Field, Level, Log, LogFormat};
pub use serve::{Activator, Server, Stopper};
