//! The documents of a case: which fields input and data have, and what stands in them.
//!
//! Shapes come first and are what terms are made for; inputs then keep to the shape, but for a field left out or of
//! another type here and there.

use super::literals::Home;
use super::{Generator, Known};
use crate::differential::kinds::{Num, SMALL, Ty, WORD};
use crate::differential::tree::{Node, Role};

const INPUT_FIELDS: &[&str] =
    &["user", "role", "xs", "n", "m", "o", "rows", "flag", "s", "t", "tags", "deep"];
const DATA_FIELDS: &[&str] = &["roles", "limits", "table", "names", "grid", "conf", "list", "pairs"];

impl Generator {
    /// Makes up the shapes of input and data and returns the documents: data, then inputs.
    pub(super) fn documents(&mut self) -> (Node, Vec<Option<Node>>) {
        let mut fields = self.shape(INPUT_FIELDS, 5);
        // Something to branch on is always there.
        fields.push(("k", WORD));
        fields.push(("i", SMALL));
        let data = self.shape(DATA_FIELDS, 4);
        self.know("input", &Ty::Record(fields.clone().into()), 3);
        self.know("data.base", &Ty::Record(data.clone().into()), 3);
        self.input_shape = fields.clone();
        let base = self.literal(&Ty::Record(data.into()), Home::Json);
        let data = Node::plain("").text("\"base\": ").one(base);
        let count = self.between(2, 4);
        let mut inputs: Vec<Option<Node>> = (0..count).map(|_| Some(self.input(&fields))).collect();
        if self.chance(15) {
            inputs.push(None);
        }
        (data, inputs)
    }

    fn shape(&mut self, names: &[&'static str], count: usize) -> Vec<(&'static str, Ty)> {
        let start = self.random.below(names.len());
        let names = names.iter().cycle().skip(start).take(count);
        names.map(|name| (*name, self.field(2))).collect()
    }

    fn field(&mut self, depth: usize) -> Ty {
        match self.random.below(if depth == 0 { 6 } else { 14 }) {
            0 => WORD,
            1 => SMALL,
            2 => Ty::Num(Num::Any),
            3 => Ty::Bool,
            4 | 5 => Ty::Str(self.some_text()),
            6 | 7 => self.field(depth - 1).array(),
            8 => WORD.array(),
            9 => SMALL.array(),
            10 => Ty::object(WORD, self.field(depth - 1)),
            11 => Ty::object(WORD, WORD.array()),
            12 => Ty::Record([("id", WORD), ("level", SMALL)].into()).array(),
            _ => Ty::Record([("a", self.field(depth - 1)), ("b", self.field(depth - 1))].into()),
        }
    }

    /// Notes a document and its parts as things to refer to.
    fn know(&mut self, text: &str, ty: &Ty, depth: usize) {
        if text.contains(['.', '[']) && text != "data.base" {
            self.documents.push(Known { text: text.to_owned(), ty: ty.clone() });
        }
        if depth == 0 {
            return;
        }
        match ty {
            Ty::Record(fields) => {
                for (name, ty) in fields.iter() {
                    let text = if self.chance(85) {
                        format!("{text}.{name}")
                    } else {
                        format!("{text}[\"{name}\"]")
                    };
                    self.know(&text, ty, depth - 1);
                }
            }
            Ty::Array(item) if self.chance(60) => {
                let index = self.random.below(2);
                self.know(&format!("{text}[{index}]"), item, depth - 1);
            }
            Ty::Object(_, value) if self.chance(60) => {
                let key = self.random.choose(super::texts::WORDS);
                self.know(&format!("{text}.{key}"), value, depth - 1);
            }
            _ => {}
        }
    }

    /// Returns an input of the shape, more or less.
    pub(super) fn input(&mut self, fields: &[(&'static str, Ty)]) -> Node {
        let mut members = Vec::new();
        for (name, ty) in fields {
            let value = match self.random.below(40) {
                0 => continue,
                1 => self.literal(&Ty::Any, Home::Json),
                _ => self.literal(ty, Home::Json),
            };
            members.push(Node::plain("").text(format!("\"{name}\": ")).one(value));
        }
        Node::new("", Role::Json).text("{").many(", ", members).text("}")
    }
}
