//! A document: one frozen segment with a root, shared between threads; and the builder that fills it.
//!
//! Equal strings stand once, and records of the same keys share a shape, so typical data takes less memory than
//! its text. Used for base data and for the constants of a policy.

use std::sync::Arc;

use hashbrown::HashTable;

use crate::cell::{Cell, tag};
use crate::hash::{combine, hash_bytes, hash_word};
use crate::node::{self, Header, Index};
use crate::raw::{Segment, bytes_of, bytes_of_mut, written_text};
use crate::value::{Kind, Value};

/// Objects of up to this many keys share shapes; larger ones carry a hash index.
const SHAPE_KEYS_MAX: usize = 32;
/// Sets of more members carry a hash index.
const PLAIN_MEMBERS_MAX: usize = 16;
/// Why a cell can always be made: see `DocumentBuilder::push`.
const SIZE_RULE: &str = "a document is smaller than 32 GiB";

/// An immutable value that owns its memory and can be shared; cloning shares.
#[derive(Clone, Debug)]
pub struct Document {
    segment: Arc<Segment>,
    root: Cell,
}

impl Document {
    /// Returns the value; it lives as long as the document is borrowed.
    #[inline]
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value::load(&self.segment, self.root)
    }

    /// Copies a value out of its evaluation.
    #[must_use]
    pub fn from_value(value: Value<'_>) -> Self {
        let mut builder = DocumentBuilder::new();
        let root = builder.copy(value);
        builder.finish(root)
    }

    /// Returns the document `{}`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self::from_value(Value::empty_object())
    }

    pub(crate) fn segment(&self) -> &Segment {
        &self.segment
    }

    /// Returns the bytes that the document occupies.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.segment.len() * 8
    }
}

/// A value inside a [`DocumentBuilder`], which alone can read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part(pub(crate) Cell);

/// Builds a [`Document`] from the leaves up.
#[derive(Debug, Default)]
pub struct DocumentBuilder {
    words: Vec<u64>,
    strings: HashTable<u32>,
    shapes: HashTable<u32>,
}

impl DocumentBuilder {
    /// Returns a builder with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self { words: vec![0], ..Self::default() }
    }

    /// Ends building.
    #[must_use]
    pub fn finish(mut self, root: Part) -> Document {
        self.words.shrink_to_fit();
        Document { segment: Arc::new(Segment::from_words(self.words)), root: root.0 }
    }

    /// Ends building with several roots in one segment.
    #[must_use]
    pub fn finish_all(mut self, roots: &[Part]) -> Vec<Document> {
        self.words.shrink_to_fit();
        let segment = Arc::new(Segment::from_words(self.words));
        roots.iter().map(|it| Document { segment: Arc::clone(&segment), root: it.0 }).collect()
    }

    /// Returns `null`.
    #[must_use]
    pub fn null(&self) -> Part {
        Part(Cell::NULL)
    }

    /// Returns a boolean.
    #[must_use]
    pub fn bool(&self, value: bool) -> Part {
        Part(if value { Cell::TRUE } else { Cell::FALSE })
    }

    /// Adds a string, once.
    pub fn string(&mut self, text: &str) -> Part {
        if let Some(cell) = Cell::inline(tag::STRING, text.as_bytes()) {
            return Part(cell);
        }
        let hash = hash_bytes(text.as_bytes());
        let words = &self.words;
        if let Some(at) = self.strings.find(hash, |at| text_at(words, *at) == text) {
            return Part(Cell::reference(tag::STRING_REF, hash.to_le_bytes()[0], *at));
        }
        let at = self.push_text(text);
        let words = &self.words;
        self.strings.insert_unique(hash, at, |at| hash_bytes(text_at(words, *at).as_bytes()));
        Part(Cell::reference(tag::STRING_REF, hash.to_le_bytes()[0], at))
    }

    /// Adds a number that keeps its text, which must be a JSON number.
    pub fn number(&mut self, text: &str) -> Part {
        match node::number_cell(text) {
            Some(cell) => Part(cell),
            None => Part(Cell::reference(tag::NUMBER_REF, 0, self.push_text(text))),
        }
    }

    /// Adds an array.
    pub fn array(&mut self, items: &[Part]) -> Part {
        Part(self.list(tag::ARRAY, node::ARRAY, items))
    }

    /// Adds a set of members that are sorted and different.
    pub fn set_sorted(&mut self, members: &[Part], hashes: &[u64]) -> Part {
        if members.len() <= PLAIN_MEMBERS_MAX || hashes.len() != members.len() {
            return Part(self.list(tag::SET, node::SET, members));
        }
        let cell = self.list(tag::SET, node::SET | node::INDEXED, members);
        self.words.extend(Index::words(hashes.iter().copied()));
        Part(cell)
    }

    fn list(&mut self, tag: u8, kind: u8, items: &[Part]) -> Cell {
        if items.is_empty() {
            return Cell::reference(tag, 0, 0);
        }
        let at = self.here();
        self.words.push(Header::list(kind, items.len()).0);
        self.words.extend(items.iter().map(|it| it.0.0));
        Cell::reference(tag, 0, at)
    }

    /// Adds an object of string keys in any order; of a repeated key the last value stays.
    pub fn object(&mut self, pairs: &mut Vec<(Part, Part)>) -> Part {
        let words = &self.words;
        if !pairs.is_sorted_by(|a, b| key_text(words, &a.0) < key_text(words, &b.0)) {
            pairs.sort_by(|a, b| key_text(words, &a.0).cmp(key_text(words, &b.0)));
            // Equal strings have equal cells here.
            pairs.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1 = later.1;
                }
                same
            });
        }
        if pairs.len() <= SHAPE_KEYS_MAX {
            return Part(self.record(pairs));
        }
        let hashes: Vec<u64> = pairs.iter().map(|it| key_hash(&self.words, &it.0)).collect();
        Part(self.pairs(pairs, &hashes))
    }

    fn record(&mut self, pairs: &[(Part, Part)]) -> Cell {
        if pairs.is_empty() {
            return Cell::reference(tag::OBJECT, 0, 0);
        }
        let shape = self.shape(pairs);
        let at = self.here();
        self.words.push(Header::record(pairs.len(), shape).0);
        self.words.extend(pairs.iter().map(|it| it.1.0.0));
        Cell::reference(tag::OBJECT, 0, at)
    }

    fn shape(&mut self, pairs: &[(Part, Part)]) -> u32 {
        let hash = pairs.iter().fold(0, |state, it| combine(state, it.0.0.0));
        let words = &self.words;
        let same = |at: &u32| {
            let keys = words.get(*at as usize + 1..*at as usize + 1 + pairs.len());
            words.get(*at as usize) == Some(&Header::list(node::ARRAY, pairs.len()).0)
                && keys.is_some_and(|it| it.iter().zip(pairs).all(|(word, pair)| *word == pair.0.0.0))
        };
        if let Some(at) = self.shapes.find(hash, same) {
            return *at;
        }
        let keys: Vec<Part> = pairs.iter().map(|it| it.0).collect();
        let at = self.list(tag::ARRAY, node::ARRAY, &keys).offset();
        let words = &self.words;
        self.shapes.insert_unique(hash, at, |at| {
            let len = usize::try_from(words[*at as usize] >> 32).unwrap_or(0);
            words[*at as usize + 1..][..len].iter().fold(0, |state, it| combine(state, *it))
        });
        at
    }

    fn pairs(&mut self, pairs: &[(Part, Part)], hashes: &[u64]) -> Cell {
        if pairs.is_empty() {
            return Cell::reference(tag::OBJECT, 0, 0);
        }
        let indexed = pairs.len() > PLAIN_MEMBERS_MAX;
        let at = self.here();
        self.words.push(Header::list(node::PAIRS | if indexed { node::INDEXED } else { 0 }, pairs.len()).0);
        self.words.extend(pairs.iter().flat_map(|it| [it.0.0.0, it.1.0.0]));
        if indexed {
            self.words.extend(Index::words(hashes.iter().copied()));
        }
        Cell::reference(tag::OBJECT, 0, at)
    }

    /// Copies a value from elsewhere.
    pub fn copy(&mut self, value: Value<'_>) -> Part {
        match value.kind() {
            Kind::Null | Kind::Boolean => Part(value.cell),
            Kind::Number => {
                if value.cell.is_reference() {
                    self.number(value.text_at())
                } else {
                    Part(value.cell)
                }
            }
            Kind::String => self.string(value.text_at()),
            Kind::Array => {
                let items: Vec<Part> =
                    value.as_array().iter().flat_map(|it| it.iter()).map(|it| self.copy(it)).collect();
                self.array(&items)
            }
            Kind::Set => {
                let members: Vec<Value<'_>> = value.as_set().iter().flat_map(|it| it.iter()).collect();
                let hashes: Vec<u64> = members.iter().map(|it| it.hash()).collect();
                let parts: Vec<Part> = members.iter().map(|it| self.copy(*it)).collect();
                self.set_sorted(&parts, &hashes)
            }
            Kind::Object => self.copy_object(value),
        }
    }

    fn copy_object(&mut self, value: Value<'_>) -> Part {
        let entries: Vec<(Value<'_>, Value<'_>)> =
            value.as_object().iter().flat_map(|it| it.iter()).collect();
        let pairs: Vec<(Part, Part)> = entries.iter().map(|it| (self.copy(it.0), self.copy(it.1))).collect();
        if pairs.len() <= SHAPE_KEYS_MAX && entries.iter().all(|it| it.0.is_string()) {
            return Part(self.record(&pairs));
        }
        let hashes: Vec<u64> = entries.iter().map(|it| it.0.hash()).collect();
        Part(self.pairs(&pairs, &hashes))
    }

    fn here(&self) -> u32 {
        u32::try_from(self.words.len()).expect(SIZE_RULE)
    }

    fn push_text(&mut self, text: &str) -> u32 {
        let at = self.here();
        let len = u32::try_from(text.len()).expect("a text is smaller than 4 GiB");
        self.words.resize(self.words.len() + (text.len() + 4).div_ceil(8), 0);
        let bytes = bytes_of_mut(&mut self.words[at as usize..]);
        bytes[..4].copy_from_slice(&len.to_le_bytes());
        bytes[4..4 + text.len()].copy_from_slice(text.as_bytes());
        at
    }
}

fn text_at(words: &[u64], at: u32) -> &str {
    let at = at as usize;
    let len = usize::try_from(words[at] & 0xffff_ffff).unwrap_or(0);
    written_text(&bytes_of(&words[at..])[4..4 + len])
}

fn key_text<'a>(words: &'a [u64], key: &'a Part) -> &'a str {
    if key.0.is_reference() { text_at(words, key.0.offset()) } else { crate::raw::inline_text(&key.0) }
}

fn key_hash(words: &[u64], key: &Part) -> u64 {
    if key.0.is_reference() {
        hash_bytes(text_at(words, key.0.offset()).as_bytes())
    } else {
        hash_word(key.0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arena;

    #[test]
    fn copy_keeps_the_value_and_shares_shapes() {
        let arena = Arena::new();
        let items: Vec<Value<'_>> = (0..1_000)
            .map(|it| {
                let mut pairs = vec![
                    (arena.string("resource name"), arena.string("a value of some length")),
                    (arena.string("id"), arena.int(it)),
                ];
                arena.object(&mut pairs)
            })
            .collect();
        let list = arena.array(&items);
        let document = Document::from_value(list);
        assert_eq!(document.root(), list);
        assert!(document.bytes() < 1_000 * 8 * 5, "{} bytes", document.bytes());
        assert_eq!(document.root().to_json(), list.to_json());
    }

    #[test]
    fn large_object_finds_its_keys() {
        let mut builder = DocumentBuilder::new();
        let mut pairs: Vec<(Part, Part)> = (0..10_000)
            .map(|it| (builder.string(&format!("key-{it:07}")), builder.number(&it.to_string())))
            .collect();
        let root = builder.object(&mut pairs);
        let document = builder.finish(root);
        let object = document.root().as_object().expect("an object");
        let arena = Arena::new();
        for it in [0, 17, 9_999] {
            assert_eq!(object.get(arena.string(&format!("key-{it:07}"))), Some(arena.int(it)));
        }
        assert!(object.get(arena.string("key-none")).is_none());
    }

    #[test]
    fn numbers_as_keys_and_members() {
        let arena = Arena::new();
        let mut members: Vec<Value<'_>> = (0..100).map(|it| arena.int(it)).collect();
        let set = arena.set(&mut members);
        let document = Document::from_value(set);
        let set = document.root().as_set().expect("a set");
        assert!(set.get(arena.number_text("17.0")).is_some());
        assert!(set.get(arena.number_text("17.5")).is_none());
    }
}
