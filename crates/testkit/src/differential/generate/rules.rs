//! Rules of every kind, with names that later rules refer to.
//!
//! A rule refers only to those made before it, so that none is recursive. Every function here appends the rules of
//! one name and notes what they make.

use super::literals::Home;
use super::{Function, Generator, Known, Version};
use crate::differential::kinds::{Num, SMALL, STR, Ty, WORD};
use crate::differential::tree::Node;

#[derive(Clone, Copy)]
enum Form {
    Complete,
    Constant,
    Else,
    Clauses,
    Default,
    Set,
    Object,
    DeepComplete,
    DeepSet,
    DeepObject,
    Function,
    FunctionClauses,
    FunctionElse,
    Dispatch,
    Calls,
}

const FORMS: &[(usize, Form)] = &[
    (16, Form::Complete),
    (8, Form::Constant),
    (8, Form::Else),
    (8, Form::Clauses),
    (10, Form::Default),
    (14, Form::Set),
    (10, Form::Object),
    (5, Form::DeepComplete),
    (5, Form::DeepSet),
    (6, Form::DeepObject),
    (7, Form::Function),
    (10, Form::FunctionClauses),
    (4, Form::FunctionElse),
    (6, Form::Dispatch),
    (14, Form::Calls),
];

/// The nodes of a pattern and the tests that make it likely to match.
struct Param {
    node: Node,
    ty: Ty,
}

impl Generator {
    /// Appends the rules of one name.
    pub(super) fn rule(&mut self, out: &mut Vec<Node>) {
        self.locals.clear();
        match self.weighted(FORMS) {
            Form::Complete => self.complete(out),
            Form::Constant => self.constant(out),
            Form::Else => self.else_chain(out),
            Form::Clauses => self.clauses(out),
            Form::Default => self.with_default(out),
            Form::Set => self.partial_set(out),
            Form::Object => self.partial_object(out),
            Form::DeepComplete => self.deep_complete(out),
            Form::DeepSet => self.deep_set(out),
            Form::DeepObject => self.deep_object(out),
            Form::Function => self.function(out, 1),
            Form::FunctionClauses => {
                let count = self.between(2, 3);
                self.function(out, count);
            }
            Form::FunctionElse => self.function_else(out),
            Form::Dispatch => self.dispatch(out),
            Form::Calls => self.calls(out),
        }
    }

    fn is_v0(&self) -> bool {
        self.version == Version::V0
    }

    fn note(&mut self, name: &str, ty: Ty) {
        let text = format!("data.{}.{name}", self.package);
        self.rules.push(Known { text, ty });
    }

    fn body(&mut self, count: usize) -> Vec<Node> {
        self.fuel = 40;
        self.many = true;
        let mut body = Vec::new();
        // Most rules look at the input, else they would be constant.
        if self.chance(50) {
            body.push(self.look_at_input());
        }
        body.extend(self.statements(count, 3));
        body
    }

    /// Binds a part of the input.
    fn look_at_input(&mut self) -> Node {
        let fitting: Vec<Known> =
            self.documents.iter().filter(|it| it.text.starts_with("input.")).cloned().collect();
        let known = fitting[self.random.below(fitting.len())].clone();
        let name = self.fresh("x");
        self.locals.push(Known { text: name.clone(), ty: known.ty });
        Node::plain("assign").text(format!("{name} := {}", known.text))
    }

    /// Returns a rule of a head and a body.
    fn assemble(&mut self, production: &'static str, head: Node, body: Vec<Node>) -> Node {
        let node = Node::plain(production).one(head);
        if body.is_empty() {
            return node;
        }
        let keyword = if self.is_v0() { "" } else { "if " };
        if body.len() == 1 && !self.is_v0() && self.chance(30) {
            let text = body.first().map(Node::print).unwrap_or_default();
            if !text.contains("; ") && !text.starts_with('{') {
                return node.text(" if ").many_least("", 1, body);
            }
        }
        let separator = if self.chance(50) { "\n\t" } else { "; " };
        let (open, close) = if separator == "; " { ("{ ", " }") } else { ("{\n\t", "\n}") };
        node.text(format!(" {keyword}{open}")).many_least(separator, 1, body).text(close)
    }

    fn assignment(&mut self) -> &'static str {
        if self.chance(25) { " = " } else { " := " }
    }

    fn head_value(&mut self, name: &str, ty: &Ty) -> Node {
        self.many = false;
        let value = self.term(ty, 2);
        let operator = self.assignment();
        Node::plain("").text(format!("{name}{operator}")).one(value)
    }

    fn one_clause(&mut self, production: &'static str, name: &str, ty: &Ty) -> Node {
        let count = self.between(1, 4);
        let body = self.body(count);
        let head = if *ty == Ty::Bool && self.chance(60) {
            Node::plain("").text(name.to_owned())
        } else {
            self.head_value(name, ty)
        };
        self.assemble(production, head, body)
    }

    fn complete(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("p");
        if self.is_v0() && self.chance(50) {
            return self.bodies(&name, out);
        }
        let ty = self.interesting_type();
        let rule = self.one_clause("complete rule", &name, &ty);
        out.push(rule);
        self.note(&name, ty);
    }

    /// Appends a rule of v0 with one body after the other, each enough by itself.
    fn bodies(&mut self, name: &str, out: &mut Vec<Node>) {
        let mut rule = Node::plain("complete rule").text(name.to_owned());
        for at in 0..self.between(2, 3) {
            self.locals.clear();
            let count = self.between(1, 3);
            let mut body = self.body(count);
            if body.is_empty() {
                body.push(self.look_at_input());
            }
            let production = if at == 0 { "" } else { "body after body" };
            rule = rule.one(Node::plain(production).text(" { ").many_least("; ", 1, body).text(" }"));
        }
        out.push(rule);
        self.note(name, Ty::Bool);
    }

    fn constant(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("c");
        let ty = self.interesting_type();
        self.fuel = 20;
        let head = self.head_value(&name, &ty);
        out.push(self.assemble("complete rule without body", head, Vec::new()));
        self.note(&name, ty);
    }

    fn else_chain(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("e");
        let ty = self.interesting_type();
        let mut rule = self.one_clause("complete rule", &name, &ty);
        let branches = self.between(1, 2);
        for branch in 1..=branches {
            self.locals.clear();
            // Nothing can follow a branch without a body.
            let least = usize::from(branch < branches);
            let count = self.between(least, 2);
            let body = self.body(count);
            self.many = false;
            let value = self.term(&ty, 1);
            let head = Node::plain("").text(if self.is_v0() { " else = " } else { " else := " }).one(value);
            rule = rule.one(self.assemble("else", head, body));
        }
        out.push(rule);
        self.note(&name, ty);
    }

    fn clauses(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("p");
        // Clauses that agree are the rule; those that do not are errors.
        let ty = if self.chance(70) { Ty::Bool } else { self.interesting_type() };
        for _ in 0..self.between(2, 3) {
            self.locals.clear();
            let rule = self.one_clause("one of several clauses", &name, &ty);
            out.push(rule);
        }
        self.note(&name, ty);
    }

    fn with_default(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("d");
        let ty = self.interesting_type();
        let value = self.literal(&ty, Home::Rego);
        let operator = if self.is_v0() { "=" } else { ":=" };
        out.push(Node::plain("default").text(format!("default {name} {operator} ")).one(value));
        let rule = self.one_clause("complete rule", &name, &ty);
        out.push(rule);
        self.note(&name, ty);
    }

    fn partial_set(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("s");
        let ty = self.interesting_type();
        for _ in 0..self.weighted(&[(5, 1), (3, 2)]) {
            self.locals.clear();
            let count = self.between(1, 3);
            let mut body = vec![self.search()];
            body.extend(self.body(count));
            let item = self.term(&ty, 2);
            let head = if self.is_v0() {
                Node::plain("").text(format!("{name}[")).one(item).text("]")
            } else {
                Node::plain("").text(format!("{name} contains ")).one(item)
            };
            out.push(self.assemble("partial set", head, body));
        }
        self.note(&name, ty.set());
    }

    fn search(&mut self) -> Node {
        self.fuel = 30;
        self.many = true;
        self.iteration(2)
    }

    /// Returns a key of a head: a variable or a string. Other constants make documents of their own kind.
    fn key(&mut self, ty: &Ty, body: &mut Vec<Node>) -> Node {
        let key = self.leaf(ty);
        let text = key.print();
        let is_name = text.starts_with('x') || text.starts_with(['"', '`']);
        if is_name && !text.contains(['.', '[']) || text.starts_with("input") || text.starts_with("data") {
            return key;
        }
        let name = self.fresh("x");
        body.push(Node::plain("assign").text(format!("{name} := ")).one(key));
        Node::term("ref to a local").text(name)
    }

    fn composite_key(&mut self) -> Node {
        let items = vec![self.leaf(&WORD), self.leaf(&SMALL)];
        Node::plain("composite key in head").text("[").many_least(", ", 2, items).text("]")
    }

    fn partial_object(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("o");
        let (key, value) =
            (if self.chance(75) { WORD } else { self.interesting_type() }, self.interesting_type());
        let composite = self.chance(12);
        let key = if composite { Ty::Tuple([WORD, SMALL].into()) } else { key };
        for _ in 0..self.weighted(&[(6, 1), (2, 2)]) {
            self.locals.clear();
            let count = self.between(0, 3);
            let mut body = vec![self.search()];
            body.extend(self.body(count));
            let key = if composite { self.composite_key() } else { self.key(&key, &mut body) };
            let value = self.term(&value, 2);
            let operator = if self.is_v0() { " = " } else { self.assignment() };
            let head =
                Node::plain("").text(format!("{name}[")).one(key).text(format!("]{operator}")).one(value);
            out.push(self.assemble("partial object", head, body));
        }
        self.note(&name, Ty::object(key, value));
    }

    fn deep_complete(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("r");
        let mut fields = Vec::new();
        for path in ["a.b", "a.c", "b"] {
            self.locals.clear();
            let ty = self.interesting_type();
            let full = format!("{name}.{path}");
            let rule = self.one_clause("ref head", &full, &ty);
            out.push(rule);
            fields.push((full, ty));
        }
        for (full, ty) in fields {
            self.note(&full, ty);
        }
        self.note(&name, Ty::object(WORD, Ty::Any));
    }

    fn deep_set(&mut self, out: &mut Vec<Node>) {
        if self.is_v0() {
            return self.partial_set(out);
        }
        let name = self.fresh("m");
        let ty = self.interesting_type();
        for _ in 0..self.between(1, 2) {
            self.locals.clear();
            let mut body = vec![self.search()];
            let count = self.between(0, 2);
            body.extend(self.body(count));
            let (key, item) = (self.key(&WORD, &mut body), self.term(&ty, 1));
            let head = Node::plain("").text(format!("{name}.x[")).one(key).text("] contains ").one(item);
            out.push(self.assemble("multi-value ref head", head, body));
        }
        self.note(&format!("{name}.x"), Ty::object(WORD, ty.set()));
    }

    fn deep_object(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("g");
        let ty = self.interesting_type();
        let form = self.random.below(3);
        for _ in 0..self.between(1, 2) {
            self.locals.clear();
            let mut body = vec![self.search()];
            let count = self.between(0, 2);
            body.extend(self.body(count));
            let first = self.key(&WORD, &mut body);
            let second = self.key(if form == 2 { &SMALL } else { &WORD }, &mut body);
            let value = self.term(&ty, 1);
            let operator = self.assignment();
            let head = Node::plain("").text(format!("{name}[")).one(first);
            let head = match form {
                0 => head.text("][").one(second).text(format!("]{operator}")),
                1 => head.text(format!("].v{operator}")),
                _ => head.text("].deep[").one(second).text(format!("]{operator}")),
            };
            out.push(self.assemble("ref head with variables", head.one(value), body));
        }
        let inner = match form {
            2 => Ty::object(WORD, Ty::object(SMALL, ty)),
            _ => Ty::object(WORD, ty),
        };
        self.note(&name, Ty::object(WORD, inner));
    }

    /// Returns a parameter, and binds what its pattern names.
    fn param(&mut self, ty: &Ty) -> Param {
        let local = |it: &mut Self, ty: &Ty| {
            let name = it.fresh("x");
            it.locals.push(Known { text: name.clone(), ty: ty.clone() });
            name
        };
        let node = match (ty, self.random.below(5)) {
            (Ty::Tuple(items), 0..4) => {
                let items: Vec<Node> = items
                    .iter()
                    .map(|ty| match ty {
                        Ty::Tuple(_) => Node::plain("nested pattern as parameter").one(self.param(ty).node),
                        _ => Node::plain("").text(local(self, ty)),
                    })
                    .collect();
                let least = items.len();
                Node::plain("array as parameter").text("[").many_least(", ", least, items).text("]")
            }
            (Ty::Record(fields), 0..4) => {
                let names = fields.iter().map(|(key, ty)| format!("\"{key}\": {}", local(self, ty)));
                let names: Vec<String> = names.collect();
                Node::plain("object as parameter").text(format!("{{{}}}", names.join(", ")))
            }
            (Ty::Str(_) | Ty::Num(_) | Ty::Bool, 0 | 4) => {
                Node::plain("constant as parameter").one(self.literal(ty, Home::Rego))
            }
            (_, 1) => Node::plain("wildcard as parameter").text("_"),
            _ => {
                let name = local(self, ty);
                Node::plain("").text(name)
            }
        };
        Param { node, ty: ty.clone() }
    }

    fn param_types(&mut self) -> Vec<Ty> {
        let count = self.weighted(&[(4, 1), (4, 2), (1, 3)]);
        let mut types = Vec::new();
        for _ in 0..count {
            types.push(match self.random.below(9) {
                0 | 6 => Ty::Tuple([self.interesting_type(), SMALL].into()),
                1 | 7 => Ty::Record([("a", self.interesting_type()), ("b", WORD)].into()),
                2 | 3 => WORD,
                4 => SMALL,
                8 => Ty::Tuple([Ty::Tuple([WORD, SMALL].into()), SMALL].into()),
                _ => self.interesting_type(),
            });
        }
        types
    }

    fn function_clause(&mut self, name: &str, types: &[Ty], result: &Ty) -> Node {
        self.locals.clear();
        let params: Vec<Param> = types.iter().map(|it| self.param(it)).collect();
        debug_assert!(params.iter().zip(types).all(|it| it.0.ty == *it.1), "parameters keep their types");
        let params: Vec<Node> = params.into_iter().map(|it| it.node).collect();
        let count = self.between(0, 2);
        let locals = self.locals.clone();
        let body = self.body(count);
        if body.is_empty() {
            self.locals = locals;
        }
        self.many = false;
        let value = self.term(result, 2);
        let operator = self.assignment();
        let least = params.len();
        let head = Node::plain("").text(format!("{name}(")).many_least(", ", least, params);
        self.assemble("function", head.text(format!("){operator}")).one(value), body)
    }

    fn note_function(&mut self, name: &str, params: Vec<Ty>, result: Ty) {
        let name = format!("data.{}.{name}", self.package);
        self.functions.push(Function { name, params, result });
    }

    fn function(&mut self, out: &mut Vec<Node>, clauses: usize) {
        let name = self.fresh("f");
        let types = self.param_types();
        let result = self.interesting_type();
        if clauses > 1 && self.chance(70) {
            let params = vec!["_"; types.len()].join(", ");
            let operator = if self.is_v0() { "=" } else { ":=" };
            let value = self.literal(&result, Home::Rego);
            out.push(
                Node::plain("default function")
                    .text(format!("default {name}({params}) {operator} "))
                    .one(value),
            );
        }
        for _ in 0..clauses {
            let clause = self.function_clause(&name, &types, &result);
            out.push(clause);
        }
        self.note_function(&name, types, result);
    }

    fn function_else(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("f");
        let types = self.param_types();
        let result = self.interesting_type();
        let mut rule = self.function_clause(&name, &types, &result);
        if rule.parts.len() == 1 {
            // Without a body nothing may follow.
            let keyword = if self.is_v0() { "" } else { "if " };
            rule = rule.text(format!(" {keyword}{{ input.i != 1 }}"));
        }
        let value = self.literal(&result, Home::Rego);
        let operator = if self.is_v0() { "=" } else { ":=" };
        out.push(rule.one(Node::plain("else").text(format!(" else {operator} ")).one(value)));
        self.note_function(&name, types, result);
    }

    /// Appends an object of calls of built-ins, each under a key of its own so that it may be undefined.
    fn calls(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("b");
        // An error ends the whole evaluation under strict errors.
        let count = if self.strict { 2 } else { self.between(5, 12) };
        for index in 0..count {
            self.locals.clear();
            self.fuel = 12;
            self.many = false;
            let (call, _) = self.any_call(1);
            let head = Node::plain("").text(format!("{name}[\"{index}\"]{}", self.assignment())).one(call);
            let rule = self.assemble("one of many calls", head, Vec::new());
            out.push(rule);
        }
        self.note(&name, Ty::object(WORD, Ty::Any));
    }

    /// Appends many clauses that test one thing each, as rule indexes like them.
    fn dispatch(&mut self, out: &mut Vec<Node>) {
        let name = self.fresh("i");
        let set = self.chance(40);
        let has_default = !set && self.chance(50);
        if has_default {
            let operator = if self.is_v0() { "=" } else { ":=" };
            out.push(Node::plain("default").text(format!("default {name} {operator} \"none\"")));
        }
        let result = if self.chance(70) { WORD } else { Ty::Num(Num::Small) };
        let count = self.between(2, 6);
        for _ in 0..count {
            self.locals.clear();
            self.fuel = 20;
            let mut body = vec![self.indexed_test()];
            if self.chance(40) {
                body.push(self.indexed_test());
            }
            if self.chance(30) {
                body.extend(self.statements(1, 1));
            }
            let value = self.literal(&result, Home::Rego);
            let operator = if self.is_v0() { " = " } else { " := " };
            let head = match (set, self.is_v0()) {
                (true, true) => Node::plain("").text(format!("{name}[")).one(value).text("]"),
                (true, false) => Node::plain("").text(format!("{name} contains ")).one(value),
                // Equal values do not conflict.
                (false, _) if self.chance(70) => Node::plain("").text(format!("{name}{operator}\"same\"")),
                (false, _) => Node::plain("").text(format!("{name}{operator}")).one(value),
            };
            out.push(self.assemble("indexed clause", head, body));
        }
        self.note(&name, if set { result.set() } else { STR });
    }

    fn indexed_test(&mut self) -> Node {
        let word = |it: &mut Self| it.literal(&WORD, Home::Rego);
        let test = Node::plain("indexed test");
        match self.random.below(9) {
            0 | 1 => test.text("input.k == ").one(word(self)),
            2 => test.one(word(self)).text(" = input.k"),
            3 => test.text("input.i == ").one(self.literal(&SMALL, Home::Rego)),
            4 if !self.is_v0() => {
                test.text("input.k in {").one(word(self)).text(", ").one(word(self)).text("}")
            }
            5 => test.text("startswith(input.k, ").one(word(self)).text(")"),
            6 => {
                let glob = self.random.choose(&["a*", "*b", "?", "{a,b}*", "*", "read", "[a-c]"]);
                test.text(format!("glob.match(\"{glob}\", [], input.k)"))
            }
            7 => test.text("input.i < ").one(self.literal(&SMALL, Home::Rego)),
            _ => test.text("[input.k, input.i] = [").one(word(self)).text(", _]"),
        }
    }
}
