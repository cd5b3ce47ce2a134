//! Walks through collections without recursion: a value nests as deep as whoever sent it liked.
//!
//! Apart because comparing, hashing and copying all need it. What is done with a scalar is the caller's.

use std::cmp::Ordering;

use smallvec::SmallVec;

use crate::cell::Cell;
use crate::hash;
use crate::node::ObjectIter;
use crate::raw::Segment;
use crate::value::{Kind, Value};

/// What is left of a collection: its items, or the keys of an object each followed by its value.
pub(crate) struct Cursor<'e> {
    segment: &'e Segment,
    left: Left<'e>,
}

enum Left<'e> {
    Cells(&'e [Cell]),
    /// Values, and keys from `at / 2` on; odd when a value comes next.
    Record {
        keys: &'e [Cell],
        values: &'e [Cell],
        at: usize,
    },
    Entries(Box<ObjectIter<'e>>, Option<Value<'e>>),
}

impl<'e> Cursor<'e> {
    /// Returns the cursor at the start of a collection; nothing is in a scalar.
    pub(crate) fn new(value: Value<'e>) -> Self {
        let left = match value.as_object() {
            Some(object) => match object.rows() {
                Some((keys, values, 1)) => Left::Record { keys, values, at: 0 },
                Some((cells, ..)) => Left::Cells(cells),
                None => Left::Entries(Box::new(object.iter()), None),
            },
            None => {
                let cells = value.as_array().map(|it| it.cells());
                Left::Cells(cells.or_else(|| value.as_set().map(|it| it.cells())).unwrap_or(&[]))
            }
        };
        Self { segment: value.segment, left }
    }
}

impl<'e> Iterator for Cursor<'e> {
    type Item = Value<'e>;

    #[inline]
    fn next(&mut self) -> Option<Value<'e>> {
        let cell = match &mut self.left {
            Left::Cells(cells) => {
                let (first, rest) = cells.split_first()?;
                *cells = rest;
                first
            }
            Left::Record { keys, values, at } => {
                let side = if *at % 2 == 0 { keys } else { values };
                let cell = side.get(*at / 2)?;
                *at += 1;
                cell
            }
            Left::Entries(entries, value) => {
                return value.take().or_else(|| {
                    let (key, item) = entries.next()?;
                    *value = Some(item);
                    Some(key)
                });
            }
        };
        Some(Value::load(self.segment, *cell))
    }
}

/// Compares two collections of one kind: item by item, then by length.
///
/// `shallow` compares everything but two different collections of one kind, for which it returns none.
pub(crate) fn compare(
    a: Value<'_>,
    b: Value<'_>,
    shallow: impl Fn(Value<'_>, Value<'_>) -> Option<Ordering>,
) -> Ordering {
    let mut open: SmallVec<[(Cursor<'_>, Cursor<'_>); 4]> = SmallVec::new();
    open.push((Cursor::new(a), Cursor::new(b)));
    while let Some((a, b)) = open.last_mut() {
        match (a.next(), b.next()) {
            (None, None) => drop(open.pop()),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => match shallow(x, y) {
                None => open.push((Cursor::new(x), Cursor::new(y))),
                Some(Ordering::Equal) => {}
                Some(other) => return other,
            },
        }
    }
    Ordering::Equal
}

/// Hashes a collection by the hashes of its items in order.
///
/// `shallow` hashes a scalar, and returns none for a collection.
pub(crate) fn hash(value: Value<'_>, shallow: impl Fn(Value<'_>) -> Option<u64>) -> u64 {
    let mut open: SmallVec<[(Cursor<'_>, u64); 4]> = SmallVec::new();
    open.push((Cursor::new(value), start(value)));
    loop {
        let Some((cursor, state)) = open.last_mut() else { return 0 };
        let done = match cursor.next() {
            Some(item) => match shallow(item) {
                Some(hash) => hash,
                None => {
                    open.push((Cursor::new(item), start(item)));
                    continue;
                }
            },
            None => {
                let whole = *state;
                open.pop();
                if open.is_empty() {
                    return whole;
                }
                whole
            }
        };
        if let Some((_, state)) = open.last_mut() {
            *state = hash::combine(*state, done);
        }
    }
}

fn start(value: Value<'_>) -> u64 {
    hash::hash_word(u64::from(value.cell.tag()))
}

/// Makes something of a value from the leaves up: `scalar` of a leaf, `collection` of the parts of each collection.
pub(crate) fn fold<'e, T, S>(
    value: Value<'e>,
    state: &mut S,
    scalar: impl Fn(&mut S, Value<'e>) -> T,
    collection: impl Fn(&mut S, Value<'e>, &mut [T]) -> T,
) -> T {
    let mut parts: Vec<T> = Vec::new();
    let mut open: SmallVec<[(Value<'e>, Cursor<'e>, usize); 4]> = SmallVec::new();
    let mut value = value;
    loop {
        let mut part = if matches!(value.kind(), Kind::Array | Kind::Object | Kind::Set) {
            open.push((value, Cursor::new(value), parts.len()));
            None
        } else {
            Some(scalar(state, value))
        };
        loop {
            let Some((whole, cursor, first)) = open.last_mut() else {
                // A leaf with nothing open is the whole.
                if let Some(part) = part {
                    return part;
                }
                continue;
            };
            parts.extend(part.take());
            if let Some(item) = cursor.next() {
                value = item;
                break;
            }
            let made = collection(state, *whole, parts.get_mut(*first..).unwrap_or_default());
            parts.truncate(*first);
            open.pop();
            part = Some(made);
        }
    }
}
