//! The engines that the conformance runner knows, by name.
//!
//! Each is an adapter in a file of its own that turns a case into calls of an engine and the answer
//! into an [`Outcome`](crate::conformance::Outcome). Peers are external programs, run by path.

mod lictor;
mod opa;
mod roundtrip;
mod vm;

use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use lictor_runtime::Host;
use lictor_runtime::http::LookupFault;

use crate::conformance::run::Maker;

/// A world of a clock and the system's names: cases about certificates and tokens count on the time being today's, and
/// those about look-ups on names that every system knows.
#[derive(Debug)]
struct Clock;

impl Host for Clock {
    fn now_ns(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }

    fn lookup_ip(&self, name: &str, _: &dyn Fn() -> bool) -> Result<Vec<String>, LookupFault> {
        let found = (name, 0).to_socket_addrs();
        let found = found.map_err(|_| LookupFault::Failed(format!("lookup {name}: no such host")))?;
        Ok(found.map(|it| it.ip().to_string()).collect())
    }
}

/// Names what [`maker`] accepts.
pub const NAMES: &str =
    "lictor, lictor-plain (no passes), plan (OPA's plans), roundtrip (our plans in OPA's form), opa";

/// Returns what makes the engine of this name.
#[must_use]
pub fn maker(name: &str) -> Option<Maker> {
    match name {
        "opa" => Some(Arc::new(|| Box::new(opa::Opa::new()))),
        "lictor" => Some(lictor::maker(false)),
        "lictor-plain" => Some(lictor::maker(true)),
        "roundtrip" => Some(Arc::new(|| Box::new(roundtrip::RoundTrip::default()))),
        "plan" => Some(vm::maker()),
        _ => None,
    }
}

/// Names the engine that runs a kind of cases unless another is asked for.
#[must_use]
pub fn default_for(kind: &str) -> &'static str {
    if kind == "ir" { "plan" } else { "lictor" }
}
