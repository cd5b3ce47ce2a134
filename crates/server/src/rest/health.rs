//! `/health`: whether the server decides, and health as rules below `data.system.health` have it.
//!
//! Apart because load balancers ask it all the time and it must answer without a policy. Plugins will be asked here
//! too.

use lictor::{Answer, Input};

use crate::core::{Core, MayWait};
use crate::reply::{JSON, Reply};
use crate::request::Request;

/// What rules of health are told: no plugin can be unready, since there are none.
const STATE: &[u8] = br#"{"plugins_ready":true,"plugin_state":{}}"#;

/// Answers `GET` and `HEAD`.
pub(crate) fn get(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    let rule = request.keys_behind("/health");
    if rule.is_empty() {
        return Ok(healthy());
    }
    let path: Vec<&str> = ["system", "health"].into_iter().chain(rule.iter().map(String::as_str)).collect();
    let name = path.join(".");
    let Ok(query) = core.generation().policy.prepare_keys(&path) else {
        return Ok(unhealthy(&format!("health check (data.{name}) cannot be evaluated")));
    };
    core.check_waiting(&query)?;
    let decided = core.with_session(|session| {
        query.decide(session, Input::Json(STATE), |answer| match answer {
            Answer::Value(Some(value)) => Some(value.is_true()),
            _ => None,
        })
    });
    Ok(match decided {
        Ok(Some(true)) => healthy(),
        Ok(Some(false)) => unhealthy(&format!("health check (data.{name}) returned unexpected value")),
        Ok(None) => unhealthy(&format!("health check (data.{name}) was undefined")),
        Err(error) => unhealthy(&error.to_string()),
    })
}

fn healthy() -> Reply {
    Reply::json(b"{}\n".to_vec())
}

fn unhealthy(message: &str) -> Reply {
    let mut body = b"{\"error\":".to_vec();
    lictor_value::write_string(message, &mut body, true);
    body.extend_from_slice(b"}\n");
    Reply { status: 500, content_type: Some(JSON), headers: Vec::new(), body }
}
