//! Gathers what edits wrote: thousands of small segments become one.
//!
//! Apart from `edit` because it is done now and then, for many edits at once. Large segments stay and are referred to:
//! what was loaded, and what was gathered before. So it costs what was written since, whatever the size of the whole.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Document;
use crate::cell::{Cell, tag};
use crate::link::Link;
use crate::node::{self, Header, Index, Object};
use crate::raw::Segment;
use crate::raw::words::Words;
use crate::tree;

/// Segments of so many words are not copied.
const LARGE_WORDS: usize = 4_096;
/// Deeper values are not gathered one by one: the document is copied.
const DEPTH_MAX: usize = 512;
/// Objects of more keys get an index.
const PLAIN_KEYS_MAX: usize = 32;

impl Document {
    /// Returns the same document with all that edits wrote since it was gathered last in one segment.
    ///
    /// What edits replaced before that stays in the segments gathered then; a copy ([`Self::from_value`]) leaves it.
    #[must_use]
    pub fn gathered(&self) -> Self {
        let mut gatherer = Gatherer { words: Words::of(&[0]), ..Gatherer::default() };
        match gatherer.gather(&self.link(), 0) {
            Some(root) => gatherer.finish(root),
            None => Self::from_value(self.root()),
        }
    }
}

#[derive(Default)]
struct Gatherer {
    words: Words,
    segments: Vec<Arc<Segment>>,
    /// The numbers of the segments, by address.
    numbers: HashMap<usize, u16>,
}

impl Gatherer {
    fn finish(self, root: Cell) -> Document {
        let home = Arc::new(Segment::linking(self.words, self.segments));
        Document::from_link(Link::of(&home, root))
    }

    /// Returns the cell that stands for a value in the segment that is being made. None if it cannot be done.
    fn gather(&mut self, link: &Link, depth: usize) -> Option<Cell> {
        let Some(home) = link.segment() else { return Some(link.cell()) };
        if home.len() >= LARGE_WORDS {
            return Some(link.cell().with_segment(self.number(home)?));
        }
        if depth > DEPTH_MAX {
            return None;
        }
        match link.cell().tag() {
            tag::STRING_REF | tag::NUMBER_REF => self.text(home, link.cell()),
            tag::OBJECT => self.object(home, link.cell(), depth),
            tag::ARRAY => self.array(home, link, depth),
            _ => None,
        }
    }

    fn number(&mut self, home: &Arc<Segment>) -> Option<u16> {
        let address = Arc::as_ptr(home).addr();
        if let Some(known) = self.numbers.get(&address) {
            return Some(*known);
        }
        let number = u16::try_from(self.segments.len() + 1).ok()?;
        self.segments.push(Arc::clone(home));
        self.numbers.insert(address, number);
        Some(number)
    }

    fn here(&self) -> Option<u32> {
        u32::try_from(self.words.len()).ok()
    }

    fn text(&mut self, home: &Segment, cell: Cell) -> Option<Cell> {
        let at = self.here()?;
        let words = (home.text(cell.offset()).len() + 4).div_ceil(8);
        self.words.extend(home.cells(cell.offset(), words).iter().map(|it| it.0));
        Some(cell.moved(at))
    }

    fn array(&mut self, home: &Arc<Segment>, link: &Link, depth: usize) -> Option<Cell> {
        let items = link.value().as_array()?.cells();
        let cells = self.all(home, items, depth)?;
        self.node(tag::ARRAY, Header::list(node::ARRAY, items.len()), &cells)
    }

    fn object(&mut self, home: &Arc<Segment>, cell: Cell, depth: usize) -> Option<Cell> {
        let view = Object::new(home, cell.offset());
        if let Some((pages, base)) = view.tree() {
            let base = self.gather(&Link::of(home, base), depth + 1)?;
            let pages = self.page(&Link::of(home, pages), depth + 1)?;
            let words = [base, pages, Cell(view.changes() as u64)];
            return self.node(tag::OBJECT, Header::list(node::TREE, view.len()), &words);
        }
        let (keys, values, step) = view.rows()?;
        let mut cells = Vec::with_capacity(2 * view.len());
        for (key, value) in keys.iter().step_by(step).zip(values.iter().step_by(step)) {
            cells.extend(self.all(home, &[*key, *value], depth)?);
        }
        if view.len() <= PLAIN_KEYS_MAX {
            return self.node(tag::OBJECT, Header::list(node::PAIRS, view.len()), &cells);
        }
        let hashes: Vec<u64> = view.iter().map(|it| it.0.hash()).collect();
        let made = self.node(tag::OBJECT, Header::list(node::PAIRS | node::INDEXED, view.len()), &cells)?;
        self.words.extend_from_slice(&Index::words(hashes.into_iter()));
        Some(made)
    }

    fn page(&mut self, page: &Link, depth: usize) -> Option<Cell> {
        let home = page.segment()?;
        if home.len() >= LARGE_WORDS {
            return Some(page.cell().with_segment(self.number(home)?));
        }
        let (height, entries) = tree::entries(page)?;
        let mut cells = Vec::with_capacity(2 * entries.len());
        for (key, below) in &entries {
            cells.push(self.gather(key, depth + 1)?);
            cells.push(if height == 0 {
                self.gather(below, depth + 1)?
            } else {
                self.page(below, depth + 1)?
            });
        }
        self.node(tag::OBJECT, tree::header(height, entries.len()), &cells)
    }

    fn all(&mut self, home: &Arc<Segment>, cells: &[Cell], depth: usize) -> Option<Vec<Cell>> {
        cells.iter().map(|it| self.gather(&Link::of(home, *it), depth + 1)).collect()
    }

    fn node(&mut self, tag: u8, header: Header, cells: &[Cell]) -> Option<Cell> {
        let at = self.here()?;
        self.words.push(header.0);
        self.words.extend(cells.iter().map(|it| it.0));
        Some(Cell::reference(tag, 0, at))
    }
}
