//! `plugins.data` of a configuration: which parts of `data` are kept by others, and by whom.
//!
//! The names are those of Enterprise OPA: a path below `data` with dots, and below it `type` and what that needs. The
//! one type is `redis`; any other is refused by name, so that nobody waits for data that never comes. What only we
//! know (`prefix`, `format`, `timeout_ms` and limits) stands beside it.

use std::time::Duration;

use lictor::{ExternalLimits, Value};

use super::{Fields, member};
use crate::redis::RedisOptions;

/// Everything that may be said of one path.
const KNOWN: [&str; 10] = [
    "addr",
    "auth",
    "batch_max",
    "bytes_max",
    "db",
    "documents_max",
    "format",
    "prefix",
    "timeout_ms",
    "type",
];

/// A part of `data` that a Redis server keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalConfig {
    /// Keys below `data`.
    pub path: Vec<String>,
    /// Where the server is and what is read of it.
    pub redis: RedisOptions,
    /// What one decision may ask.
    pub limits: ExternalLimits,
}

/// Reads `plugins` of a configuration.
///
/// # Errors
///
/// What cannot be, with the path that it is said of.
pub(super) fn read(root: Value<'_>) -> Result<Vec<ExternalConfig>, String> {
    let Some(plugins) = member(root, "plugins") else { return Ok(Vec::new()) };
    let names = plugins.as_object().into_iter().flat_map(|it| it.iter());
    let mut names = names.filter_map(|it| it.0.as_str().map(str::to_owned));
    if let Some(other) = names.find(|it| it != "data") {
        return Err(format!("plugins.{other} is not supported by this version of lictor"));
    }
    let data = Fields::new(plugins, "plugins", "map[string]json.RawMessage")?;
    data.below("data", "plugins.data", "map[string]json.RawMessage")?;
    let entries = member(plugins, "data").and_then(Value::as_object).into_iter().flat_map(|it| it.iter());
    entries.map(|(path, value)| one(path.as_str().unwrap_or_default(), value)).collect()
}

fn one(path: &str, value: Value<'_>) -> Result<ExternalConfig, String> {
    let at = |message: String| format!("plugins.data[{path:?}]: {message}");
    let fields = Fields::new(value, "data", "data.Config").map_err(at)?;
    let names = value.as_object().into_iter().flat_map(|it| it.iter());
    let mut names = names.filter_map(|it| it.0.as_str().map(str::to_owned));
    if let Some(other) = names.find(|it| !KNOWN.contains(&it.as_str())) {
        return Err(at(format!("unknown option {other:?}")));
    }
    match fields.text("type").map_err(at)?.as_str() {
        "redis" => {}
        "" => return Err(at("type is missing".to_owned())),
        other => return Err(at(format!("type {other:?} is not supported by this version of lictor"))),
    }
    let redis = redis(&fields).map_err(at)?;
    let limits = limits(&fields).map_err(at)?;
    let path = path.split('.').map(str::to_owned).collect();
    Ok(ExternalConfig { path, redis, limits })
}

fn redis(fields: &Fields<'_>) -> Result<RedisOptions, String> {
    let auth = fields.below("auth", "auth", "map[string]string")?;
    let address = fields.text("addr")?;
    if address.is_empty() {
        return Err("addr is missing".to_owned());
    }
    let is_json = match fields.text("format")?.as_str() {
        "" | "text" => false,
        "json" => true,
        other => return Err(format!("format {other:?} is neither \"text\" nor \"json\"")),
    };
    let mut options = RedisOptions {
        address,
        username: auth.text("username")?,
        password: auth.text("password")?,
        prefix: fields.text("prefix")?,
        is_json,
        ..RedisOptions::default()
    };
    if let Some(database) = fields.whole("db")? {
        options.database = u32::try_from(database).map_err(|_| format!("db {database} is below 0"))?;
    }
    if let Some(timeout) = positive(fields, "timeout_ms")? {
        options.timeout = Duration::from_millis(timeout);
    }
    Ok(options)
}

fn limits(fields: &Fields<'_>) -> Result<ExternalLimits, String> {
    let mut limits = ExternalLimits::default();
    let places = [
        ("documents_max", &mut limits.documents_max),
        ("bytes_max", &mut limits.bytes_max),
        ("batch_max", &mut limits.batch_max),
    ];
    for (name, place) in places {
        if let Some(given) = positive(fields, name)? {
            *place = usize::try_from(given).unwrap_or(usize::MAX);
        }
    }
    Ok(limits)
}

fn positive(fields: &Fields<'_>, name: &str) -> Result<Option<u64>, String> {
    let Some(given) = fields.whole(name)? else { return Ok(None) };
    u64::try_from(given)
        .ok()
        .filter(|it| *it > 0)
        .map(Some)
        .ok_or_else(|| format!("{name} {given} is not above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor::json;

    fn said(text: &str) -> Result<Vec<ExternalConfig>, String> {
        let document = json::read_document(text.as_bytes()).expect("JSON");
        read(document.root())
    }

    #[test]
    fn paths_and_servers_are_read() {
        let text = r#"{"plugins":{"data":{"redis.users":{"type":"redis","addr":"h:1","db":2,
            "auth":{"username":"u","password":"p"},"prefix":"user:","format":"json","timeout_ms":50,
            "documents_max":7}}}}"#;
        let found = said(text).expect("a configuration");
        let ExternalConfig { path, redis, limits } = &found[0];
        assert_eq!(*path, ["redis", "users"]);
        assert_eq!((redis.address.as_str(), redis.database, redis.is_json), ("h:1", 2, true));
        assert_eq!((redis.username.as_str(), redis.password.as_str()), ("u", "p"));
        assert_eq!((redis.prefix.as_str(), redis.timeout), ("user:", Duration::from_millis(50)));
        assert_eq!((limits.documents_max, limits.batch_max), (7, ExternalLimits::default().batch_max));
        assert_eq!(said("{}"), Ok(Vec::new()));
    }

    #[test]
    fn no_secret_is_shown() {
        let text = r#"{"plugins":{"data":{"x":{"type":"redis","addr":"h:1","auth":{"password":"hidden"}}}}}"#;
        let document = json::read_document(text.as_bytes()).expect("JSON");
        let configuration = crate::config::Configuration::read(document).expect("a configuration");
        let shown = configuration.shown(&lictor::Document::empty_object());
        let shown = String::from_utf8_lossy(&shown);
        assert!(shown.contains(r#""plugins":{"data":{"x":{"addr":"h:1","type":"redis"}}}"#), "{shown}");
        assert!(!format!("{:?}", configuration.external()).contains("hidden"));
    }

    #[test]
    fn discovery_brings_no_other() {
        use crate::config::Configuration;
        let of = |address: &str| {
            let text = format!(r#"{{"plugins":{{"data":{{"x":{{"type":"redis","addr":"{address}"}}}}}}}}"#);
            json::read_document(text.as_bytes()).expect("JSON")
        };
        let boot = Configuration::read(of("h:1")).expect("a configuration");
        assert!(Configuration::discovered(of("h:1"), &boot).is_ok());
        let fault = Configuration::discovered(of("h:2"), &boot).expect_err("another server");
        assert_eq!(fault, "plugins.data cannot change while serving");
    }

    #[test]
    fn what_cannot_be_is_named() {
        let of = |text: &str| format!(r#"{{"plugins":{{"data":{{"x":{text}}}}}}}"#);
        for (text, wanted) in [
            (of("{}"), r#"plugins.data["x"]: type is missing"#),
            (
                of(r#"{"type":"kafka"}"#),
                r#"plugins.data["x"]: type "kafka" is not supported by this version of lictor"#,
            ),
            (of(r#"{"type":"redis"}"#), r#"plugins.data["x"]: addr is missing"#),
            (of(r#"{"type":"redis","adr":"x"}"#), r#"plugins.data["x"]: unknown option "adr""#),
            (
                of(r#"{"type":"redis","addr":"x","timeout_ms":0}"#),
                r#"plugins.data["x"]: timeout_ms 0 is not above 0"#,
            ),
            (
                r#"{"plugins":{"other":{}}}"#.to_owned(),
                "plugins.other is not supported by this version of lictor",
            ),
        ] {
            assert_eq!(said(&text), Err(wanted.to_owned()), "{text}");
        }
    }
}
