//! Collects documents at paths and merges them into one tree.
//!
//! Documents stay as they came until [`BaseData::snapshot`]: one that stands alone at the root is shared and not
//! copied, however large it is. Several are merged in one pass over all of them at once. Contradictions are found
//! when a document is added, by a walk over the parts that overlap and no others.

use std::collections::BTreeMap;

use lictor_value::{Document, DocumentBuilder, Edit, Part, Value};

use crate::delta::Patch;
use crate::error::{DataError, DataErrorKind};
use crate::snapshot::Snapshot;
use crate::write::{WriteError, WriteErrorKind};

/// So much data is merged without a copy; less is faster to read in one piece.
const SHARED_BYTES_MIN: usize = 1 << 20;

/// An object that is so many times larger than what is merged with it is edited instead of made anew.
const EDITED_SHARE: usize = 64;

/// Is base data that is being collected.
#[derive(Clone, Debug, Default)]
pub struct BaseData {
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    path: Vec<String>,
    document: Document,
}

/// What one source has at a path: nothing yet, the rest of its own path, or a value.
#[derive(Clone, Copy, Debug)]
enum View<'a> {
    Below(&'a [String], Value<'a>),
    Value(Value<'a>),
}

impl BaseData {
    /// Returns data with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says whether no document was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Adds a document at a path below `data`; objects of several sources are merged.
    ///
    /// # Errors
    ///
    /// The root would be no object, or another source says otherwise about the same path. Nothing is added then.
    pub fn add(&mut self, path: &[&str], document: Document) -> Result<(), DataError> {
        if path.is_empty() && document.root().as_object().is_none() {
            return Err(DataError::new(DataErrorKind::RootNotObject, Vec::new()));
        }
        let source = Source { path: path.iter().map(|it| (*it).to_owned()).collect(), document };
        for other in &self.sources {
            let mut at = Vec::new();
            if !agree(other.view(), source.view(), &mut at) {
                return Err(DataError::new(DataErrorKind::Conflict, at));
            }
        }
        self.sources.push(source);
        Ok(())
    }

    /// Takes away what is at a path below `data` and all that is below it.
    pub fn remove(&mut self, path: &[&str]) {
        let starts = |a: &[String], b: &[&str]| a.iter().zip(b).all(|(a, b)| a == b);
        self.sources.retain(|it| it.path.len() < path.len() || !starts(&it.path, path));
        for source in self.sources.iter_mut().filter(|it| starts(&it.path, path)) {
            let below = path.get(source.path.len()..).unwrap_or_default();
            if let Some(rest) = source.document.edited(below, Edit::Remove) {
                source.document = rest;
            }
        }
    }

    /// Does the operations of a delta, all or nothing.
    ///
    /// # Errors
    ///
    /// One of them cannot be done; see [`Snapshot::apply_delta`].
    pub fn apply_delta<'p>(&mut self, delta: impl IntoIterator<Item = Patch<'p>>) -> Result<(), WriteError> {
        let refuse = |error: DataError| WriteError::new(WriteErrorKind::Invalid, error.to_string());
        let snapshot = self.snapshot().map_err(refuse)?.apply_delta(delta)?;
        self.sources = vec![Source { path: Vec::new(), document: snapshot.document().clone() }];
        Ok(())
    }

    /// Returns the merged tree.
    ///
    /// # Errors
    ///
    /// Objects that meet have keys that are no strings.
    pub fn snapshot(&self) -> Result<Snapshot, DataError> {
        match self.sources.as_slice() {
            [] => Ok(Snapshot::empty()),
            [only] if only.path.is_empty() => Ok(Snapshot::new(only.document.clone())),
            sources => {
                if sources.iter().map(|it| it.document.bytes()).sum::<usize>() >= SHARED_BYTES_MIN
                    && let Some(documents) = sources.iter().map(Source::nested).collect::<Option<Vec<_>>>()
                    && let Some(document) = union(&documents, &mut Vec::new())?
                {
                    return Ok(Snapshot::new(document));
                }
                let views: Vec<View<'_>> = sources.iter().map(Source::view).collect();
                let mut builder = DocumentBuilder::new();
                let root = merge(&views, &mut builder, &mut Vec::new())?;
                Ok(Snapshot::new(builder.finish(root)))
            }
        }
    }
}

impl Source {
    /// Returns the document with an object for each key above it; none if that cannot be made.
    fn nested(&self) -> Option<Document> {
        self.path.iter().rev().try_fold(self.document.clone(), |below, key| {
            let mut builder = DocumentBuilder::new();
            let key = builder.string(key);
            Document::object_of(&[(builder.finish(key), below)])
        })
    }

    fn view(&self) -> View<'_> {
        View::of(&self.path, self.document.root())
    }
}

impl<'a> View<'a> {
    fn of(path: &'a [String], value: Value<'a>) -> Self {
        if path.is_empty() { Self::Value(value) } else { Self::Below(path, value) }
    }

    fn is_object(self) -> bool {
        match self {
            Self::Below(..) => true,
            Self::Value(value) => value.as_object().is_some(),
        }
    }

    fn get(self, key: &str) -> Option<Self> {
        match self {
            Self::Below(path, value) => {
                path.split_first().filter(|(first, _)| *first == key).map(|(_, rest)| Self::of(rest, value))
            }
            Self::Value(value) => value.as_object()?.get_str(key).map(Self::Value),
        }
    }

    /// Calls `each` with the keys, until it answers false.
    fn keys(self, mut each: impl FnMut(&str) -> bool) -> Result<(), ()> {
        match self {
            Self::Below(path, _) => {
                if let Some(first) = path.first() {
                    each(first);
                }
            }
            Self::Value(value) => {
                for (key, _) in value.as_object().into_iter().flat_map(|it| it.iter()) {
                    if !each(key.as_str().ok_or(())?) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn len(self) -> usize {
        match self {
            Self::Below(..) => 1,
            Self::Value(value) => value.collection_len().unwrap_or(0),
        }
    }
}

/// Says whether two sources can be merged; if not, `at` is where they cannot.
fn agree(a: View<'_>, b: View<'_>, at: &mut Vec<String>) -> bool {
    if !a.is_object() || !b.is_object() {
        return false;
    }
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut fine = true;
    // A key that is no string is found when the two are merged.
    let _ = small.keys(|key| {
        if let (Some(small), Some(large)) = (small.get(key), large.get(key)) {
            at.push(key.to_owned());
            fine = agree(small, large, at);
            if fine {
                at.pop();
            }
        }
        fine
    });
    fine
}

/// Merges documents that agree without a copy of what only one of them has. None if they are too many for that.
fn union(documents: &[Document], at: &mut Vec<String>) -> Result<Option<Document>, DataError> {
    if let [only] = documents {
        return Ok(Some(only.clone()));
    }
    let len = |it: &Document| it.root().collection_len().unwrap_or(0);
    if let Some((largest, others)) = largest(documents, len)
        && len(largest) >= others.iter().map(|it| len(it)).sum::<usize>().saturating_mul(EDITED_SHARE)
    {
        return edited(largest, &others, at);
    }
    let mut entries: BTreeMap<String, (Document, Vec<Document>)> = BTreeMap::new();
    for (key, value) in documents.iter().flat_map(Document::entries) {
        let name = key.root().as_str().map(str::to_owned);
        let name = name.ok_or_else(|| DataError::new(DataErrorKind::KeyNotString, at.clone()))?;
        entries.entry(name).or_insert_with(|| (key, Vec::new())).1.push(value);
    }
    let mut pairs = Vec::with_capacity(entries.len());
    for (name, (key, values)) in entries {
        at.push(name);
        let Some(value) = union(&values, at)? else { return Ok(None) };
        at.pop();
        pairs.push((key, value));
    }
    Ok(Document::object_of(&pairs))
}

/// Returns the largest of several documents, and the others.
fn largest(documents: &[Document], len: impl Fn(&Document) -> usize) -> Option<(&Document, Vec<&Document>)> {
    let at = (0..documents.len()).max_by_key(|it| documents.get(*it).map_or(0, &len))?;
    let others = documents.iter().enumerate().filter(|it| it.0 != at).map(|it| it.1).collect();
    Some((documents.get(at)?, others))
}

/// Merges a large object with small ones by edits, so that its own entries are not even read.
fn edited(
    large: &Document,
    others: &[&Document],
    at: &mut Vec<String>,
) -> Result<Option<Document>, DataError> {
    let mut merged = large.clone();
    for (key, value) in others.iter().flat_map(|it| it.entries()) {
        let name = key.root().as_str().map(str::to_owned);
        let name = name.ok_or_else(|| DataError::new(DataErrorKind::KeyNotString, at.clone()))?;
        at.push(name.clone());
        let value = match merged.entry(&name) {
            Some(known) => union(&[known, value], at)?,
            None => Some(value),
        };
        at.pop();
        let Some(next) = value.and_then(|it| merged.edited(&[&name], Edit::Set(&it))) else {
            return Ok(None);
        };
        merged = next;
    }
    Ok(Some(merged))
}

/// Merges what all sources have at one path. They agree, so there is one value or there are objects.
fn merge(views: &[View<'_>], builder: &mut DocumentBuilder, at: &mut Vec<String>) -> Result<Part, DataError> {
    if let [View::Value(value)] = views {
        return Ok(builder.copy(*value));
    }
    let mut keys: Vec<String> = Vec::new();
    for view in views {
        let push = |key: &str| {
            keys.push(key.to_owned());
            true
        };
        view.keys(push).map_err(|()| DataError::new(DataErrorKind::KeyNotString, at.clone()))?;
    }
    keys.sort_unstable();
    keys.dedup();
    let mut pairs = Vec::with_capacity(keys.len());
    for key in keys {
        let below: Vec<View<'_>> = views.iter().filter_map(|it| it.get(&key)).collect();
        let name = builder.string(&key);
        at.push(key);
        pairs.push((name, merge(&below, builder, at)?));
        at.pop();
    }
    Ok(builder.object(&pairs))
}

#[cfg(test)]
mod tests {
    use lictor_value::{Arena, json};

    use super::*;

    fn object(pairs: &[(&str, Value<'_>)]) -> Document {
        let arena = Arena::new();
        let mut copied: Vec<(Value<'_>, Value<'_>)> = Vec::new();
        for (key, value) in pairs {
            copied.push((arena.string(key), *value));
        }
        Document::from_value(arena.object(&mut copied))
    }

    fn number(value: i64) -> Value<'static> {
        Value::small_int(value).expect("a small number")
    }

    #[test]
    fn sources_merge_below_their_paths() {
        let mut data = BaseData::new();
        data.add(&[], object(&[("x", number(1))])).expect("fits");
        data.add(&["a", "b"], object(&[("y", number(2))])).expect("fits");
        data.add(&["a", "b", "z"], Document::from_value(number(3))).expect("fits");
        data.add(&["a", "c d"], Document::from_value(number(4))).expect("fits");
        let snapshot = data.snapshot().expect("string keys");
        assert_eq!(snapshot.root().to_json(), r#"{"a":{"b":{"y":2,"z":3},"c d":4},"x":1}"#);
    }

    #[test]
    fn what_is_removed_leaves_its_neighbours() {
        let all = |path: &[&str]| {
            let mut data = BaseData::new();
            data.add(&[], object(&[("x", number(1)), ("y", object(&[("z", number(2))]).root())]))
                .expect("fits");
            data.add(&["a", "b"], object(&[("c", number(3))])).expect("fits");
            data.remove(path);
            data.snapshot().expect("string keys").root().to_json()
        };
        assert_eq!(all(&["x"]), r#"{"a":{"b":{"c":3}},"y":{"z":2}}"#);
        assert_eq!(all(&["y", "z"]), r#"{"a":{"b":{"c":3}},"x":1,"y":{}}"#);
        assert_eq!(all(&["a"]), r#"{"x":1,"y":{"z":2}}"#);
        assert_eq!(all(&["a", "b", "c"]), r#"{"a":{"b":{}},"x":1,"y":{"z":2}}"#);
        assert_eq!(all(&["x", "nothing"]), r#"{"a":{"b":{"c":3}},"x":1,"y":{"z":2}}"#);
        assert_eq!(all(&[]), "{}");
    }

    #[test]
    fn large_sources_are_shared() {
        let large = |key: &str| {
            let mut text = format!("{{{key:?}:[0");
            (0..70_000).for_each(|it| text.push_str(&format!(",\"item {it}\"")));
            json::read_document(format!("{text}],\"z\":1}}").as_bytes()).expect("JSON")
        };
        let mut data = BaseData::new();
        let (a, b) = (large("a"), large("b"));
        data.add(&["x"], a.clone()).expect("fits");
        data.add(&["x", "y"], b.clone()).expect("fits");
        data.add(&[], object(&[("x", object(&[("m", number(1))]).root())])).expect("fits");
        let snapshot = data.snapshot().expect("string keys");
        let bytes = snapshot.document().bytes();
        assert!(bytes < a.bytes() + b.bytes() + 4_096, "{bytes} bytes");
        let x = snapshot.root().as_object().and_then(|it| it.get_str("x")).expect("an object");
        let keys: Vec<String> =
            x.as_object().into_iter().flat_map(|it| it.iter()).map(|it| it.0.to_json()).collect();
        assert_eq!(keys, [r#""a""#, r#""m""#, r#""y""#, r#""z""#]);
        assert!(snapshot.holds(&["x", "y", "b"]) && snapshot.holds(&["x", "y", "z"]));
    }

    #[test]
    fn contradictions_name_their_place() {
        let mut data = BaseData::new();
        data.add(&["a"], object(&[("b c", number(1))])).expect("fits");
        let error = data.add(&["a", "b c"], object(&[("d", number(1))])).expect_err("a scalar is there");
        assert_eq!(error.to_string(), r#"conflicting values at data.a["b c"]"#);
        let error = data.add(&[], Document::from_value(number(1))).expect_err("no object");
        assert_eq!(error.kind(), DataErrorKind::RootNotObject);
        assert_eq!(data.snapshot().expect("string keys").root().to_json(), r#"{"a":{"b c":1}}"#);
    }

    #[test]
    fn deltas_change_what_was_merged() {
        let mut data = BaseData::new();
        data.add(&["a"], object(&[("x", number(1))])).expect("fits");
        data.add(&["b"], object(&[("y", number(2))])).expect("fits");
        let three = Document::from_value(number(3));
        let patch = |operation, path| Patch { operation, path, value: &three };
        data.apply_delta([patch("upsert", "a/n/z"), patch("remove", "b/y")]).expect("done");
        data.add(&["c"], object(&[])).expect("fits");
        let wanted = r#"{"a":{"n":{"z":3},"x":1},"b":{},"c":{}}"#;
        data.apply_delta([patch("upsert", "d"), patch("remove", "b/y")]).expect_err("nothing is there");
        assert_eq!(data.snapshot().expect("string keys").root().to_json(), wanted);
    }

    #[test]
    fn nothing_is_an_empty_object() {
        assert_eq!(BaseData::new().snapshot().expect("empty").root().to_json(), "{}");
    }
}
