//! The configuration of commands: a file, and values given on the command line on top of it.
//!
//! [`document`] puts them together. A command that decides once takes of it with [`load`] what it can heed: the default
//! decision, bundles that are files, and keys that verify them. What needs a network is refused by name there; options
//! that say nothing about one decision (labels, caches, addresses) are left alone.

mod overrides;

use std::collections::BTreeMap;

use lictor::{Document, Kind, Value, json};
use lictor_bundle::Trust;
use lictor_management::config::{keys, member, substituted};

use crate::flags::Parsed;
use crate::load::{input_document, read_file};
use crate::output;

/// Keys that would have effects that are not there.
const REFUSED: [&str; 6] =
    ["services", "discovery", "decision_logs", "status", "plugins", "distributed_tracing"];

/// Is what a configuration says to a single decision.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Config {
    /// The path that is decided unless another one is asked for.
    pub(crate) default_decision: Option<String>,
    /// Bundles, sorted by name.
    pub(crate) bundles: Vec<ConfiguredBundle>,
    /// What the signatures of bundles count for that nothing more is said of.
    pub(crate) trust: Trust,
}

/// Is a bundle of the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ConfiguredBundle {
    /// Its name.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) address: String,
    /// What its signature counts for.
    pub(crate) trust: Trust,
}

/// Is a value of the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Node {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Map),
}

type Map = BTreeMap<String, Node>;

/// Reads the file and the values that the flags name.
pub(crate) fn load(flags: &Parsed, variable: &dyn Fn(&str) -> Option<String>) -> Result<Config, String> {
    let root = document(flags, variable).map_err(|error| format!("config error: {error}"))?;
    config(root.root()).map_err(|error| format!("runtime error: {error}"))
}

/// Reads the file and the values that the flags name, as one object.
pub(crate) fn document(
    flags: &Parsed,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Document, String> {
    let root = read(flags, variable)?;
    let mut text = Vec::new();
    write(&Node::Map(root), &mut text);
    json::read_document(&text).map_err(|error| error.to_string())
}

/// Writes a node as JSON.
fn write(node: &Node, out: &mut Vec<u8>) {
    match node {
        Node::Null => out.extend_from_slice(b"null"),
        Node::Bool(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Node::Number(text) => out.extend_from_slice(text.as_bytes()),
        Node::Text(text) => output::json::string(text, out),
        Node::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Node::Map(map) => {
            out.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                output::json::string(key, out);
                out.push(b':');
                write(value, out);
            }
            out.push(b'}');
        }
    }
}

/// Reads everything and puts it together.
fn read(flags: &Parsed, variable: &dyn Fn(&str) -> Option<String>) -> Result<Map, String> {
    let mut root = Map::new();
    let file = flags.text("config-file");
    if !file.is_empty() {
        let text = String::from_utf8_lossy(&read_file(file)?).into_owned();
        let document = input_document(substituted(&text, variable).as_bytes())
            .map_err(|error| format!("failed to parse {file}: {error}"))?;
        match node(document.root()) {
            Node::Map(map) => root = map,
            Node::Null => {}
            _ => return Err(format!("failed to parse {file}: configuration must be an object")),
        }
    }
    let mut above = Map::new();
    for given in flags.list("set") {
        overrides::apply(&substituted(given, variable), &mut above, &|value| Ok(overrides::typed(value)))
            .map_err(|error| format!("failed parsing --set data: {error}"))?;
    }
    for given in flags.list("set-file") {
        let read = |path: &str| {
            let bytes = read_file(path)?;
            Ok(Node::Text(String::from_utf8_lossy(&bytes).trim().to_owned()))
        };
        overrides::apply(given, &mut above, &read)
            .map_err(|error| format!("failed parsing --set-file data: {error}"))?;
    }
    merge(&mut root, above);
    Ok(root)
}

fn node(value: Value<'_>) -> Node {
    match value.kind() {
        Kind::Null => Node::Null,
        Kind::Boolean => Node::Bool(value.as_bool() == Some(true)),
        Kind::Number => Node::Number(value.to_json()),
        Kind::String => Node::Text(value.as_str().unwrap_or_default().to_owned()),
        Kind::Array | Kind::Set => {
            Node::List(value.as_array().into_iter().flat_map(|it| it.iter()).map(node).collect())
        }
        Kind::Object => {
            let entries = value.as_object().into_iter().flat_map(|it| it.iter());
            Node::Map(
                entries.filter_map(|(key, value)| Some((key.as_str()?.to_owned(), node(value)))).collect(),
            )
        }
    }
}

/// Puts one map over another; maps below are merged, all else is replaced.
fn merge(below: &mut Map, above: Map) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Node::Map(below)), Node::Map(above)) => merge(below, above),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

fn config(root: Value<'_>) -> Result<Config, String> {
    if let Some(name) =
        REFUSED.iter().find(|it| root.as_object().is_some_and(|map| map.get_str(it).is_some()))
    {
        return Err(format!("{name} is not supported by this version of lictor"));
    }
    let default_decision = match member(root, "default_decision") {
        None => None,
        Some(path) => Some(path.as_str().ok_or("default_decision must be a string")?.to_owned()),
    };
    let keys = keys::keys(root)?;
    let mut bundles = Vec::new();
    if let Some(value) = member(root, "bundles") {
        let map = value.as_object().ok_or("bundles must be an object")?;
        for (name, bundle) in map.iter() {
            let name = name.as_str().unwrap_or_default();
            let invalid = |text: String| format!("invalid configuration for bundle {name:?}: {text}");
            if bundle.as_object().is_none() {
                return Err(invalid("must be an object".to_owned()));
            }
            let address = resource(bundle).map_err(invalid)?;
            let trust = keys::trust(bundle, &keys).map_err(invalid)?;
            bundles.push(ConfiguredBundle { name: name.to_owned(), address, trust });
        }
    }
    Ok(Config { default_decision, bundles, trust: keys::unless_signed(&keys) })
}

fn resource(bundle: Value<'_>) -> Result<String, String> {
    let text = |name: &str| member(bundle, name).and_then(|it| it.as_str().map(str::to_owned));
    match (text("resource"), member(bundle, "service")) {
        (Some(resource), None) if resource.starts_with("file://") => Ok(resource),
        _ => Err(format!("service name {:?} not found", text("service").unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_heeded_is_refused() {
        let config = |text: &str| config(input_document(text.as_bytes()).expect("YAML").root());
        let fine = config("default_decision: a/b\nlabels: {x: y}\nbundles: {b: {resource: 'file:///c'}}");
        let wanted = Config {
            default_decision: Some("a/b".to_owned()),
            bundles: vec![ConfiguredBundle {
                name: "b".to_owned(),
                address: "file:///c".to_owned(),
                trust: Trust::Unsigned,
            }],
            trust: Trust::Unsigned,
        };
        assert_eq!(fine, Ok(wanted));
        assert!(config("services: {}").is_err());
        let fault = config("bundles: {b: {resource: c}}").expect_err("no such service");
        assert_eq!(fault, "invalid configuration for bundle \"b\": service name \"\" not found");
    }
}
