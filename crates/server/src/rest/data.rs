//! `/v1/data/…`: the document at a path, for an input.
//!
//! It asks a prepared query and shapes the answer; parameters it shares with others are in `options`. What a document
//! means is the engine's.

use std::time::Instant;

use lictor::{Answer, Document, Input, json};
use lictor_value::write_string;

use crate::core::{Core, MayWait};
use crate::reply::Reply;
use crate::request::Request;
use crate::rest::options::Options;
use crate::rest::walk::follow;

const PREFIX: &str = "/v1/data";

const WARNING: &[u8] =
    br#""warning":{"code":"api_usage_warning","message":"'input' key missing from the request"}"#;

/// Answers `GET`, with the input in a parameter.
pub(crate) fn get(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    let start = Instant::now();
    let Some(text) = request.parameter("input") else {
        return answer(core, request, &Given::new(Input::Undefined, start));
    };
    match json::read_document(text.as_bytes()) {
        Ok(document) => answer(core, request, &Given::new(Input::Value(document.root()), start)),
        Err(error) => {
            Ok(Reply::bad_request(&format!("parameter contains malformed input document: {error}")))
        }
    }
}

/// Answers `POST`, with the input in the body's member `input`.
pub(crate) fn post(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    let start = Instant::now();
    if request.is_yaml() && !request.body.is_empty() {
        return match yaml_input(&request.body) {
            Ok(document) => {
                answer(core, request, &Given::of_body(document.as_ref().map(|it| it.root()), start))
            }
            Err(message) => Ok(malformed(&message)),
        };
    }
    let outline = match json::outline(&request.body, "input") {
        Ok(outline) => outline,
        Err(error) => return Ok(malformed(&error.to_string())),
    };
    let given = match outline {
        Some(it) if it.value.first() != Some(&b'{') && it.value != b"null" => {
            return Ok(malformed(&not_an_object(it.value)));
        }
        Some(json::Outline { member: Some(input), .. }) if input != b"null" => {
            Given { input: Input::Json(input), missing: false, start, parsed_ns: nanoseconds(start) }
        }
        _ => Given::of_body(None, start),
    };
    answer(core, request, &given)
}

/// Is the input of a request.
struct Given<'a> {
    input: Input<'a>,
    /// The body should have had one.
    missing: bool,
    start: Instant,
    parsed_ns: u128,
}

impl<'a> Given<'a> {
    fn new(input: Input<'a>, start: Instant) -> Self {
        Self { input, missing: false, start, parsed_ns: nanoseconds(start) }
    }

    fn of_body(value: Option<lictor::Value<'a>>, start: Instant) -> Self {
        let input = value.map_or(Input::Undefined, Input::Value);
        Self { input, missing: value.is_none(), start, parsed_ns: nanoseconds(start) }
    }
}

fn nanoseconds(start: Instant) -> u128 {
    start.elapsed().as_nanos()
}

fn malformed(message: &str) -> Reply {
    Reply::bad_request(&format!("body contains malformed input document: {message}"))
}

/// Returns Go's words for a body of the wrong type.
fn not_an_object(value: &[u8]) -> String {
    let kind = match value.first() {
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "bool",
        _ => "number",
    };
    format!("json: cannot unmarshal {kind} into Go value of type types.alias")
}

/// Returns the member `input` of a YAML body.
fn yaml_input(body: &[u8]) -> Result<Option<Document>, String> {
    let document = lictor::document_of_yaml(body)?;
    let input = document.root().as_object().and_then(|it| it.get_str("input"));
    Ok(input.filter(|it| !it.is_null()).map(Document::from_value))
}

fn answer(core: &Core, request: &Request, given: &Given<'_>) -> Result<Reply, MayWait> {
    let options = match Options::read(request) {
        Ok(options) => options,
        Err(refusal) => return Ok(refusal),
    };
    let prepared_at = Instant::now();
    let target = match core.target(&request.path, options.strict, || request.keys_behind(PREFIX)) {
        Ok(target) => target,
        Err(faults) => return Ok(Reply::of_policy(&faults)),
    };
    let (target, known) = target;
    core.check_waiting(&target.query)?;
    let prepared_ns = nanoseconds(prepared_at);
    let mut result = Vec::with_capacity(64);
    let decided_at = Instant::now();
    let decided = core.with_session(|session| {
        target.query.decide(session, given.input, |answer| {
            if let Answer::Value(Some(value)) = answer
                && let Some(value) = follow(value, &target.rest)
            {
                result.extend_from_slice(b"\"result\":");
                value.write_json(&mut result);
            }
        })
    });
    if let Err(error) = decided {
        return Ok(Reply::of_eval(&error));
    }
    let mut members: Vec<Vec<u8>> = Vec::new();
    if options.provenance {
        members.push(provenance(core));
    }
    if options.metrics {
        let times = Times { known, prepared_ns, eval_ns: nanoseconds(decided_at) };
        members.push(metrics(given, &times));
    }
    if !result.is_empty() {
        members.push(result);
    }
    if given.missing {
        members.push(WARNING.to_vec());
    }
    Ok(Reply::json(object(&members, options.pretty)))
}

fn object(members: &[Vec<u8>], pretty: bool) -> Vec<u8> {
    let mut body = vec![b'{'];
    body.extend_from_slice(&members.join(&b','));
    body.push(b'}');
    if pretty {
        return json::indented(&body);
    }
    body.push(b'\n');
    body
}

/// Is what was measured.
struct Times {
    known: bool,
    prepared_ns: u128,
    eval_ns: u128,
}

fn metrics(given: &Given<'_>, times: &Times) -> Vec<u8> {
    let Times { known, prepared_ns, eval_ns } = times;
    let prepared = if *known { "\"counter_server_query_cache_hit\":1,".to_owned() } else { String::new() };
    let compiled =
        if *known { String::new() } else { format!("\"timer_rego_query_compile_ns\":{prepared_ns},") };
    let (parsed_ns, handler_ns) = (given.parsed_ns, nanoseconds(given.start));
    format!(
        "\"metrics\":{{{prepared}\"timer_rego_input_parse_ns\":{parsed_ns},{compiled}\
         \"timer_rego_query_eval_ns\":{eval_ns},\"timer_server_handler_ns\":{handler_ns}}}"
    )
    .into_bytes()
}

fn provenance(core: &Core) -> Vec<u8> {
    let mut out = b"\"provenance\":{".to_vec();
    let names = ["version", "build_commit", "build_timestamp", "build_hostname"];
    for (index, (name, value)) in names.iter().zip(&core.shared.config.build).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(name, &mut out, true);
        out.push(b':');
        write_string(value, &mut out, true);
    }
    let generation = core.generation();
    for (index, bundle) in generation.bundles.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b",\"bundles\":{" } else { b"," });
        write_string(&bundle.name, &mut out, true);
        out.extend_from_slice(b":{\"revision\":");
        write_string(&bundle.revision, &mut out, true);
        out.push(b'}');
    }
    if !generation.bundles.is_empty() {
        out.push(b'}');
    }
    out.push(b'}');
    out
}
