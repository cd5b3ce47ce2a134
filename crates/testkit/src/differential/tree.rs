//! Generated source as a tree that prints itself and can be made smaller.
//!
//! Apart from the generator so that shrinking needs no knowledge of Rego: a node says what it was made as (its
//! production, which is counted) and what may happen to it (its role). JSON documents are the same trees.

use std::collections::BTreeMap;

/// What may happen to a node when a difference is shrunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It stays as long as what holds it.
    Plain,
    /// A term, which another term may replace.
    Term,
    /// A document, which another document may replace.
    Json,
}

/// A piece of source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What of the grammar it is; empty if it is not counted.
    pub production: &'static str,
    /// What may happen to it.
    pub role: Role,
    /// What it is made of.
    pub parts: Vec<Part>,
}

/// A part of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Text that stays as it is.
    Text(String),
    /// A node that must be there.
    One(Node),
    /// Nodes of which each may go as long as enough are left.
    Many(Many),
}

/// Nodes with a separator between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Many {
    /// What stands between two.
    pub separator: &'static str,
    /// How many must stay.
    pub least: usize,
    /// The nodes.
    pub items: Vec<Node>,
}

impl Node {
    /// Returns a node without parts.
    #[must_use]
    pub fn new(production: &'static str, role: Role) -> Self {
        Self { production, role, parts: Vec::new() }
    }

    /// Returns a term without parts.
    #[must_use]
    pub fn term(production: &'static str) -> Self {
        Self::new(production, Role::Term)
    }

    /// Returns a node that stays.
    #[must_use]
    pub fn plain(production: &'static str) -> Self {
        Self::new(production, Role::Plain)
    }

    /// Appends text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// Appends a node.
    #[must_use]
    pub fn one(mut self, node: Node) -> Self {
        self.parts.push(Part::One(node));
        self
    }

    /// Appends nodes that may all go.
    #[must_use]
    pub fn many(self, separator: &'static str, items: Vec<Node>) -> Self {
        self.many_least(separator, 0, items)
    }

    /// Appends nodes of which so many stay.
    #[must_use]
    pub fn many_least(mut self, separator: &'static str, least: usize, items: Vec<Node>) -> Self {
        self.parts.push(Part::Many(Many { separator, least, items }));
        self
    }

    /// Returns the source.
    #[must_use]
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::One(node) => node.write(out),
                Part::Many(many) => {
                    for (index, item) in many.items.iter().enumerate() {
                        if index > 0 {
                            out.push_str(many.separator);
                        }
                        item.write(out);
                    }
                }
            }
        }
    }

    /// Adds how often each production stands here.
    pub fn count(&self, counts: &mut BTreeMap<&'static str, u64>) {
        self.visit(&mut |node| {
            if !node.production.is_empty() {
                *counts.entry(node.production).or_default() += 1;
            }
        });
    }

    /// Calls the function with this node and all below, the outer ones first.
    pub fn visit(&self, call: &mut dyn FnMut(&Node)) {
        call(self);
        for part in &self.parts {
            match part {
                Part::Text(_) => {}
                Part::One(node) => node.visit(call),
                Part::Many(many) => many.items.iter().for_each(|it| it.visit(call)),
            }
        }
    }

    /// Returns how many nodes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }

    /// Calls the function with the node of a number (in the order of [`Node::visit`]).
    pub fn edit(&mut self, number: usize, change: &mut dyn FnMut(&mut Node)) {
        self.edit_from(number, &mut 0, change);
    }

    fn edit_from(&mut self, number: usize, next: &mut usize, change: &mut dyn FnMut(&mut Node)) -> bool {
        if *next == number {
            change(self);
            return true;
        }
        *next += 1;
        for part in &mut self.parts {
            let found = match part {
                Part::Text(_) => false,
                Part::One(node) => node.edit_from(number, next, change),
                Part::Many(many) => many.items.iter_mut().any(|it| it.edit_from(number, next, change)),
            };
            if found {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum() -> Node {
        let item = |text: &str| Node::term("number").text(text);
        Node::term("array").text("[").many(", ", vec![item("1"), item("2")]).text("]")
    }

    #[test]
    fn trees_print_and_count() {
        let mut counts = BTreeMap::new();
        sum().count(&mut counts);
        assert_eq!(sum().print(), "[1, 2]");
        assert_eq!(counts, BTreeMap::from([("array", 1), ("number", 2)]));
        assert_eq!(sum().size(), 3);
    }

    #[test]
    fn nodes_are_edited_by_number() {
        let mut tree = sum();
        tree.edit(2, &mut |it| it.parts = vec![Part::Text("x".to_owned())]);
        assert_eq!(tree.print(), "[1, x]");
    }
}
