//! `/v0/data/…`: the whole body is the input, the bare value the answer; undefined is an error.
//!
//! Apart because old clients depend on exactly this form. It shares the engine's side with `data` and adds nothing to
//! it.

use lictor::{Answer, Document, Input, json};

use crate::core::{Core, MayWait};
use crate::reply::{Reply, codes};
use crate::request::Request;
use crate::rest::options::Options;
use crate::rest::walk::follow;

const PREFIX: &str = "/v0/data";

/// Answers `POST`.
pub(crate) fn post(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    decide(core, request, &request.path, || request.keys_behind(PREFIX))
}

/// Decides with the body as the input. `path` is what the document is known by, `keys` takes it apart.
pub(crate) fn decide(
    core: &Core,
    request: &Request,
    path: &str,
    keys: impl Fn() -> Vec<String>,
) -> Result<Reply, MayWait> {
    let options = match Options::read(request) {
        Ok(options) => options,
        Err(refusal) => return Ok(refusal),
    };
    let document;
    let input = if request.is_yaml() && !request.body.is_empty() {
        document = match lictor::document_of_yaml(&request.body) {
            Ok(document) => document,
            Err(message) => return Ok(malformed(&message)),
        };
        Input::Value(Document::root(&document))
    } else {
        match json::outline(&request.body, "") {
            Ok(Some(outline)) => Input::Json(outline.value),
            // As OPA has it, no body says `null`.
            Ok(None) => Input::Json(b"null"),
            Err(error) => return Ok(malformed(&error.to_string())),
        }
    };
    let target = match core.target(path, options.strict, &keys) {
        Ok((target, _)) => target,
        Err(faults) => return Ok(Reply::of_policy(&faults)),
    };
    core.check_waiting(&target.query)?;
    let mut body = Vec::with_capacity(64);
    let decided = core.with_session(|session| {
        target.query.decide(session, input, |answer| {
            if let Answer::Value(Some(value)) = answer
                && let Some(value) = follow(value, &target.rest)
            {
                value.write_json(&mut body);
            }
        })
    });
    Ok(match decided {
        Err(error) => Reply::of_eval(&error),
        Ok(()) if body.is_empty() => undefined(core, &keys()),
        Ok(()) if options.pretty => Reply::json(json::indented(&body)),
        Ok(()) => {
            body.push(b'\n');
            Reply::json(body)
        }
    })
}

fn malformed(message: &str) -> Reply {
    Reply::bad_request(&format!(
        "unexpected parse error for input: body contains malformed input document: {message}"
    ))
}

/// Says that there is no document; whether rules could have made one is told apart.
fn undefined(core: &Core, keys: &[String]) -> Reply {
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let word = if core.generation().policy.has_rules(&names) { "undefined" } else { "missing" };
    let message = format!("document {word}: data.{}", names.join("."));
    Reply::error(404, codes::UNDEFINED, &message)
}
