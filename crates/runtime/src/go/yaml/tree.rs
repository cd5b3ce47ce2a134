//! YAML text as a tree of nodes, before scalars are resolved for good.
//!
//! Built from what the grammar finds, without recursion. `normalize` does to the tree
//! what OPA does: dates become strings, repeated merge keys become one, the last of equal
//! keys wins.

use std::collections::HashMap;

use super::YamlError;
use super::scalar;

/// How deep a document may nest.
const DEPTH_MAX: usize = 1000;

/// The index of a node in its tree.
pub(super) type NodeId = usize;

/// One node of a document.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The tag in its short form (`!!int`); for plain scalars without a tag, what they
    /// resolve to.
    pub(super) tag: String,
    pub(super) style: Style,
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) enum Kind {
    Scalar(String),
    Sequence(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
    Alias { target: NodeId, name: String },
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Tagged,
}

/// A document.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
}

/// A collection whose end has not been seen.
struct Open {
    id: NodeId,
    children: Vec<NodeId>,
}

/// A node as it is read: its tag as written, resolved by the handles in force, and its anchor.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) tag: Option<String>,
    pub(super) anchor: Option<String>,
    pub(super) line: usize,
}

/// Makes a tree of what is read, in order.
#[derive(Default)]
pub(super) struct Builder {
    tree: Tree,
    open: Vec<Open>,
    anchors: HashMap<String, NodeId>,
}

impl Builder {
    /// Returns the document that was read and goes on with the next; anchors stay.
    pub(super) fn finish(&mut self) -> Tree {
        self.open.clear();
        std::mem::take(&mut self.tree)
    }

    pub(super) fn alias(&mut self, name: String, line: usize) -> Result<(), YamlError> {
        let Some(target) = self.anchors.get(&name).copied() else {
            return Err(YamlError::plain(&format!("unknown anchor '{name}' referenced")));
        };
        let kind = Kind::Alias { target, name };
        self.add(kind, String::new(), Style::Plain, Properties { line, ..Properties::default() });
        Ok(())
    }

    pub(super) fn scalar(&mut self, text: String, style: Style, properties: Properties) {
        let (tag, style) = match properties.tag.as_deref().and_then(short_tag) {
            Some(tag) => (tag, Style::Tagged),
            None if style == Style::Quoted => ("!!str".to_owned(), style),
            None if text == "<<" => ("!!merge".to_owned(), style),
            None => (scalar::plain_tag(&text).to_owned(), style),
        };
        self.add(Kind::Scalar(text), tag, style, properties);
    }

    pub(super) fn open_sequence(&mut self, properties: Properties) -> Result<(), YamlError> {
        self.open(Kind::Sequence(Vec::new()), "!!seq", properties)
    }

    pub(super) fn open_mapping(&mut self, properties: Properties) -> Result<(), YamlError> {
        self.open(Kind::Mapping(Vec::new()), "!!map", properties)
    }

    fn open(&mut self, kind: Kind, default_tag: &str, properties: Properties) -> Result<(), YamlError> {
        if self.open.len() >= DEPTH_MAX {
            return Err(YamlError::at(properties.line, &format!("exceeded max depth of {DEPTH_MAX}")));
        }
        let (tag, style) = match properties.tag.as_deref().and_then(short_tag) {
            Some(tag) => (tag, Style::Tagged),
            None => (default_tag.to_owned(), Style::Plain),
        };
        let id = self.add(kind, tag, style, properties);
        self.open.push(Open { id, children: Vec::new() });
        Ok(())
    }

    fn add(&mut self, kind: Kind, tag: String, style: Style, properties: Properties) -> NodeId {
        let id = self.tree.nodes.len();
        self.tree.nodes.push(Node { kind, tag, style, line: properties.line });
        if let Some(anchor) = properties.anchor {
            self.anchors.insert(anchor, id);
        }
        match self.open.last_mut() {
            Some(open) => open.children.push(id),
            None => self.tree.root = id,
        }
        id
    }

    pub(super) fn close(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        match self.tree.nodes.get_mut(open.id).map(|node| &mut node.kind) {
            Some(Kind::Sequence(items)) => *items = open.children,
            Some(Kind::Mapping(pairs)) => {
                let pair = |pair: &[NodeId]| match pair {
                    [key, value] => Some((*key, *value)),
                    _ => None,
                };
                *pairs = open.children.chunks(2).filter_map(pair).collect();
            }
            _ => {}
        }
    }
}

/// Returns the short form of a tag; none for the tag `!`, which says nothing.
fn short_tag(tag: &str) -> Option<String> {
    if tag.is_empty() || tag == "!" {
        return None;
    }
    Some(match tag.strip_prefix("tag:yaml.org,2002:") {
        Some(name) => format!("!!{name}"),
        None => tag.to_owned(),
    })
}

impl Tree {
    /// Rewrites what OPA rewrites before it decodes a document.
    pub(super) fn normalize(&mut self) {
        for id in 0..self.nodes.len() {
            if let Some(Node { kind: Kind::Mapping(pairs), .. }) = self.nodes.get_mut(id) {
                let pairs = std::mem::take(pairs);
                let pairs = self.join_merges(pairs);
                let pairs = self.last_of_equal_keys(pairs);
                if let Some(node) = self.nodes.get_mut(id) {
                    node.kind = Kind::Mapping(pairs);
                }
            }
        }
        for node in &mut self.nodes {
            if node.tag == "!!timestamp" && node.style == Style::Plain {
                "!!str".clone_into(&mut node.tag);
            }
        }
    }

    fn is_merge(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_some_and(|node| matches!(node.kind, Kind::Scalar(_)) && node.tag == "!!merge")
    }

    /// Makes repeated merge keys one, with a sequence of what they merge.
    fn join_merges(&mut self, pairs: Vec<(NodeId, NodeId)>) -> Vec<(NodeId, NodeId)> {
        let merges = pairs.iter().filter(|(key, _)| self.is_merge(*key));
        let values: Vec<NodeId> = merges.map(|(_, value)| *value).collect();
        if values.is_empty() {
            return pairs;
        }
        let mut sources = Vec::new();
        for value in values {
            match self.nodes.get(value).map(|node| &node.kind) {
                Some(Kind::Sequence(items)) => sources.extend(items),
                _ => sources.push(value),
            }
        }
        if sources.len() < 2 {
            return pairs;
        }
        let joined = self.nodes.len();
        self.nodes.push(Node {
            kind: Kind::Sequence(sources),
            tag: "!!seq".to_owned(),
            style: Style::Plain,
            line: 0,
        });
        let mut seen = false;
        let mut out = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            if !self.is_merge(key) {
                out.push((key, value));
            } else if !std::mem::replace(&mut seen, true) {
                out.push((key, joined));
            }
        }
        out
    }

    /// Keeps the first of equal scalar keys with the value of the last.
    fn last_of_equal_keys(&self, pairs: Vec<(NodeId, NodeId)>) -> Vec<(NodeId, NodeId)> {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut out: Vec<(NodeId, NodeId)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let name = self.nodes.get(key).filter(|_| !self.is_merge(key));
            let name = name.and_then(|node| scalar::resolve(node).ok()?.key_text());
            let place = name.and_then(|name| {
                let next = out.len();
                let place = *places.entry(name).or_insert(next);
                (place < next).then_some(place)
            });
            match place.and_then(|place| out.get_mut(place)) {
                Some(pair) => pair.1 = value,
                None => out.push((key, value)),
            }
        }
        out
    }
}
