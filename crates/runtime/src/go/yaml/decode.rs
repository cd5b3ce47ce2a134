//! The values of a node tree: aliases followed, merge keys applied, keys made strings.
//!
//! Counts what it decodes, because a few lines of aliases can stand for billions of nodes;
//! the share that aliases may have is the library's. Recursion is bounded by the depth of
//! trees, and an alias may not contain itself.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::go::fmt::{Arg, Native, sprintf};
use crate::go::quote::quote;

use super::scalar::{self, Scalar};
use super::tree::{Kind, Node, NodeId, Tree};
use super::{Yaml, YamlError};

/// So many repeated keys are told of.
const FAULTS_MAX: usize = 100;
/// How deep values may nest once aliases are followed.
const DEPTH_MAX: usize = 1500;

/// Decodes a document.
pub(super) fn decode(tree: &Tree) -> Result<Yaml, YamlError> {
    let mut decoder =
        Decoder { tree, count: 1, alias_count: 0, alias_depth: 0, depth: 0, active: HashSet::new() };
    let value = decoder.value(tree.root)?;
    // OPA finds these only when it writes JSON, after all other faults.
    match not_json(&value) {
        Some(text) => Err(YamlError(format!("json: unsupported value: {text}"))),
        None => Ok(value),
    }
}

/// Returns the first number that JSON does not know.
fn not_json(value: &Yaml) -> Option<&str> {
    match value {
        Yaml::Null | Yaml::Bool(_) | Yaml::String(_) => None,
        Yaml::Number(text) => matches!(text.as_str(), "NaN" | "+Inf" | "-Inf").then_some(text),
        Yaml::Array(items) => items.iter().find_map(not_json),
        Yaml::Object(entries) => entries.iter().find_map(|it| not_json(&it.1)),
    }
}

struct Decoder<'t> {
    tree: &'t Tree,
    count: usize,
    alias_count: usize,
    alias_depth: usize,
    depth: usize,
    /// The aliases that are being followed.
    active: HashSet<NodeId>,
}

/// A key while its mapping is decoded: `1` and `"1"` differ until the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Text(String),
    Other(&'static str, String),
    /// Null or a time: no text for it, so an error at the end.
    Unsupported(String),
}

struct Entries {
    /// Whether keys are taken by their text, because all of the first mapping are strings.
    by_text: bool,
    map: BTreeMap<Key, Yaml>,
}

impl<'t> Decoder<'t> {
    fn node(&self, id: NodeId) -> Result<&'t Node, YamlError> {
        self.tree.nodes.get(id).ok_or_else(|| YamlError::plain("unknown node"))
    }

    /// Counts one more node and refuses to go on when aliases outgrow the document.
    #[expect(clippy::cast_precision_loss, reason = "shares of counts that memory bounds")]
    fn tick(&mut self) -> Result<(), YamlError> {
        self.count += 1;
        if self.alias_depth > 0 {
            self.alias_count += 1;
        }
        let allowed = match self.count {
            ..=400_000 => 0.99,
            4_000_000.. => 0.10,
            count => 0.99 - 0.89 * ((count - 400_000) as f64 / 3_600_000.0),
        };
        let share = self.alias_count as f64 / self.count as f64;
        if self.alias_count > 100 && self.count > 1000 && share > allowed {
            return Err(YamlError::plain("document contains excessive aliasing"));
        }
        Ok(())
    }

    /// Follows an alias with `then`, unless it is being followed already.
    fn follow<T>(
        &mut self,
        id: NodeId,
        target: NodeId,
        then: impl FnOnce(&mut Self, NodeId) -> Result<T, YamlError>,
    ) -> Result<T, YamlError> {
        if !self.active.insert(id) {
            let name = match &self.node(id)?.kind {
                Kind::Alias { name, .. } => name.as_str(),
                _ => "",
            };
            return Err(YamlError::plain(&format!("anchor '{name}' value contains itself")));
        }
        self.alias_depth += 1;
        let result = then(self, target);
        self.alias_depth -= 1;
        self.active.remove(&id);
        result
    }

    fn value(&mut self, id: NodeId) -> Result<Yaml, YamlError> {
        self.tick()?;
        let node = self.node(id)?;
        match &node.kind {
            Kind::Alias { target, .. } => self.follow(id, *target, Self::value),
            Kind::Scalar(_) => scalar_value(scalar::resolve(node)?),
            Kind::Sequence(items) => {
                self.enter()?;
                let items: Result<Vec<_>, _> = items.iter().map(|item| self.value(*item)).collect();
                self.depth -= 1;
                Ok(Yaml::Array(items?))
            }
            Kind::Mapping(pairs) => {
                self.enter()?;
                let tag = |key: &NodeId| self.tree.nodes.get(*key).map(|node| node.tag.as_str());
                let by_text = pairs.iter().all(|(key, _)| matches!(tag(key), Some("!!str" | "!!merge")));
                let mut entries = Entries { by_text, map: BTreeMap::new() };
                self.mapping(pairs, None, &mut entries)?;
                self.depth -= 1;
                finish(entries)
            }
        }
    }

    fn enter(&mut self) -> Result<(), YamlError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(YamlError::plain(&format!("exceeded max depth of {DEPTH_MAX}")));
        }
        Ok(())
    }

    /// Adds the pairs of a mapping; keys in `merged` are taken already, and new ones are
    /// added to it.
    fn mapping(
        &mut self,
        pairs: &'t [(NodeId, NodeId)],
        mut merged: Option<&mut HashSet<Key>>,
        entries: &mut Entries,
    ) -> Result<(), YamlError> {
        self.check_unique(pairs)?;
        let mut merge = None;
        for &(key, value) in pairs {
            if is_merge(self.node(key)?) {
                merge = Some(value);
                continue;
            }
            let Some(name) = self.key(key, entries.by_text)? else {
                continue;
            };
            if let Some(merged) = merged.as_deref_mut()
                && !merged.insert(name.clone())
            {
                continue;
            }
            let value = self.value(value)?;
            entries.map.insert(name, value);
        }
        let Some(source) = merge else {
            return Ok(());
        };
        match merged {
            Some(merged) => self.merge(source, merged, entries),
            None => {
                let mut merged = HashSet::new();
                for &(key, _) in pairs {
                    merged.extend(self.key(key, false)?);
                }
                self.merge(source, &mut merged, entries)
            }
        }
    }

    fn merge(
        &mut self,
        source: NodeId,
        merged: &mut HashSet<Key>,
        entries: &mut Entries,
    ) -> Result<(), YamlError> {
        let sources = match &self.node(source)?.kind {
            Kind::Sequence(items) => items.as_slice(),
            _ => &[source],
        };
        for &source in sources {
            self.tick()?;
            let node = self.node(source)?;
            match &node.kind {
                Kind::Mapping(pairs) => self.mapping(pairs, Some(&mut *merged), entries)?,
                Kind::Alias { target, .. } => self.follow(source, *target, |decoder, target| {
                    decoder.tick()?;
                    match &decoder.node(target)?.kind {
                        Kind::Mapping(pairs) => decoder.mapping(pairs, Some(&mut *merged), entries),
                        _ => Err(want_map()),
                    }
                })?,
                _ => return Err(want_map()),
            }
        }
        Ok(())
    }

    /// Decodes a key; none for one that is left out.
    fn key(&mut self, id: NodeId, by_text: bool) -> Result<Option<Key>, YamlError> {
        self.tick()?;
        let node = self.node(id)?;
        match &node.kind {
            Kind::Alias { target, .. } => {
                self.follow(id, *target, |decoder, target| decoder.key(target, by_text))
            }
            Kind::Scalar(text) => {
                let scalar = scalar::resolve(node)?;
                Ok(if by_text { text_key(scalar, text) } else { Some(any_key(scalar)) })
            }
            Kind::Sequence(_) | Kind::Mapping(_) if by_text => {
                let (line, tag) = (node.line, &node.tag);
                Err(YamlError::plain(&format!(
                    "unmarshal errors:\n  line {line}: cannot unmarshal {tag} into string"
                )))
            }
            Kind::Sequence(_) | Kind::Mapping(_) => {
                let key = self.value(id)?;
                Err(YamlError::plain(&format!("invalid map key: {}", shown(&key))))
            }
        }
    }

    /// Refuses keys that are written alike; OPA has joined those of equal text before.
    fn check_unique(&self, pairs: &[(NodeId, NodeId)]) -> Result<(), YamlError> {
        let mut seen: HashMap<(u8, &str), usize> = HashMap::new();
        let mut faults = Vec::new();
        for &(key, _) in pairs {
            let node = self.node(key)?;
            let written = match &node.kind {
                Kind::Scalar(text) => (0, text.as_str()),
                Kind::Alias { name, .. } => (1, name.as_str()),
                Kind::Sequence(_) => (2, ""),
                Kind::Mapping(_) => (3, ""),
            };
            match seen.entry(written) {
                Entry::Vacant(free) => {
                    free.insert(node.line);
                }
                Entry::Occupied(taken) if faults.len() < FAULTS_MAX => {
                    let (line, key, first) = (node.line, quote(written.1), taken.get());
                    faults.push(format!("  line {line}: mapping key {key} already defined at line {first}"));
                }
                Entry::Occupied(_) => {}
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        Err(YamlError::plain(&format!("unmarshal errors:\n{}", faults.join("\n"))))
    }
}

fn want_map() -> YamlError {
    YamlError::plain("map merge requires map or sequence of maps as the value")
}

fn is_merge(node: &Node) -> bool {
    matches!(&node.kind, Kind::Scalar(text) if text == "<<") && node.tag == "!!merge"
}

fn scalar_value(scalar: Scalar) -> Result<Yaml, YamlError> {
    Ok(match scalar {
        Scalar::Null => Yaml::Null,
        Scalar::Bool(value) => Yaml::Bool(value),
        Scalar::Int(value) => Yaml::Number(value.to_string()),
        Scalar::Uint(value) => Yaml::Number(value.to_string()),
        Scalar::Float(value) => Yaml::Number(scalar::json_float(value)),
        Scalar::Text(text) | Scalar::Time(text) => Yaml::String(text),
    })
}

/// The key of a mapping that has only strings for keys; others come in by merging.
fn text_key(scalar: Scalar, written: &str) -> Option<Key> {
    match scalar {
        Scalar::Null => None,
        Scalar::Text(text) => Some(Key::Text(text)),
        _ => Some(Key::Text(written.to_owned())),
    }
}

fn any_key(scalar: Scalar) -> Key {
    let tag = match &scalar {
        Scalar::Int(_) => "int",
        Scalar::Uint(_) => "uint64",
        Scalar::Float(_) => "float64",
        _ => "bool",
    };
    match scalar {
        Scalar::Text(text) => Key::Text(text),
        Scalar::Null => Key::Unsupported("%!s(<nil>), key: <nil>".to_owned()),
        Scalar::Time(time) => Key::Unsupported(format!("time.Time, key: {time}")),
        Scalar::Float(value) if value.is_nan() => Key::Other(tag, ".nan".to_owned()),
        other => Key::Other(tag, other.key_text().unwrap_or_default()),
    }
}

/// Returns a value as Go's `%#v` shows it.
fn shown(value: &Yaml) -> String {
    sprintf("%#v", &[argument(value)], usize::MAX).unwrap_or_default()
}

fn argument(value: &Yaml) -> Arg<'_> {
    Arg::Native(match value {
        Yaml::Null => Native::Nil,
        Yaml::Bool(it) => Native::Bool(*it),
        Yaml::Number(text) => match text.parse() {
            Ok(int) => Native::Int(int),
            Err(_) => return Arg::Float(text.parse().unwrap_or(f64::NAN)),
        },
        Yaml::String(text) => return Arg::Str(text),
        Yaml::Array(items) => Native::List(items.iter().map(argument).collect()),
        Yaml::Object(entries) => {
            Native::Map(entries.iter().map(|(key, value)| (key.as_str(), argument(value))).collect())
        }
    })
}

fn finish(entries: Entries) -> Result<Yaml, YamlError> {
    let mut out = BTreeMap::new();
    for (key, value) in entries.map {
        let text = match key {
            Key::Text(text) | Key::Other(_, text) => text,
            Key::Unsupported(kind) => {
                let value = shown(&value);
                return Err(YamlError(format!("unsupported map key of type: {kind}, value: {value}")));
            }
        };
        out.insert(text, value);
    }
    Ok(Yaml::Object(out.into_iter().collect()))
}
