//! Writes: what `PUT`, `PATCH` and `DELETE` of documents do to base data.
//!
//! A write makes another snapshot that shares all but the path to the change; whoever reads the old one goes on. What
//! may be written is OPA's storage's, with its texts. Who owns a path, and whether rules stand there, is decided above.

use std::fmt;

use lictor_value::{Document, Edit, Value};

use crate::snapshot::Snapshot;

/// After so many edits what they wrote is gathered.
const EDITS_MAX: u32 = 1 << 12;
/// A document that has grown by a quarter, and by this, is copied: that leaves behind what edits replaced.
const GROWN_BYTES_MAX: usize = 4 << 20;

/// What is done at a path.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Sets a key, or inserts into an array; `-` stands behind its end.
    Add(Document),
    /// Sets what is there.
    Replace(Document),
    /// Takes away what is there.
    Remove,
}

/// One change of base data.
#[derive(Clone, Debug)]
pub struct Write {
    /// Keys and indexes below `data`.
    pub path: Vec<String>,
    /// What is done there.
    pub operation: Operation,
}

/// Why data cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteErrorKind {
    /// There is no such document.
    NotFound,
    /// Something above the document can hold nothing.
    Conflict,
    /// The operation cannot be done to any data.
    Invalid,
    /// A delta has something that is no operation.
    Delta,
}

/// Is a refusal of a write; nothing of it was done. It shows as OPA's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError {
    kind: WriteErrorKind,
    message: String,
}

impl WriteError {
    pub(crate) fn new(kind: WriteErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    fn absent() -> Self {
        Self::new(WriteErrorKind::NotFound, "document does not exist")
    }

    /// Returns why.
    #[must_use]
    pub fn kind(&self) -> WriteErrorKind {
        self.kind
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match self.kind {
            WriteErrorKind::NotFound => "storage_not_found_error",
            WriteErrorKind::Conflict => "storage_write_conflict_error",
            WriteErrorKind::Invalid => "storage_invalid_patch_error",
            WriteErrorKind::Delta => return f.write_str(&self.message),
        };
        write!(f, "{code}: {}", self.message)
    }
}

impl std::error::Error for WriteError {}

impl Snapshot {
    /// Returns what is at a path; none if nothing is.
    #[must_use]
    pub fn get(&self, path: &[String]) -> Option<Value<'_>> {
        path.iter().try_fold(self.root(), |value, key| step(value, key))
    }

    /// Returns the snapshot with a document at a path, and objects above where there was nothing.
    ///
    /// # Errors
    /// Something above is no object, or the document would be the root and is none.
    pub fn put(&self, path: &[String], document: Document) -> Result<Self, WriteError> {
        let mut made = self.clone();
        if let (None, Some((_, above))) = (self.get(path), path.split_last()) {
            made = made.with_objects(above)?;
        }
        made.write(&Write { path: path.to_vec(), operation: Operation::Add(document) })
    }

    /// Makes objects where there is nothing.
    pub(crate) fn with_objects(&self, path: &[String]) -> Result<Self, WriteError> {
        for len in 1..=path.len() {
            let above = path.get(..len).unwrap_or_default();
            match self.get(above) {
                Some(value) if value.as_object().is_some() => {}
                Some(_) => return Err(WriteError::new(WriteErrorKind::Conflict, shown(above))),
                None => {
                    // Those below are made with it, as one document.
                    let missing = path.get(len..).unwrap_or_default();
                    let document = nested(missing);
                    return self.write(&Write { path: above.to_vec(), operation: Operation::Add(document) });
                }
            }
        }
        Ok(self.clone())
    }

    /// Returns the snapshot with all of these done, one after the other.
    ///
    /// # Errors
    /// One of them cannot be done.
    pub fn write_all<'w>(&self, writes: impl IntoIterator<Item = &'w Write>) -> Result<Self, WriteError> {
        writes.into_iter().try_fold(self.clone(), |snapshot, write| snapshot.write(write))
    }

    /// Returns the snapshot with a write done.
    ///
    /// # Errors
    /// It cannot be done.
    pub fn write(&self, write: &Write) -> Result<Self, WriteError> {
        let Some((last, above)) = write.path.split_last() else { return self.write_root(&write.operation) };
        let mut holder = self.root();
        for key in above {
            holder = index_checked(holder, key, &write.path)?;
        }
        let mut last = last.clone();
        let edit = match (&write.operation, holder.as_array()) {
            (Operation::Add(document), Some(array)) => {
                let at = if last == "-" { array.len() } else { index(&last, array.len() + 1, &write.path)? };
                last = at.to_string();
                Edit::Insert(document)
            }
            (_, Some(_)) if last == "-" => {
                let message = format!("{}: invalid patch path", shown(&write.path));
                return Err(WriteError::new(WriteErrorKind::Invalid, message));
            }
            (operation, Some(array)) => {
                last = index(&last, array.len(), &write.path)?.to_string();
                edit_of(operation)
            }
            (Operation::Add(document), None) => Edit::Set(document),
            (operation, None) => {
                holder.as_object().and_then(|it| it.get_str(&last)).ok_or_else(WriteError::absent)?;
                edit_of(operation)
            }
        };
        if holder.as_array().is_none() && holder.as_object().is_none() {
            return Err(WriteError::absent());
        }
        let path: Vec<&str> = above.iter().map(String::as_str).chain([last.as_str()]).collect();
        let document = self.document().edited(&path, edit).ok_or_else(WriteError::absent)?;
        Ok(self.edited(document))
    }

    fn write_root(&self, operation: &Operation) -> Result<Self, WriteError> {
        let refuse = |message| Err(WriteError::new(WriteErrorKind::Invalid, message));
        match operation {
            Operation::Remove => refuse("root cannot be removed"),
            Operation::Add(document) | Operation::Replace(document) => {
                if document.root().as_object().is_none() {
                    return refuse("root must be object");
                }
                Ok(Self::new(document.clone()))
            }
        }
    }

    fn edited(&self, document: Document) -> Self {
        let edits = self.edits() + 1;
        if edits < EDITS_MAX {
            return self.after(document, edits);
        }
        let gathered = document.gathered();
        if gathered.bytes() > self.whole_bytes() / 4 * 5 + GROWN_BYTES_MAX {
            return Self::new(Document::from_value(gathered.root()));
        }
        self.after(gathered, 0)
    }
}

fn edit_of(operation: &Operation) -> Edit<'_> {
    match operation {
        Operation::Add(document) | Operation::Replace(document) => Edit::Set(document),
        Operation::Remove => Edit::Remove,
    }
}

fn step<'a>(value: Value<'a>, key: &str) -> Option<Value<'a>> {
    if let Some(object) = value.as_object() {
        return object.get_str(key);
    }
    value.as_array()?.get(key.parse().ok()?)
}

/// Follows a key, with OPA's words for indexes that lead nowhere.
fn index_checked<'a>(value: Value<'a>, key: &str, path: &[String]) -> Result<Value<'a>, WriteError> {
    match value.as_array() {
        Some(array) => array.get(index(key, array.len(), path)?).ok_or_else(WriteError::absent),
        None => step(value, key).ok_or_else(WriteError::absent),
    }
}

/// Reads an index below a bound.
fn index(key: &str, end: usize, path: &[String]) -> Result<usize, WriteError> {
    let refuse =
        |why: &str| WriteError::new(WriteErrorKind::NotFound, format!("{}: array index {why}", shown(path)));
    let number: i64 = key.parse().map_err(|_| refuse("must be integer"))?;
    usize::try_from(number).ok().filter(|it| *it < end).ok_or_else(|| refuse("out of range"))
}

/// Returns objects one inside the other, the innermost empty.
fn nested(keys: &[String]) -> Document {
    let mut builder = lictor_value::DocumentBuilder::new();
    let inner = builder.object(&[]);
    let whole = keys.iter().rev().fold(inner, |below, key| {
        let key = builder.string(key);
        builder.object(&[(key, below)])
    });
    builder.finish(whole)
}

/// Returns a path as OPA writes it.
fn shown(path: &[String]) -> String {
    let mut out = String::new();
    for key in path {
        out.push('/');
        for byte in key.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.~$&+=:@".contains(&byte) {
                out.push(char::from(byte));
            } else {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_value::json::read_document;

    fn snapshot(text: &str) -> Snapshot {
        Snapshot::new(read_document(text.as_bytes()).expect("JSON"))
    }

    fn path(text: &str) -> Vec<String> {
        text.split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }

    fn outcome(result: Result<Snapshot, WriteError>) -> String {
        result.map_or_else(|error| error.to_string(), |it| it.root().to_json())
    }

    #[test]
    fn operations_are_those_of_opa() {
        let data = r#"{"a":{"l":[1,2],"n":1}}"#;
        for (operation, at, wanted) in [
            ("add", "a/l/2", r#"{"a":{"l":[1,2,"v"],"n":1}}"#),
            ("add", "a/l/-", r#"{"a":{"l":[1,2,"v"],"n":1}}"#),
            ("add", "a/l/00", r#"{"a":{"l":["v",1,2],"n":1}}"#),
            ("replace", "a/l/1", r#"{"a":{"l":[1,"v"],"n":1}}"#),
            ("remove", "a/l/0", r#"{"a":{"l":[2],"n":1}}"#),
            ("add", "a/x y", r#"{"a":{"l":[1,2],"n":1,"x y":"v"}}"#),
            ("remove", "a", "{}"),
            ("add", "a/l/9", "storage_not_found_error: /a/l/9: array index out of range"),
            ("add", "a/l/-1", "storage_not_found_error: /a/l/-1: array index out of range"),
            ("add", "a/l/x", "storage_not_found_error: /a/l/x: array index must be integer"),
            ("add", "a/l/-/x", "storage_not_found_error: /a/l/-/x: array index must be integer"),
            ("replace", "a/l/-", "storage_invalid_patch_error: /a/l/-: invalid patch path"),
            ("remove", "a/l/2", "storage_not_found_error: /a/l/2: array index out of range"),
            ("replace", "a/zz", "storage_not_found_error: document does not exist"),
            ("remove", "zz/y", "storage_not_found_error: document does not exist"),
            ("add", "a/n/x", "storage_not_found_error: document does not exist"),
            ("replace", "", "storage_invalid_patch_error: root must be object"),
            ("remove", "", "storage_invalid_patch_error: root cannot be removed"),
        ] {
            let value = read_document(b"\"v\"").expect("JSON");
            let done = match operation {
                "add" => Operation::Add(value),
                "replace" => Operation::Replace(value),
                _ => Operation::Remove,
            };
            let written = snapshot(data).write(&Write { path: path(at), operation: done });
            assert_eq!(outcome(written), wanted, "{operation} {at}");
        }
    }

    #[test]
    fn documents_are_put_with_what_is_above() {
        let data = r#"{"a":{"l":[1,2],"n":1}}"#;
        for (at, wanted) in [
            ("b/c/d", r#"{"a":{"l":[1,2],"n":1},"b":{"c":{"d":9}}}"#),
            ("a/n", r#"{"a":{"l":[1,2],"n":9}}"#),
            ("a/l/0", r#"{"a":{"l":[9,1,2],"n":1}}"#),
            ("a/l/7", "storage_write_conflict_error: /a/l"),
            ("a/n/x/y", "storage_write_conflict_error: /a/n"),
            ("", "storage_invalid_patch_error: root must be object"),
        ] {
            let value = read_document(b"9").expect("JSON");
            assert_eq!(outcome(snapshot(data).put(&path(at), value)), wanted, "{at}");
        }
    }

    #[test]
    fn many_writes_leave_no_more_than_a_quarter() {
        let mut data = snapshot(r#"{"a":{}}"#);
        let text = "x".repeat(500);
        let writes = 5 * EDITS_MAX / 100 * 100;
        for number in 0..writes {
            let value = read_document(format!("\"{text} {number}\"").as_bytes()).expect("JSON");
            data = data.put(&path(&format!("a/key {}", number % 100)), value).expect("a place");
        }
        let last = data.get(&path("a/key 99")).expect("a key").to_json();
        assert_eq!(last, format!("\"{text} {}\"", writes - 1));
        assert!(data.document().bytes() < GROWN_BYTES_MAX + 200_000, "{}", data.document().bytes());
    }
}
