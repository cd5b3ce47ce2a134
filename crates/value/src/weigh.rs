//! Weighs values: how much of the memory of documents they occupy, what several share counted once.
//!
//! Apart because it reads nodes by their headers alone and asks for no value: shapes, pages and indexes weigh too. It
//! only reads, and marks what it has seen, a bit for each word of the segments that it meets.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::slice;

use crate::cell::{Cell, tag};
use crate::node::Extent;
use crate::raw::Segment;
use crate::value::Value;

/// Weighs values of documents that live at least as long.
#[derive(Debug, Default)]
pub struct Weigher<'d> {
    /// The nodes that were counted, by the address of their segment: a bit for each word.
    seen: HashMap<usize, Vec<u64>>,
    documents: PhantomData<Value<'d>>,
}

impl<'d> Weigher<'d> {
    /// Returns a weigher that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes of all nodes that a value leads to and that were not counted before. A scalar of a few bytes
    /// has none: it stands in the collection that holds it.
    pub fn add(&mut self, value: Value<'d>) -> u64 {
        let mut words = 0;
        let first = [value.cell];
        let mut open: Vec<(&Segment, slice::Iter<'_, Cell>)> = vec![(value.segment, first.iter())];
        while let Some((segment, cells)) = open.last_mut() {
            let segment = *segment;
            let Some(cell) = cells.next() else {
                open.pop();
                continue;
            };
            // The empty collection stands at the start of every segment and is nobody's.
            if !cell.is_reference() || cell.offset() == 0 {
                continue;
            }
            let home = segment.linked(cell.segment());
            if !self.is_new(home, cell.offset()) {
                continue;
            }
            if matches!(cell.tag(), tag::STRING_REF | tag::NUMBER_REF) {
                words += home.text(cell.offset()).len().saturating_add(4).div_ceil(8);
                continue;
            }
            let extent = Extent::of(home, cell.offset());
            words += extent.words;
            open.push((home, extent.cells.iter()));
            if let Some(shape) = extent.shape.filter(|it| self.is_new(home, *it)) {
                let keys = Extent::of(home, shape);
                words += keys.words;
                open.push((home, keys.cells.iter()));
            }
        }
        words as u64 * 8
    }

    /// Marks a node; says whether it was not.
    fn is_new(&mut self, segment: &Segment, at: u32) -> bool {
        let marks = self.seen.entry(std::ptr::from_ref(segment).addr()).or_default();
        if marks.is_empty() {
            marks.resize(segment.len().div_ceil(64), 0);
        }
        let Some(mark) = marks.get_mut(at as usize / 64) else { return false };
        let bit = 1 << (at % 64);
        let is_new = *mark & bit == 0;
        *mark |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read_document;
    use crate::{Document, Edit};

    fn document(text: &str) -> Document {
        read_document(text.as_bytes()).expect("JSON")
    }

    /// All that was read is a node or the first word.
    #[test]
    fn fresh_documents_weigh_what_they_take() {
        let mut large =
            String::from("{\"list\":[1,\"a longer text\",1.5e300,\"a longer text\",[],{}],\"rows\":[");
        for row in 0..2_000 {
            large.push_str(&format!(
                "{}{{\"identifier\":\"id-{row:07}\",\"n\":{row}}}",
                if row == 0 { "" } else { "," }
            ));
        }
        large.push_str("],\"keys\":{");
        for key in 0..500 {
            large.push_str(&format!("{}\"key number {key}\":[{key}]", if key == 0 { "" } else { "," }));
        }
        large.push_str("}}");
        for text in ["{}", "1", "\"short\"", "\"longer than seven\"", "[[],[1]]", &large] {
            let document = document(text);
            let mut weigher = Weigher::new();
            assert_eq!(weigher.add(document.root()) + 8, document.bytes() as u64, "{text:.50}");
            assert_eq!(weigher.add(document.root()), 0);
        }
    }

    #[test]
    fn sets_and_pairs_weigh_with_their_index() {
        let arena = crate::Arena::new();
        let mut members: Vec<Value<'_>> = (0..100).map(|it| arena.int(it)).collect();
        let mut pairs: Vec<_> = (0..100).map(|it| (arena.int(it), arena.set(&mut members))).collect();
        let document = Document::from_value(arena.object(&mut pairs));
        assert_eq!(Weigher::new().add(document.root()) + 8, document.bytes() as u64);
    }

    #[test]
    fn parts_of_an_edited_document_are_counted_once() {
        let keys: Vec<String> = (0..200).map(|it| format!("\"some key {it}\":{{\"n\":{it}}}")).collect();
        let base = document(&format!("{{\"a\":{{{}}},\"b\":1}}", keys.join(",")));
        let mut edited = base.clone();
        for key in 0..200 {
            let path = format!("some key {}", key * 3);
            let value = document("{\"text\":\"a longer text\"}");
            edited = edited.edited(&["a", &path], Edit::Set(&value)).expect("a place");
        }
        let mut weigher = Weigher::new();
        let before = weigher.add(base.root());
        let after = weigher.add(edited.root());
        assert!(after > 200 * 5 * 8, "{after}");
        // What an edit wrote has a segment of its own, whose first word is the empty collection.
        let all = Weigher::new().add(edited.root());
        assert!(all <= before + after && all <= edited.bytes() as u64, "{all} {before} {after}");
        assert_eq!(weigher.add(edited.root()), 0);
    }
}
