//! A whole configuration: checked, and as it is shown to others.
//!
//! What a part of it means is read by who acts on it; here they are read together, before anything starts, so that a
//! configuration is taken whole or not at all.

use lictor::{Arena, Document, Value};

use super::external::{self, ExternalConfig};
use super::{Fields, keys, kind, known, member};
use crate::bundles::config::{self as bundles, BundlesConfig};
use crate::discovery::config::{self as discovery, DiscoveryConfig};
use crate::services::ServiceConfig;

/// Options whose effects are not there, so that nobody counts on them.
const REFUSED: [&str; 8] = [
    "caching",
    "decision_logs",
    "distributed_tracing",
    "metrics_export",
    "nd_builtin_cache",
    "server",
    "storage",
    "tracing",
];
/// What is decided if nobody says what.
const DEFAULT_DECISION: &str = "/system/main";
/// Which decision says who may ask.
const DEFAULT_AUTHORIZATION: &str = "/system/authz/allow";

/// Is a configuration that was read and can be acted on.
#[derive(Clone, Debug)]
pub struct Configuration {
    root: Document,
    pub(crate) services: Vec<ServiceConfig>,
    pub(crate) discovery: Option<DiscoveryConfig>,
    pub(crate) bundles: BundlesConfig,
    pub(crate) has_status: bool,
    external: Vec<ExternalConfig>,
    default_decision: String,
    persistence_directory: String,
}

impl Configuration {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    ///
    /// OPA's text for what cannot be, and the names of options that are not supported.
    pub fn read(root: Document) -> Result<Self, String> {
        Self::checked(root, None)
    }

    /// Reads and checks what came of a discovered configuration; discovery itself stays as it was at the start.
    pub(crate) fn discovered(root: Document, boot: &Self) -> Result<Self, String> {
        let found = Self::checked(root, boot.discovery.clone())?;
        // Policies are compiled for what is mounted: a path that is not would be undefined without a word.
        if found.external != boot.external {
            return Err("plugins.data cannot change while serving".to_owned());
        }
        Ok(found)
    }

    fn checked(root: Document, known: Option<DiscoveryConfig>) -> Result<Self, String> {
        let value = root.root();
        if let Some(name) = REFUSED.iter().find(|it| member(value, it).is_some()) {
            return Err(format!("{name} is not supported by this version of lictor"));
        }
        let fields = Fields::new(value, "Config", "config.Config")?;
        let keys = keys::keys(value)?;
        let services = member(value, "services").unwrap_or(Value::NULL);
        let services = ServiceConfig::read_all(services, member(value, "keys"))?;
        let names: Vec<&str> = services.iter().map(ServiceConfig::name).collect();
        let bundles = bundles::read(value, &names, &keys)?;
        let discovery = match known {
            Some(known) => Some(known),
            None => discovery::read(value, &names, &keys)?,
        };
        let has_status = status(value)?;
        let external = external::read(value)?;
        let (default_decision, persistence_directory) =
            (fields.text("default_decision")?, fields.text("persistence_directory")?);
        labels(value)?;
        Ok(Self {
            services,
            discovery,
            bundles,
            has_status,
            external,
            default_decision,
            persistence_directory,
            root,
        })
    }

    /// Returns the keys below `data` of what is decided if nobody says what.
    #[must_use]
    pub fn default_decision(&self) -> Vec<String> {
        let path = if self.default_decision.is_empty() { DEFAULT_DECISION } else { &self.default_decision };
        path.split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }

    /// Returns the parts of `data` that others keep.
    #[must_use]
    pub fn external(&self) -> &[ExternalConfig] {
        &self.external
    }

    /// Returns where what outlives the process is kept; nothing if the configuration does not say it.
    #[must_use]
    pub fn persistence_directory(&self) -> Option<&str> {
        Some(self.persistence_directory.as_str()).filter(|it| !it.is_empty())
    }

    /// Returns the paths of options that mean nothing.
    #[must_use]
    pub fn unknown_options(&self) -> Vec<String> {
        known::unknown(self.root.root())
    }

    /// Returns what the configuration says of a service.
    pub(crate) fn service(&self, name: &str) -> Option<Value<'_>> {
        service(self.root(), name)
    }

    /// Returns the configuration as it was read.
    pub(crate) fn root(&self) -> Value<'_> {
        self.root.root()
    }

    /// Returns the labels of a server with this identifier and version.
    pub(crate) fn labels(&self, id: &str, version: &str) -> Document {
        let arena = Arena::new();
        let own = member(self.root(), "labels").unwrap_or(Value::empty_object());
        let known = [
            (arena.string("id"), Some(arena.string(id))),
            (arena.string("version"), Some(arena.string(version))),
        ];
        Document::from_value(arena.object_with(own, &known))
    }

    /// Returns the configuration as it is shown: with defaults, and without keys, credentials and headers.
    pub(crate) fn shown(&self, labels: &Document) -> Vec<u8> {
        let arena = Arena::new();
        let or_default =
            |name: &str, default: &str| member(self.root(), name).unwrap_or_else(|| arena.string(default));
        let without = |section: &str, secrets: &[&str]| {
            member(self.root(), section).map(|it| each_without(&arena, it, secrets))
        };
        let mut edits = vec![
            (
                "default_authorization_decision",
                Some(or_default("default_authorization_decision", DEFAULT_AUTHORIZATION)),
            ),
            ("default_decision", Some(or_default("default_decision", DEFAULT_DECISION))),
            ("labels", Some(labels.root())),
        ];
        if let Some(services) = without("services", &["credentials", "headers"]) {
            edits.push(("services", Some(services)));
        }
        if let Some(keys) = without("keys", &["key", "private_key"]) {
            edits.push(("keys", Some(keys)));
        }
        if let Some(data) = member(self.root(), "plugins").and_then(|it| member(it, "data")) {
            let data = each_without(&arena, data, &["auth"]);
            let plugins = arena.object(&mut vec![(arena.string("data"), data)]);
            edits.push(("plugins", Some(plugins)));
        }
        let edits: Vec<_> = edits.into_iter().map(|(name, value)| (arena.string(name), value)).collect();
        let mut out = Vec::new();
        arena.object_with(self.root(), &edits).write_json(&mut out);
        out
    }
}

/// Returns what a configuration says of a service, in either form of `services`.
pub(crate) fn service<'e>(root: Value<'e>, name: &str) -> Option<Value<'e>> {
    let services = member(root, "services")?;
    if let Some(list) = services.as_array() {
        return list.iter().find(|it| member(*it, "name").is_some_and(|own| own.as_str() == Some(name)));
    }
    member(services, name)
}

/// Returns a map or list of objects, each without some members.
fn each_without<'e>(arena: &'e Arena, section: Value<'e>, secrets: &[&str]) -> Value<'e> {
    let without = |value: Value<'e>| {
        let held =
            secrets.iter().filter(|it| value.as_object().is_some_and(|object| object.get_str(it).is_some()));
        let removed: Vec<_> = held.map(|it| (arena.string(it), None)).collect();
        if removed.is_empty() { value } else { arena.object_with(value, &removed) }
    };
    if let Some(list) = section.as_array() {
        let items: Vec<Value<'e>> = list.iter().map(without).collect();
        return arena.array(&items);
    }
    let Some(map) = section.as_object() else { return Value::NULL };
    let mut pairs: Vec<(Value<'e>, Value<'e>)> =
        map.iter().map(|(key, value)| (key, without(value))).collect();
    arena.object(&mut pairs)
}

/// Says whether a status is told; it is told to those who ask, and not sent.
fn status(root: Value<'_>) -> Result<bool, String> {
    let Some(status) = member(root, "status") else { return Ok(false) };
    if status.as_object().is_none() {
        return Err(format!("json: cannot unmarshal {} into Go value of type status.Config", kind(status)));
    }
    for name in ["service", "partition_name", "plugin", "prometheus", "prometheus_config"] {
        if member(status, name).is_some_and(|it| it.as_bool() != Some(false)) {
            return Err(format!("status.{name} is not supported by this version of lictor"));
        }
    }
    if member(status, "console").is_some_and(|it| it.as_bool() != Some(false)) {
        return Err("status.console is not supported by this version of lictor".to_owned());
    }
    Ok(true)
}

fn labels(root: Value<'_>) -> Result<(), String> {
    let Some(labels) = member(root, "labels") else { return Ok(()) };
    let fault = |found: Value<'_>, wanted: &str| {
        let kind = kind(found);
        Err(format!("json: cannot unmarshal {kind} into Go struct field Config.labels of type {wanted}"))
    };
    let Some(map) = labels.as_object() else { return fault(labels, "map[string]string") };
    match map.iter().find(|it| it.1.as_str().is_none() && !it.1.is_null()) {
        Some((_, value)) => fault(value, "string"),
        None => Ok(()),
    }
}
