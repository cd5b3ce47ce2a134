//! URLs: `uri.*` and `urlquery.*`, with the rules and texts of Go's `net/url`.
//!
//! The rules stand in `go::url`; here they meet values. Escapes may stand for any byte, so parts are shown as text
//! at the end.

use std::collections::BTreeMap;

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, items, string};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::go::url::{Part, Url, escape, parse_query, unescape};
use crate::go_text::lossy;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("uri.parse", "str -> {str:str}", parse_uri),
    Builtin::pure("uri.is_valid", "str -> bool", |_, args| {
        let valid = |it: &str| !it.is_empty() && Url::parse(it).is_ok();
        answer_bool(any(args, 0).as_str().is_some_and(valid))
    }),
    Builtin::pure("urlquery.encode", "str -> str", |ctx, args| {
        let mut out = ctx.text();
        escape(string(args, 0)?.as_bytes(), Part::Query, &mut out);
        answer(ctx.arena.string(&out))
    }),
    Builtin::pure("urlquery.decode", "str -> str", |ctx, args| {
        let bytes = unescape(string(args, 0)?, Part::Query).map_err(BuiltinError::value)?;
        answer(ctx.arena.string(&lossy(&bytes)))
    }),
    Builtin::pure("urlquery.encode_object", "{str:str/[str*]/set[str]} -> str", encode_object),
    Builtin::pure("urlquery.decode_object", "str -> {str:[str*]}", decode_object),
];

fn parse_uri<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let url = Url::parse(string(args, 0)?).map_err(BuiltinError::value)?;
    let (host, port) = url.host_and_port();
    let raw_path = if url.raw_path.is_empty() { &url.path } else { url.raw_path.as_bytes() };
    let parts = [
        ("scheme", url.scheme.as_bytes()),
        ("hostname", host),
        ("port", port),
        ("path", &url.path),
        ("raw_path", if url.path.is_empty() { &[] } else { raw_path }),
        ("raw_query", url.raw_query.as_bytes()),
        ("fragment", &url.fragment),
    ];
    let mut pairs = ctx.pairs();
    for (name, bytes) in parts.into_iter().filter(|it| !it.1.is_empty()) {
        pairs.push((ctx.arena.string(name), ctx.arena.string(&lossy(bytes))));
    }
    answer(ctx.arena.object(&mut pairs))
}

fn encode_object<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let value = any(args, 0);
    let Some(object) = value.as_object() else {
        return Err(BuiltinError::operand(1, &["object"], value));
    };
    // Keys that are no strings count as their JSON text, and the keys are sorted as texts.
    let mut sorted: BTreeMap<String, Value<'e>> = BTreeMap::new();
    for (key, values) in object.iter() {
        sorted.insert(key.as_str().map_or_else(|| key.to_json(), str::to_owned), values);
    }
    let mut out = ctx.text();
    for (key, values) in sorted {
        match items(values) {
            None => push_parameter(&mut out, &key, values)?,
            Some(items) => items.iter().try_for_each(|it| push_parameter(&mut out, &key, it))?,
        }
    }
    answer(ctx.arena.string(&out))
}

fn push_parameter(out: &mut String, key: &str, value: Value<'_>) -> Result<(), BuiltinError> {
    let Some(text) = value.as_str().filter(|_| value.kind() == Kind::String) else {
        let message = "operand 1 values must be string, array[string], or set[string]";
        return Err(BuiltinError::new(ErrorKind::Type, message));
    };
    if !out.is_empty() {
        out.push('&');
    }
    escape(key.as_bytes(), Part::Query, out);
    out.push('=');
    escape(text.as_bytes(), Part::Query, out);
    Ok(())
}

fn decode_object<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let query = string(args, 0)?;
    let mut parameters: BTreeMap<Vec<u8>, Vec<Value<'e>>> = BTreeMap::new();
    for (key, value) in parse_query(query).map_err(BuiltinError::value)? {
        parameters.entry(key).or_default().push(ctx.arena.string(&lossy(&value)));
    }
    let mut pairs = ctx.pairs();
    for (key, values) in parameters {
        pairs.push((ctx.arena.string(&lossy(&key)), ctx.arena.array(&values)));
    }
    answer(ctx.arena.object(&mut pairs))
}
