//! From nodes to parts: one part a schema inside the schema, in a list, with references already followed.
//!
//! Here is the order in which keywords are read, which decides the fault that is told; the keywords themselves stand
//! with their families. Depth and number of parts are bounded.

use std::collections::HashMap;

use super::document::{Node, NodeId};
use super::meta::Draft;
use super::pool::Pool;
use super::reference::Reference;
use super::{Fetch, Schema, array, branch, number, object, shared, text};

/// Schemas nest no deeper, references followed.
const DEPTH_MAX: usize = 250;
/// A schema has no more parts.
const PARTS_MAX: usize = 200_000;

/// The number of a part.
pub(super) type PartId = usize;

/// One schema: what a value must be. Families without a keyword are absent.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// True or false in the place of a schema.
    pub(super) pass: Option<bool>,
    /// The part that a reference leads to, which then alone counts.
    pub(super) target: Option<PartId>,
    /// The address of that part.
    pub(super) reference: Option<String>,
    pub(super) types: Vec<&'static str>,
    pub(super) object: Option<Box<object::Rules>>,
    pub(super) array: Option<Box<array::Rules>>,
    pub(super) number: Option<Box<number::Rules>>,
    pub(super) text: Option<Box<text::Rules>>,
    pub(super) shared: Option<Box<shared::Rules>>,
    pub(super) branch: Option<Box<branch::Rules>>,
}

const TYPES: [&str; 7] = ["array", "boolean", "integer", "number", "null", "object", "string"];

/// What is read: an object of keywords, under the rules of a draft.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) node: NodeId,
    pub(super) draft: Draft,
}

pub(super) struct Reader<'f> {
    pub(super) pool: Pool<'f>,
    parts: Vec<Part>,
    /// Parts that references lead to, by their address.
    targets: HashMap<String, PartId>,
    depth: usize,
}

pub(super) fn read(text: &[u8], fetch: &Fetch<'_>) -> Result<Schema, String> {
    let mut pool = Pool::new(fetch);
    let root = pool.add(text, &Reference::read("")?)?;
    let mut reader = Reader { pool, parts: Vec::new(), targets: HashMap::new(), depth: 0 };
    let draft = root.draft.unwrap_or(Draft::Mixed);
    let id = reader.child(Place { node: root.node, draft })?;
    Ok(Schema { parts: reader.parts, root: id, is_local: !reader.pool.fetched })
}

pub(super) fn invalid_type(expected: &str, given: &str) -> String {
    format!("Invalid type. Expected: {expected}, given: {given}")
}

impl Reader<'_> {
    /// Reads a schema as a part of its own.
    pub(super) fn child(&mut self, place: Place) -> Result<PartId, String> {
        let id = self.reserve()?;
        self.fill(id, place)?;
        Ok(id)
    }

    fn reserve(&mut self) -> Result<PartId, String> {
        if self.parts.len() >= PARTS_MAX {
            return Err(format!("schema has more than {PARTS_MAX} parts"));
        }
        self.parts.push(Part::default());
        Ok(self.parts.len() - 1)
    }

    fn fill(&mut self, id: PartId, place: Place) -> Result<(), String> {
        if self.depth >= DEPTH_MAX {
            return Err(format!("schema nests deeper than {DEPTH_MAX}"));
        }
        self.depth += 1;
        let part = self.part(place)?;
        self.depth -= 1;
        if let Some(slot) = self.parts.get_mut(id) {
            *slot = part;
        }
        Ok(())
    }

    fn part(&mut self, place: Place) -> Result<Part, String> {
        let mut part = Part::default();
        match self.pool.nodes.get(place.node) {
            Node::Bool(pass) if place.draft >= Draft::Six => {
                part.pass = Some(*pass);
                return Ok(part);
            }
            Node::Object(_) => {}
            _ => return Err("Expected: Valid Schema, given: Invalid JSON".to_owned()),
        }
        self.identifier(place)?;
        self.definitions(place)?;
        self.string(place, "title")?;
        self.string(place, "description")?;
        if let Some((target, known, address)) = self.reference(place)? {
            part.target = Some(target);
            part.reference = Some(address);
            // What stands beside a reference is read, for its faults, only if the reference is not new.
            if !known {
                return Ok(part);
            }
        }
        part.types = self.types(place)?;
        let members = object::Members::read(self, place)?;
        let dependencies = branch::dependencies(self, place)?;
        let items = array::Members::read(self, place)?;
        part.number = number::Rules::read(self, place)?.map(Box::new);
        part.text = text::Rules::read(self, place)?.map(Box::new);
        let format = shared::format(self, place)?;
        part.object = object::Rules::read(self, place, members)?.map(Box::new);
        part.array = array::Rules::read(self, place, items)?.map(Box::new);
        part.shared = shared::Rules::read(self, place, format)?.map(Box::new);
        part.branch = branch::Rules::read(self, place, dependencies)?.map(Box::new);
        Ok(part)
    }

    fn identifier(&self, place: Place) -> Result<(), String> {
        let key = match place.draft {
            Draft::Four => "id",
            Draft::Mixed if self.member(place, "id").is_some() => "id",
            Draft::Six | Draft::Seven | Draft::Mixed => "$id",
        };
        match self.string(place, key)? {
            Some(id) => Reference::read(id).map(drop),
            None => Ok(()),
        }
    }

    /// Reads all definitions for their faults; references lead to the nodes, not to these parts.
    fn definitions(&mut self, place: Place) -> Result<(), String> {
        const KEY: &str = "definitions";
        let Some(node) = self.member(place, KEY) else { return Ok(()) };
        let fault = || invalid_type("Array Of Schemas", KEY);
        let children: Vec<NodeId> =
            self.pool.nodes.object(node).ok_or_else(fault)?.values().copied().collect();
        for child in children {
            if !self.pool.nodes.may_be_schema(child) {
                return Err(fault());
            }
            self.child(Place { node: child, ..place })?;
        }
        Ok(())
    }

    /// Follows the reference of a schema; says too whether it was followed before, and its address.
    fn reference(&mut self, place: Place) -> Result<Option<(PartId, bool, String)>, String> {
        let Some(written) = self.string(place, "$ref")? else { return Ok(None) };
        let reference = Reference::read(self.pool.nodes.reference(place.node).unwrap_or(written))?;
        let address = reference.text();
        if let Some(known) = self.targets.get(&address) {
            return Ok(Some((*known, true, address)));
        }
        let id = self.reserve()?;
        self.targets.insert(address.clone(), id);
        let found = self.pool.find(&reference)?;
        if !self.pool.nodes.may_be_schema(found.node) {
            return Err("Valid Schema must be of type object".to_owned());
        }
        let draft = found.draft.unwrap_or(place.draft);
        self.fill(id, Place { node: found.node, draft })?;
        Ok(Some((id, false, address)))
    }

    fn types(&self, place: Place) -> Result<Vec<&'static str>, String> {
        let mut types = Vec::new();
        let fault = || invalid_type("type", "string/Array Of Strings");
        let Some(node) = self.member(place, "type") else { return Ok(types) };
        let named: Vec<&str> = match self.pool.nodes.get(node) {
            Node::Str(name) => vec![name],
            Node::Array(items) => {
                let names = items.iter().map(|it| self.pool.nodes.text(*it));
                // Names before one that is none are looked at first.
                names.map(|it| it.unwrap_or("\0")).collect()
            }
            _ => return Err(fault()),
        };
        for name in named {
            if name == "\0" {
                return Err(fault());
            }
            let Some(known) = TYPES.iter().find(|it| **it == name) else {
                let all = TYPES.join(" ");
                return Err(format!(
                    "has a primitive type that is NOT VALID -- given: /{name}/ Expected valid values are:[{all}]"
                ));
            };
            if types.contains(known) {
                return Err(format!("{name} type is duplicated"));
            }
            types.push(known);
        }
        Ok(types)
    }

    pub(super) fn member(&self, place: Place, key: &str) -> Option<NodeId> {
        self.pool.nodes.member(place.node, key)
    }

    /// Returns the text that a keyword has.
    pub(super) fn string(&self, place: Place, key: &str) -> Result<Option<&str>, String> {
        let Some(node) = self.member(place, key) else { return Ok(None) };
        self.pool.nodes.text(node).map(Some).ok_or_else(|| invalid_type("string", key))
    }

    /// Returns the items of the array that a keyword has.
    pub(super) fn list(&self, place: Place, key: &str) -> Result<Option<Vec<NodeId>>, String> {
        let Some(node) = self.member(place, key) else { return Ok(None) };
        match self.pool.nodes.get(node) {
            Node::Array(items) => Ok(Some(items.clone())),
            _ => Err(format!("{key} must be of an array")),
        }
    }

    /// Returns the count that a keyword has, which must be written as an integer and not be negative.
    pub(super) fn count(&self, place: Place, key: &str) -> Result<Option<u64>, String> {
        let Some(node) = self.member(place, key) else { return Ok(None) };
        let Node::Number(text) = self.pool.nodes.get(node) else {
            return Err(format!("{key} must be of an integer"));
        };
        let number: i64 = text.parse().map_err(|_| format!("{key} must be of an integer"))?;
        let count = u64::try_from(number);
        count.map(Some).map_err(|_| format!("{key} must be greater than or equal to 0"))
    }
}
