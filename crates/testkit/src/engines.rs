//! The engines that the conformance runner knows, by name.
//!
//! Each is an adapter in a file of its own that turns a case into calls of an engine and the answer
//! into an [`Outcome`](crate::conformance::Outcome). Peers are external programs, run by path.

mod lictor;
mod opa;
mod roundtrip;
mod vm;

use std::sync::Arc;

use crate::conformance::run::Maker;

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
