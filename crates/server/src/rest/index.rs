//! `/`: the default decision, and a page for people.
//!
//! Apart because its answer has no envelope: the value of `system.main` alone. A browser gets a page that says what is
//! served.

use crate::core::{Core, MayWait};
use crate::reply::Reply;
use crate::request::Request;
use crate::rest::legacy;

/// Answers `POST` with the default decision.
pub(crate) fn post(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    legacy::decide(core, request, "/", || core.shared.config.default_decision.clone())
}

/// Answers `GET` with what this is.
pub(crate) fn get(core: &Core, _: &Request) -> Result<Reply, MayWait> {
    let [version, commit, time, host] = &core.shared.config.build;
    let body = format!(
        "<html>\n<body>\nLictor - decides who may do what.<br>\n<br>\nVersion: {version}<br>\n\
         Build Commit: {commit}<br>\nBuild Timestamp: {time}<br>\nBuild Hostname: {host}<br>\n</body>\n</html>\n"
    );
    Ok(Reply { content_type: Some("text/html; charset=utf-8"), ..Reply::json(body.into_bytes()) })
}
