//! `bundles` of a configuration, and `bundle`, its older form.
//!
//! Defaults and texts of faults are OPA's. A bundle's configuration is a plain value: two that are equal need no
//! restart.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor::Value;
use lictor::bundle::Trust;

use crate::config::keys::{self, Keys};
use crate::config::{Fields, kind, member};

/// Delays between polls where nothing is said.
const DELAY_SECONDS: (i64, i64) = (60, 120);
/// How large one file of a bundle may be where nothing is said.
const SIZE_LIMIT_BYTES: i64 = 1 << 30;
/// Where bundles stand below a service's address where nothing is said.
const PREFIX: &str = "bundles";

/// Where a bundle comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A path below the address of a service.
    Service {
        /// The name of the service.
        service: String,
        /// The path.
        resource: String,
    },
    /// A file or a folder.
    File(String),
}

/// How often is looked for something new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Polling {
    /// The shortest time between two requests.
    pub min_delay: Duration,
    /// The longest one, also when requests fail.
    pub max_delay: Duration,
    /// How long a server is asked to wait until there is something new.
    pub long_poll: Option<Duration>,
    /// How long tags of bundles that were replaced are still told.
    pub superseded: Duration,
    /// Whether nothing is polled, since somebody says when to look.
    pub is_manual: bool,
}

/// What a configuration says of one bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleConfig {
    /// Where it comes from.
    pub source: Source,
    /// How often is looked for another one.
    pub polling: Polling,
    /// Whether the last good one is kept on disk.
    pub persist: bool,
    /// What its signature counts for.
    pub trust: Trust,
    /// How large one of its files may be.
    pub size_limit_bytes: u64,
}

/// What a configuration says of all bundles, by their names.
pub type BundlesConfig = BTreeMap<String, BundleConfig>;

/// Reads `bundles` and `bundle` of a configuration that has these services.
///
/// # Errors
///
/// OPA's text for what cannot be.
pub fn read(root: Value<'_>, services: &[&str], keys: &Keys) -> Result<BundlesConfig, String> {
    if let Some(value) = member(root, "bundles") {
        let map = value.as_object().ok_or_else(|| {
            format!("json: cannot unmarshal {} into Go value of type map[string]*bundle.Source", kind(value))
        })?;
        let some = map.iter().filter(|it| !it.1.is_null());
        let named = |(name, it): (Value<'_>, Value<'_>)| {
            let name = name.as_str().unwrap_or_default();
            Ok((name.to_owned(), bundle(name, it, services, keys)?))
        };
        return some.map(named).collect();
    }
    match member(root, "bundle") {
        None => Ok(BundlesConfig::new()),
        Some(value) => legacy(value, services),
    }
}

fn bundle(name: &str, value: Value<'_>, services: &[&str], keys: &Keys) -> Result<BundleConfig, String> {
    let fields = Fields::new(value, "Source", "bundle.Source")?;
    let invalid = |text: String| format!("invalid configuration for bundle {name:?}: {text}");
    let (resource, service, persist) =
        (fields.text("resource")?, fields.text("service")?, fields.flag("persist")?);
    let trust =
        keys::trust(value, keys).map_err(|it| if it.starts_with("json: ") { it } else { invalid(it) })?;
    let source = source(&resource, &service, name, services).map_err(invalid)?;
    let polling = polling(&fields, "Source.polling")?.map_err(invalid)?;
    let size_limit = fields.whole("size_limit_bytes")?.filter(|it| *it > 0).unwrap_or(SIZE_LIMIT_BYTES);
    let size_limit_bytes = u64::try_from(size_limit).unwrap_or(u64::MAX);
    Ok(BundleConfig { source, polling, persist, trust, size_limit_bytes })
}

fn legacy(value: Value<'_>, services: &[&str]) -> Result<BundlesConfig, String> {
    let fields = Fields::new(value, "Config", "bundle.Config")?;
    let (name, service) = (fields.text("name")?, fields.text("service")?);
    if name.is_empty() {
        return Err(format!("invalid bundle name {name:?}"));
    }
    let invalid = |text: String| format!("invalid configuration for bundle {name:?}: {text}");
    let prefix = if fields.has("prefix") { fields.text("prefix")? } else { PREFIX.to_owned() };
    let resource = format!("{prefix}/{name}").trim_start_matches('/').to_owned();
    let service = named_service(&service, services).map_err(invalid)?;
    let config = BundleConfig {
        source: Source::Service { service, resource },
        polling: polling(&fields, "Config.polling")?.map_err(invalid)?,
        persist: false,
        trust: Trust::Unsigned,
        size_limit_bytes: u64::try_from(SIZE_LIMIT_BYTES).unwrap_or(u64::MAX),
    };
    Ok([(name.clone(), config)].into())
}

/// Returns where a bundle comes from, by what is said of it.
pub(crate) fn source(resource: &str, service: &str, name: &str, services: &[&str]) -> Result<Source, String> {
    if let Some(rest) = resource.strip_prefix("file://") {
        let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default();
        let path = path.split(['?', '#']).next().unwrap_or_default();
        return Ok(Source::File(decoded(path)));
    }
    let resource = if resource.is_empty() { format!("{PREFIX}/{name}") } else { resource.to_owned() };
    Ok(Source::Service { service: named_service(service, services)?, resource })
}

/// Takes the percent signs out of a path of a URL.
fn decoded(path: &str) -> String {
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        let digits = (byte == b'%').then(|| bytes.clone().take(2).collect::<Vec<u8>>());
        let digits = digits.and_then(|it| String::from_utf8(it).ok()).filter(|it| it.len() == 2);
        match digits.and_then(|it| u8::from_str_radix(&it, 16).ok()) {
            Some(decoded) => {
                bytes.nth(1);
                out.push(decoded);
            }
            None => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the service of this name; the first one if none is named.
pub(crate) fn named_service(name: &str, services: &[&str]) -> Result<String, String> {
    match services.first() {
        Some(first) if name.is_empty() => Ok((*first).to_owned()),
        _ if services.contains(&name) => Ok(name.to_owned()),
        _ => Err(format!("service name {name:?} not found")),
    }
}

/// Reads `trigger` and `polling`: first faults of types, then those of meaning.
pub(crate) fn polling(fields: &Fields<'_>, owner: &'static str) -> Result<Result<Polling, String>, String> {
    let trigger = fields.text("trigger")?;
    let polling = fields.below("polling", owner, "download.PollingConfig")?;
    let whole = |name: &str| polling.whole(name);
    let (min, max) = (whole("min_delay_seconds")?, whole("max_delay_seconds")?);
    let (long_poll, superseded) =
        (whole("long_polling_timeout_seconds")?, whole("superseded_etag_ttl_seconds")?);
    Ok(checked(&trigger, (min, max), long_poll, superseded))
}

fn checked(
    trigger: &str,
    delays: (Option<i64>, Option<i64>),
    long_poll: Option<i64>,
    superseded: Option<i64>,
) -> Result<Polling, String> {
    if !matches!(trigger, "" | "periodic" | "manual") {
        return Err(format!("invalid trigger mode {trigger:?} (want \"periodic\" or \"manual\")"));
    }
    let (min, max) = match delays {
        (None, None) => DELAY_SECONDS,
        (Some(min), Some(max)) if max < min => {
            return Err("max polling delay must be >= min polling delay".to_owned());
        }
        (Some(min), Some(max)) => (min, max),
        (Some(_), None) => return Err("polling configuration missing 'max_delay_seconds'".to_owned()),
        (None, Some(_)) => return Err("polling configuration missing 'min_delay_seconds'".to_owned()),
    };
    if long_poll.is_some_and(|it| it < 1) {
        return Err("'long_polling_timeout_seconds' must be at least 1".to_owned());
    }
    if superseded.is_some_and(|it| it < 0) {
        return Err("'superseded_etag_ttl_seconds' must not be negative".to_owned());
    }
    let time = |seconds: i64| Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    Ok(Polling {
        min_delay: time(min),
        max_delay: time(max),
        long_poll: long_poll.map(time),
        superseded: time(superseded.unwrap_or(0)),
        is_manual: trigger == "manual",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<BundlesConfig, String> {
        let root = lictor::document_of_yaml(text.as_bytes()).expect("YAML");
        let keys = keys::keys(root.root())?;
        read(root.root(), &["one", "two"], &keys)
    }

    #[test]
    fn defaults_are_those_of_opa() {
        let config =
            read_text("bundles: {b: {}, f: {resource: 'file:///a%20b?x', persist: true}}").expect("fine");
        let polling = Polling {
            min_delay: Duration::from_secs(60),
            max_delay: Duration::from_secs(120),
            long_poll: None,
            superseded: Duration::ZERO,
            is_manual: false,
        };
        let wanted = BundleConfig {
            source: Source::Service { service: "one".to_owned(), resource: "bundles/b".to_owned() },
            polling,
            persist: false,
            trust: Trust::Unsigned,
            size_limit_bytes: 1 << 30,
        };
        assert_eq!(config["b"], wanted);
        assert_eq!(config["f"].source, Source::File("/a b".to_owned()));
        let config = read_text("bundle: {name: b, service: two, prefix: /x}").expect("fine");
        let source = Source::Service { service: "two".to_owned(), resource: "x/b".to_owned() };
        assert_eq!(config["b"].source, source);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (text, wanted) in [
            (
                "bundles: {b: {service: x}}",
                "invalid configuration for bundle \"b\": service name \"x\" not found",
            ),
            (
                "bundles: {b: {trigger: now}}",
                "invalid configuration for bundle \"b\": invalid trigger mode \"now\" (want \"periodic\" or \"manual\")",
            ),
            (
                "bundles: {b: {polling: {min_delay_seconds: 2, max_delay_seconds: 1}}}",
                "invalid configuration for bundle \"b\": max polling delay must be >= min polling delay",
            ),
            (
                "bundles: {b: {polling: {min_delay_seconds: 2}}}",
                "invalid configuration for bundle \"b\": polling configuration missing 'max_delay_seconds'",
            ),
            (
                "bundles: {b: {polling: {long_polling_timeout_seconds: 0}}}",
                "invalid configuration for bundle \"b\": 'long_polling_timeout_seconds' must be at least 1",
            ),
            (
                "bundles: {b: {signing: {}}}",
                "invalid configuration for bundle \"b\": no verification keys configured",
            ),
            (
                "bundles: {b: {polling: {min_delay_seconds: x}}}",
                "json: cannot unmarshal string into Go struct field Source.polling.min_delay_seconds of type int64",
            ),
            ("bundle: {service: one}", "invalid bundle name \"\""),
        ] {
            assert_eq!(read_text(text), Err(wanted.to_owned()), "{text}");
        }
    }
}
