//! What an edited document is made of: references that keep the segments they lead into, and nodes of such references.
//!
//! Apart from `document`, whose builder knows one segment. Each node that an edit writes has a segment of its own and
//! keeps those that it refers to, so that memory goes with the last document that shows it.

use std::sync::Arc;

use crate::cell::Cell;
use crate::node::Header;
use crate::raw::Segment;
use crate::raw::words::Words;
use crate::value::Value;

/// A value at rest with the segment that holds it.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    home: Option<Arc<Segment>>,
    cell: Cell,
}

impl Link {
    /// Returns what a cell of a segment refers to.
    pub(crate) fn of(segment: &Arc<Segment>, cell: Cell) -> Self {
        // The empty collection is at the start of every segment.
        if !cell.is_reference() || cell.offset() == 0 {
            return Self { home: None, cell: if cell.is_reference() { cell.with_segment(0) } else { cell } };
        }
        let home = if cell.segment() == 0 { Some(segment) } else { segment.kept(cell.segment()) };
        match home {
            Some(home) => Self { home: Some(Arc::clone(home)), cell: cell.with_segment(0) },
            None => Self { home: None, cell: Cell::NULL },
        }
    }

    /// Returns the mark of a removed key.
    pub(crate) fn removed() -> Self {
        Self { home: None, cell: Cell::REMOVED }
    }

    pub(crate) fn cell(&self) -> Cell {
        self.cell
    }

    pub(crate) fn segment(&self) -> Option<&Arc<Segment>> {
        self.home.as_ref()
    }

    pub(crate) fn value(&self) -> Value<'_> {
        match &self.home {
            Some(home) => Value::load(home, self.cell),
            None => Value::inline(self.cell),
        }
    }

    /// Takes it apart into the segment, if there is one, and the cell in it.
    pub(crate) fn into_parts(self) -> (Option<Arc<Segment>>, Cell) {
        (self.home, self.cell)
    }
}

/// A node that is being written.
pub(crate) struct Node {
    tag: u8,
    words: Words,
    segments: Vec<Arc<Segment>>,
}

impl Node {
    pub(crate) fn new(tag: u8, header: Header) -> Self {
        Self { tag, words: Words::of(&[0, header.0]), segments: Vec::new() }
    }

    /// Adds a plain word.
    pub(crate) fn push_word(&mut self, word: u64) {
        self.words.push(word);
    }

    /// Adds a cell. None if the node refers to too many segments.
    pub(crate) fn push(&mut self, link: &Link) -> Option<()> {
        let number = match &link.home {
            None => 0,
            Some(home) => self.number(home)?,
        };
        let cell = if link.cell.is_reference() { link.cell.with_segment(number) } else { link.cell };
        self.words.push(cell.0);
        Some(())
    }

    fn number(&mut self, home: &Arc<Segment>) -> Option<u16> {
        // Neighbours were mostly written together.
        let known = self.segments.iter().rposition(|it| Arc::ptr_eq(it, home));
        let index = known.unwrap_or(self.segments.len());
        let number = u16::try_from(index + 1).ok()?;
        if known.is_none() {
            self.segments.push(Arc::clone(home));
        }
        Some(number)
    }

    pub(crate) fn finish(self) -> Link {
        let cell = Cell::reference(self.tag, 0, 1);
        Link { home: Some(Arc::new(Segment::linking(self.words, self.segments))), cell }
    }
}
