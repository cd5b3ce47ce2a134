//! Edits of documents: another document that shares all but the path to the change.
//!
//! The collections on the path are written anew, small ones whole, a large object as its changes (`tree`). Nothing
//! that anybody reads is touched. What stays behind of what was replaced is not reclaimed here: copying the document
//! ([`Document::from_value`]) makes it as small as a fresh one.

use crate::Document;
use crate::cell::{Cell, tag};
use crate::link::{Link, Node};
use crate::node::{self, Header, Index};
use crate::tree;
use crate::value::{Kind, Value};

/// Objects of up to this many keys are written anew; of larger ones the changes are.
const WHOLE_KEYS_MAX: usize = 32;
/// Longer paths are refused.
const PATH_KEYS_MAX: usize = 512;

/// What becomes of the place that a path names.
#[derive(Clone, Copy, Debug)]
pub enum Edit<'a> {
    /// It holds this: an object's key, new or not, or an item that is there.
    Set(&'a Document),
    /// It holds this, and the items from there on stand one further; for arrays.
    Insert(&'a Document),
    /// It is gone.
    Remove,
}

impl Document {
    /// Returns what is at keys below the root as a document of its own, which shares it; none if nothing is there.
    #[must_use]
    pub fn below(&self, keys: &[&str]) -> Option<Self> {
        let mut place = self.link();
        for key in keys {
            place.value().as_object()?;
            place = entry(&place, key)?.1;
        }
        Some(Self::from_link(place))
    }

    /// Returns the document with an edit at a path of keys and indexes. It shares everything else with this one.
    ///
    /// None if there is no such place: something above is absent or no collection, an index is beyond the end, or what
    /// is to be removed is absent.
    #[must_use]
    pub fn edited(&self, path: &[&str], edit: Edit<'_>) -> Option<Self> {
        if path.len() > PATH_KEYS_MAX {
            return None;
        }
        let whole = edited(&self.link(), path, edit)?;
        Some(Self::from_link(whole))
    }
}

impl Document {
    /// Returns the object of keys, which are strings in Rego's order and different, and their values. It shares all of
    /// them. None if they come from too many documents.
    #[must_use]
    pub fn object_of(pairs: &[(Self, Self)]) -> Option<Self> {
        if pairs.is_empty() {
            return Some(Self::empty_object());
        }
        let kind = if pairs.len() <= WHOLE_KEYS_MAX { node::PAIRS } else { node::PAIRS | node::INDEXED };
        let mut made = Node::new(tag::OBJECT, Header::list(kind, pairs.len()));
        for (key, value) in pairs {
            made.push(&key.link())?;
            made.push(&value.link())?;
        }
        if kind & node::INDEXED != 0 {
            let index = Index::words(pairs.iter().map(|it| it.0.root().hash()));
            index.into_iter().for_each(|it| made.push_word(it));
        }
        Some(Self::from_link(made.finish()))
    }

    /// Returns the entries of the object that this is, in Rego's order of the keys, as documents that share it.
    #[must_use]
    pub fn entries(&self) -> Vec<(Self, Self)> {
        let whole = self.link();
        let (Some(segment), Some(view)) = (whole.segment(), whole.value().as_object()) else {
            return Vec::new();
        };
        let Some((keys, values, step)) = view.rows() else {
            // Changes of another object: there are no rows before it is copied.
            return Self::from_value(self.root()).entries();
        };
        let link = |cell: &Cell| Self::from_link(Link::of(segment, *cell));
        keys.iter()
            .step_by(step)
            .zip(values.iter().step_by(step))
            .map(|it| (link(it.0), link(it.1)))
            .collect()
    }

    /// Returns the value of a string key of the object that this is, as a document that shares it.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<Self> {
        Some(Self::from_link(entry(&self.link(), key)?.1))
    }
}

fn edited(place: &Link, path: &[&str], edit: Edit<'_>) -> Option<Link> {
    let Some((key, below)) = path.split_first() else {
        return match edit {
            Edit::Set(document) => Some(document.link()),
            Edit::Insert(_) | Edit::Remove => None,
        };
    };
    match place.value().kind() {
        Kind::Object => {
            let known = entry(place, key);
            let value = if below.is_empty() {
                match edit {
                    Edit::Set(document) => document.link(),
                    Edit::Insert(_) => return None,
                    Edit::Remove => {
                        known.as_ref()?;
                        Link::removed()
                    }
                }
            } else {
                edited(&known.as_ref()?.1, below, edit)?
            };
            put(place, key, known, &value)
        }
        Kind::Array => edited_array(place, key, below, edit),
        _ => None,
    }
}

fn edited_array(place: &Link, key: &str, below: &[&str], edit: Edit<'_>) -> Option<Link> {
    let mut items = items(place);
    // Only digits, as `+1` and ` 1` name nothing.
    let index: usize = key.parse().ok().filter(|_| key.bytes().all(|it| it.is_ascii_digit()))?;
    match edit {
        _ if !below.is_empty() => *items.get_mut(index)? = edited(items.get(index)?, below, edit)?,
        Edit::Set(document) => *items.get_mut(index)? = document.link(),
        Edit::Insert(document) => {
            if index > items.len() {
                return None;
            }
            items.insert(index, document.link());
        }
        Edit::Remove => {
            items.get(index)?;
            items.remove(index);
        }
    }
    if items.is_empty() {
        return Some(Document::from_value(Value::empty_array()).link());
    }
    let mut made = Node::new(tag::ARRAY, Header::list(node::ARRAY, items.len()));
    match items.iter().try_for_each(|it| made.push(it)) {
        Some(()) => Some(made.finish()),
        None => Some(copied_array(&items)),
    }
}

/// Returns an array in one segment, as its items came from too many.
fn copied_array(items: &[Link]) -> Link {
    let mut builder = crate::DocumentBuilder::new();
    let parts: Vec<_> = items.iter().map(|it| builder.copy(it.value())).collect();
    let whole = builder.array(&parts);
    builder.finish(whole).link()
}

fn items(array: &Link) -> Vec<Link> {
    let (Some(segment), Some(view)) = (array.segment(), array.value().as_array()) else { return Vec::new() };
    view.cells().iter().map(|it| Link::of(segment, *it)).collect()
}

/// Returns the key and the value of an object where it has the key.
fn entry(object: &Link, key: &str) -> Option<(Link, Link)> {
    let segment = object.segment()?;
    let document = text(key);
    let wanted = document.root();
    let view = object.value().as_object()?;
    if let Some((root, base)) = view.tree() {
        let pages = Link::of(segment, root);
        return match tree::find(segment, root, wanted) {
            Some((_, None)) => None,
            Some((_, Some(_))) => tree::entry(&pages, wanted),
            None => entry(&Link::of(segment, base), key),
        };
    }
    let (key, value) = view.cells_of(wanted)?;
    Some((Link::of(segment, key), Link::of(segment, value)))
}

fn text(key: &str) -> Document {
    let mut builder = crate::DocumentBuilder::new();
    let part = builder.string(key);
    builder.finish(part)
}

/// Returns the object with the value under the key, or without the key.
fn put(object: &Link, key: &str, known: Option<(Link, Link)>, value: &Link) -> Option<Link> {
    let view = object.value().as_object()?;
    let is_new = known.is_none();
    let key = known.map_or_else(|| text(key).link(), |it| it.0);
    let len = match (is_new, value.cell() == Cell::REMOVED) {
        (true, _) => view.len() + 1,
        (false, true) => view.len() - 1,
        (false, false) => view.len(),
    };
    if len == 0 {
        return Some(Document::empty_object().link());
    }
    let tree = view.tree();
    if tree.is_none() && view.len() <= WHOLE_KEYS_MAX {
        return put_whole(object, &key, value);
    }
    let (pages, base, count) = match (tree, object.segment()) {
        (Some((root, base)), Some(segment)) => {
            let pages = Link::of(segment, root);
            let is_known = tree::entry(&pages, key.value()).is_some();
            let count = view.changes() + usize::from(!is_known);
            (tree::put(&pages, &key, value)?, Link::of(segment, base), count)
        }
        _ => (tree::single(&key, value)?, object.clone(), 1),
    };
    let mut made = Node::new(tag::OBJECT, Header::list(node::TREE, len));
    made.push(&base)?;
    made.push(&pages)?;
    made.push_word(count as u64);
    Some(made.finish())
}

/// Writes a small object anew.
fn put_whole(object: &Link, key: &Link, value: &Link) -> Option<Link> {
    let mut pairs: Vec<(Link, Link)> = Vec::new();
    if let (Some(segment), Some(view)) = (object.segment(), object.value().as_object()) {
        let (keys, values, step) = view.rows()?;
        let rows = keys.iter().step_by(step).zip(values.iter().step_by(step));
        pairs.extend(rows.map(|it| (Link::of(segment, *it.0), Link::of(segment, *it.1))));
    }
    let wanted = key.value();
    let behind = pairs.partition_point(|it| it.0.value() < wanted);
    let is_known = pairs.get(behind).is_some_and(|it| it.0.value() == wanted);
    match (is_known, value.cell() == Cell::REMOVED) {
        (true, true) => {
            pairs.remove(behind);
        }
        (true, false) => pairs[behind].1 = value.clone(),
        (false, _) => pairs.insert(behind, (key.clone(), value.clone())),
    }
    let mut made = Node::new(tag::OBJECT, Header::list(node::PAIRS, pairs.len()));
    for (key, value) in &pairs {
        made.push(key)?;
        made.push(value)?;
    }
    Some(made.finish())
}
