//! `with`: what is replaced, and by what.
//!
//! Apart from statements because each kind of target has values of its own.

use super::literals::Home;
use super::{Generator, Known};
use crate::differential::kinds::{SMALL, Ty, WORD};
use crate::differential::tree::Node;

const BUILTINS: &[&str] = &["count", "upper", "time.now_ns", "startswith", "sum", "json.marshal", "concat"];

impl Generator {
    /// Returns a modifier, unless there is nothing of the kind to replace.
    pub(super) fn modifier(&mut self) -> Option<Node> {
        let (production, target, value) = match self.random.below(14) {
            0 | 11 => ("with input", "input".to_owned(), self.whole_input()),
            1 | 2 | 12 | 13 => self.part_of_document()?,
            3 | 4 => self.rule_replaced()?,
            5..=8 => self.function_replaced()?,
            _ => self.builtin_replaced(),
        };
        Some(Node::plain(production).text(format!(" with {target} as ")).one(value))
    }

    fn whole_input(&mut self) -> Node {
        let fields = self.input_shape.clone();
        if self.chance(80) {
            self.literal(&Ty::Record(fields.into()), Home::Rego)
        } else {
            self.term(&Ty::Any, 1)
        }
    }

    fn part_of_document(&mut self) -> Option<(&'static str, String, Node)> {
        let prefix = if self.chance(60) { "input." } else { "data.base." };
        let plain = |it: &&Known| it.text.starts_with(prefix) && !it.text.contains('[');
        let fitting: Vec<Known> = self.documents.iter().filter(plain).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let known = fitting[self.random.below(fitting.len())].clone();
        let value = if self.chance(85) { self.term(&known.ty, 1) } else { self.term(&Ty::Any, 1) };
        let production = if prefix == "input." { "with part of input" } else { "with part of data" };
        Some((production, known.text, value))
    }

    fn rule_replaced(&mut self) -> Option<(&'static str, String, Node)> {
        // Below a rule nothing can be replaced.
        let is_whole = |it: &&Known| {
            let package = ["data.lib.a.", "data.lib.b.", "data.deep.er.one.", "data.t."];
            package
                .iter()
                .find_map(|package| it.text.strip_prefix(package))
                .is_some_and(|it| !it.contains('.'))
        };
        let rules: Vec<Known> = self.rules.iter().filter(is_whole).cloned().collect();
        if rules.is_empty() {
            return None;
        }
        let known = rules[self.random.below(rules.len())].clone();
        let value = self.term(&known.ty, 1);
        Some(("with rule", known.text, value))
    }

    fn function_replaced(&mut self) -> Option<(&'static str, String, Node)> {
        if self.functions.is_empty() {
            return None;
        }
        let function = self.functions[self.random.below(self.functions.len())].clone();
        let fits =
            |it: &&super::Function| it.params.len() == function.params.len() && it.name != function.name;
        let same: Vec<String> = self.functions.iter().filter(fits).map(|it| it.name.clone()).collect();
        // In comprehensions of queries OPA takes functions for variables.
        let value = if !same.is_empty() && !self.package.is_empty() && self.chance(50) {
            Node::plain("").text(same[self.random.below(same.len())].clone())
        } else {
            self.literal(&function.result, Home::Rego)
        };
        Some(("with function", function.name, value))
    }

    fn builtin_replaced(&mut self) -> (&'static str, String, Node) {
        let name = self.random.choose(BUILTINS);
        let ty = match name {
            "count" | "sum" | "time.now_ns" => SMALL,
            "startswith" => Ty::Bool,
            _ => WORD,
        };
        let by_name = !self.package.is_empty() && self.chance(40);
        let value = match name {
            "startswith" if by_name => Node::plain("").text("endswith"),
            "upper" if by_name => Node::plain("").text("lower"),
            _ => self.literal(&ty, Home::Rego),
        };
        ("with built-in", name.to_owned(), value)
    }
}
