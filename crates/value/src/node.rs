//! The formats of the nodes that references lead to, and the views that read them.
//!
//! Headers (one word): bits 0..24 small count, 24..32 kind, 32..64 count or shape offset. The description byte by
//! byte is `docs/internals/values.md`. It only reads; `arena` and `document` write.

use std::cmp::Ordering;

use crate::cell::{Cell, tag};
use crate::raw::Segment;
use crate::tree;
use crate::value::Value;

pub(crate) const ARRAY: u8 = 0;
pub(crate) const SET: u8 = 1;
/// Sorted pairs: key cell, value cell, …
pub(crate) const PAIRS: u8 = 2;
/// Value cells only; the keys stand in a shape of the same segment.
pub(crate) const RECORD: u8 = 3;
/// Another object, with some keys set or removed.
pub(crate) const OVERLAY: u8 = 4;
/// Another object, with the changes in a tree of pages.
pub(crate) const TREE: u8 = 5;
/// A page of such a tree; never what a value leads to.
pub(crate) const PAGE: u8 = 6;
/// Flag: a hash index follows the cells.
pub(crate) const INDEXED: u8 = 0x10;

/// Up to this many keys a changed object is built anew instead of laid over.
pub(crate) const REBUILD_KEYS_MAX: usize = 16;
/// Up to this many entries a key is looked for one by one.
const SCAN_MAX: usize = 12;

/// The first word of a node.
#[derive(Clone, Copy)]
pub(crate) struct Header(pub(crate) u64);

impl Header {
    pub(crate) fn list(kind: u8, len: usize) -> Self {
        Self(u64::from(kind) << 24 | (len as u64) << 32)
    }

    pub(crate) fn record(len: usize, shape: u32) -> Self {
        Self((len as u64) & 0xff_ffff | u64::from(RECORD) << 24 | u64::from(shape) << 32)
    }

    #[inline]
    fn kind(self) -> u8 {
        self.0.to_le_bytes()[3]
    }

    /// The upper half: the count of a list, or the shape of a record.
    #[inline]
    pub(crate) fn upper(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    pub(crate) fn small(self) -> usize {
        (self.0 & 0xff_ffff) as usize
    }
}

/// What a node takes and refers to, whatever it is: for those who look at memory and not at values.
pub(crate) struct Extent<'e> {
    /// Its words, header and index included.
    pub(crate) words: usize,
    /// The cells in it.
    pub(crate) cells: &'e [Cell],
    /// Where the keys of a record stand.
    pub(crate) shape: Option<u32>,
}

impl<'e> Extent<'e> {
    pub(crate) fn of(segment: &'e Segment, at: u32) -> Self {
        let header = Header(segment.word(at));
        let kind = header.kind();
        let upper = header.upper() as usize;
        // Documents have no overlays, which are an arena's.
        let len = match kind & !INDEXED {
            RECORD => header.small(),
            PAIRS | PAGE => 2 * upper,
            TREE => 2,
            _ => upper,
        };
        let cells = segment.cells(at.saturating_add(1), len);
        let mut words = 1 + cells.len() + usize::from(kind == TREE);
        if kind & INDEXED != 0 {
            let slots = segment.word(at.saturating_add(1 + len_u32(cells))).saturating_add(1);
            words += 1 + usize::try_from(slots / 2).unwrap_or(0).min(segment.len());
        }
        Self { words, cells, shape: (kind == RECORD).then_some(header.upper()) }
    }
}

/// Returns the cell of a number text that needs no node.
pub(crate) fn number_cell(text: &str) -> Option<Cell> {
    if let Some(value) = crate::number::canonical_i64(text)
        && let Some(cell) = Cell::int(value)
    {
        return Some(cell);
    }
    Cell::inline(tag::NUMBER, text.as_bytes())
}

/// An array that can be read.
#[derive(Clone, Copy, Debug)]
pub struct Array<'e> {
    segment: &'e Segment,
    cells: &'e [Cell],
}

impl<'e> Array<'e> {
    pub(crate) fn new(segment: &'e Segment, at: u32) -> Self {
        let header = Header(segment.word(at));
        Self { segment, cells: segment.cells(at + 1, header.upper() as usize) }
    }

    /// The number of items.
    #[must_use]
    pub fn len(self) -> usize {
        self.cells.len()
    }

    /// Says whether there is no item.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.cells.is_empty()
    }

    /// Returns the item at an index from 0.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<Value<'e>> {
        load_at(self.segment, self.cells, index)
    }

    pub(crate) fn cells(self) -> &'e [Cell] {
        self.segment.touch_all(self.cells);
        self.cells
    }

    /// Returns the items in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value<'e>> + DoubleEndedIterator + use<'e> {
        self.cells().iter().map(move |it| Value::load(self.segment, *it))
    }
}

/// A set that can be read; its members are sorted.
#[derive(Clone, Copy, Debug)]
pub struct Set<'e> {
    segment: &'e Segment,
    at: u32,
    kind: u8,
    cells: &'e [Cell],
}

impl<'e> Set<'e> {
    pub(crate) fn new(segment: &'e Segment, at: u32) -> Self {
        let header = Header(segment.word(at));
        Self { segment, at, kind: header.kind(), cells: segment.cells(at + 1, header.upper() as usize) }
    }

    /// The number of members.
    #[must_use]
    pub fn len(self) -> usize {
        self.cells.len()
    }

    /// Says whether there is no member.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.cells.is_empty()
    }

    /// Returns the member at a position in Rego's order.
    #[inline]
    #[must_use]
    pub fn nth(self, index: usize) -> Option<Value<'e>> {
        load_at(self.segment, self.cells, index)
    }

    /// Returns the member that equals the value, with the text that the set keeps.
    #[must_use]
    pub fn get(self, value: Value<'_>) -> Option<Value<'e>> {
        let found = if self.kind & INDEXED != 0 {
            let index = Index::new(self.segment, self.at + 1 + len_u32(self.cells));
            index.find(value.hash(), |it| {
                cell_at(self.segment, self.cells, it).is_some_and(|cell| matches(self.segment, cell, value))
            })
        } else {
            find_cell(self.segment, self.cells, 1, value)
        };
        found.and_then(|it| self.nth(it))
    }

    pub(crate) fn cells(self) -> &'e [Cell] {
        self.segment.touch_all(self.cells);
        self.cells
    }

    /// Returns the members in Rego's order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value<'e>> + DoubleEndedIterator + use<'e> {
        self.cells().iter().map(move |it| Value::load(self.segment, *it))
    }
}

/// Returns a cell of a run that a segment lent.
#[inline]
fn cell_at(segment: &Segment, cells: &[Cell], index: usize) -> Option<Cell> {
    let cell = cells.get(index)?;
    segment.touch(cell);
    Some(*cell)
}

#[inline]
fn load_at<'e>(segment: &'e Segment, cells: &[Cell], index: usize) -> Option<Value<'e>> {
    cell_at(segment, cells, index).map(|it| Value::load(segment, it))
}

fn len_u32(cells: &[Cell]) -> u32 {
    u32::try_from(cells.len()).unwrap_or(u32::MAX)
}

/// Says whether the cell is the key. Strings have one form, so most answers need no memory.
#[inline]
fn matches(segment: &Segment, cell: Cell, key: Value<'_>) -> bool {
    if key.cell.is_string() {
        if !key.cell.is_reference() || !cell.is_reference() {
            return cell == key.cell;
        }
        // Tag and hash first: the low 16 bits.
        if (cell.0 ^ key.cell.0) & 0xffff != 0 {
            return false;
        }
        return Value::load(segment, cell).same_text(key);
    }
    if cell == key.cell && !cell.is_reference() {
        return true;
    }
    !cell.is_string() && Value::load(segment, cell).same_member(key)
}

/// Finds a string among the keys of a small object, one after another: most of the look-ups that policies make.
#[inline]
fn find_string<'c>(
    segment: &Segment,
    keys: impl ExactSizeIterator<Item = &'c Cell>,
    key: Value<'_>,
) -> Option<usize> {
    let wanted = key.cell;
    if wanted.is_reference() {
        for (place, cell) in keys.enumerate() {
            // Tag and hash first: the low 16 bits.
            if (cell.0 ^ wanted.0) & 0xffff == 0 && Value::load(segment, *cell).same_text(key) {
                return Some(place);
            }
        }
        return None;
    }
    for (place, cell) in keys.enumerate() {
        if *cell == wanted {
            return Some(place);
        }
    }
    None
}

/// Returns the value of a string key of the object at a word: [`Object::get`], without a view where the object is small.
pub(crate) fn field<'e>(segment: &'e Segment, at: u32, key: Value<'_>) -> Option<Value<'e>> {
    let header = Header(segment.word(at));
    let found = match header.kind() {
        RECORD if header.small() <= SCAN_MAX => {
            find_string(segment, segment.cells(header.upper() + 1, header.small()).iter(), key)?
        }
        PAIRS if header.upper() as usize <= SCAN_MAX => {
            let pairs = segment.cells(at + 1, 2 * header.upper() as usize);
            2 * find_string(segment, pairs.chunks_exact(2).map(|it| &it[0]), key)? + 1
        }
        _ => return Object::new(segment, at).get(key),
    };
    let cell = Cell(segment.word(at + 1 + u32::try_from(found).ok()?));
    Some(Value::load(segment, cell))
}

/// Returns the position of a key in the object at a word, and the cell that it stands in; for small objects alone.
pub(crate) fn place_of(segment: &Segment, at: u32, key: Value<'_>) -> Option<(u32, Cell)> {
    let header = Header(segment.word(at));
    let (keys, step) = match header.kind() {
        RECORD => (segment.cells(header.upper().saturating_add(1), header.small()), 1),
        PAIRS => (segment.cells(at + 1, 2 * header.upper() as usize), 2),
        _ => return None,
    };
    let position = find_cell(segment, keys, step, key)?;
    Some((u32::try_from(position).ok()?, *keys.get(position * step)?))
}

/// Returns the cell of the value at a position of the object at a word, if its key there is that very cell.
#[inline]
pub(crate) fn value_at(segment: &Segment, at: u32, position: u32, key: Cell) -> Option<Cell> {
    let header = Header(segment.word(at));
    let (key_at, value_at) = match header.kind() {
        RECORD if (position as usize) < header.small() => {
            (header.upper().checked_add(1 + position)?, at.checked_add(1 + position)?)
        }
        PAIRS if position < header.upper() => {
            let key_at = at.checked_add(1)?.checked_add(position.checked_mul(2)?)?;
            (key_at, key_at.checked_add(1)?)
        }
        _ => return None,
    };
    (segment.word(key_at) == key.0).then(|| Cell(segment.word(value_at)))
}

/// Finds a key among sorted cells, every `step`-th being a key.
fn find_cell(segment: &Segment, cells: &[Cell], step: usize, key: Value<'_>) -> Option<usize> {
    let len = cells.len() / step;
    if len <= SCAN_MAX {
        if key.cell.is_string() {
            return if step == 1 {
                find_string(segment, cells.iter(), key)
            } else {
                find_string(segment, cells.chunks_exact(2).map(|it| &it[0]), key)
            };
        }
        return (0..len).find(|it| cells.get(it * step).is_some_and(|cell| matches(segment, *cell, key)));
    }
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        let cell = cell_at(segment, cells, middle * step)?;
        match Value::load(segment, cell).cmp(&key) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            // Equal numbers may still be different members, a few places to either side.
            Ordering::Equal => return find_near(segment, cells, step, (middle, key)),
        }
    }
    None
}

fn find_near(segment: &Segment, cells: &[Cell], step: usize, near: (usize, Value<'_>)) -> Option<usize> {
    let (middle, key) = near;
    let cell = |it: &usize| cell_at(segment, cells, it * step);
    let same = |it: &usize| cell(it).is_some_and(|cell| matches(segment, cell, key));
    let equal = |it: &usize| cell(it).is_some_and(|cell| Value::load(segment, cell) == key);
    let below = (0..=middle).rev().take_while(equal).find(same);
    below.or_else(|| (middle + 1..cells.len() / step).take_while(equal).find(same))
}

/// The hash index behind a list: a mask word, then 32-bit positions + 1, two a word, probed one after another.
pub(crate) struct Index<'e> {
    segment: &'e Segment,
    at: u32,
    mask: u64,
}

impl<'e> Index<'e> {
    fn new(segment: &'e Segment, at: u32) -> Self {
        Self { segment, at: at + 1, mask: segment.word(at) }
    }

    #[inline]
    fn slot(&self, slot: u64) -> u32 {
        let word = self.segment.word(self.at + u32::try_from(slot / 2).unwrap_or(u32::MAX / 2));
        if slot & 1 == 0 { (word & 0xffff_ffff) as u32 } else { (word >> 32) as u32 }
    }

    #[inline]
    fn find(&self, hash: u64, same: impl Fn(usize) -> bool) -> Option<usize> {
        let mut slot = hash & self.mask;
        for _ in 0..=self.mask {
            let position = self.slot(slot);
            if position == 0 {
                return None;
            }
            let position = position as usize - 1;
            if same(position) {
                return Some(position);
            }
            slot = (slot + 1) & self.mask;
        }
        None
    }

    /// Returns the words of an index over the hashes, in order.
    pub(crate) fn words(hashes: impl ExactSizeIterator<Item = u64>) -> Vec<u64> {
        let slots = (hashes.len() * 3 / 2).next_power_of_two().max(2);
        let mask = slots as u64 - 1;
        let mut words = vec![0u64; 1 + slots / 2];
        words[0] = mask;
        for (position, hash) in hashes.enumerate() {
            let mut slot = hash & mask;
            loop {
                let shift = 32 * (slot & 1);
                let word = &mut words[1 + (slot / 2) as usize];
                if (*word >> shift) & 0xffff_ffff == 0 {
                    *word |= (position as u64 + 1) << shift;
                    break;
                }
                slot = (slot + 1) & mask;
            }
        }
        words
    }
}

/// An object that can be read; its keys are sorted.
#[derive(Clone, Copy, Debug)]
pub struct Object<'e> {
    segment: &'e Segment,
    at: u32,
    kind: u8,
    len: usize,
    /// Pairs, or the values of a record, or the changes of an overlay.
    cells: &'e [Cell],
    /// The keys of a record.
    keys: &'e [Cell],
}

impl<'e> Object<'e> {
    #[inline]
    pub(crate) fn new(segment: &'e Segment, at: u32) -> Self {
        let header = Header(segment.word(at));
        let kind = header.kind();
        let upper = header.upper();
        match kind {
            RECORD => {
                let len = header.small();
                let keys = segment.cells(upper + 1, len);
                Self { segment, at, kind, len, cells: segment.cells(at + 1, len), keys }
            }
            OVERLAY => {
                let changes = usize::try_from(segment.word(at + 2)).unwrap_or(0);
                let cells = segment.cells(at + 3, 2 * changes);
                Self { segment, at, kind, len: upper as usize, cells, keys: &[] }
            }
            TREE => Self { segment, at, kind, len: upper as usize, cells: &[], keys: &[] },
            _ => {
                let len = upper as usize;
                Self { segment, at, kind, len, cells: segment.cells(at + 1, 2 * len), keys: &[] }
            }
        }
    }

    /// The number of keys.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Says whether there is no key.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the value of a key.
    #[inline]
    #[must_use]
    pub fn get(self, key: Value<'_>) -> Option<Value<'e>> {
        self.entry(key).map(|it| it.1)
    }

    /// Returns the value of a string key; prefer [`Self::get`] with a value made once.
    #[must_use]
    pub fn get_str(self, key: &str) -> Option<Value<'e>> {
        if let Some(cell) = Cell::inline(tag::STRING, key.as_bytes()) {
            return self.get(Value::inline(cell));
        }
        if self.len > SCAN_MAX {
            let arena = crate::Arena::new();
            return self.get(arena.string(key));
        }
        self.iter().find(|(it, _)| it.as_str() == Some(key)).map(|it| it.1)
    }

    /// Returns the key that equals the value, with the text that the object keeps, and its value.
    #[inline]
    #[must_use]
    pub fn entry(self, key: Value<'_>) -> Option<(Value<'e>, Value<'e>)> {
        match self.kind {
            OVERLAY => {
                if let Some(found) = find_cell(self.segment, self.cells, 2, key) {
                    let cell = *self.cells.get(2 * found + 1)?;
                    let key = *self.cells.get(2 * found)?;
                    return (cell != Cell::REMOVED).then(|| (self.load(key), self.load(cell)));
                }
                self.base().as_object()?.entry(key)
            }
            TREE => match tree::find(self.segment, self.pages(), key) {
                Some((key, value)) => Some((key, value?)),
                None => self.base().as_object()?.entry(key),
            },
            _ => self.cells_of(key).map(|(key, value)| (self.load(key), self.load(value))),
        }
    }

    /// Returns the cells of a key and its value; of an object that is no other's changes.
    #[inline]
    pub(crate) fn cells_of(self, key: Value<'_>) -> Option<(Cell, Cell)> {
        if self.kind == RECORD {
            let found = find_cell(self.segment, self.keys, 1, key)?;
            return Some((*self.keys.get(found)?, *self.cells.get(found)?));
        }
        let found = if self.kind & INDEXED != 0 {
            self.find_indexed(key)?
        } else {
            find_cell(self.segment, self.cells, 2, key)?
        };
        Some((
            cell_at(self.segment, self.cells, 2 * found)?,
            cell_at(self.segment, self.cells, 2 * found + 1)?,
        ))
    }

    /// Returns the tree of changes and what they change, if this is such an object.
    pub(crate) fn tree(self) -> Option<(Cell, Cell)> {
        (self.kind == TREE).then(|| (self.pages(), Cell(self.segment.word(self.at + 1))))
    }

    /// The number of changed keys of such an object.
    pub(crate) fn changes(self) -> usize {
        if self.kind == TREE { usize::try_from(self.segment.word(self.at + 3)).unwrap_or(0) } else { 0 }
    }

    fn pages(self) -> Cell {
        Cell(self.segment.word(self.at + 2))
    }

    fn find_indexed(self, key: Value<'_>) -> Option<usize> {
        let index = Index::new(self.segment, self.at + 1 + len_u32(self.cells));
        index.find(key.hash(), |it| {
            cell_at(self.segment, self.cells, 2 * it).is_some_and(|cell| matches(self.segment, cell, key))
        })
    }

    #[inline]
    fn load(self, cell: Cell) -> Value<'e> {
        Value::load(self.segment, cell)
    }

    fn base(self) -> Value<'e> {
        self.load(Cell(self.segment.word(self.at + 1)))
    }

    /// Returns the entry at a position in Rego's order; O(position) in a changed large object.
    #[must_use]
    pub fn nth(self, index: usize) -> Option<(Value<'e>, Value<'e>)> {
        match self.kind {
            RECORD => Some((self.load(*self.keys.get(index)?), self.load(*self.cells.get(index)?))),
            OVERLAY | TREE => self.iter().nth(index),
            _ => {
                let load = |index| load_at(self.segment, self.cells, index);
                Some((load(2 * index)?, load(2 * index + 1)?))
            }
        }
    }

    /// Returns the cells that keys and values stand in, every so many one; none of a changed object.
    pub(crate) fn rows(self) -> Option<(&'e [Cell], &'e [Cell], usize)> {
        self.segment.touch_all(self.cells);
        match self.kind {
            OVERLAY | TREE => None,
            RECORD => Some((self.keys, self.cells, 1)),
            _ => Some((self.cells, self.cells.get(1..).unwrap_or(&[]), 2)),
        }
    }

    /// Returns the entries in Rego's order of the keys.
    #[must_use]
    pub fn iter(self) -> ObjectIter<'e> {
        let merged = matches!(self.kind, OVERLAY | TREE).then(|| Box::new(Merged::of(self)));
        ObjectIter { object: self, merged, position: 0, left: self.len }
    }

    fn changed(self) -> Changed<'e> {
        if self.kind == TREE {
            Changed::Tree(tree::Changes::of(self.segment, self.pages()))
        } else {
            Changed::List(self, 0)
        }
    }

    /// Returns the changes of an overlay and what they change; of another object, itself and the changes given.
    pub(crate) fn flatten_changes(
        self,
        changes: &[(Value<'e>, Option<Value<'e>>)],
    ) -> (Value<'e>, Vec<(Value<'e>, Option<Value<'e>>)>) {
        let whole = Value::at(tag::OBJECT, self.segment, self.at);
        if self.kind != OVERLAY {
            return (whole, changes.to_vec());
        }
        let mut all: Vec<(Value<'e>, Option<Value<'e>>)> = (0..self.cells.len() / 2)
            .filter_map(|it| Some((self.cells.get(2 * it)?, self.cells.get(2 * it + 1)?)))
            .map(|(key, cell)| (self.load(*key), (*cell != Cell::REMOVED).then(|| self.load(*cell))))
            .collect();
        for (key, value) in changes {
            match all.iter_mut().find(|it| it.0.same_member(*key)) {
                Some(known) => known.1 = *value,
                None => all.push((*key, *value)),
            }
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        (self.base(), all)
    }

    /// Returns the pairs of this object with the changes made, sorted.
    pub(crate) fn merged(self, changes: &[(Value<'e>, Option<Value<'e>>)]) -> Vec<(Value<'e>, Value<'e>)> {
        let mut pairs = Vec::with_capacity(self.len + changes.len());
        let mut rest = changes.iter().peekable();
        for (key, value) in self.iter() {
            while let Some((new, value)) = rest.next_if(|it| it.0 < key && !it.0.same_member(key)) {
                pairs.extend(value.map(|it| (*new, it)));
            }
            match rest.next_if(|it| it.0.same_member(key)) {
                Some((_, changed)) => pairs.extend(changed.map(|it| (key, it))),
                None => pairs.push((key, value)),
            }
        }
        pairs.extend(rest.filter_map(|(key, value)| Some((*key, (*value)?))));
        pairs
    }
}

/// The entries of an object, in Rego's order of the keys.
#[derive(Clone, Debug)]
pub struct ObjectIter<'e> {
    object: Object<'e>,
    /// Of an object that is another one's changes.
    merged: Option<Box<Merged<'e>>>,
    position: usize,
    left: usize,
}

/// An object's entries and the changes of them, each at the next one.
#[derive(Clone, Debug)]
struct Merged<'e> {
    base: ObjectIter<'e>,
    below: Option<(Value<'e>, Value<'e>)>,
    changes: Changed<'e>,
    change: Option<(Value<'e>, Option<Value<'e>>)>,
}

#[derive(Clone, Debug)]
enum Changed<'e> {
    List(Object<'e>, usize),
    Tree(tree::Changes<'e>),
}

impl<'e> Changed<'e> {
    fn next(&mut self) -> Option<(Value<'e>, Option<Value<'e>>)> {
        match self {
            Self::Tree(changes) => changes.next(),
            Self::List(object, at) => {
                let (key, cell) = (object.cells.get(2 * *at)?, *object.cells.get(2 * *at + 1)?);
                *at += 1;
                Some((object.load(*key), (cell != Cell::REMOVED).then(|| object.load(cell))))
            }
        }
    }
}

impl<'e> Merged<'e> {
    fn of(object: Object<'e>) -> Self {
        let base = object.base().as_object().unwrap_or_else(|| Object::new(Segment::empty(), 0));
        let (mut base, mut changes) = (base.iter(), object.changed());
        let (below, change) = (base.next(), changes.next());
        Self { base, below, changes, change }
    }

    fn next(&mut self) -> Option<(Value<'e>, Value<'e>)> {
        loop {
            let Some((key, value)) = self.change else { return self.next_below() };
            match self.below {
                Some((other, _)) if !key.same_member(other) && other < key => return self.next_below(),
                Some((other, _)) if key.same_member(other) => {
                    self.next_below();
                }
                _ => {}
            }
            self.change = self.changes.next();
            if let Some(value) = value {
                return Some((key, value));
            }
        }
    }

    fn next_below(&mut self) -> Option<(Value<'e>, Value<'e>)> {
        std::mem::replace(&mut self.below, self.base.next())
    }
}

impl<'e> Iterator for ObjectIter<'e> {
    type Item = (Value<'e>, Value<'e>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let next = match &mut self.merged {
            Some(merged) => merged.next(),
            None => {
                self.position += 1;
                self.object.nth(self.position - 1)
            }
        };
        self.left = self.left.saturating_sub(1);
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for ObjectIter<'_> {}
