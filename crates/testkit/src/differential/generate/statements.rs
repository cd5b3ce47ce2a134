//! Statements of bodies: they bind locals, search collections and test.
//!
//! Tests are made to hold more often than not, else most rules would be undefined everywhere.

use super::literals::Home;
use super::{Generator, Known, Version};
use crate::differential::kinds::{NUM, SMALL, STR, Ty, WORD};
use crate::differential::tree::Node;

#[derive(Clone, Copy)]
enum Form {
    Assign,
    Unify,
    UnifyArray,
    UnifyObject,
    Test,
    Lenient,
    Term,
    Search,
    Every,
    Not,
    With,
    Walk,
    Late,
    Logic,
    Print,
    Operator,
    Function,
    Shape,
}

const FORMS: &[(usize, Form)] = &[
    (24, Form::Assign),
    (7, Form::Unify),
    (4, Form::UnifyArray),
    (4, Form::UnifyObject),
    (8, Form::Test),
    (16, Form::Lenient),
    (3, Form::Term),
    (14, Form::Search),
    (5, Form::Every),
    (7, Form::Not),
    (18, Form::With),
    (3, Form::Walk),
    (3, Form::Late),
    (17, Form::Logic),
    (3, Form::Print),
    (26, Form::Operator),
    (5, Form::Function),
    (24, Form::Shape),
];

impl Generator {
    /// Returns so many statements; what they bind stays in scope.
    pub(super) fn statements(&mut self, count: usize, depth: usize) -> Vec<Node> {
        (0..count).flat_map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Vec<Node> {
        let one = match self.weighted(FORMS) {
            Form::Assign => self.assign(depth),
            Form::Unify => self.unify(depth),
            Form::UnifyArray => self.unify_array(depth),
            Form::UnifyObject => self.unify_object(depth),
            Form::Test => self.condition(depth),
            Form::Lenient => self.lenient(depth),
            Form::Term => {
                let ty = self.interesting_type();
                Node::plain("term as statement").one(self.term(&ty, depth))
            }
            Form::Search => self.iteration(depth),
            Form::Every => self.every(depth),
            Form::Not => self.negation(depth),
            Form::With => self.modified(depth),
            Form::Walk => self.walk(),
            Form::Late => return self.late(depth),
            Form::Logic => self.logic(depth),
            Form::Operator => self.operator(depth),
            Form::Function => self.assign_function(depth),
            Form::Shape => {
                let shape = self.weighted(super::shapes::SHAPES);
                self.shape_of(shape, depth)
            }
            Form::Print => {
                let ty = self.interesting_type();
                Node::plain("print").text("print(").one(self.term(&ty, depth)).text(")")
            }
        };
        vec![one]
    }

    pub(super) fn bind(&mut self, ty: Ty) -> String {
        let name = self.fresh("x");
        self.locals.push(Known { text: name.clone(), ty });
        name
    }

    fn assign(&mut self, depth: usize) -> Node {
        let (value, ty) = if self.chance(40) {
            self.any_call(depth.min(1))
        } else {
            let ty = self.interesting_type();
            (self.term(&ty, depth), ty)
        };
        let name = self.bind(ty);
        Node::plain("assign").text(format!("{name} := ")).one(value)
    }

    /// Binds what an operator, a template or a comprehension gives.
    fn operator(&mut self, depth: usize) -> Node {
        let ty = match self.random.below(11) {
            0..=3 | 8 => NUM,
            4 | 9 | 10 => WORD.set(),
            5 => STR,
            6 => WORD.array(),
            _ => Ty::object(WORD, Ty::Any),
        };
        let value = match self.random.below(3) {
            _ if ty == STR => self.template(depth.min(1)),
            0 if ty == WORD.set() => self.composite(&ty, depth.min(1)),
            0 => self.comprehension(&ty, depth.min(1)),
            _ => self.infix(&ty, depth.min(1)).or_else(|| self.comprehension(&ty, depth.min(1))),
        };
        let value = value.unwrap_or_else(|| self.leaf(&ty));
        let name = self.bind(ty);
        Node::plain("assign").text(format!("{name} := ")).one(value)
    }

    fn assign_function(&mut self, depth: usize) -> Node {
        let Some(result) = self.functions.last().map(|it| it.result.clone()) else {
            return self.assign(depth);
        };
        let Some(call) = self.function_call(&result, depth.min(1)) else { return self.assign(depth) };
        let name = self.bind(result);
        Node::plain("assign").text(format!("{name} := ")).one(call)
    }

    fn unify(&mut self, depth: usize) -> Node {
        let ty = self.interesting_type();
        if self.chance(55) {
            let (left, right) = self.two_sides(&ty, depth);
            return Node::plain("unify terms").one(left).text(" = ").one(right);
        }
        let value = self.term(&ty, depth);
        let name = self.bind(ty);
        let sides = Node::plain("unify");
        if self.chance(50) {
            sides.text(format!("{name} = ")).one(value)
        } else {
            sides.one(value).text(format!(" = {name}"))
        }
    }

    fn unify_array(&mut self, depth: usize) -> Node {
        let (first, second) = (self.interesting_type(), self.interesting_type());
        let value = Ty::Tuple([first.clone(), second.clone()].into());
        let known = self.documents.iter().find(|it| matches!(it.ty, Ty::Array(_))).map(|it| it.text.clone());
        let value = match known {
            Some(text) if self.chance(30) => Node::term("ref to a collection").text(self.name_of(&text)),
            _ => self.term(&value, depth),
        };
        let operator = if self.chance(50) { ":=" } else { "=" };
        let left = self.bind(first);
        let right = match self.random.below(5) {
            0 => "_".to_owned(),
            1 if operator == "=" => self.literal(&second, Home::Rego).print(),
            _ => self.bind(second),
        };
        Node::plain("unify arrays").text(format!("[{left}, {right}] {operator} ")).one(value)
    }

    fn unify_object(&mut self, depth: usize) -> Node {
        let (first, second) = (self.interesting_type(), self.interesting_type());
        let value = Ty::Record([("a", first.clone()), ("b", second.clone())].into());
        let value = self.term(&value, depth);
        let (left, right) = (self.bind(first), self.bind(second));
        let operator = if self.chance(50) { ":=" } else { "=" };
        Node::plain("unify objects").text(format!("{{\"a\": {left}, \"b\": {right}}} {operator} ")).one(value)
    }

    /// Returns a test that holds for most values.
    fn lenient(&mut self, depth: usize) -> Node {
        let ty = self.interesting_type();
        let term = self.term(&ty, depth);
        let literal = |it: &mut Self| it.literal(&ty, Home::Rego);
        let is_scalar = matches!(ty, Ty::Num(_) | Ty::Str(_) | Ty::Bool);
        match self.random.below(6) {
            // What is known to be of another shape must not be compared for equality.
            0 if !is_scalar => Node::term("compare at least").one(term).text(" >= ").one(literal(self)),
            2 if !is_scalar => {
                let same = self.leaf(&ty);
                Node::plain("membership").one(same.clone()).text(" in [").many(", ", vec![same]).text("]")
            }
            0 => Node::term("compare unequal").one(term).text(" != ").one(literal(self)),
            1 => {
                let least = self.literal(&SMALL, Home::Rego);
                let operator = if is_scalar { self.random.choose(&["!=", "<=", "<"]) } else { "<" };
                let production = match operator {
                    "!=" => "compare unequal",
                    "<" => "compare less",
                    _ => "compare at most",
                };
                // Numbers come before all but null and booleans.
                let least = if matches!(ty, Ty::Num(_)) { Node::term("").text("-1") } else { least };
                Node::term(production).one(least).text(format!(" {operator} ")).one(term)
            }
            2 => {
                let same = self.leaf(&ty);
                Node::plain("membership")
                    .one(same.clone())
                    .text(" in [")
                    .many(", ", vec![literal(self), same])
                    .text("]")
            }
            3 => {
                let same = self.leaf(&ty);
                Node::term("compare equal").one(same.clone()).text(" == ").one(same)
            }
            4 => {
                let name = self.random.choose(&["is_set", "is_null", "is_boolean"]);
                Node::plain("not").text(format!("not {name}({{\"k\": ")).one(term).text("}.k)")
            }
            _ => {
                let operator = self.random.choose(&["!=", ">="]);
                let production = if operator == "!=" { "compare unequal" } else { "compare at least" };
                Node::term(production).one(term).text(format!(" {operator} null"))
            }
        }
    }

    /// Returns something to iterate over, and its type.
    pub(super) fn collection(&mut self, depth: usize) -> (Node, Ty, Ty) {
        let all = self.locals.iter().chain(&self.documents).chain(&self.rules);
        let known: Vec<Known> = all.filter(|it| it.ty.items().is_some()).cloned().collect();
        if !known.is_empty() && self.chance(70) {
            let known = &known[self.random.below(known.len())];
            if let Some((key, value)) = known.ty.items() {
                let text = self.name_of(&known.text);
                return (Node::term("ref to a collection").text(text), key, value);
            }
        }
        let item = self.interesting_type();
        let ty = match self.random.below(3) {
            0 => item.array(),
            1 => item.set(),
            _ => Ty::object(WORD, item),
        };
        let (key, value) = ty.items().unwrap_or((Ty::Any, Ty::Any));
        // Empty literals have no members that could be of any type.
        for _ in 0..4 {
            let collection = self.term(&ty, depth);
            if !matches!(collection.print().as_str(), "[]" | "{}" | "set()") {
                return (collection, key, value);
            }
        }
        (Node::term("ref to a collection").text("input"), WORD, Ty::Any)
    }

    /// Returns a search of a collection.
    pub(super) fn iteration(&mut self, depth: usize) -> Node {
        let (collection, key, value) = self.collection(depth);
        let text = collection.print();
        let is_reference = text.chars().all(|it| it.is_alphanumeric() || "._[]\"".contains(it));
        match self.random.below(if is_reference { 6 } else { 3 }) {
            0 => {
                let name = self.bind(value);
                Node::plain("some in").text(format!("some {name} in ")).one(collection)
            }
            1 => {
                let key = if self.chance(30) { "_".to_owned() } else { self.bind(key) };
                let value = self.bind(value);
                Node::plain("some key in").text(format!("some {key}, {value} in ")).one(collection)
            }
            2 => {
                let name = self.bind(value);
                Node::plain("ref into a term").text(format!("{name} := ")).one(collection).text("[_]")
            }
            3 => {
                let name = self.bind(value);
                Node::plain("ref with wildcard").text(format!("{name} := ")).one(collection).text("[_]")
            }
            4 => {
                let key = self.bind(key);
                let value = self.bind(value);
                Node::plain("some")
                    .text(format!("some {key}; {value} := "))
                    .one(collection)
                    .text(format!("[{key}]"))
            }
            _ => {
                let key = self.bind(key);
                let value = self.bind(value);
                let declared = if self.chance(50) { format!("some {key}, {value}; ") } else { String::new() };
                let production =
                    if declared.is_empty() { "ref with free variable" } else { "some of several" };
                Node::plain(production)
                    .text(format!("{declared}{value} = "))
                    .one(collection)
                    .text(format!("[{key}]"))
            }
        }
    }

    fn every(&mut self, depth: usize) -> Node {
        let (collection, key, value) = self.collection(depth);
        self.scoped(|it| {
            let head = if it.chance(40) {
                let key = it.bind(key);
                format!("every {key}, {} in ", it.bind(value.clone()))
            } else {
                format!("every {} in ", it.bind(value.clone()))
            };
            let name = it.locals.last().map_or_else(String::new, |it| it.text.clone());
            // The variable must be used.
            let mut body =
                vec![Node::plain("").text(format!("{name} != ")).one(it.literal(&value, Home::Rego))];
            if let Some(key) = head.strip_prefix("every ").and_then(|it| it.split_once(", ")) {
                body.push(Node::plain("").text(format!("{} != \"zz\"", key.0)));
            }
            let count = it.between(0, 2);
            body.extend(it.statements(count, depth.min(1)));
            Node::plain("every").text(head).one(collection).text(" { ").many_least("; ", 1, body).text(" }")
        })
    }

    fn negation(&mut self, depth: usize) -> Node {
        if self.version == Version::V2 && self.chance(75) {
            return self.scoped(|it| {
                let count = it.between(1, 2);
                let body = it.statements(count, depth.min(1));
                Node::plain("not of a body").text("not { ").many_least("; ", 1, body).text(" }")
            });
        }
        let many = std::mem::replace(&mut self.many, false);
        let inner = if self.chance(60) { self.condition(depth) } else { self.leaf(&Ty::Bool) };
        self.many = many;
        let text = inner.print();
        if text == "true" || text.starts_with('{') {
            // A body of nothing but `not true` is taken for `true` by OPA; and braces would open a body.
            return Node::plain("not").text("not (").one(inner).text(" == true)");
        }
        Node::plain("not").text("not ").one(inner)
    }

    fn logic(&mut self, depth: usize) -> Node {
        if self.version != Version::V2 {
            return self.lenient(depth);
        }
        let (left, right) = (self.condition(depth.min(1)), self.condition(depth.min(1)));
        let production = if self.chance(50) { "and" } else { "or" };
        let side = |it: &mut Self, inner: Node| match it.random.below(3) {
            0 => Node::plain("").text("{ ").one(inner).text(" }"),
            1 => Node::plain("").text("not ").one(inner),
            _ if inner.print().starts_with('{') => Node::plain("").text("{ ").one(inner).text(" }"),
            _ => inner,
        };
        let (left, right) = (side(self, left), side(self, right));
        Node::plain(production).one(left).text(format!(" {production} ")).one(right)
    }

    fn walk(&mut self) -> Node {
        let (collection, _, _) = self.collection(0);
        let path = if self.chance(40) { "_".to_owned() } else { self.bind(Ty::Any.array()) };
        let value = if path != "_" && self.chance(20) { "_".to_owned() } else { self.bind(Ty::Any) };
        Node::plain("walk").text("walk(").one(collection).text(format!(", [{path}, {value}])"))
    }

    /// Returns a use that stands before what binds, which the compiler must put in order.
    fn late(&mut self, depth: usize) -> Vec<Node> {
        let (collection, _, value) = self.collection(0);
        let name = self.fresh("x");
        let mark = self.locals.len();
        self.locals.push(Known { text: name.clone(), ty: value.clone() });
        let test = Node::plain("use before binding")
            .text(format!("{name} != "))
            .one(self.literal(&value, Home::Rego));
        self.locals.truncate(mark);
        let bind = Node::plain("").text(format!("{name} = ")).one(collection).text("[_]");
        let other = self.term(&Ty::Bool, depth.min(1));
        self.locals.push(Known { text: name.clone(), ty: value });
        let mut body = vec![Node::plain("some").text(format!("some {name}")), test, bind];
        if self.chance(30) {
            body.push(Node::plain("term as statement").one(other));
        }
        // Shrinking must not part what belongs together.
        vec![Node::plain("").many_least("; ", 3, body)]
    }

    /// Returns an expression with modifiers.
    fn modified(&mut self, depth: usize) -> Node {
        let mut modifiers = Vec::new();
        let count = self.weighted(&[(5, 1), (2, 2)]);
        for _ in 0..count {
            modifiers.extend(self.modifier());
        }
        let refers: Vec<Known> = self.rules.iter().chain(&self.documents).cloned().collect();
        let inner = if !refers.is_empty() && self.chance(60) {
            let known = &refers[self.random.below(refers.len())];
            let value = Node::term("ref to a rule").text(self.name_of(&known.text));
            let ty = known.ty.clone();
            let name = self.bind(ty);
            Node::plain("assign").text(format!("{name} := ")).one(value)
        } else if self.chance(50) {
            self.assign(depth)
        } else {
            self.condition(depth)
        };
        Node::plain("").one(inner).many_least("", 1, modifiers)
    }
}
