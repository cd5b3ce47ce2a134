//! The documents and parts of documents that references can lead to, by their absolute address.
//!
//! Apart from the reading of schemas: here nothing is known of keywords but those that name or refer. Documents
//! elsewhere are asked for by the caller's function.

use std::collections::HashMap;

use super::Fetch;
use super::document::{Node, NodeId, Nodes};
use super::meta::{self, Draft};
use super::reference::Reference;

/// A document, or a part of one, with the draft of the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) node: NodeId,
    pub(super) draft: Option<Draft>,
}

/// All documents by their addresses.
pub(super) struct Pool<'f> {
    pub(super) nodes: Nodes,
    found: HashMap<String, Found>,
    fetch: &'f Fetch<'f>,
    pub(super) fetched: bool,
}

impl<'f> Pool<'f> {
    pub(super) fn new(fetch: &'f Fetch<'f>) -> Self {
        Self { nodes: Nodes::default(), found: HashMap::new(), fetch, fetched: false }
    }

    /// Takes up a document under its address, with all that has a name in it.
    pub(super) fn add(&mut self, text: &[u8], base: &Reference) -> Result<Found, String> {
        let address = base.text();
        let node = self.nodes.read(text)?;
        self.refuse_known(&address)?;
        let draft = self.draft_of(node)?;
        self.collect(node, base, draft)?;
        let found = Found { node, draft };
        self.found.insert(address, found);
        Ok(found)
    }

    fn refuse_known(&self, address: &str) -> Result<(), String> {
        if self.found.contains_key(address) {
            return Err(format!("Reference already exists: \"{address}\""));
        }
        Ok(())
    }

    /// Returns the draft that a document names, if it is one of those known.
    fn draft_of(&self, document: NodeId) -> Result<Option<Draft>, String> {
        let named = match self.nodes.get(document) {
            Node::Bool(_) => return Ok(None),
            Node::Object(members) => members.get("$schema").copied(),
            _ => return Err("schema is invalid".to_owned()),
        };
        let Some(named) = named else { return Ok(None) };
        let text = self.nodes.text(named).ok_or("$schema must be of type string")?;
        Ok(meta::draft_named(&Reference::read(text)?.text()))
    }

    /// Makes references absolute and notes what has an identifier. What is faulty is left for the reading of the
    /// schema to find.
    fn collect(&mut self, node: NodeId, base: &Reference, draft: Option<Draft>) -> Result<(), String> {
        let members = match self.nodes.get(node).clone() {
            Node::Array(items) => return items.iter().try_for_each(|it| self.collect(*it, base, draft)),
            Node::Object(members) => members,
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Str(_) => return Ok(()),
        };
        let id = members.get("id").or_else(|| members.get("$id"));
        let own = id.and_then(|it| self.resolved(*it, base));
        if let Some(own) = &own {
            let address = own.text();
            self.refuse_known(&address)?;
            self.found.insert(address, Found { node, draft });
        }
        let base = own.as_ref().unwrap_or(base);
        if let Some(target) = members.get("$ref").and_then(|it| self.resolved(*it, base)) {
            self.nodes.set_reference(node, target.text());
        }
        for (key, member) in &members {
            match key.as_str() {
                // These are taken literally.
                "const" | "enum" => {}
                // A key in these is the name of a property, whatever it looks like.
                "properties" | "dependencies" | "patternProperties"
                    if self.nodes.object(*member).is_some() =>
                {
                    let children: Vec<NodeId> =
                        self.nodes.object(*member).into_iter().flat_map(|it| it.values().copied()).collect();
                    children.into_iter().try_for_each(|it| self.collect(it, base, draft))?;
                }
                "properties" | "dependencies" | "patternProperties" => {}
                _ => self.collect(*member, base, draft)?,
            }
        }
        Ok(())
    }

    fn resolved(&self, node: NodeId, base: &Reference) -> Option<Reference> {
        let reference = Reference::read(self.nodes.text(node)?).ok()?;
        base.resolve(&reference).ok()
    }

    /// Returns what a reference leads to.
    pub(super) fn find(&mut self, reference: &Reference) -> Result<Found, String> {
        let address = reference.text();
        if let Some(found) = self.found.get(&address) {
            return Ok(*found);
        }
        let base = reference.base_text();
        if let Some(document) = self.found.get(&base).copied() {
            let found = Found { node: self.nodes.point(document.node, &reference.tokens)?, ..document };
            self.found.insert(address, found);
            return Ok(found);
        }
        if !reference.is_canonical() {
            return Err(format!("Reference {address} must be canonical"));
        }
        let text = match meta::schema_at(&base) {
            Some(text) => text.into_bytes(),
            None => {
                self.fetched = true;
                (self.fetch)(&address)?
            }
        };
        let document = self.add(&text, &Reference::read(&base)?)?;
        Ok(Found { node: self.nodes.point(document.node, &reference.tokens)?, ..document })
    }
}
