//! A document: one frozen segment with a root, shared between threads; and the builder that fills it.
//!
//! Equal strings stand once, and records of the same keys share a shape, so typical data takes less memory than
//! its text. Used for base data and for the constants of a policy.

mod table;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::sync::Arc;

use crate::cell::{Cell, tag};
use crate::deep;
use crate::document::table::Table;
use crate::hash::{combine, hash_bytes, hash_word};
use crate::json::sink::Sink;
use crate::keys::{self, KeyTexts};
use crate::link::Link;
use crate::node::{self, Header, Index, Object};
use crate::raw::mapped::MappedFile;
use crate::raw::words::Words;
use crate::raw::{Segment, bytes_of, bytes_of_mut, written_text};
use crate::value::{Kind, Value};

/// Objects of up to this many keys share shapes; larger ones carry a hash index.
const SHAPE_KEYS_MAX: usize = 32;
/// Sets of more members carry a hash index.
const PLAIN_MEMBERS_MAX: usize = 16;
/// Nodes of up to this many words are looked for among those written lately.
const SHARED_WORDS_MAX: usize = 8;
/// Smaller documents are not worth the memory to share in.
const SHARED_FROM_WORDS: usize = 4 * 1024;
/// How many nodes are remembered to be shared.
const SHARED_NODES: usize = 1 << 14;
/// Why a cell can always be made: see `DocumentBuilder::here`.
const SIZE_RULE: &str = "a document is smaller than 32 GiB";
/// How many texts a document in a file looks for at most; after so many new ones it begins anew.
const TEXTS_IN_FILE_MAX: usize = 8 << 20;

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

    /// Returns the segment that holds all of the document; none if there are several.
    pub(crate) fn only_segment(&self) -> Option<&Segment> {
        self.segment.all_kept().next().is_none().then_some(&*self.segment)
    }

    pub(crate) fn root_cell(&self) -> Cell {
        self.root
    }

    pub(crate) fn in_segment(segment: Arc<Segment>, root: Cell) -> Self {
        Self { segment, root }
    }

    /// Says whether something was read of the document that is not what was once written: a part of the file that it
    /// is mapped from is damaged. What was decided with it does not count.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.any_segment(|it| it.file().is_some_and(MappedFile::is_damaged))
    }

    /// Says whether any of the segments that the document shows is such a one.
    fn any_segment(&self, mut is_such: impl FnMut(&Segment) -> bool) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![&*self.segment];
        while let Some(segment) = open.pop() {
            if seen.insert(std::ptr::from_ref(segment)) {
                if is_such(segment) {
                    return true;
                }
                open.extend(segment.all_kept().map(|it| &**it));
            }
        }
        false
    }

    pub(crate) fn link(&self) -> Link {
        Link::of(&self.segment, self.root)
    }

    pub(crate) fn from_link(link: Link) -> Self {
        let (segment, root) = link.into_parts();
        Self { segment: segment.unwrap_or_else(|| Arc::new(Segment::from_words(Words::default()))), root }
    }

    /// Returns the bytes that the document occupies, with all that it shares with those it was edited from.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let mut words = 0;
        self.any_segment(|it| {
            words += it.len();
            false
        });
        words * 8
    }
}

/// A value inside a [`DocumentBuilder`], which alone can read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part(pub(crate) Cell);

/// Builds a [`Document`] from the leaves up.
#[derive(Debug, Default)]
pub struct DocumentBuilder {
    words: Words,
    /// Every text node, for strings and numbers alike.
    texts: Table,
    shapes: Table,
    /// Small nodes written lately, by their hash.
    shared: Vec<Known>,
    /// Where the cells of a collection are put together.
    cells: Vec<Cell>,
}

/// A node that is found by its content.
#[derive(Clone, Copy, Debug)]
struct Known {
    hash: u32,
    at: u32,
}

impl Known {
    fn new(hash: u64, at: u32) -> Self {
        Self { hash: short(hash), at }
    }
}

/// The half of a hash that a table is built on.
fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl DocumentBuilder {
    /// Returns a builder with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self { words: Words::of(&[0]), ..Self::default() }
    }

    /// Returns a builder whose document is the content of a file from a position on.
    pub(crate) fn in_file(file: File, at: u64) -> io::Result<Self> {
        let mut words = Words::in_file(file, at)?;
        words.push(0);
        Ok(Self { words, texts: Table::forgetting(TEXTS_IN_FILE_MAX), ..Self::default() })
    }

    pub(crate) fn fault(&self) -> Option<&io::Error> {
        self.words.fault()
    }

    /// Ends building in a file, and returns the number of words.
    pub(crate) fn finish_in_file(self) -> io::Result<u64> {
        self.words.finish()
    }

    /// Ends building.
    #[must_use]
    pub fn finish(self, root: Part) -> Document {
        Document { segment: self.into_segment(), root: root.0 }
    }

    /// Ends building with several roots in one segment.
    #[must_use]
    pub fn finish_all(self, roots: &[Part]) -> Vec<Document> {
        let segment = self.into_segment();
        roots.iter().map(|it| Document { segment: Arc::clone(&segment), root: it.0 }).collect()
    }

    fn into_segment(self) -> Arc<Segment> {
        Arc::new(Segment::from_words(self.words))
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
        match Cell::inline(tag::STRING, text.as_bytes()) {
            Some(cell) => Part(cell),
            None => Part(self.intern(tag::STRING_REF, text)),
        }
    }

    /// Adds a number that keeps its text, which must be a JSON number.
    pub fn number(&mut self, text: &str) -> Part {
        match node::number_cell(text) {
            Some(cell) => Part(cell),
            None => Part(self.intern(tag::NUMBER_REF, text)),
        }
    }

    /// Returns the cell of a text whose node stands once, whatever refers to it.
    fn intern(&mut self, tag: u8, text: &str) -> Cell {
        let hash = hash_bytes(text.as_bytes());
        let words = &self.words;
        let at = match self.texts.find(short(hash), |at| text_at(words, at) == text) {
            Some(known) => known,
            None => {
                let at = self.push_text(text);
                self.texts.insert(short(hash), at);
                at
            }
        };
        Cell::reference(tag, hash.to_le_bytes()[0], at)
    }

    /// Adds an array.
    pub fn array(&mut self, items: &[Part]) -> Part {
        self.with_cells(items.iter().map(|it| it.0), |builder, cells| {
            Part(builder.list(tag::ARRAY, node::ARRAY, cells))
        })
    }

    /// Adds a set of members that are sorted and different.
    pub fn set_sorted(&mut self, members: &[Part], hashes: &[u64]) -> Part {
        self.with_cells(members.iter().map(|it| it.0), |builder, cells| {
            if cells.len() <= PLAIN_MEMBERS_MAX || hashes.len() != cells.len() {
                return Part(builder.list(tag::SET, node::SET, cells));
            }
            let cell = builder.list(tag::SET, node::SET | node::INDEXED, cells);
            builder.words.extend_from_slice(&Index::words(hashes.iter().copied()));
            Part(cell)
        })
    }

    /// Adds an object of string keys in any order; of a repeated key the last value stays.
    pub fn object(&mut self, pairs: &[(Part, Part)]) -> Part {
        self.with_cells(pairs.iter().flat_map(|it| [it.0.0, it.1.0]), |builder, cells| {
            let len = keys::sort_pairs(cells, builder);
            Part(builder.object_sorted(cells.get(..len).unwrap_or(&[])))
        })
    }

    /// Lends the vector of cells, filled, to a function that needs the builder too.
    fn with_cells(
        &mut self,
        items: impl Iterator<Item = Cell>,
        add: impl FnOnce(&mut Self, &mut [Cell]) -> Part,
    ) -> Part {
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.extend(items);
        let part = add(self, &mut cells);
        self.cells = cells;
        part
    }

    fn list(&mut self, tag: u8, kind: u8, items: &[Cell]) -> Cell {
        if items.is_empty() {
            return Cell::reference(tag, 0, 0);
        }
        let header = Header::list(kind, items.len());
        let at =
            if kind & node::INDEXED == 0 { self.share(header, items) } else { self.push_node(header, items) };
        Cell::reference(tag, 0, at)
    }

    /// Adds an object of flat pairs whose keys are strings, sorted and different.
    fn object_sorted(&mut self, cells: &[Cell]) -> Cell {
        if cells.is_empty() {
            return Cell::reference(tag::OBJECT, 0, 0);
        }
        let (pairs, _) = cells.as_chunks::<2>();
        if pairs.len() <= SHAPE_KEYS_MAX {
            return self.record(pairs);
        }
        let words = &self.words;
        let hashes = pairs.iter().map(|it| {
            words.note_read();
            key_hash(words, it[0])
        });
        let index = Index::words(hashes);
        self.indexed_pairs(cells, &index)
    }

    fn indexed_pairs(&mut self, cells: &[Cell], index: &[u64]) -> Cell {
        let at = self.push_node(Header::list(node::PAIRS | node::INDEXED, cells.len() / 2), cells);
        self.words.extend_from_slice(index);
        Cell::reference(tag::OBJECT, 0, at)
    }

    fn record(&mut self, pairs: &[[Cell; 2]]) -> Cell {
        let shape = self.shape(pairs);
        let mut values = [Cell::NULL; SHAPE_KEYS_MAX];
        for (value, pair) in values.iter_mut().zip(pairs) {
            *value = pair[1];
        }
        let at = self.share(Header::record(pairs.len(), shape), &values[..pairs.len()]);
        Cell::reference(tag::OBJECT, 0, at)
    }

    fn shape(&mut self, pairs: &[[Cell; 2]]) -> u32 {
        let hash = pairs.iter().fold(0, |state, it| combine(state, it[0].0));
        let words = &self.words;
        let header = Header::list(node::ARRAY, pairs.len()).0;
        let same = |at: u32| {
            let at = at as usize;
            words.get(at) == Some(&header)
                && words[at + 1..].iter().zip(pairs).all(|(word, pair)| *word == pair[0].0)
        };
        if let Some(known) = self.shapes.find(short(hash), same) {
            return known;
        }
        let at = self.here();
        self.words.push(header);
        self.words.extend(pairs.iter().map(|it| it[0].0));
        self.shapes.insert(short(hash), at);
        at
    }

    /// Returns the place of a node, an earlier one if the same was written lately.
    fn share(&mut self, header: Header, cells: &[Cell]) -> u32 {
        if cells.len() >= SHARED_WORDS_MAX || self.words.len() < SHARED_FROM_WORDS {
            return self.push_node(header, cells);
        }
        if self.shared.is_empty() {
            self.shared = vec![Known { hash: 0, at: 0 }; SHARED_NODES];
        }
        let hash = cells.iter().fold(header.0, |state, it| combine(state, it.0));
        let slot =
            hash.to_le_bytes().into_iter().take(2).rev().fold(0, |slot, it| slot << 8 | usize::from(it));
        let known = self.shared[slot % SHARED_NODES];
        let place = known.at as usize;
        let same = |words: &[u64]| {
            words.split_first().is_some_and(|(first, rest)| {
                *first == header.0 && rest.iter().zip(cells).all(|(word, cell)| *word == cell.0)
            })
        };
        if place != 0
            && known.hash == short(hash)
            && self.words.get(place..place + 1 + cells.len()).is_some_and(same)
        {
            return known.at;
        }
        let at = self.push_node(header, cells);
        self.shared[slot % SHARED_NODES] = Known::new(hash, at);
        at
    }

    fn push_node(&mut self, header: Header, cells: &[Cell]) -> u32 {
        let at = self.here();
        self.words.reserve(1 + cells.len());
        self.words.push(header.0);
        self.words.extend(cells.iter().map(|it| it.0));
        at
    }

    /// Copies a value from elsewhere.
    pub fn copy(&mut self, value: Value<'_>) -> Part {
        Part(deep::fold(value, self, Self::copy_scalar, Self::copy_collection))
    }

    fn copy_scalar(&mut self, value: Value<'_>) -> Cell {
        match value.cell.tag() {
            tag::STRING_REF => self.intern(tag::STRING_REF, value.text_at()),
            tag::NUMBER_REF => self.number(value.text_at()).0,
            _ => value.cell,
        }
    }

    /// Makes a collection of the copies of what is in it.
    fn copy_collection(&mut self, value: Value<'_>, cells: &mut [Cell]) -> Cell {
        match value.kind() {
            Kind::Object => self.copy_object(value, cells),
            Kind::Set if cells.len() > PLAIN_MEMBERS_MAX => {
                let hashes: Vec<u64> = deep::Cursor::new(value).map(Value::hash).collect();
                let cell = self.list(tag::SET, node::SET | node::INDEXED, cells);
                self.words.extend_from_slice(&Index::words(hashes.into_iter()));
                cell
            }
            Kind::Set => self.list(tag::SET, node::SET, cells),
            _ => self.list(tag::ARRAY, node::ARRAY, cells),
        }
    }

    fn copy_object(&mut self, value: Value<'_>, cells: &[Cell]) -> Cell {
        let (pairs, _) = cells.as_chunks::<2>();
        if pairs.iter().all(|it| it[0].is_string()) {
            return self.object_sorted(cells);
        }
        if pairs.len() <= PLAIN_MEMBERS_MAX {
            let at = self.push_node(Header::list(node::PAIRS, pairs.len()), cells);
            return Cell::reference(tag::OBJECT, 0, at);
        }
        let keys = value.as_object().into_iter().flat_map(Object::iter);
        let hashes: Vec<u64> = keys.map(|it| it.0.hash()).collect();
        self.indexed_pairs(cells, &Index::words(hashes.into_iter()))
    }

    /// Makes room for a document of so much text, so that it rarely moves.
    pub(crate) fn expect_text(&mut self, bytes: usize) {
        self.words.reserve(bytes / 8 + 64);
    }

    fn here(&self) -> u32 {
        u32::try_from(self.words.len()).expect(SIZE_RULE)
    }

    fn push_text(&mut self, text: &str) -> u32 {
        self.push_text_with(text.len(), &mut |bytes| bytes.copy_from_slice(text.as_bytes()))
    }

    fn push_text_with(&mut self, len: usize, write: &mut dyn FnMut(&mut [u8])) -> u32 {
        let at = self.here();
        let prefix = u32::try_from(len).expect("a text is smaller than 4 GiB");
        self.words.extend_zeros((len + 4).div_ceil(8));
        let bytes = bytes_of_mut(&mut self.words[at as usize..]);
        bytes[..4].copy_from_slice(&prefix.to_le_bytes());
        write(&mut bytes[4..4 + len]);
        at
    }
}

impl Sink for &mut DocumentBuilder {
    fn text(&mut self, tag: u8, text: &str, _live: &mut Vec<Cell>) -> Option<Cell> {
        (!self.words.is_full()).then(|| self.intern(tag, text))
    }

    fn text_with(
        &mut self,
        tag: u8,
        len: usize,
        write: &mut dyn FnMut(&mut [u8]),
        _live: &mut Vec<Cell>,
    ) -> Option<Cell> {
        if self.words.is_full() {
            return None;
        }
        let at = self.push_text_with(len, write);
        let bytes = bytes_of_mut(&mut self.words[at as usize..]).get_mut(4..4 + len)?;
        if std::str::from_utf8(bytes).is_err() {
            bytes.fill(0);
        }
        let hash = hash_bytes(bytes);
        let words = &self.words;
        let text = text_at(words, at);
        let known = self.texts.find(short(hash), |it| text_at(words, it) == text);
        match known {
            Some(_) => self.words.truncate(at as usize),
            None => self.texts.insert(short(hash), at),
        }
        Some(Cell::reference(tag, hash.to_le_bytes()[0], known.unwrap_or(at)))
    }

    fn array(&mut self, live: &mut Vec<Cell>, start: usize) -> Option<Cell> {
        let items = live.get(start..).filter(|_| !self.words.is_full())?;
        Some(self.list(tag::ARRAY, node::ARRAY, items))
    }

    fn object(&mut self, live: &mut Vec<Cell>, start: usize) -> Option<Cell> {
        let cells = live.get_mut(start..).filter(|_| !self.words.is_full())?;
        let len = keys::sort_pairs(cells, &**self);
        Some(self.object_sorted(cells.get(..len)?))
    }
}

impl KeyTexts for DocumentBuilder {
    fn first_word(&self, key: Cell) -> u64 {
        self.words.note_read();
        let at = key.offset() as usize;
        let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
        word(at) >> 32 | word(at + 1) << 32
    }

    fn compare(&self, a: Cell, b: Cell) -> Ordering {
        self.words.note_read();
        key_text(&self.words, &a).cmp(key_text(&self.words, &b))
    }
}

fn text_at(words: &[u64], at: u32) -> &str {
    let at = at as usize;
    let len = usize::try_from(words[at] & 0xffff_ffff).unwrap_or(0);
    written_text(&bytes_of(&words[at..])[4..4 + len])
}

fn key_text<'a>(words: &'a [u64], key: &'a Cell) -> &'a str {
    if key.is_reference() { text_at(words, key.offset()) } else { crate::raw::inline_text(key) }
}

fn key_hash(words: &[u64], key: Cell) -> u64 {
    if key.is_reference() { hash_bytes(text_at(words, key.offset()).as_bytes()) } else { hash_word(key.0) }
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
        let pairs: Vec<(Part, Part)> = (0..10_000)
            .map(|it| (builder.string(&format!("key-{it:07}")), builder.number(&it.to_string())))
            .collect();
        let root = builder.object(&pairs);
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
