//! The constants of a plan, each text once, and the ground terms that become one.
//!
//! Apart because it alone makes documents; numbers keep their text, so `1` and `1.0` are two constants.

use lictor_hir::tree::{Term, TermKind};
use lictor_value::{Arena, Document, DocumentBuilder, Value};
use rustc_hash::FxHashMap;

use super::number_of;
use crate::ir::ConstId;

/// Constants by their text.
#[derive(Debug, Default)]
pub(super) struct Constants {
    documents: Vec<Document>,
    strings: FxHashMap<Box<str>, ConstId>,
    /// All others, by their Rego text.
    others: FxHashMap<Box<str>, ConstId>,
    /// Where composites are made before they are written down; its memory serves all of them.
    arena: Option<Arena>,
}

impl Constants {
    /// Gives out the documents.
    pub(super) fn documents(&self) -> &[Document] {
        &self.documents
    }

    pub(super) fn string(&mut self, text: &str) -> ConstId {
        if let Some(id) = self.strings.get(text) {
            return *id;
        }
        let mut builder = DocumentBuilder::new();
        let root = builder.string(text);
        let id = self.push(builder.finish(root));
        self.strings.insert(text.into(), id);
        id
    }

    pub(super) fn bool(&mut self, value: bool) -> ConstId {
        self.other(if value { "true" } else { "false" }, |it| it.bool(value))
    }

    pub(super) fn null(&mut self) -> ConstId {
        self.other("null", |it| it.null())
    }

    pub(super) fn number(&mut self, text: &str) -> ConstId {
        self.other(text, |it| it.number(text))
    }

    /// Returns the constant of a count.
    pub(super) fn count(&mut self, count: usize) -> ConstId {
        self.number(&count.to_string())
    }

    fn other(
        &mut self,
        text: &str,
        make: impl FnOnce(&mut DocumentBuilder) -> lictor_value::Part,
    ) -> ConstId {
        if let Some(id) = self.others.get(text) {
            return *id;
        }
        let mut builder = DocumentBuilder::new();
        let root = make(&mut builder);
        let id = self.push(builder.finish(root));
        self.others.insert(text.into(), id);
        id
    }

    fn push(&mut self, document: Document) -> ConstId {
        let id = ConstId(number_of(self.documents.len()));
        self.documents.push(document);
        id
    }

    /// Returns the constant of a set of strings.
    pub(super) fn string_set<'a>(&mut self, members: impl Iterator<Item = &'a str>) -> ConstId {
        let mut arena = self.arena.take().unwrap_or_default();
        let mut members: Vec<Value<'_>> = members.map(|it| arena.string(it)).collect();
        let id = self.composite(arena.set(&mut members));
        arena.reset();
        self.arena = Some(arena);
        id
    }

    /// Returns the constant of an array of strings.
    pub(super) fn string_array<'a>(&mut self, items: impl Iterator<Item = &'a str>) -> ConstId {
        let items: Vec<ConstId> = items.map(|it| self.string(it)).collect();
        self.array(&items)
    }

    /// Returns the constant of an array of constants.
    pub(super) fn array(&mut self, items: &[ConstId]) -> ConstId {
        let found = items.iter().filter_map(|it| self.documents.get(it.0 as usize));
        let items: Vec<Document> = found.cloned().collect();
        let texts: Vec<String> = items.iter().map(|it| it.root().to_string()).collect();
        self.other(&format!("[{}]", texts.join(", ")), |builder| {
            let parts: Vec<_> = items.iter().map(|it| builder.copy(it.root())).collect();
            builder.array(&parts)
        })
    }

    /// Returns the constant of a term that holds neither variables, references nor comprehensions.
    pub(super) fn of_term(&mut self, term: &Term) -> Option<ConstId> {
        match &term.kind {
            TermKind::Null => Some(self.null()),
            TermKind::Bool(value) => Some(self.bool(*value)),
            TermKind::Number(text) => Some(self.number(text)),
            TermKind::String(text) => Some(self.string(text)),
            TermKind::Var(_) | TermKind::Ref(_) => None,
            TermKind::ArrayCompr(_) | TermKind::SetCompr(_) | TermKind::ObjectCompr(_) => None,
            TermKind::Array(_) | TermKind::Object(_) | TermKind::Set(_) => {
                if !is_ground(term) {
                    return None;
                }
                let mut arena = self.arena.take().unwrap_or_default();
                let id = ground_value(&arena, term).map(|it| self.composite(it));
                arena.reset();
                self.arena = Some(arena);
                id
            }
        }
    }

    fn composite(&mut self, value: Value<'_>) -> ConstId {
        let mut text = Vec::new();
        value.write_rego(&mut text);
        let text = String::from_utf8_lossy(&text);
        if let Some(id) = self.others.get(&*text) {
            return *id;
        }
        let id = self.push(Document::from_value(value));
        self.others.insert((*text).into(), id);
        id
    }

    /// Returns the string that a constant is.
    pub(super) fn as_string(&self, id: ConstId) -> Option<String> {
        self.documents[id.0 as usize].root().as_str().map(str::to_owned)
    }

    /// Says whether two constants are equal by Rego's equality.
    pub(super) fn equal(&self, a: ConstId, b: ConstId) -> bool {
        a == b || self.documents[a.0 as usize].root() == self.documents[b.0 as usize].root()
    }

    /// Says whether a constant is `false`.
    pub(super) fn is_false(&self, id: ConstId) -> bool {
        self.documents[id.0 as usize].root().is_false()
    }

    /// Says whether a constant is an array, an object or a set.
    pub(super) fn is_collection(&self, id: ConstId) -> bool {
        self.documents[id.0 as usize].root().collection_len().is_some()
    }
}

/// Says whether a term holds no variable, reference or comprehension.
pub(super) fn is_ground(term: &Term) -> bool {
    match &term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => true,
        TermKind::Var(_) | TermKind::Ref(_) => false,
        TermKind::ArrayCompr(_) | TermKind::SetCompr(_) | TermKind::ObjectCompr(_) => false,
        TermKind::Array(items) | TermKind::Set(items) => items.iter().all(is_ground),
        TermKind::Object(pairs) => pairs.iter().all(|it| is_ground(&it.0) && is_ground(&it.1)),
    }
}

fn ground_value<'e>(arena: &'e Arena, term: &Term) -> Option<Value<'e>> {
    Some(match &term.kind {
        TermKind::Null => Value::NULL,
        TermKind::Bool(value) => Value::bool(*value),
        TermKind::Number(text) => arena.number_text(text),
        TermKind::String(text) => arena.string(text),
        TermKind::Array(items) => arena.array(&ground_values(arena, items)?),
        TermKind::Set(items) => arena.set(&mut ground_values(arena, items)?),
        TermKind::Object(pairs) => {
            let mut values = Vec::with_capacity(pairs.len());
            for (key, value) in pairs {
                values.push((ground_value(arena, key)?, ground_value(arena, value)?));
            }
            arena.object(&mut values)
        }
        TermKind::Var(_) | TermKind::Ref(_) => return None,
        TermKind::ArrayCompr(_) | TermKind::SetCompr(_) | TermKind::ObjectCompr(_) => return None,
    })
}

fn ground_values<'e>(arena: &'e Arena, terms: &[Term]) -> Option<Vec<Value<'e>>> {
    terms.iter().map(|it| ground_value(arena, it)).collect()
}
