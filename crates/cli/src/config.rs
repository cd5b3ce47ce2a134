//! The configuration of commands that decide once: a file, and values given on the command line on top of it.
//!
//! Only what such a command can heed is taken: the default decision, bundles that are files, and keys that verify them. What needs a network
//! is refused by name. Keys that say nothing about one decision (labels, caches, addresses) are left alone.

mod keys;
mod overrides;

use std::collections::BTreeMap;

use lictor::{Kind, Value};
use lictor_bundle::Trust;

use crate::flags::Parsed;
use crate::load::{input_document, read_file};

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
    let root = read(flags, variable).map_err(|error| format!("config error: {error}"))?;
    config(&root).map_err(|error| format!("runtime error: {error}"))
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

/// Puts values of the environment in the place of `${NAME}`; what is not set stays.
fn substituted(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        out.push_str(before);
        match behind.split_once('}').filter(|(name, _)| !name.contains('\n')) {
            Some((name, behind)) => {
                match variable(name) {
                    Some(value) => out.push_str(&value),
                    None => out.push_str(&format!("${{{name}}}")),
                }
                rest = behind;
            }
            None => {
                out.push_str("${");
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
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

fn config(root: &Map) -> Result<Config, String> {
    if let Some(name) = REFUSED.iter().find(|it| root.contains_key(**it)) {
        return Err(format!("{name} is not supported by this version of lictor"));
    }
    let default_decision = match root.get("default_decision") {
        None | Some(Node::Null) => None,
        Some(Node::Text(path)) => Some(path.clone()),
        Some(_) => return Err("default_decision must be a string".to_owned()),
    };
    let keys = keys::keys(root)?;
    let mut bundles = Vec::new();
    match root.get("bundles") {
        None | Some(Node::Null) => {}
        Some(Node::Map(map)) => {
            for (name, bundle) in map {
                let Node::Map(fields) = bundle else {
                    return Err(format!("invalid configuration for bundle {name:?}: must be an object"));
                };
                let address = resource(name, fields)?;
                let trust = keys::trust(fields, &keys)
                    .map_err(|it| format!("invalid configuration for bundle {name:?}: {it}"))?;
                bundles.push(ConfiguredBundle { name: name.clone(), address, trust });
            }
        }
        Some(_) => return Err("bundles must be an object".to_owned()),
    }
    Ok(Config { default_decision, bundles, trust: keys::unless_signed(&keys) })
}

fn resource(name: &str, fields: &Map) -> Result<String, String> {
    match (fields.get("resource"), fields.get("service")) {
        (Some(Node::Text(resource)), None) if resource.starts_with("file://") => Ok(resource.clone()),
        (_, service) => {
            let service = match service {
                Some(Node::Text(service)) => service,
                _ => "",
            };
            Err(format!("invalid configuration for bundle {name:?}: service name {service:?} not found"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in() {
        let variable = |name: &str| (name == "A").then(|| "x".to_owned());
        assert_eq!(substituted("a ${A}${B} ${", &variable), "a x${B} ${");
    }

    #[test]
    fn what_cannot_be_heeded_is_refused() {
        let map = |text: &str| match node(input_document(text.as_bytes()).expect("YAML").root()) {
            Node::Map(map) => map,
            other => panic!("no map: {other:?}"),
        };
        let fine =
            config(&map("default_decision: a/b\nlabels: {x: y}\nbundles: {b: {resource: 'file:///c'}}"));
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
        assert!(config(&map("services: {}")).is_err());
        let fault = config(&map("bundles: {b: {resource: c}}")).expect_err("no such service");
        assert_eq!(fault, "invalid configuration for bundle \"b\": service name \"\" not found");
    }
}
