//! OPA's REST API, a file an endpoint.

pub(crate) mod data;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod legacy;
pub(crate) mod options;
pub(crate) mod walk;
