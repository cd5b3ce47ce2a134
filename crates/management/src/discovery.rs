//! Discovery: a bundle whose decision is the rest of the configuration.
//!
//! The bundle is fetched as any other; instead of being served it is evaluated, and what comes of it is handed to the
//! manager, under the configuration that the program was started with, which always wins. A configuration that cannot
//! be acted on changes nothing.

pub(crate) mod config;

use lictor::bundle::Bundle;
use lictor::{
    Arena, BundleChange, BundleFault, Composition, Document, Engine, Input, Options, ReadyBundle, Session,
    Value, json,
};

use crate::config::whole::service;
use crate::config::{member, substituted};
use crate::outgoing::Environment;
use crate::surroundings::Activate;

/// Acts on a configuration, or says why it cannot.
pub(crate) type Apply = Box<dyn Fn(&Document) -> Result<(), String> + Send + Sync>;

/// Evaluates bundles with configurations, in the place of a server.
pub(crate) struct Discoverer {
    composition: Composition,
    decision: Vec<String>,
    environment: Environment,
    apply: Apply,
}

impl Discoverer {
    pub(crate) fn new(decision: Vec<String>, environment: Environment, apply: Apply) -> Self {
        let composition = Composition::new(Engine::new(Options::default()), Vec::new());
        Self { composition, decision, environment, apply }
    }

    fn evaluate(&self, bundle: &ReadyBundle) -> Result<Document, BundleFault> {
        let policy = self.composition.alone(bundle)?;
        let names: Vec<&str> = self.decision.iter().map(String::as_str).collect();
        let query = policy.prepare_keys(&names).map_err(BundleFault::Rego)?;
        let mut text = Vec::new();
        let is_defined = query.decide_json(&mut Session::default(), Input::Undefined, &mut text);
        if !is_defined.map_err(|error| BundleFault::Text(error.to_string()))? {
            return Err(BundleFault::Text("undefined configuration".to_owned()));
        }
        let text = substituted(&String::from_utf8_lossy(&text), &|name| (self.environment)(name));
        json::read_document(text.as_bytes()).map_err(|error| BundleFault::Text(error.to_string()))
    }
}

impl Activate for Discoverer {
    fn prepare(&self, name: &str, etag: &str, bundle: Bundle) -> Result<ReadyBundle, BundleFault> {
        self.composition.prepare(name, etag, bundle)
    }

    fn activate(&self, changes: &[BundleChange]) -> Result<(), BundleFault> {
        for change in changes {
            if let BundleChange::Activate(bundle) = change {
                (self.apply)(&self.evaluate(bundle)?).map_err(BundleFault::Text)?;
            }
        }
        Ok(())
    }
}

/// Puts the configuration that the program was started with over a discovered one.
///
/// # Errors
///
/// The discovered one is none, or changes what discovery itself needs.
pub(crate) fn joined(
    discovered: &Document,
    boot: Value<'_>,
    config: &config::DiscoveryConfig,
) -> Result<Document, String> {
    let root = discovered.root();
    if root.as_object().is_none() {
        return Err(format!("the discovered configuration is no object but {}", root.kind().name()));
    }
    let text = |root| service(root, &config.service).map(|it| it.to_json());
    if text(root).is_some_and(|it| Some(it) != text(boot)) {
        return Err("updates to the discovery service are not allowed".to_owned());
    }
    if config.is_verified {
        check_keys(root, boot)?;
    }
    let arena = Arena::new();
    let is_there = member(root, config::NAME).is_some();
    let own = [(arena.string(config::NAME), None)];
    let rest = if is_there { arena.object_with(root, &own) } else { root };
    Ok(Document::from_value(over(&arena, rest, boot)))
}

fn check_keys(root: Value<'_>, boot: Value<'_>) -> Result<(), String> {
    let keys = member(root, "keys").and_then(|it| it.as_object());
    for (id, key) in keys.iter().flat_map(|it| it.iter()) {
        let own = member(boot, "keys").and_then(|it| member(it, id.as_str()?));
        if own.is_some_and(|it| it.to_json() != key.to_json()) {
            return Err("updates to keys specified in the boot configuration are not allowed".to_owned());
        }
    }
    Ok(())
}

/// Puts one object over another; objects below are merged, all else is replaced.
fn over<'e>(arena: &'e Arena, below: Value<'e>, above: Value<'e>) -> Value<'e> {
    let (Some(old), Some(new)) = (below.as_object(), above.as_object()) else { return above };
    let merged = |(key, value): (Value<'e>, Value<'e>)| {
        let before = key.as_str().and_then(|it| old.get_str(it));
        (key, Some(before.map_or(value, |it| over(arena, it, value))))
    };
    let edits: Vec<(Value<'e>, Option<Value<'e>>)> = new.iter().map(merged).collect();
    arena.object_with(below, &edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(discovered: &str, boot: &str) -> Result<String, String> {
        let read = |text: &str| lictor::document_of_yaml(text.as_bytes()).expect("YAML");
        let boot = read(boot);
        let keys = crate::config::keys::keys(boot.root()).expect("keys");
        let config = config::read(boot.root(), &["s"], &keys).expect("fine").expect("there");
        joined(&read(discovered), boot.root(), &config).map(|it| it.root().to_json())
    }

    const BOOT: &str =
        "{discovery: {resource: x}, services: {s: {url: u}}, labels: {a: b}, keys: {k: {key: z}}}";

    #[test]
    fn the_boot_configuration_wins() {
        let joined = join(
            "{discovery: {resource: y}, services: {t: {url: v}}, labels: {a: c, d: e}, bundles: {b: {}}}",
            BOOT,
        );
        let wanted = concat!(
            r#"{"bundles":{"b":{}},"discovery":{"resource":"x"},"keys":{"k":{"key":"z"}},"#,
            r#""labels":{"a":"b","d":"e"},"services":{"s":{"url":"u"},"t":{"url":"v"}}}"#
        );
        assert_eq!(joined.as_deref(), Ok(wanted));
    }

    #[test]
    fn what_discovery_needs_stays() {
        let fault = |text: &str| join(text, BOOT).expect_err("a fault");
        assert_eq!(fault("{services: {s: {url: w}}}"), "updates to the discovery service are not allowed");
        assert_eq!(fault("[]"), "the discovered configuration is no object but array");
        assert!(join("{services: {s: {url: u}}, keys: {k: {key: z}, l: {key: y}}}", BOOT).is_ok());
        assert_eq!(
            fault("{keys: {k: {key: y}}}"),
            "updates to keys specified in the boot configuration are not allowed"
        );
    }
}
