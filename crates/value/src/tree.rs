//! The changes of a large object that is edited: a tree of small pages, of which an edit copies one path.
//!
//! Apart because reading and writing the pages go together. The object without its changes stays as it was loaded,
//! with its index; a look-up asks the tree first. Pages are nodes (`docs/internals/values.md`, kinds 5 and 6), each
//! in a segment of its own, so that a page goes when nothing refers to it any more. Keys are strings: only data is
//! edited, and data is JSON.

use crate::cell::{Cell, tag};
use crate::link::{Link, Node};
use crate::node::{self, Header};
use crate::raw::Segment;
use crate::value::Value;

/// So many entries a page holds; a fuller one is split.
const PAGE_ENTRIES_MAX: usize = 64;
/// Deeper trees are not made, and no deeper is read: 32^8 entries.
const HEIGHT_MAX: usize = 8;

/// Finds a key among the changes: none if it is not changed, and no value if it is removed.
pub(crate) fn find<'e>(
    segment: &'e Segment,
    root: Cell,
    key: Value<'_>,
) -> Option<(Value<'e>, Option<Value<'e>>)> {
    let mut page = Page::of(segment, root);
    for _ in 0..HEIGHT_MAX {
        let at = page.position(key)?;
        let (first, cell) = page.entry(at)?;
        if page.is_leaf() {
            let value = (cell != Cell::REMOVED).then(|| Value::load(page.segment, cell));
            return (first == key).then_some((first, value));
        }
        page = Page::of(page.segment, cell);
    }
    None
}

/// A page that can be read.
#[derive(Clone, Copy, Debug)]
struct Page<'e> {
    segment: &'e Segment,
    height: usize,
    cells: &'e [Cell],
}

impl<'e> Page<'e> {
    fn of(segment: &'e Segment, cell: Cell) -> Self {
        let home = segment.linked(cell.segment());
        let header = Header(home.word(cell.offset()));
        let cells = home.cells(cell.offset().saturating_add(1), 2 * header.upper() as usize);
        Self { segment: home, height: header.small(), cells }
    }

    fn is_leaf(self) -> bool {
        self.height == 0
    }

    fn entry(self, at: usize) -> Option<(Value<'e>, Cell)> {
        let (key, cell) = (self.cells.get(2 * at)?, self.cells.get(2 * at + 1)?);
        Some((Value::load(self.segment, *key), *cell))
    }

    /// Returns the last entry that is not behind the key.
    fn position(self, key: Value<'_>) -> Option<usize> {
        let (mut low, mut high) = (0, self.cells.len() / 2);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle) {
                Some((other, _)) if other <= key => low = middle + 1,
                _ => high = middle,
            }
        }
        low.checked_sub(1)
    }
}

/// The changes in the order of their keys.
#[derive(Clone, Debug)]
pub(crate) struct Changes<'e> {
    open: Vec<(Page<'e>, usize)>,
}

impl<'e> Changes<'e> {
    pub(crate) fn of(segment: &'e Segment, root: Cell) -> Self {
        Self { open: vec![(Page::of(segment, root), 0)] }
    }
}

impl<'e> Iterator for Changes<'e> {
    type Item = (Value<'e>, Option<Value<'e>>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let depth = self.open.len();
            let (page, at) = self.open.last_mut()?;
            let Some((key, cell)) = page.entry(*at) else {
                self.open.pop();
                continue;
            };
            *at += 1;
            if page.is_leaf() {
                return Some((key, (cell != Cell::REMOVED).then(|| Value::load(page.segment, cell))));
            }
            if depth >= HEIGHT_MAX {
                return None;
            }
            let below = Page::of(page.segment, cell);
            self.open.push((below, 0));
        }
    }
}

/// Returns the tree of one change.
pub(crate) fn single(key: &Link, value: &Link) -> Option<Link> {
    write(0, &[(key.clone(), value.clone())])
}

/// Returns the entry of a key among the changes; the value may be the mark of a removed one.
pub(crate) fn entry(root: &Link, key: Value<'_>) -> Option<(Link, Link)> {
    let mut page = root.clone();
    for _ in 0..HEIGHT_MAX {
        let (height, entries) = entries(&page)?;
        let at = entries.partition_point(|it| it.0.value() <= key).checked_sub(1)?;
        let (first, below) = entries.get(at)?.clone();
        if height == 0 {
            return (first.value() == key).then_some((first, below));
        }
        page = below;
    }
    None
}

/// Returns the tree with a key set to a value, or marked as removed. None if the tree would be too large.
pub(crate) fn put(root: &Link, key: &Link, value: &Link) -> Option<Link> {
    let (height, pages) = put_below(root, key, value, HEIGHT_MAX)?;
    match pages.as_slice() {
        [(_, only)] => Some(only.clone()),
        _ if height + 1 < HEIGHT_MAX => write(height + 1, &pages),
        _ => None,
    }
}

/// A key with its value, or with the page below that starts with it.
pub(crate) type Entry = (Link, Link);

/// Returns the height of a page and what takes its place: itself, or two if it was full.
fn put_below(page: &Link, key: &Link, value: &Link, depth_left: usize) -> Option<(usize, Vec<Entry>)> {
    let depth_left = depth_left.checked_sub(1)?;
    let (height, mut entries) = entries(page)?;
    let wanted = key.value();
    // In an inner page a key before all others belongs below the first.
    let behind = entries.partition_point(|it| it.0.value() <= wanted);
    if height > 0 {
        let at = behind.saturating_sub(1);
        let (_, below) = entries.get(at)?;
        let (_, pages) = put_below(below, key, value, depth_left)?;
        entries.splice(at..=at, pages);
    } else {
        let known = behind.checked_sub(1).filter(|it| entries[*it].0.value() == wanted);
        match known {
            Some(at) => entries[at].1 = value.clone(),
            None => entries.insert(behind, (key.clone(), value.clone())),
        }
    }
    let middle = if entries.len() > PAGE_ENTRIES_MAX { entries.len() / 2 } else { entries.len() };
    let mut pages = Vec::with_capacity(2);
    for part in [&entries[..middle], &entries[middle..]] {
        if let Some((first, _)) = part.first() {
            pages.push((first.clone(), write(height, part)?));
        }
    }
    Some((height, pages))
}

/// Returns the height of a page and its entries.
pub(crate) fn entries(page: &Link) -> Option<(usize, Vec<Entry>)> {
    let segment = page.segment()?;
    let header = Header(segment.word(page.cell().offset()));
    let cells = segment.cells(page.cell().offset().saturating_add(1), 2 * header.upper() as usize);
    let (pairs, _) = cells.as_chunks::<2>();
    let entry = |it: &[Cell; 2]| (Link::of(segment, it[0]), Link::of(segment, it[1]));
    Some((header.small(), pairs.iter().map(entry).collect()))
}

/// Returns the first word of a page: the small count is the height above the leaves.
pub(crate) fn header(height: usize, entries: usize) -> Header {
    Header(Header::list(node::PAGE, entries).0 | (height as u64) & 0xff_ffff)
}

fn write(height: usize, entries: &[Entry]) -> Option<Link> {
    let mut page = Node::new(tag::OBJECT, header(height, entries.len()));
    for (key, value) in entries {
        page.push(key)?;
        page.push(value)?;
    }
    Some(page.finish())
}
