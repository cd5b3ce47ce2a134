//! OPA's REST API, a file an endpoint.
//!
//! A new endpoint is a file below and a row of the router. What endpoints share is in `options` and in the modules
//! above; they do not call each other.

pub(crate) mod about;
pub(crate) mod data;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod legacy;
pub(crate) mod options;
pub(crate) mod walk;
pub(crate) mod write;
