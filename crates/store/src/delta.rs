//! Deltas: what the operations of a delta bundle do to base data.
//!
//! Apart from single writes because a delta has words and paths of its own (`upsert` makes what is above, paths are
//! JSON pointers with percent signs as in URLs), and because all of it is done or nothing. Who may write where, and
//! what rules say to the outcome, is decided above.

use lictor_value::Document;

use crate::snapshot::Snapshot;
use crate::write::{Operation, Write, WriteError, WriteErrorKind};

/// One operation of a delta, as the bundle has it.
#[derive(Clone, Copy, Debug)]
pub struct Patch<'p> {
    /// `upsert`, `replace` or `remove`.
    pub operation: &'p str,
    /// The way below `data`, keys between slashes.
    pub path: &'p str,
    /// What comes there; not looked at by `remove`.
    pub value: &'p Document,
}

impl Snapshot {
    /// Returns the snapshot with all operations of a delta done, in their order.
    ///
    /// It is one transaction: the snapshot that it is asked of stays as it is, and of a delta that cannot be done
    /// nothing is.
    ///
    /// A bundle that is kept on disk is its last whole archive with the deltas that came since, in the order they were
    /// activated (`docs/internals/bundles.md`). At start they are applied one after the other to what the archive
    /// holds; where one is damaged or cannot be applied the rest is dropped, and whoever downloads asks for the whole
    /// bundle, without the tag of the last.
    ///
    /// # Errors
    /// One of them is no operation, has no path that can be read, or cannot be done.
    pub fn apply_delta<'p>(&self, delta: impl IntoIterator<Item = Patch<'p>>) -> Result<Self, WriteError> {
        delta.into_iter().try_fold(self.clone(), |snapshot, patch| snapshot.apply(patch))
    }

    fn apply(&self, patch: Patch<'_>) -> Result<Self, WriteError> {
        let refuse = |message: String| WriteError::new(WriteErrorKind::Delta, message);
        let path = patch_keys(patch.path).ok_or_else(|| refuse("error parsing patch path".to_owned()))?;
        let value = || patch.value.clone();
        let operation = match patch.operation {
            "upsert" => return self.upsert(path, value()),
            "replace" => Operation::Replace(value()),
            "remove" => Operation::Remove,
            other => return Err(refuse(format!("bad patch operation: {other}"))),
        };
        self.write(&Write { path, operation })
    }

    /// Adds a document, and objects above if there is nothing; into an array it is inserted.
    fn upsert(&self, path: Vec<String>, document: Document) -> Result<Self, WriteError> {
        let mut made = self.clone();
        if let Some((_, above)) = path.split_last().filter(|it| self.get(it.1).is_none()) {
            made = made.with_objects(above)?;
        }
        made.write(&Write { path, operation: Operation::Add(document) })
    }
}

/// Takes a path apart: percent signs as in URLs, then `~1` and `~0` as in JSON pointers; none if a percent sign has no
/// two digits behind it. Bytes that are no text become U+FFFD.
#[must_use]
pub fn patch_keys(path: &str) -> Option<Vec<String>> {
    let path = path.trim_matches('/');
    if path.is_empty() {
        return Some(Vec::new());
    }
    path.split('/').map(|it| Some(unescaped(it)?.replace("~1", "/").replace("~0", "~"))).collect()
}

fn unescaped(key: &str) -> Option<String> {
    let mut out = Vec::with_capacity(key.len());
    let mut bytes = key.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => hex(bytes.next()?)? << 4 | hex(bytes.next()?)?,
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|it| u8::try_from(it).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_value::json::read_document;

    fn applied(data: &str, delta: &[(&str, &str, &str)]) -> String {
        let document = |text: &str| read_document(text.as_bytes()).expect("JSON");
        let snapshot = Snapshot::new(document(data));
        let values: Vec<Document> = delta.iter().map(|it| document(it.2)).collect();
        let patches =
            delta.iter().zip(&values).map(|((operation, path, _), value)| Patch { operation, path, value });
        let outcome = snapshot.apply_delta(patches);
        assert_eq!(snapshot.root().to_json(), data, "a delta must not change what others read");
        outcome.map_or_else(|error| error.to_string(), |it| it.root().to_json())
    }

    #[test]
    fn operations_are_done_in_their_order() {
        let delta = [
            ("upsert", "/a/b/c", r#"{"x":1}"#),
            ("upsert", "a/l", "[1,2]"),
            ("upsert", "a/l/-", "3"),
            ("upsert", "a/l/0", "0"),
            ("replace", "/a/b/c/x", "2"),
            ("remove", "a/b/c/x", "null"),
        ];
        assert_eq!(applied("{}", &delta), r#"{"a":{"b":{"c":{}},"l":[0,1,2,3]}}"#);
    }

    #[test]
    fn paths_are_read_as_opa_reads_them() {
        for (path, wanted) in [
            ("/b/~1x~0/%20y", r#"{"b":{"/x~":{" y":1}}}"#),
            ("//b//c/", r#"{"b":{"":{"c":1}}}"#),
            ("b/~01", r#"{"b":{"~1":1}}"#),
            ("b/%2F", r#"{"b":{"/":1}}"#),
            ("b/%zz", "error parsing patch path"),
            ("b/%2", "error parsing patch path"),
        ] {
            assert_eq!(applied("{}", &[("upsert", path, "1")]), wanted, "{path}");
        }
    }

    #[test]
    fn refusals_are_those_of_opa() {
        let data = r#"{"b":1,"l":[1]}"#;
        for (operation, path, wanted) in [
            ("bogus", "b", "bad patch operation: bogus"),
            ("", "b", "bad patch operation: "),
            ("remove", "", "storage_invalid_patch_error: root cannot be removed"),
            ("upsert", "/", "storage_invalid_patch_error: root must be object"),
            ("remove", "c", "storage_not_found_error: document does not exist"),
            ("replace", "c", "storage_not_found_error: document does not exist"),
            ("upsert", "b/c", "storage_not_found_error: document does not exist"),
            ("upsert", "b/c/d", "storage_write_conflict_error: /b"),
            ("upsert", "l/5", "storage_not_found_error: /l/5: array index out of range"),
            ("upsert", "l/0/x", "storage_not_found_error: document does not exist"),
            ("upsert", "l/7/x", "storage_write_conflict_error: /l"),
            ("upsert", "l/-/x", "storage_write_conflict_error: /l"),
        ] {
            assert_eq!(applied(data, &[("upsert", "z", "1"), (operation, path, "2")]), wanted, "{path}");
        }
    }
}
