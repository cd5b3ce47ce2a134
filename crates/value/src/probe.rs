//! Looks one key up in many objects that are alike, one after another.
//!
//! Apart from `node` because it remembers: where the last object had the key is where the next one has it too, most of
//! the time, and then one comparison of cells finds it. What it remembers is never trusted, only tried first.

use crate::cell::{Cell, tag};
use crate::node;
use crate::raw::Segment;
use crate::value::Value;

/// A key, and where it was found last.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'e> {
    key: Value<'e>,
    /// The segment in which `cell` is the key.
    segment: &'e Segment,
    cell: Cell,
    /// The position among the keys.
    position: u32,
}

impl<'e> Probe<'e> {
    /// Returns a probe that has found nothing yet.
    #[must_use]
    pub fn new(key: Value<'e>) -> Self {
        Self { key, segment: Segment::empty(), cell: Cell::REMOVED, position: 0 }
    }

    /// Returns what [`Value::dot`] returns for the key.
    #[inline]
    pub fn dot(&mut self, object: Value<'e>) -> Option<Value<'e>> {
        if object.cell.tag() != tag::OBJECT || !std::ptr::eq(object.segment, self.segment) {
            return self.dot_anew(object);
        }
        match node::value_at(object.segment, object.cell.offset(), self.position, self.cell) {
            Some(cell) => Some(Value::load(object.segment, cell)),
            None => self.dot_anew(object),
        }
    }

    fn dot_anew(&mut self, object: Value<'e>) -> Option<Value<'e>> {
        let found = object.dot(self.key)?;
        if object.cell.tag() == tag::OBJECT
            && let Some((position, cell)) = node::place_of(object.segment, object.cell.offset(), self.key)
        {
            (self.segment, self.cell, self.position) = (object.segment, cell, position);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arena;
    use crate::json::read_document;

    /// Objects of all shapes: what is remembered of one must not show in the next.
    #[test]
    fn answers_are_those_of_dot() {
        let text = r#"[{"a":1,"category of it":2},{"category of it":3},{"b":0,"category of it":4,"z":5},{},7,
            {"a":1,"category of it":6},{"category of i":8,"category of itself":9},["x"],{"a":1,"category of it":2}]"#;
        let document = read_document(text.as_bytes()).expect("JSON");
        let arena = Arena::new();
        for key in ["a", "category of it", "z", "absent"] {
            let key = arena.string(key);
            let mut probe = Probe::new(key);
            let mut objects: Vec<Value<'_>> = document.root().as_array().expect("an array").iter().collect();
            let pairs: Vec<Value<'_>> =
                (0..20).map(|it| arena.object(&mut vec![(key, arena.int(it))])).collect();
            objects.extend(pairs);
            let large: String = (0..40).map(|it| format!("\"k{it}\":{it},")).collect();
            let large = read_document(format!("{{{large}\"a\":1}}").as_bytes()).expect("JSON");
            objects.push(large.root());
            objects.extend(document.root().as_array().expect("an array").iter());
            for object in objects {
                assert_eq!(probe.dot(object), object.dot(key), "{} in {}", key.to_json(), object.to_json());
            }
        }
    }
}
