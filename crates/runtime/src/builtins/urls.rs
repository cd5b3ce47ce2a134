//! URLs: `uri.*` and `urlquery.*`, with the rules and texts of Go's `net/url`.
//!
//! Escapes may stand for any byte, so parts are unescaped as bytes and shown as text at the end.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, items, string};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::go_text::{lossy, quote};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("uri.parse", "str -> {str:str}", parse_uri),
    Builtin::pure("uri.is_valid", "str -> bool", |_, args| {
        let valid = |it: &str| !it.is_empty() && Uri::parse(it).is_ok();
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

/// Go reads no more parameters.
const PARAMETERS_MAX: usize = 10_000;

/// The part of a URL that a text stands in; each has its own characters that stand for themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    UserPassword,
    Query,
    Fragment,
}

impl Part {
    fn keeps(self, byte: u8) -> bool {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            return true;
        }
        let kept: &[u8] = match self {
            Self::Path => b"$&+,/:;=@",
            Self::Host | Self::Zone => b"!\"$&'()*+,:;<=>[]",
            Self::UserPassword => b"$&+,;=",
            Self::Query => b"",
            Self::Fragment => b"!$&()*+,/:;=?@",
        };
        kept.contains(&byte)
    }
}

fn escape(bytes: &[u8], part: Part, out: &mut String) {
    for byte in bytes {
        match byte {
            b' ' if part == Part::Query => out.push('+'),
            byte if part.keeps(*byte) => out.push(char::from(*byte)),
            byte => {
                out.push('%');
                for digit in [byte >> 4, byte & 15] {
                    let digit = char::from_digit(u32::from(digit), 16).unwrap_or('0');
                    out.push(digit.to_ascii_uppercase());
                }
            }
        }
    }
}

fn hex(byte: Option<&u8>) -> Option<u8> {
    char::from(*byte?).to_digit(16).and_then(|it| u8::try_from(it).ok())
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let in_host = matches!(part, Part::Host | Part::Zone);
    let bad_escape = |at: usize| {
        let shown = bytes.get(at..(at + 3).min(bytes.len())).unwrap_or(&[]);
        Err(format!("invalid URL escape {}", quote(shown)))
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'%' => {
                let (Some(high), Some(low)) = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) else {
                    return bad_escape(at);
                };
                let value = high << 4 | low;
                let refused = match part {
                    Part::Host => high < 8 && value != b'%',
                    Part::Zone => value != b'%' && value != b' ' && !Part::Host.keeps(value),
                    _ => false,
                };
                if refused {
                    return bad_escape(at);
                }
                out.push(value);
                at += 2;
            }
            b'+' if part == Part::Query => out.push(b' '),
            byte if in_host && byte.is_ascii() && !part.keeps(*byte) => {
                let shown = char::from(*byte).to_string();
                return Err(format!("invalid character {} in host name", quote(shown)));
            }
            byte => out.push(*byte),
        }
        at += 1;
    }
    Ok(out)
}

/// The parts that `uri.parse` answers; empty means absent.
#[derive(Default)]
struct Uri {
    scheme: String,
    host: Vec<u8>,
    path: Vec<u8>,
    raw_path: Vec<u8>,
    raw_query: String,
    fragment: Vec<u8>,
}

impl Uri {
    fn parse(text: &str) -> Result<Self, String> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut uri =
            Self::parse_before_fragment(before).map_err(|it| format!("parse {}: {it}", quote(before)))?;
        uri.fragment =
            unescape(fragment, Part::Fragment).map_err(|it| format!("parse {}: {it}", quote(text)))?;
        Ok(uri)
    }

    fn parse_before_fragment(text: &str) -> Result<Self, String> {
        if text.bytes().any(|it| it < b' ' || it == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        let mut uri = Self::default();
        if text == "*" {
            uri.path = b"*".to_vec();
            uri.raw_path = b"*".to_vec();
            return Ok(uri);
        }
        let (scheme, rest) = split_scheme(text)?;
        uri.scheme = scheme.to_ascii_lowercase();
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        query.clone_into(&mut uri.raw_query);
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                return Ok(uri);
            }
            if rest.split('/').next().is_some_and(|it| it.contains(':')) {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let authority = rest.strip_prefix("//").filter(|it| !scheme.is_empty() || !it.starts_with('/'));
        let path = match authority {
            None => rest,
            Some(after) => {
                let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
                uri.host = parse_authority(&uri.scheme, authority)?;
                path
            }
        };
        uri.set_path(path)?;
        Ok(uri)
    }

    /// Keeps the escaped form of a path only where escaping anew would give another.
    fn set_path(&mut self, path: &str) -> Result<(), String> {
        self.path = unescape(path, Part::Path)?;
        let mut escaped = String::new();
        escape(&self.path, Part::Path, &mut escaped);
        self.raw_path = if escaped == path { self.path.clone() } else { path.as_bytes().to_vec() };
        Ok(())
    }

    fn host_and_port(&self) -> (&[u8], &[u8]) {
        let colon = self.host.iter().rposition(|it| *it == b':');
        let (host, port) = match colon.map(|it| self.host.split_at(it)) {
            Some((host, [_, port @ ..])) if port.iter().all(u8::is_ascii_digit) => (host, port),
            _ => (self.host.as_slice(), [].as_slice()),
        };
        let bare = host.strip_prefix(b"[").and_then(|it| it.strip_suffix(b"]"));
        (bare.unwrap_or(host), port)
    }
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok(text.split_once(':').unwrap_or(("", text))),
            _ => break,
        }
    }
    Ok(("", text))
}

fn parse_authority(scheme: &str, authority: &str) -> Result<Vec<u8>, String> {
    let Some((user, host)) = authority.rsplit_once('@') else { return parse_host(scheme, authority) };
    let host = parse_host(scheme, host)?;
    let in_user = |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
    if !user.chars().all(in_user) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    unescape(name, Part::UserPassword)?;
    unescape(password, Part::UserPassword)?;
    Ok(host)
}

/// Checks what follows a host: nothing, or a colon and perhaps digits.
fn check_port(colon_port: &str) -> Result<(), String> {
    let port = colon_port.strip_prefix(':');
    if colon_port.is_empty() || port.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit())) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", quote(colon_port)))
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return parse_literal(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    if let (Some(first), Some(last)) = (host.find(':'), host.rfind(':')) {
        let colon = if matches!(scheme, "http" | "https") { first } else { last };
        check_port(host.get(colon..).unwrap_or(""))?;
    }
    unescape(host, Part::Host)
}

/// Reads an IPv6 address in brackets, perhaps with a zone.
fn parse_literal(host: &str) -> Result<Vec<u8>, String> {
    let Some((inside, colon_port)) = host.strip_prefix('[').and_then(|it| it.rsplit_once(']')) else {
        return Err("missing ']' in host".to_owned());
    };
    check_port(colon_port)?;
    let (address, zone) = inside.split_at(inside.find("%25").unwrap_or(inside.len()));
    let mut name = unescape(address, Part::Host)?;
    name.extend(unescape(zone, Part::Zone)?);
    check_literal(&lossy(&name))?;
    let mut out = vec![b'['];
    out.extend(name);
    out.push(b']');
    out.extend(colon_port.bytes());
    Ok(out)
}

fn check_literal(name: &str) -> Result<(), String> {
    if name.parse::<Ipv4Addr>().is_ok() {
        return Err("invalid IP-literal".to_owned());
    }
    let what = match name.split_once('%') {
        Some((_, "")) => "zone must be a non-empty string",
        Some((address, _)) if address.parse::<Ipv6Addr>().is_ok() => return Ok(()),
        None if name.parse::<Ipv6Addr>().is_ok() => return Ok(()),
        Some((address, _)) if !address.contains([':', '.']) => "missing IPv6 address",
        _ => "unable to parse IP",
    };
    Err(format!("invalid host: ParseAddr({}): {what}", quote(name)))
}

fn parse_uri<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let uri = Uri::parse(string(args, 0)?).map_err(BuiltinError::value)?;
    let (host, port) = uri.host_and_port();
    let raw_path = if uri.path.is_empty() { &[] } else { uri.raw_path.as_slice() };
    let parts = [
        ("scheme", uri.scheme.as_bytes()),
        ("hostname", host),
        ("port", port),
        ("path", &uri.path),
        ("raw_path", raw_path),
        ("raw_query", uri.raw_query.as_bytes()),
        ("fragment", &uri.fragment),
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
    if query.bytes().filter(|it| *it == b'&').count() >= PARAMETERS_MAX {
        return Err(BuiltinError::value("number of URL query parameters exceeded limit"));
    }
    if query.contains(';') {
        return Err(BuiltinError::value("invalid semicolon separator in query"));
    }
    let mut parameters: BTreeMap<Vec<u8>, Vec<Value<'e>>> = BTreeMap::new();
    for parameter in query.split('&').filter(|it| !it.is_empty()) {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let key = unescape(key, Part::Query).map_err(BuiltinError::value)?;
        let value = unescape(value, Part::Query).map_err(BuiltinError::value)?;
        parameters.entry(key).or_default().push(ctx.arena.string(&lossy(&value)));
    }
    let mut pairs = ctx.pairs();
    for (key, values) in parameters {
        pairs.push((ctx.arena.string(&lossy(&key)), ctx.arena.array(&values)));
    }
    answer(ctx.arena.object(&mut pairs))
}
