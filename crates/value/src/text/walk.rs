//! Walks a value to write it, without recursion: a value nests as deep as whoever made it liked.
//!
//! One loop serves JSON and Rego terms; they differ in separators, sets and keys. Where the text goes and when a
//! value is written is not its affair.

use smallvec::SmallVec;

use crate::cell::{Cell, tag};
use crate::raw::Segment;
use crate::text::string::{write_quoted, write_short_string, write_string};
use crate::value::{Kind, Value};

/// How a value is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    /// As JSON; `html` escapes `<`, `>` and `&`.
    Json { html: bool },
    /// As a Rego term that can be read back.
    Rego,
    /// As a Rego term with strings as Go quotes them, which the function knows the printable characters of.
    Quoted { is_print: fn(char) -> bool },
}

impl Format {
    fn is_json(self) -> bool {
        matches!(self, Self::Json { .. })
    }
}

/// An array, set or object of which a part is written.
struct Frame<'e> {
    items: Items<'e>,
    next: usize,
    close: u8,
}

enum Items<'e> {
    List(&'e Segment, &'e [Cell]),
    /// Keys and values, every `step`-th cell of each.
    Pairs {
        segment: &'e Segment,
        keys: &'e [Cell],
        values: &'e [Cell],
        step: usize,
    },
    /// Entries of an object whose keys had to be sorted anew or that are not laid out in a row.
    Entries(Vec<(Key<'e>, Value<'e>)>),
}

enum Key<'e> {
    Value(Value<'e>),
    Text(String),
}

/// Appends a value.
pub(super) fn write(value: Value<'_>, out: &mut Vec<u8>, format: Format) {
    let mut stack: SmallVec<[Frame<'_>; 16]> = SmallVec::new();
    let mut value = value;
    loop {
        if !write_scalar(value, out, format) {
            stack.extend(open(value, out, format));
        }
        loop {
            let Some(top) = stack.last_mut() else { return };
            if let Some(next) = top.next(out, format) {
                value = next;
                break;
            }
            out.push(top.close);
            stack.pop();
        }
    }
}

#[inline]
fn write_scalar(value: Value<'_>, out: &mut Vec<u8>, format: Format) -> bool {
    let html = matches!(format, Format::Json { html: true });
    if let Format::Quoted { is_print } = format
        && let Some(text) = value.as_str()
    {
        write_quoted(text, out, is_print);
        return true;
    }
    if value.cell.tag() & 0xf8 == tag::STRING {
        write_short_string(value.cell, out, html);
        return true;
    }
    match value.kind() {
        Kind::Null => out.extend_from_slice(b"null"),
        Kind::Boolean => out.extend_from_slice(if value.is_true() { b"true" } else { b"false" }),
        Kind::Number => out.extend_from_slice(value.number_text().as_deref().unwrap_or("0").as_bytes()),
        Kind::String => write_string(value.text_at(), out, html),
        Kind::Array | Kind::Set | Kind::Object => return false,
    }
    true
}

/// Writes the opening of a collection; none if an empty one is written whole.
fn open<'e>(value: Value<'e>, out: &mut Vec<u8>, format: Format) -> Option<Frame<'e>> {
    let (items, bracket, close) = match value.kind() {
        Kind::Set if !format.is_json() && value.collection_len() == Some(0) => {
            out.extend_from_slice(b"set()");
            return None;
        }
        Kind::Set if !format.is_json() => (list(value), b'{', b'}'),
        Kind::Object => (entries(value, format), b'{', b'}'),
        _ => (list(value), b'[', b']'),
    };
    out.push(bracket);
    Some(Frame { items, next: 0, close })
}

fn list<'e>(value: Value<'e>) -> Items<'e> {
    let cells = value.as_array().map(|it| it.cells()).or_else(|| value.as_set().map(|it| it.cells()));
    Items::List(value.segment, cells.unwrap_or(&[]))
}

fn entries<'e>(value: Value<'e>, format: Format) -> Items<'e> {
    let Some(object) = value.as_object() else { return Items::List(value.segment, &[]) };
    if let Some((keys, values, step)) = object.rows() {
        // Keys are sorted by type, so the outer ones tell of all.
        let strings = keys.first().is_none_or(|it| it.is_string())
            && (keys.len().checked_sub(step)).and_then(|it| keys.get(it)).is_none_or(|it| it.is_string());
        if strings || !format.is_json() {
            return Items::Pairs { segment: value.segment, keys, values, step };
        }
    }
    if !format.is_json() {
        return Items::Entries(object.iter().map(|(key, item)| (Key::Value(key), item)).collect());
    }
    let mut texts: Vec<(String, Value<'e>)> =
        object.iter().map(|(key, item)| (key_text(key), item)).collect();
    texts.sort_by(|a, b| a.0.cmp(&b.0));
    // Of keys that become the same text the last one counts.
    texts.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 = later.1;
        }
        same
    });
    Items::Entries(texts.into_iter().map(|(key, item)| (Key::Text(key), item)).collect())
}

/// Returns what stands for a key in JSON: a string itself, of anything else the JSON text.
fn key_text(key: Value<'_>) -> String {
    match key.as_str() {
        Some(text) => text.to_owned(),
        None => key.to_json(),
    }
}

impl<'e> Frame<'e> {
    /// Writes what stands before the next value and returns that; none at the end.
    #[inline]
    fn next(&mut self, out: &mut Vec<u8>, format: Format) -> Option<Value<'e>> {
        let index = self.next;
        let value = match &self.items {
            Items::List(segment, cells) => Value::load(segment, *cells.get(index)?),
            Items::Pairs { segment, values, step, .. } => Value::load(segment, *values.get(index * step)?),
            Items::Entries(entries) => entries.get(index)?.1,
        };
        self.next += 1;
        if index > 0 {
            out.extend_from_slice(if format.is_json() { b"," } else { b", " });
        }
        match &self.items {
            Items::List(..) => return Some(value),
            Items::Pairs { segment, keys, step, .. } => {
                let key = keys.get(index * step).map_or(Value::NULL, |it| Value::load(segment, *it));
                write_key(key, out, format);
            }
            Items::Entries(entries) => match entries.get(index).map(|it| &it.0) {
                Some(Key::Value(key)) => write_key(*key, out, format),
                Some(Key::Text(text)) => {
                    write_string(text, out, matches!(format, Format::Json { html: true }));
                }
                None => {}
            },
        }
        out.extend_from_slice(if format.is_json() { b":" } else { b": " });
        Some(value)
    }
}

#[inline]
fn write_key(key: Value<'_>, out: &mut Vec<u8>, format: Format) {
    if !write_scalar(key, out, format) {
        write(key, out, format);
    }
}
