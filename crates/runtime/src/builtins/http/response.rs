//! An answer of another machine as a value.
//!
//! A body that is not what it says it is reads as null, without an error. It knows neither requests nor hosts.

use lictor_value::{Value, json};

use crate::builtins::http::media::{self, Media};
use crate::builtins::http::request::Decoding;
use crate::builtins::json::check_numbers;
use crate::builtins::yaml;
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go_text::lossy;
use crate::http::HttpResponse;

/// Returns the value of a response.
pub(super) fn value<'e>(
    ctx: Context<'e>,
    response: &HttpResponse,
    decoding: Decoding,
) -> Result<Value<'e>, BuiltinError> {
    let raw = lossy(&response.body);
    ctx.check_text(raw.len())?;
    let said = media::of_response(response);
    let body = match decoding {
        Decoding { force_json: true, .. } => read_json(ctx, &raw),
        _ if said == Media::Json => read_json(ctx, &raw),
        Decoding { force_yaml: true, .. } => read_yaml(ctx, &raw),
        _ if said == Media::Yaml => read_yaml(ctx, &raw),
        _ => None,
    };
    let text = |it: &str| ctx.arena.string(it);
    let headers = response.headers.iter().map(|(name, values)| {
        let values: Vec<Value<'e>> = values.iter().map(|it| text(it)).collect();
        (text(name), ctx.arena.array(&values))
    });
    let headers = ctx.arena.object(&mut headers.collect());
    let mut pairs = vec![
        (text("status"), text(&response.status)),
        (text("status_code"), ctx.arena.int(i64::from(response.status_code))),
        (text("body"), body.unwrap_or(Value::NULL)),
        (text("raw_body"), text(&raw)),
        (text("headers"), headers),
    ];
    Ok(ctx.arena.object(&mut pairs))
}

/// Reads the first JSON value of a body; what follows it does not matter.
fn read_json<'e>(ctx: Context<'e>, text: &str) -> Option<Value<'e>> {
    let value = json::read_first(text.as_bytes(), ctx.arena).ok()?;
    check_numbers(ctx, text, value).ok().map(|()| value)
}

fn read_yaml<'e>(ctx: Context<'e>, text: &str) -> Option<Value<'e>> {
    if json::is_valid(text.as_bytes()) {
        return read_json(ctx, text);
    }
    yaml::read(ctx, text).ok()
}
