//! Documents as nodes in one list, so that a node has a number by which its reference can be rewritten.
//!
//! Apart from values, which have no identity. Only schemas are kept so; what they check stays a value.

use std::collections::{BTreeMap, HashMap};

use lictor_value::{Kind, Value, json, write_string};

/// The number of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct NodeId(usize);

/// A JSON value.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(String),
    Str(String),
    Array(Vec<NodeId>),
    Object(BTreeMap<String, NodeId>),
}

/// A document nests no deeper.
const DEPTH_MAX: usize = 500;

/// The nodes of all documents of a schema.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    /// The references that were made absolute, by the object that they stand in.
    references: HashMap<NodeId, String>,
}

impl Nodes {
    /// Reads the first JSON value of a text.
    pub(super) fn read(&mut self, text: &[u8]) -> Result<NodeId, String> {
        let arena = lictor_value::Arena::new();
        let value = json::read_first(text, &arena).map_err(|it| it.to_string())?;
        self.add(value, 0)
    }

    fn add(&mut self, value: Value<'_>, depth: usize) -> Result<NodeId, String> {
        if depth > DEPTH_MAX {
            return Err("exceeded max depth".to_owned());
        }
        let node = match value.kind() {
            Kind::Null => Node::Null,
            Kind::Boolean => Node::Bool(value.is_true()),
            Kind::Number => Node::Number(value.number_text().map(|it| it.to_string()).unwrap_or_default()),
            Kind::String => Node::Str(value.as_str().unwrap_or("").to_owned()),
            Kind::Array | Kind::Set => self.add_items(value, depth)?,
            Kind::Object => self.add_members(value, depth)?,
        };
        self.nodes.push(node);
        Ok(NodeId(self.nodes.len() - 1))
    }

    // Plain loops: the frames of iterators would take the stack of deep documents.
    fn add_items(&mut self, value: Value<'_>, depth: usize) -> Result<Node, String> {
        let mut nodes = Vec::new();
        if let Some(items) = value.as_array() {
            for item in items.iter() {
                nodes.push(self.add(item, depth + 1)?);
            }
        }
        Ok(Node::Array(nodes))
    }

    fn add_members(&mut self, value: Value<'_>, depth: usize) -> Result<Node, String> {
        let mut members = BTreeMap::new();
        if let Some(object) = value.as_object() {
            for (key, value) in object.iter() {
                let node = self.add(value, depth + 1)?;
                members.insert(key.as_str().unwrap_or("").to_owned(), node);
            }
        }
        Ok(Node::Object(members))
    }

    pub(super) fn get(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0).unwrap_or(&Node::Null)
    }

    /// Returns the members of an object.
    pub(super) fn object(&self, id: NodeId) -> Option<&BTreeMap<String, NodeId>> {
        if let Node::Object(members) = self.get(id) { Some(members) } else { None }
    }

    /// Returns a member of an object.
    pub(super) fn member(&self, id: NodeId, key: &str) -> Option<NodeId> {
        self.object(id)?.get(key).copied()
    }

    pub(super) fn text(&self, id: NodeId) -> Option<&str> {
        if let Node::Str(text) = self.get(id) { Some(text) } else { None }
    }

    /// Says whether a node can be a schema at all: an object, or true or false.
    pub(super) fn may_be_schema(&self, id: NodeId) -> bool {
        matches!(self.get(id), Node::Bool(_) | Node::Object(_))
    }

    pub(super) fn set_reference(&mut self, object: NodeId, absolute: String) {
        self.references.insert(object, absolute);
    }

    /// Returns the reference that was made absolute.
    pub(super) fn reference(&self, object: NodeId) -> Option<&str> {
        self.references.get(&object).map(String::as_str)
    }

    /// Follows the tokens of a JSON pointer.
    pub(super) fn point(&self, from: NodeId, tokens: &[String]) -> Result<NodeId, String> {
        tokens.iter().try_fold(from, |node, token| match self.get(node) {
            Node::Object(members) => {
                let key = token.replace("~1", "/").replace("~0", "~");
                members.get(&key).copied().ok_or_else(|| format!("Object has no key '{key}'"))
            }
            Node::Array(items) => {
                let index: i64 = token.parse().map_err(|_| format!("Invalid array index '{token}'"))?;
                let found = usize::try_from(index).ok().and_then(|it| items.get(it).copied());
                found.ok_or_else(|| format!("Out of bound array[0,{}] index '{index}'", items.len()))
            }
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Str(_) => {
                Err(format!("Invalid token reference '{token}'"))
            }
        })
    }

    /// Appends a node as JSON text.
    pub(super) fn write(&self, id: NodeId, out: &mut Vec<u8>) {
        match self.get(id) {
            Node::Null => out.extend(b"null"),
            Node::Bool(it) => out.extend(it.to_string().as_bytes()),
            Node::Number(text) => out.extend(text.as_bytes()),
            Node::Str(text) => write_string(text, out, true),
            Node::Array(items) => {
                out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    self.write(*item, out);
                }
                out.push(b']');
            }
            Node::Object(members) => {
                out.push(b'{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    write_string(key, out, true);
                    out.push(b':');
                    self.write(*value, out);
                }
                out.push(b'}');
            }
        }
    }
}
