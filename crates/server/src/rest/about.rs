//! `/v1/config` and `/v1/status`: how the server is configured, and how what runs beside it does.
//!
//! Apart because they tell of the server and not of a policy. What is told is made elsewhere; here it gets its envelope.

use lictor_value::json;

use crate::core::{Core, MayWait};
use crate::reply::{Reply, codes};
use crate::request::Request;

/// Answers `GET /v1/config`.
pub(crate) fn config(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    Ok(enveloped(request, &core.shared.facts().config_json()))
}

/// Answers `GET /v1/status`.
pub(crate) fn status(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    Ok(match core.shared.facts().status_json() {
        Some(status) => enveloped(request, &status),
        None => Reply::error(500, codes::INTERNAL, "status plugin not enabled"),
    })
}

fn enveloped(request: &Request, result: &[u8]) -> Reply {
    let mut body = b"{\"result\":".to_vec();
    body.extend_from_slice(result);
    body.push(b'}');
    if request.is_on("pretty") {
        return Reply::json(json::indented(&body));
    }
    body.push(b'\n');
    Reply::json(body)
}
