//! `/health`: whether the server decides, and health as rules below `data.system.health` have it.
//!
//! Apart because load balancers ask it all the time and it must answer without a policy. What runs beside the server
//! counts if the request says so.

use lictor::{Answer, Input};

use crate::core::{Core, MayWait};
use crate::facts::PluginState;
use crate::reply::{JSON, Reply};
use crate::request::Request;

/// Answers `GET` and `HEAD`.
pub(crate) fn get(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    let rule = request.keys_behind("/health");
    if rule.is_empty() {
        return Ok(of_plugins(core, request));
    }
    let state = state(core);
    let path: Vec<&str> = ["system", "health"].into_iter().chain(rule.iter().map(String::as_str)).collect();
    let name = path.join(".");
    let Ok(query) = core.generation().policy.prepare_keys(&path) else {
        return Ok(unhealthy(&format!("health check (data.{name}) cannot be evaluated")));
    };
    core.check_waiting(&query)?;
    let decided = core.with_session(|session| {
        query.decide(session, Input::Json(&state), |answer| match answer {
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

/// Answers by what runs beside the server, as far as the request asks for it.
fn of_plugins(core: &Core, request: &Request) -> Reply {
    let (bundles, plugins) = (request.is_on("bundles") || request.is_on("bundle"), request.is_on("plugins"));
    if !bundles && !plugins {
        return healthy();
    }
    let facts = core.shared.facts();
    let states = facts.plugins();
    let is_down = |name: &str| states.iter().any(|it| it.0 == name && it.1 != PluginState::Ok);
    if bundles && (is_down("discovery") || is_down("bundle")) {
        let names = facts.bundles_not_activated();
        let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        return unhealthy(&format!("one or more bundles are not activated{names}"));
    }
    let excluded = request.all("exclude-plugin");
    let counts = |it: &&(String, PluginState)| !excluded.contains(&it.0);
    if plugins && states.iter().filter(counts).any(|it| it.1 != PluginState::Ok) {
        return unhealthy("one or more plugins are not up");
    }
    healthy()
}

/// Returns what rules of health are told of what runs beside the server.
fn state(core: &Core) -> Vec<u8> {
    let plugins = core.shared.facts().plugins();
    let is_ready = core.shared.plugins_ready(&plugins);
    let mut out = format!("{{\"plugins_ready\":{is_ready},\"plugin_state\":{{").into_bytes();
    for (index, (name, state)) in plugins.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        lictor_value::write_string(name, &mut out, true);
        out.extend_from_slice(format!(":\"{}\"", state.as_str()).as_bytes());
    }
    out.extend_from_slice(b"}}");
    out
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
