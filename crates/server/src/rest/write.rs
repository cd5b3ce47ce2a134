//! `PUT`, `PATCH` and `DELETE` of `/v1/data/…`: base documents are written.
//!
//! Apart from reading because a write makes the next generation. It runs on a thread that may wait: writers come one
//! by one. What storage refuses is storage's; here is who may write where.

use std::time::Instant;

use lictor::{Document, Faults, Operation, Policy, Snapshot, Value, Write, WriteError, WriteErrorKind};
use percent_encoding::percent_decode_str;

use crate::core::{Core, MayWait};
use crate::generation::Generation;
use crate::reply::{Reply, codes};
use crate::request::Request;

const PREFIX: &str = "/v1/data";

/// Why nothing was written.
enum Refusal {
    Storage(WriteError),
    /// Rules stand where the data would.
    Rules(Faults),
    /// It is there already, and the client asked for that case.
    Present,
    /// A bundle owns the place.
    Owned(String),
}

impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Self {
        Self::Storage(error)
    }
}

/// Answers `PUT`: the body is the document.
pub(crate) fn put(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    core.must_wait()?;
    let start = Instant::now();
    let path = request.keys_behind(PREFIX);
    let document = match first_value(&request.body) {
        Ok(document) => document,
        Err(message) => return Ok(Reply::bad_request(&message)),
    };
    let parsed_ns = start.elapsed().as_nanos();
    let only_new = request.headers.get("if-none-match").is_some_and(|it| it == "*");
    let written = write(core, std::slice::from_ref(&path), |present| {
        check_owner(present, &path)?;
        if only_new && present.data.get(&path).is_some() {
            return Err(Refusal::Present);
        }
        Ok(present.data.put(&path, document)?)
    });
    Ok(written.unwrap_or_else(|| done(request, Some(parsed_ns), start)))
}

/// Answers `PATCH`: the body is a list of operations.
pub(crate) fn patch(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    core.must_wait()?;
    let start = Instant::now();
    let writes = match first_value(&request.body).and_then(|it| operations(request, it.root())) {
        Ok(writes) => writes,
        Err(message) => return Ok(Reply::bad_request(&message)),
    };
    let parsed_ns = start.elapsed().as_nanos();
    let paths: Vec<Vec<String>> = writes.iter().map(|it| it.path.clone()).collect();
    let written = write(core, &paths, |present| {
        paths.iter().try_for_each(|it| check_owner(present, it))?;
        Ok(present.data.write_all(&writes)?)
    });
    Ok(written.unwrap_or_else(|| done(request, Some(parsed_ns), start)))
}

/// Answers `DELETE`.
pub(crate) fn delete(core: &Core, request: &Request) -> Result<Reply, MayWait> {
    core.must_wait()?;
    let start = Instant::now();
    let path = request.keys_behind(PREFIX);
    if path.is_empty() {
        return Ok(Reply::empty(405));
    }
    let removal = Write { path, operation: Operation::Remove };
    // What is taken away is in no rule's way.
    let written = write(core, &[], |present| {
        check_owner(present, &removal.path)?;
        Ok(present.data.write(&removal)?)
    });
    Ok(written.unwrap_or_else(|| done(request, None, start)))
}

/// Writes, and checks that no rule stands where something was written; the answer if nothing was.
fn write(
    core: &Core,
    paths: &[Vec<String>],
    edit: impl FnOnce(&Generation) -> Result<Snapshot, Refusal>,
) -> Option<Reply> {
    let check = |policy: &Policy| {
        let mut paths = paths.iter().map(|it| it.iter().map(String::as_str).collect::<Vec<_>>());
        paths.try_for_each(|it| policy.check_data_at(&it)).map_err(Refusal::Rules)
    };
    let refusal = core.shared.generations.write(edit, check).err()?;
    Some(match refusal {
        Refusal::Present => Reply::empty(304),
        Refusal::Owned(message) => Reply::bad_request(&message),
        Refusal::Rules(faults) => Reply::bad_request(&faults.to_string()),
        Refusal::Storage(error) => match error.kind() {
            WriteErrorKind::NotFound => Reply::error(404, codes::NOT_FOUND, &error.to_string()),
            WriteErrorKind::Conflict => Reply::error(404, codes::CONFLICT, &error.to_string()),
            WriteErrorKind::Invalid | WriteErrorKind::Delta => Reply::bad_request(&error.to_string()),
        },
    })
}

/// Refuses paths that a bundle owns.
fn check_owner(present: &Generation, path: &[String]) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Refusal::Owned(message));
    let bundles = &present.bundles;
    if path.is_empty() && bundles.iter().any(|it| !it.roots.as_slice().is_empty()) {
        return refuse("can't write to document root with bundle roots configured".to_owned());
    }
    let meets = |root: &String| {
        let keys = root.split('/').filter(|it| !it.is_empty());
        keys.zip(path).all(|(key, other)| key == other)
    };
    match bundles.iter().find(|it| it.roots.as_slice().iter().any(meets)) {
        Some(owner) => refuse(format!("path {} is owned by bundle \"{}\"", path.join("/"), owner.name)),
        None => Ok(()),
    }
}

fn done(request: &Request, parsed_ns: Option<u128>, start: Instant) -> Reply {
    if !request.is_on("metrics") {
        return Reply::empty(204);
    }
    let parsed = parsed_ns.map(|it| format!("\"timer_rego_input_parse_ns\":{it},")).unwrap_or_default();
    let total = start.elapsed().as_nanos();
    let body = format!("{{\"metrics\":{{{parsed}\"timer_server_handler_ns\":{total}}}}}\n");
    Reply::json(body.into_bytes())
}

/// Reads the first JSON value of a body; what follows it is nobody's.
fn first_value(body: &[u8]) -> Result<Document, String> {
    let arena = lictor::Arena::new();
    let value = lictor::json::read_first(body, &arena).map_err(|error| error.to_string())?;
    Ok(Document::from_value(value))
}

/// Reads a list of operations, with Go's words for what is none.
fn operations(request: &Request, body: Value<'_>) -> Result<Vec<Write>, String> {
    if body.is_null() {
        return Ok(Vec::new());
    }
    let unfit =
        |value: Value<'_>, what: &str| format!("json: cannot unmarshal {} into Go {what}", json_kind(value));
    let items = body.as_array().ok_or_else(|| unfit(body, "value of type []types.PatchV1"))?;
    let root = request.keys_behind(PREFIX);
    let mut writes = Vec::with_capacity(items.len());
    for item in items.iter() {
        let members = match item.as_object() {
            Some(members) => members,
            None if item.is_null() => return Err("bad patch operation: ".to_owned()),
            None => return Err(unfit(item, "value of type types.PatchV1")),
        };
        let text = |name: &str| match members.get_str(name) {
            Some(value) if value.is_null() => Ok(String::new()),
            Some(value) => match value.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(unfit(value, &format!("struct field PatchV1.{name} of type string"))),
            },
            None => Ok(String::new()),
        };
        let (operation, below) = (text("op")?, text("path")?);
        let value = || Document::from_value(members.get_str("value").unwrap_or(Value::NULL));
        let operation = match operation.as_str() {
            "add" => Operation::Add(value()),
            "replace" => Operation::Replace(value()),
            "remove" => Operation::Remove,
            other => return Err(format!("bad patch operation: {other}")),
        };
        let mut path = root.clone();
        path.extend(keys(&below));
        writes.push(Write { path, operation });
    }
    Ok(writes)
}

/// Takes an operation's path apart (RFC 6901, with percent signs as in URLs).
fn keys(path: &str) -> impl Iterator<Item = String> {
    let parts = path.trim_matches('/').split('/').filter(|it| !it.is_empty());
    parts.map(|it| percent_decode_str(it).decode_utf8_lossy().replace("~1", "/").replace("~0", "~"))
}

fn json_kind(value: Value<'_>) -> &'static str {
    match value.kind() {
        lictor::Kind::Boolean => "bool",
        other => other.name(),
    }
}
