//! `json.match_schema` and `json.verify_schema`.
//!
//! The schemas are `json_schema`'s; here documents and schemas are taken as text or value, read schemas are kept,
//! and failures become values.

use std::sync::Arc;

use lictor_value::{Kind, Value, json};

use crate::builtin::Builtin;
use crate::builtins::graphs::walk_with;
use crate::builtins::operands::{Answer, answer, any};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::json_schema::{Failure, Halt, Schema};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::impure(
        "json.match_schema",
        "str/{any:any}, str/{any:any} -> [bool,[{desc:str,error:str,field:str,type:str}*]]",
        match_schema,
    ),
    Builtin::impure("json.verify_schema", "str/{any:any} -> [bool,null/str]", verify_schema),
];

/// Schemas up to this length are kept.
const KEPT_BYTES_MAX: usize = 1 << 20;

fn verify_schema<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let fault = match schema(ctx, any(args, 0)) {
        Ok(_) => Value::NULL,
        Err(fault) => ctx.arena.string(&format!("jsonschema: {fault}")),
    };
    answer(ctx.arena.array(&[Value::bool(fault.is_null()), fault]))
}

fn match_schema<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let document = document(ctx, any(args, 0)).map_err(BuiltinError::value)?;
    let schema = schema(ctx, any(args, 1)).map_err(BuiltinError::value)?;
    let failures = match schema.check(document, &|| !ctx.host.cancelled()) {
        Ok(failures) => failures,
        Err(Halt::TooDeep) => {
            return Err(BuiltinError::value("document or its schema nests too deeply"));
        }
        Err(Halt::TooLong) => return Err(BuiltinError::value("schema takes too many steps to check")),
        Err(Halt::Stopped) => {
            return Err(BuiltinError::new(ErrorKind::HaltCancel, "caller cancelled query execution"));
        }
    };
    let described: Vec<Value<'e>> = failures.iter().map(|it| describe(ctx, it)).collect();
    answer(ctx.arena.array(&[Value::bool(described.is_empty()), ctx.arena.array(&described)]))
}

fn describe<'e>(ctx: Context<'e>, failure: &Failure) -> Value<'e> {
    let error = format!("{}: {}", failure.field, failure.description);
    let mut pairs = ctx.pairs();
    for (key, text) in [
        ("desc", failure.description.as_str()),
        ("error", error.as_str()),
        ("field", failure.field.as_str()),
        ("type", failure.kind),
    ] {
        pairs.push((ctx.arena.string(key), ctx.arena.string(text)));
    }
    ctx.arena.object(&mut pairs)
}

/// Calls the function with the JSON text that an operand is or stands for.
fn with_text<'e, T>(
    ctx: Context<'e>,
    value: Value<'e>,
    use_it: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, String> {
    match value.kind() {
        Kind::String => {
            let text = value.as_str().unwrap_or("");
            if !json::is_valid(text.as_bytes()) {
                return Err("invalid JSON string".to_owned());
            }
            use_it(text)
        }
        Kind::Object | Kind::Array => use_it(&ctx.json_text(value)),
        Kind::Null | Kind::Boolean | Kind::Number | Kind::Set => {
            Err("wrong type, expected string or object".to_owned())
        }
    }
}

/// Returns the document as a JSON value; one that is none yet goes through text.
fn document<'e>(ctx: Context<'e>, value: Value<'e>) -> Result<Value<'e>, String> {
    if matches!(value.kind(), Kind::Object | Kind::Array) {
        let mut is_json = true;
        let walked = walk_with(ctx, value, |_, it| {
            is_json &= match it.kind() {
                Kind::Set => false,
                Kind::Object => it.as_object().is_some_and(|it| it.iter().all(|it| it.0.is_string())),
                _ => true,
            };
        });
        if is_json && walked.is_ok() {
            return Ok(value);
        }
    }
    with_text(ctx, value, |text| json::read_first(text.as_bytes(), ctx.arena).map_err(|it| it.to_string()))
}

fn schema<'e>(ctx: Context<'e>, value: Value<'e>) -> Result<Arc<Schema>, String> {
    with_text(ctx, value, |text| {
        if let Some(kept) = ctx.caches.schemas.borrow().get(text) {
            return Ok(kept);
        }
        let fetch = |address: &str| Err(format!("remote reference loading disabled: {address}"));
        let schema = Arc::new(Schema::read(text.as_bytes(), &fetch)?);
        if schema.is_local() && text.len() <= KEPT_BYTES_MAX {
            ctx.caches.schemas.borrow_mut().insert(text, Arc::clone(&schema));
        }
        Ok(schema)
    })
}
