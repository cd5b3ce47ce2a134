//! The same answers for deeply nested values, with a stack of their own instead of the thread's.
//!
//! The recursive functions are faster for what is usual and turn to these below [`RECURSION_MAX`] levels: a text of
//! 10,000 brackets must not end the process. Each function here stands for one of `value`, `text` or `document`.

use std::cmp::Ordering;

use crate::cell::Cell;
use crate::document::{DocumentBuilder, Part};
use crate::hash::{combine, hash_word};
use crate::node::{Array, ObjectIter, Set};
use crate::text::{json_entries, write_json_scalar, write_rego_scalar, write_string};
use crate::value::{Kind, Value, compare_scalars, same_scalars};

/// So many levels the recursive functions go down.
pub(crate) const RECURSION_MAX: u32 = 128;

/// The children of a collection in order; of an object each key and then its value.
pub(crate) enum Flat<'e> {
    Array(Array<'e>, usize),
    Set(Set<'e>, usize),
    Object(ObjectIter<'e>, Option<Value<'e>>),
}

impl<'e> Flat<'e> {
    /// Returns the children; none of a scalar.
    pub(crate) fn of(value: Value<'e>) -> Option<Self> {
        if let Some(array) = value.as_array() {
            return Some(Self::Array(array, 0));
        }
        if let Some(set) = value.as_set() {
            return Some(Self::Set(set, 0));
        }
        value.as_object().map(|it| Self::Object(it.iter(), None))
    }
}

impl<'e> Iterator for Flat<'e> {
    type Item = Value<'e>;

    fn next(&mut self) -> Option<Value<'e>> {
        match self {
            Self::Array(array, index) => {
                *index += 1;
                array.get(*index - 1)
            }
            Self::Set(set, index) => {
                *index += 1;
                set.nth(*index - 1)
            }
            Self::Object(entries, value) => value.take().or_else(|| {
                let entry = entries.next()?;
                *value = Some(entry.1);
                Some(entry.0)
            }),
        }
    }
}

/// Compares as `value::compare_with` does: the first difference decides, and a beginning is less than the whole.
pub(crate) fn compare(a: Value<'_>, b: Value<'_>, numbers: fn(&str, &str) -> Ordering) -> Ordering {
    let mut stack = Vec::new();
    let mut next = Some((a, b));
    loop {
        if let Some((a, b)) = next.take() {
            match (Flat::of(a), Flat::of(b)) {
                (Some(x), Some(y)) if a.kind() == b.kind() => {
                    if !a.is_same(b) {
                        stack.push((x, y));
                    }
                }
                _ => match compare_scalars(a, b, numbers) {
                    Ordering::Equal => {}
                    other => return other,
                },
            }
        }
        let Some((x, y)) = stack.last_mut() else { return Ordering::Equal };
        match (x.next(), y.next()) {
            (Some(a), Some(b)) => next = Some((a, b)),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (None, None) => {
                stack.pop();
            }
        }
    }
}

/// Tells as `Value::same_member` does.
pub(crate) fn same_member(a: Value<'_>, b: Value<'_>) -> bool {
    let mut pairs = vec![(a, b)];
    while let Some((a, b)) = pairs.pop() {
        match (Flat::of(a), Flat::of(b)) {
            _ if a.is_same(b) => {}
            (Some(x), Some(y)) => {
                if a.kind() != b.kind() || a.collection_len() != b.collection_len() {
                    return false;
                }
                pairs.extend(x.zip(y));
            }
            (None, None) if same_scalars(a, b) => {}
            _ => return false,
        }
    }
    true
}

/// Hashes as `Value::hash` does.
pub(crate) fn hash(value: Value<'_>) -> u64 {
    let start = |it: Value<'_>| hash_word(u64::from(it.cell.tag()));
    let Some(children) = Flat::of(value) else { return value.hash() };
    let mut stack = vec![(children, start(value))];
    let mut last = 0;
    while let Some((children, state)) = stack.last_mut() {
        let Some(child) = children.next() else {
            last = *state;
            stack.pop();
            if let Some((_, state)) = stack.last_mut() {
                *state = combine(*state, last);
            }
            continue;
        };
        match Flat::of(child) {
            Some(grandchildren) => stack.push((grandchildren, start(child))),
            None => *state = combine(*state, child.hash()),
        }
    }
    last
}

/// Writes as `text::write_json` does.
pub(crate) fn write_json(value: Value<'_>, out: &mut Vec<u8>, html: bool) {
    struct Open<'e> {
        entries: std::vec::IntoIter<(Option<String>, Value<'e>)>,
        is_first: bool,
        close: u8,
    }
    let mut stack: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            if let Some(object) = value.as_object() {
                out.push(b'{');
                let entries = json_entries(object, html).into_iter().map(|it| (Some(it.0), it.1));
                let entries = entries.collect::<Vec<_>>().into_iter();
                stack.push(Open { entries, is_first: true, close: b'}' });
            } else if let Some(children) = Flat::of(value) {
                out.push(b'[');
                let entries = children.map(|it| (None, it)).collect::<Vec<_>>().into_iter();
                stack.push(Open { entries, is_first: true, close: b']' });
            } else {
                write_json_scalar(value, out, html);
            }
        }
        let Some(open) = stack.last_mut() else { return };
        let Some((key, child)) = open.entries.next() else {
            out.push(open.close);
            stack.pop();
            continue;
        };
        if !std::mem::take(&mut open.is_first) {
            out.push(b',');
        }
        if let Some(key) = key {
            write_string(&key, out, html);
            out.push(b':');
        }
        next = Some(child);
    }
}

/// Writes as `text::write_rego` does.
pub(crate) fn write_rego(value: Value<'_>, out: &mut Vec<u8>) {
    let mut stack: Vec<(Flat<'_>, usize, Kind)> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            match Flat::of(value) {
                Some(children) if value.collection_len() != Some(0) => {
                    out.push(if value.kind() == Kind::Array { b'[' } else { b'{' });
                    stack.push((children, 0, value.kind()));
                }
                _ => write_rego_scalar(value, out),
            }
        }
        let Some((children, position, kind)) = stack.last_mut() else { return };
        let Some(child) = children.next() else {
            out.push(if *kind == Kind::Array { b']' } else { b'}' });
            stack.pop();
            continue;
        };
        let separator: &[u8] = match (*kind, *position % 2) {
            _ if *position == 0 => b"",
            (Kind::Object, 1) => b": ",
            _ => b", ",
        };
        out.extend_from_slice(separator);
        *position += 1;
        next = Some(child);
    }
}

/// Copies as `DocumentBuilder::copy` does.
pub(crate) fn copy(builder: &mut DocumentBuilder, value: Value<'_>) -> Part {
    let Some(children) = Flat::of(value) else { return builder.copy(value) };
    let mut stack = vec![(value, children, Vec::new())];
    let mut last = Part(Cell::NULL);
    while let Some((value, children, parts)) = stack.last_mut() {
        match children.next() {
            Some(child) => match Flat::of(child) {
                Some(grandchildren) => stack.push((child, grandchildren, Vec::new())),
                None => {
                    let part = builder.copy(child);
                    parts.push(part);
                }
            },
            None => {
                last = builder.copy_collection(*value, parts);
                stack.pop();
                if let Some((_, _, parts)) = stack.last_mut() {
                    parts.push(last);
                }
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Document, json};

    fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    }

    #[test]
    fn deep_values_are_handled_on_a_small_stack() {
        let work = || {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let (a, b) = (Arena::new(), Arena::new());
                let text = nested(open, "1", close, 9_990);
                let other = nested(open, "2", close, 9_990);
                let first = json::read(text.as_bytes(), &a).expect("JSON");
                let same = json::read(text.as_bytes(), &b).expect("JSON");
                let greater = json::read(other.as_bytes(), &b).expect("JSON");
                assert_eq!(first, same);
                assert!(first < greater && first.same_member(same) && !first.same_member(greater));
                assert_eq!(first.hash(), same.hash());
                assert_eq!(first.to_json(), text);
                assert_eq!(first.to_string(), text.replace(':', ": "));
                let document = Document::from_value(first);
                assert_eq!(document.root(), first);
            }
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work).expect("a thread");
        assert!(thread.join().is_ok());
    }

    #[test]
    fn answers_are_those_of_the_recursive_functions() {
        let texts = [
            "1",
            "\"a\"",
            "[]",
            "{}",
            "[1,[2,\"b\",[]],{}]",
            "{\"a\":{\"b\":[1]},\"c\":null}",
            "[1,2]",
            "[1]",
            "{\"a\":1}",
            "{\"a\":1,\"b\":2}",
            "[[1],[2]]",
            "[1.0,[2]]",
            "[1,[2.0]]",
        ];
        let arena = Arena::new();
        let values: Vec<Value<'_>> =
            texts.iter().filter_map(|it| json::read(it.as_bytes(), &arena).ok()).collect();
        for a in &values {
            assert_eq!(hash(*a), a.hash());
            let (mut json, mut rego) = (Vec::new(), Vec::new());
            write_json(*a, &mut json, true);
            write_rego(*a, &mut rego);
            assert_eq!(String::from_utf8(json), Ok(a.to_json()));
            assert_eq!(String::from_utf8(rego), Ok(a.to_string()));
            let mut builder = DocumentBuilder::new();
            let root = copy(&mut builder, *a);
            assert_eq!(builder.finish(root).root(), *a);
            for b in &values {
                assert_eq!(compare(*a, *b, crate::number::compare_text), crate::compare(*a, *b), "{a} {b}");
                assert_eq!(same_member(*a, *b), a.same_member(*b), "{a} {b}");
            }
        }
    }
}
