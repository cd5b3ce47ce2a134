//! The operand of `http.send`: its keys, their types, and OPA's texts for what is wrong with them.
//!
//! Keys are read in their sorted order, as the first fault is the one that shows. What a certificate or a name is
//! worth is the host's to find out.

use std::collections::BTreeMap;

use lictor_value::{Kind, Object, Value};

use crate::builtins::http::fault::Fault;
use crate::builtins::operands::written_int;
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::go::duration::parse_go_duration;
use crate::go::url::{Part, Url, escape, parse_query};
use crate::go_text::{lossy, quote};
use crate::http::{
    HttpCaching, HttpRequest, PemSource, Redirects, TlsSettings, canonical_header, check_host, host_to_check,
    is_token,
};

/// The keys that a request may have, sorted.
pub(crate) const REQUEST_KEYS: &[&str] = &[
    "body",
    "cache",
    "cache_ignored_headers",
    "caching_mode",
    "enable_redirect",
    "force_cache",
    "force_cache_duration_seconds",
    "force_json_decode",
    "force_yaml_decode",
    "headers",
    "max_retry_attempts",
    "method",
    "raise_error",
    "raw_body",
    "timeout",
    "tls_ca_cert",
    "tls_ca_cert_env_variable",
    "tls_ca_cert_file",
    "tls_client_cert",
    "tls_client_cert_env_variable",
    "tls_client_cert_file",
    "tls_client_key",
    "tls_client_key_env_variable",
    "tls_client_key_file",
    "tls_insecure_skip_verify",
    "tls_server_name",
    "tls_use_system_certs",
    "url",
];

/// The keys whose values must be strings, beside those of TLS.
const STRING_KEYS: &[&str] = &["method", "raw_body", "url"];

/// The version that requests with headers of their own say they come from.
const LANGUAGE_VERSION: &str = "1.22.0";

/// Values nested deeper than this are not shown in texts.
const SHOWN_DEPTH_MAX: u32 = 64;

/// How a body is decoded whatever its headers say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoding {
    pub(super) force_json: bool,
    pub(super) force_yaml: bool,
}

/// For how long an answer is kept: as its headers say, or so many seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keeping {
    force_seconds: i32,
}

/// What was found out before the request is read.
pub(super) struct Asked {
    pub(super) key: String,
    pub(super) caches: Option<Keeping>,
}

/// Refuses unknown keys, and the lack of those that must be there.
pub(super) fn check_keys(request: Object<'_>) -> Result<(), BuiltinError> {
    let refuse = |what: &str, keys: Vec<String>| {
        let text = format!("operand 1 {what} request parameters(s): {{{}}}", keys.join(", "));
        Err(BuiltinError::new(ErrorKind::Type, text))
    };
    let is_known = |it: &Value<'_>| it.as_str().is_some_and(|name| REQUEST_KEYS.binary_search(&name).is_ok());
    let unknown: Vec<String> =
        request.iter().map(|it| it.0).filter(|it| !is_known(it)).map(|it| it.to_string()).collect();
    if !unknown.is_empty() {
        return refuse("invalid", unknown);
    }
    let missing = ["method", "url"].into_iter().filter(|it| request.get_str(it).is_none());
    let missing: Vec<String> = missing.map(quote).collect();
    if missing.is_empty() { Ok(()) } else { refuse("missing required", missing) }
}

/// Returns what equal requests have in common: the request without the headers that it says do not count.
pub(super) fn key<'e>(ctx: Context<'e>, request: Object<'e>) -> Result<String, Fault> {
    let ignored_key = ctx.arena.string("cache_ignored_headers");
    let headers = counted_headers(ctx, request)?;
    let mut pairs = ctx.pairs();
    pairs.extend(request.iter().filter(|it| it.0 != ignored_key));
    pairs.push((ignored_key, Value::NULL));
    if let Some(headers) = headers {
        pairs.iter_mut().filter(|it| it.0.as_str() == Some("headers")).for_each(|it| it.1 = headers);
    }
    let mut text = String::new();
    ctx.push_rego(&mut text, ctx.arena.object(&mut pairs));
    Ok(text)
}

/// Returns the headers without those that do not count; none if all do.
fn counted_headers<'e>(ctx: Context<'e>, request: Object<'e>) -> Result<Option<Value<'e>>, Fault> {
    let (Some(ignored), Some(headers)) =
        (request.get_str("cache_ignored_headers"), request.get_str("headers"))
    else {
        return Ok(None);
    };
    let ignored = ignored.as_array().filter(|it| it.iter().all(|name| name.is_string()));
    let Some(ignored) = ignored else {
        return Err(Fault::Plain("cache_ignored_headers must be an array of strings".to_owned()));
    };
    let Some(headers) = headers.as_object() else {
        return Err(Fault::Plain("invalid type for headers key".to_owned()));
    };
    let mut pairs = ctx.pairs();
    pairs.extend(headers.iter().filter(|it| !ignored.iter().any(|name| name == it.0)));
    Ok(Some(ctx.arena.object(&mut pairs)))
}

/// Says whether the answer is to be kept for other evaluations.
pub(super) fn asks_to_keep(request: Object<'_>) -> Result<Option<Keeping>, BuiltinError> {
    let keeps = flag(request, "cache")?;
    if !flag(request, "force_cache")? {
        return Ok(keeps.then_some(Keeping { force_seconds: 0 }));
    }
    let Some(seconds) = request.get_str("force_cache_duration_seconds") else {
        let text = "'force_cache' set but 'force_cache_duration_seconds' parameter is missing";
        return Err(BuiltinError::value(text));
    };
    let text = seconds.to_string();
    let wrong =
        |what: &str| BuiltinError::value(format!("strconv.ParseInt: parsing {}: {what}", quote(&text)));
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return Err(wrong("invalid syntax"));
    }
    let force_seconds = text.parse().map_err(|_| wrong("value out of range"))?;
    Ok(Some(Keeping { force_seconds }))
}

/// Says how the body is decoded whatever its headers say.
pub(super) fn decoding(request: Object<'_>) -> Result<Decoding, BuiltinError> {
    let force_json = flag(request, "force_json_decode")?;
    Ok(Decoding { force_json, force_yaml: flag(request, "force_yaml_decode")? })
}

fn flag(request: Object<'_>, name: &str) -> Result<bool, BuiltinError> {
    let Some(value) = request.get_str(name) else { return Ok(false) };
    value.as_bool().ok_or_else(|| BuiltinError::value(format!("invalid value for {} field", quote(name))))
}

/// Returns how often to try again.
pub(super) fn retries(request: Object<'_>) -> Result<u64, String> {
    let Some(value) = request.get_str("max_retry_attempts") else { return Ok(0) };
    let count = value.as_i64().and_then(|it| u64::try_from(it).ok());
    count.ok_or_else(|| format!("invalid value {value} for field \"max_retry_attempts\""))
}

/// Reads the request as far as it is sent.
pub(super) fn read<'e>(
    ctx: Context<'e>,
    operand: Object<'e>,
    asked: Asked,
) -> Result<HttpRequest, BuiltinError> {
    let mut draft = Draft::default();
    for (key, value) in operand.iter() {
        draft.take(ctx, key.as_str().unwrap_or(""), value)?;
    }
    let headers = headers(ctx, operand.get_str("headers"))?;
    if draft.tls.server_name.is_empty()
        && let Some((_, host)) = headers.iter().find(|it| it.0 == "Host")
    {
        draft.tls.server_name.clone_from(host);
    }
    let (url, socket) = target(&draft.url);
    if !draft.method.is_empty() && !is_token(&draft.method) {
        let text = format!("net/http: invalid method {}", quote(&draft.method));
        return Err(BuiltinError::value(text));
    }
    let method = if draft.method.is_empty() { "GET".to_owned() } else { draft.method };
    let caching = match asked.caches {
        Some(keeping) => Some(caching(ctx, operand, asked.key, keeping)?),
        None => None,
    };
    Ok(HttpRequest {
        method,
        url: url.map_err(BuiltinError::value)?,
        socket,
        headers,
        body: draft.body,
        redirects: draft.redirects,
        timeout_ns: draft.timeout_ns,
        retries_max: 0,
        tls: draft.tls,
        caching,
        allow_net: ctx.allow_net.map(Into::into),
    })
}

fn caching<'e>(
    ctx: Context<'e>,
    operand: Object<'e>,
    key: String,
    keeping: Keeping,
) -> Result<HttpCaching, BuiltinError> {
    let counted = counted_headers(ctx, operand).ok().flatten();
    let mode = operand.get_str("caching_mode");
    Ok(HttpCaching {
        key,
        headers: headers(ctx, counted.or(operand.get_str("headers")))?,
        force_seconds: keeping.force_seconds,
        may_store: mode.is_none_or(|it| matches!(it.as_str(), Some("serialized" | "deserialized"))),
        now_ns: ctx.caches.now_ns(ctx.host),
    })
}

/// A request that is being read.
#[derive(Default)]
struct Draft {
    method: String,
    url: String,
    body: Vec<u8>,
    redirects: Redirects,
    timeout_ns: Option<i64>,
    tls: TlsSettings,
}

impl Draft {
    fn take<'e>(&mut self, ctx: Context<'e>, key: &str, value: Value<'e>) -> Result<(), BuiltinError> {
        let text = value.as_str();
        let is_tls_text = text_place(&mut self.tls, key).is_some();
        if text.is_none() && (is_tls_text || STRING_KEYS.contains(&key)) {
            return Err(BuiltinError::value(format!("{} must be a string", quote(key))));
        }
        // OPA takes quotes off the ends of every text.
        let text = text.unwrap_or("").trim_matches('"');
        match key {
            "method" => self.method = text.to_uppercase(),
            "url" => {
                if ctx.allow_net.is_some() {
                    let url = Url::parse(text).map_err(BuiltinError::value)?;
                    check_host(ctx.allow_net, &host_to_check(&url)).map_err(BuiltinError::value)?;
                }
                text.clone_into(&mut self.url);
            }
            "body" => value.write_json(&mut self.body),
            "raw_body" => self.body = text.as_bytes().to_vec(),
            "enable_redirect" => {
                self.redirects = if parse_bool(value)? { Redirects::Follow } else { Redirects::Return };
            }
            "tls_use_system_certs" => self.tls.use_system_certs = parse_bool(value)?,
            "tls_insecure_skip_verify" => self.tls.insecure_skip_verify = parse_bool(value)?,
            "timeout" => self.timeout_ns = Some(timeout(value)?),
            "headers" if value.as_object().is_none() => {
                return Err(BuiltinError::value("invalid type for headers key"));
            }
            key => {
                if let Some(place) = text_place(&mut self.tls, key) {
                    text.clone_into(place);
                }
            }
        }
        Ok(())
    }
}

/// Returns where the text of a key of TLS belongs.
fn text_place<'a>(tls: &'a mut TlsSettings, key: &str) -> Option<&'a mut String> {
    let source = |source: &'a mut PemSource, form: &str| match form {
        "" => Some(&mut source.text),
        "_file" => Some(&mut source.file),
        "_env_variable" => Some(&mut source.variable),
        _ => None,
    };
    let key = key.strip_prefix("tls_")?;
    if let Some(form) = key.strip_prefix("ca_cert") {
        source(&mut tls.ca_cert, form)
    } else if let Some(form) = key.strip_prefix("client_cert") {
        source(&mut tls.client_cert, form)
    } else if let Some(form) = key.strip_prefix("client_key") {
        source(&mut tls.client_key, form)
    } else {
        (key == "server_name").then_some(&mut tls.server_name)
    }
}

/// Reads what Go takes for a boolean in a term's text: besides booleans, the numbers 0 and 1.
fn parse_bool(value: Value<'_>) -> Result<bool, BuiltinError> {
    match value.to_string().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        text => {
            let text = quote(text);
            Err(BuiltinError::value(format!("strconv.ParseBool: parsing {text}: invalid syntax")))
        }
    }
}

fn timeout(value: Value<'_>) -> Result<i64, BuiltinError> {
    if value.kind() == Kind::Number {
        let text = || format!("invalid timeout number value {value}, must be int64");
        return written_int(value).ok_or_else(|| BuiltinError::value(text()));
    }
    let Some(text) = value.as_str() else {
        let got = value.kind().name();
        let text = format!("operand 1 'timeout' must be one of {{string, number}} but got {got}");
        return Err(BuiltinError::new(ErrorKind::Type, text));
    };
    if let Ok(nanoseconds) = text.parse() {
        return Ok(nanoseconds);
    }
    parse_go_duration(text).map_err(|it| BuiltinError::value(format!("invalid timeout value {value}: {it}")))
}

/// Returns where to send, and the socket if the URL names one: `unix://host/path?socket=%2Fa`.
fn target(text: &str) -> (Result<Url, String>, Option<String>) {
    let url = match Url::parse(text) {
        Ok(url) if url.scheme == "unix" && !url.raw_query.is_empty() => url,
        parsed => return (parsed, None),
    };
    let Ok(parameters) = parse_query(&url.raw_query) else { return (Ok(url), None) };
    let mut by_key: BTreeMap<&[u8], Vec<&[u8]>> = BTreeMap::new();
    for (key, value) in &parameters {
        by_key.entry(key).or_default().push(value);
    }
    let socket =
        by_key.remove(b"socket".as_slice()).and_then(|it| it.first().map(|it| lossy(it).into_owned()));
    let mut raw_query = String::new();
    for (key, value) in by_key.iter().flat_map(|(key, values)| values.iter().map(move |it| (key, it))) {
        if !raw_query.is_empty() {
            raw_query.push('&');
        }
        escape(key, Part::Query, &mut raw_query);
        raw_query.push('=');
        escape(value, Part::Query, &mut raw_query);
    }
    let force_query = false;
    (Ok(Url { scheme: "http".to_owned(), raw_query, force_query, ..url }), Some(socket.unwrap_or_default()))
}

/// Reads headers; none of their own means that the sender's defaults are used.
fn headers<'e>(ctx: Context<'e>, headers: Option<Value<'e>>) -> Result<Vec<(String, String)>, BuiltinError> {
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    for (key, value) in headers.and_then(Value::as_object).into_iter().flat_map(|it| it.iter()) {
        let name = key.as_str().map_or_else(|| ctx.json_text(key).clone(), str::to_owned);
        let Some(text) = value.as_str() else {
            let shown = go_quoted(value, 0);
            return Err(BuiltinError::value(format!("invalid type for headers value {shown}")));
        };
        out.insert(canonical_header(&name), text.to_owned());
    }
    if !out.is_empty() {
        out.entry("User-Agent".to_owned()).or_insert_with(user_agent);
    }
    Ok(out.into_iter().collect())
}

fn user_agent() -> String {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("Open-Policy-Agent/{LANGUAGE_VERSION} ({}, {architecture})", std::env::consts::OS)
}

/// Shows a value as Go's `%q` does.
fn go_quoted(value: Value<'_>, depth: u32) -> String {
    if depth > SHOWN_DEPTH_MAX {
        return "...".to_owned();
    }
    let list = |it: &mut dyn Iterator<Item = Value<'_>>| {
        let shown: Vec<String> = it.map(|it| go_quoted(it, depth + 1)).collect();
        format!("[{}]", shown.join(" "))
    };
    match value.kind() {
        Kind::Null => "%!q(<nil>)".to_owned(),
        Kind::Boolean => format!("%!q(bool={})", value.is_true()),
        Kind::Number => quote(value.to_string()),
        Kind::String => quote(value.as_str().unwrap_or("")),
        Kind::Array => list(&mut value.as_array().into_iter().flat_map(|it| it.iter())),
        Kind::Set => list(&mut value.as_set().into_iter().flat_map(|it| it.iter())),
        Kind::Object => {
            let pairs = value.as_object().into_iter().flat_map(|it| it.iter());
            let key = |it: Value<'_>| it.as_str().map_or_else(|| it.to_json(), str::to_owned);
            let shown: Vec<String> =
                pairs.map(|it| format!("{}:{}", quote(key(it.0)), go_quoted(it.1, depth + 1))).collect();
            format!("map[{}]", shown.join(" "))
        }
    }
}
