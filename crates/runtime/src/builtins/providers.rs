//! Requests signed for cloud providers: `providers.aws.sign_req`, Amazon's signature version 4.
//!
//! Here operands become a request and credentials, with OPA's texts for those that do not; signing is
//! `http::sigv4`'s. Nothing is sent.

use std::collections::BTreeMap;

use lictor_value::{Kind, Object, Value};

use crate::builtin::Builtin;
use crate::builtins::http;
use crate::builtins::operands::{Answer, answer, any, object, written_int};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::go::url::Url;
use crate::go_text::quote;
use crate::http::sigv4::{Credentials, Request, UNSIGNED_PAYLOAD, digest, sign};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] =
    &[Builtin::pure("providers.aws.sign_req", "{str:any}, {str:any}, num -> {any:any}", sign_request)];

/// Keys that the configuration must have, in order.
const CONFIG_KEYS: [&str; 4] = ["aws_access_key", "aws_region", "aws_secret_access_key", "aws_service"];

fn sign_request<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let request = object(args, 0)?;
    // OPA counts these two operands as the first.
    let config = any(args, 1);
    let config = config.as_object().ok_or_else(|| BuiltinError::operand(1, &["object"], config))?;
    let config_text = |key: &str| text_or_empty(config.get_str(key));
    check_config(config)?;
    let time = any(args, 2);
    if time.kind() != Kind::Number {
        return Err(BuiltinError::operand(1, &["number"], time));
    }
    let no_time = || BuiltinError::operand_text(3, "could not convert time_ns value into a unix timestamp");
    let time_ns = written_int(time).ok_or_else(no_time)?;
    check_request_keys(request)?;
    let headers = headers(request)?;
    let (method, url) = method_and_url(request)?;
    let url = Url::parse(&url).map_err(BuiltinError::value)?;
    let body = body(ctx, request);
    let unsigned_payload = match config.get_str("disable_payload_signing") {
        None => false,
        Some(value) => value.as_bool().ok_or_else(|| {
            BuiltinError::operand_text(2, "invalid value for 'disable_payload_signing' in AWS config")
        })?,
    };
    let payload = if unsigned_payload { UNSIGNED_PAYLOAD.to_owned() } else { digest(&body) };
    let described = Request {
        method: &method,
        url: &url,
        headers: &headers,
        payload: &payload,
        body_bytes: body.len(),
        service: &config_text("aws_service"),
        time_ns,
    };
    let credentials = Credentials {
        access_key: config_text("aws_access_key"),
        secret_key: config_text("aws_secret_access_key"),
        region: config_text("aws_region"),
        session_token: config_text("aws_session_token"),
    };
    let signed = sign(&described, &credentials);
    let mut pairs = ctx.pairs();
    for (name, value) in headers.iter().chain(&signed) {
        pairs.push((ctx.arena.string(name), ctx.arena.string(value)));
    }
    let signed = ctx.arena.object(&mut pairs);
    let mut pairs = ctx.pairs();
    pairs.extend(request.iter());
    pairs.push((ctx.arena.string("headers"), signed));
    answer(ctx.arena.object(&mut pairs))
}

fn text_or_empty(value: Option<Value<'_>>) -> String {
    value.as_ref().and_then(|it| it.as_str()).unwrap_or("").to_owned()
}

/// Writes names as a set of strings, as OPA shows it in messages; nothing if there are none.
fn set_of<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<String> = names.map(quote).collect();
    (!names.is_empty()).then(|| format!("{{{}}}", names.join(", ")))
}

fn check_config(config: Object<'_>) -> Result<(), BuiltinError> {
    let keys = |wanted: &dyn Fn(Option<Value<'_>>) -> bool| {
        set_of(CONFIG_KEYS.into_iter().filter(|it| wanted(config.get_str(it))))
    };
    if let Some(missing) = keys(&|it| it.is_none()) {
        let text = format!("missing required AWS config parameters(s): {missing}");
        return Err(BuiltinError::operand_text(2, &text));
    }
    if let Some(invalid) = keys(&|it| !it.is_some_and(|it| it.is_string())) {
        let text = format!("invalid values for required AWS config parameters(s): {invalid}");
        return Err(BuiltinError::operand_text(2, &text));
    }
    Ok(())
}

fn check_request_keys(request: Object<'_>) -> Result<(), BuiltinError> {
    let known = |it: &Value<'_>| it.as_str().is_some_and(|it| http::REQUEST_KEYS.binary_search(&it).is_ok());
    let invalid: Vec<String> =
        request.iter().map(|it| it.0).filter(|it| !known(it)).map(|it| it.to_string()).collect();
    if !invalid.is_empty() {
        let text = format!("invalid request parameters(s): {{{}}}", invalid.join(", "));
        return Err(BuiltinError::operand_text(1, &text));
    }
    let missing = ["method", "url"].into_iter().filter(|it| request.get_str(it).is_none());
    match set_of(missing) {
        None => Ok(()),
        Some(missing) => {
            let text = format!("missing required request parameters(s): {missing}");
            Err(BuiltinError::operand_text(1, &text))
        }
    }
}

/// Returns the headers as texts; what is no text counts as an empty one.
fn headers(request: Object<'_>) -> Result<BTreeMap<String, String>, BuiltinError> {
    let Some(headers) = request.get_str("headers") else { return Ok(BTreeMap::new()) };
    let Some(headers) = headers.as_object() else {
        return Err(BuiltinError::operand(0, &["object"], headers));
    };
    Ok(headers.iter().map(|(name, value)| (text_or_empty(Some(name)), text_or_empty(Some(value)))).collect())
}

fn method_and_url(request: Object<'_>) -> Result<(String, String), BuiltinError> {
    let is_text = |key: &str| request.get_str(key).is_some_and(|it| it.is_string());
    if let Some(invalid) = set_of(["method", "url"].into_iter().filter(|it| !is_text(it))) {
        let text = format!("invalid values for required request parameters(s): {invalid}");
        return Err(BuiltinError::new(ErrorKind::Type, format!("operand 1 {text}")));
    }
    Ok((text_or_empty(request.get_str("method")), text_or_empty(request.get_str("url"))))
}

fn body<'e>(ctx: Context<'e>, request: Object<'e>) -> Vec<u8> {
    match (request.get_str("raw_body"), request.get_str("body")) {
        (Some(raw), _) => raw.as_str().unwrap_or("").as_bytes().to_vec(),
        (None, Some(body)) => ctx.json_text(body).as_bytes().to_vec(),
        (None, None) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted() {
        assert!(http::REQUEST_KEYS.is_sorted());
        assert!(CONFIG_KEYS.is_sorted());
    }
}
