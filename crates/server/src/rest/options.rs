//! The parameters that endpoints of the data API share.
//!
//! Apart so that one table says which parameters there are and which are refused. It reads a request and touches no
//! engine.

use crate::reply::Reply;
use crate::request::Request;

/// Is what the parameters ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) pretty: bool,
    pub(crate) metrics: bool,
    pub(crate) provenance: bool,
    pub(crate) strict: bool,
}

impl Options {
    /// Reads the parameters; those that are not there yet are refused by name.
    pub(crate) fn read(request: &Request) -> Result<Self, Reply> {
        if request.query.is_empty() {
            return Ok(Self { pretty: false, metrics: false, provenance: false, strict: false });
        }
        for name in ["explain", "instrument", "rule_labels"] {
            let given = request.parameter(name);
            if given.is_some_and(|it| !matches!(it.as_str(), "off" | "false")) {
                return Err(Reply::bad_request(&format!(
                    "parameter '{name}' is not supported by this version of lictor"
                )));
            }
        }
        Ok(Self {
            pretty: request.is_on("pretty"),
            metrics: request.is_on("metrics"),
            provenance: request.is_on("provenance"),
            strict: request.is_on("strict-builtin-errors"),
        })
    }
}
