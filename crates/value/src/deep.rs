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
    // The innermost pair is kept apart: most collections hold no others.
    let (mut a, mut b) = (Cursor::new(a), Cursor::new(b));
    let mut outer: SmallVec<[(Cursor<'_>, Cursor<'_>); 4]> = SmallVec::new();
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) => match shallow(x, y) {
                None => {
                    let inner = (Cursor::new(x), Cursor::new(y));
                    outer.push((std::mem::replace(&mut a, inner.0), std::mem::replace(&mut b, inner.1)));
                }
                Some(Ordering::Equal) => {}
                Some(other) => return other,
            },
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (None, None) => match outer.pop() {
                Some(pair) => (a, b) = pair,
                None => return Ordering::Equal,
            },
        }
    }
}

/// Hashes a collection by the hashes of its items in order.
///
/// `shallow` hashes a scalar, and returns none for a collection.
pub(crate) fn hash(value: Value<'_>, shallow: impl Fn(Value<'_>) -> Option<u64>) -> u64 {
    let (mut cursor, mut state) = (Cursor::new(value), start(value));
    let mut outer: SmallVec<[(Cursor<'_>, u64); 4]> = SmallVec::new();
    loop {
        match cursor.next() {
            Some(item) => match shallow(item) {
                Some(hash) => state = hash::combine(state, hash),
                None => {
                    outer.push((std::mem::replace(&mut cursor, Cursor::new(item)), state));
                    state = start(item);
                }
            },
            None => match outer.pop() {
                Some((above, before)) => {
                    cursor = above;
                    state = hash::combine(before, state);
                }
                None => return state,
            },
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
