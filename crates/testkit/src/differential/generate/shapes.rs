//! Statements that are seldom written and often mishandled: patterns, shadowing, results as last operands, whole packages.
//!
//! Apart from the common statements so that either list stays a table to read. They bind locals as those do.

use super::literals::Home;
use super::{Generator, Known};
use crate::differential::kinds::{NUM, SMALL, STR, Ty, WORD};
use crate::differential::tree::Node;

/// What there is.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    SomePattern,
    KeyPattern,
    Output,
    Package,
    Shadow,
    TwoFree,
    IntoCall,
    Metadata,
}

/// How often each comes.
pub(super) const SHAPES: &[(usize, Shape)] = &[
    (4, Shape::SomePattern),
    (3, Shape::KeyPattern),
    (4, Shape::Output),
    (3, Shape::Package),
    (3, Shape::Shadow),
    (3, Shape::TwoFree),
    (3, Shape::IntoCall),
    (2, Shape::Metadata),
];

impl Generator {
    /// Returns a statement of some shape.
    pub(super) fn shape_of(&mut self, shape: Shape, depth: usize) -> Node {
        let made = match shape {
            Shape::SomePattern => Some(self.some_pattern()),
            Shape::KeyPattern => Some(self.key_pattern()),
            Shape::Output => Some(self.output(depth)),
            Shape::Package => self.package_searched(),
            Shape::Shadow => self.shadow(),
            Shape::TwoFree => self.two_free(),
            Shape::IntoCall => self.call_searched(),
            Shape::Metadata => Some(self.metadata()),
        };
        made.unwrap_or_else(|| self.iteration(depth))
    }

    fn pick(&mut self, known: &[Known]) -> Option<Known> {
        (!known.is_empty()).then(|| known[self.random.below(known.len())].clone())
    }

    /// Returns the pattern of an item, of which the first place is bound.
    fn pattern(&mut self, item: &Ty) -> Node {
        let types: Vec<(Option<&str>, Ty)> = match item {
            Ty::Tuple(items) => items.iter().map(|it| (None, it.clone())).collect(),
            Ty::Record(fields) => fields.iter().map(|it| (Some(it.0), it.1.clone())).collect(),
            other => return Node::plain("").text(self.bind(other.clone())),
        };
        let is_array = matches!(item, Ty::Tuple(_));
        let mut parts = Vec::new();
        for (at, (key, ty)) in types.into_iter().enumerate() {
            let inner = match (at, self.random.below(8)) {
                (1.., 0 | 1) => Node::plain("").text("_"),
                (1.., 2) => self.literal(&ty, Home::Rego),
                (_, 3 | 4) if matches!(ty, Ty::Tuple(_) | Ty::Record(_)) => self.pattern(&ty),
                _ => Node::plain("").text(self.bind(ty)),
            };
            let key = key.map_or_else(String::new, |it| format!("\"{it}\": "));
            parts.push(Node::plain("").text(key).one(inner));
        }
        let (open, close) = if is_array { ("[", "]") } else { ("{", "}") };
        let least = parts.len();
        Node::plain("").text(open).many_least(", ", least, parts).text(close)
    }

    fn some_pattern(&mut self) -> Node {
        let of_items = |it: &&Known| match &it.ty {
            Ty::Array(item) => matches!(**item, Ty::Record(_) | Ty::Tuple(_)),
            _ => false,
        };
        let known: Vec<Known> = self.locals.iter().chain(&self.documents).filter(of_items).cloned().collect();
        let chosen = if self.chance(60) { self.pick(&known) } else { None };
        let (collection, item) = match chosen {
            Some(known) => {
                let item = known.ty.items().map_or(Ty::Any, |it| it.1);
                (Node::term("ref to a collection").text(self.name_of(&known.text)), item)
            }
            None => {
                let inner =
                    if self.chance(30) { Ty::Tuple([WORD, SMALL].into()) } else { self.interesting_type() };
                let item = if self.chance(50) {
                    Ty::Tuple([inner, WORD].into())
                } else {
                    Ty::Record([("a", inner), ("b", SMALL)].into())
                };
                (self.pair_of(&item, ["[", "]"]), item)
            }
        };
        let key = if self.chance(30) { format!("{}, ", self.bind(Ty::Any)) } else { String::new() };
        let pattern = self.pattern(&item);
        Node::plain("some in with pattern")
            .text(format!("some {key}"))
            .one(pattern)
            .text(" in ")
            .one(collection)
    }

    /// Returns a collection of two literals.
    fn pair_of(&mut self, item: &Ty, [open, close]: [&str; 2]) -> Node {
        let items = vec![self.literal(item, Home::Rego), self.literal(item, Home::Rego)];
        Node::term("").text(open).many_least(", ", 1, items).text(close)
    }

    fn key_pattern(&mut self) -> Node {
        let item = Ty::Tuple([WORD, SMALL].into());
        let set = self.pair_of(&item, ["{", "}"]);
        let name = self.bind(item.clone().set());
        let assign = Node::plain("").text(format!("{name} := ")).one(set);
        let pattern = self.pattern(&item);
        let search = Node::plain("pattern as key").text(format!("{name}[")).one(pattern).text("]");
        Node::plain("").many_least("; ", 2, vec![assign, search])
    }

    /// Returns a call whose value is its last operand.
    fn output(&mut self, depth: usize) -> Node {
        let builtins: &[(&str, &[Ty], Ty)] = &[
            ("count", &[WORD.array()], SMALL),
            ("upper", &[WORD], WORD),
            ("plus", &[SMALL, SMALL], NUM),
            ("split", &[STR, WORD], STR.array()),
            ("sum", &[SMALL.set()], NUM),
            ("is_string", &[Ty::Any], Ty::Bool),
            ("array.concat", &[WORD.array(), WORD.array()], WORD.array()),
        ];
        let function = self.functions.get(self.random.below(self.functions.len().max(1))).cloned();
        let (name, params, result) = match function {
            Some(function) if self.chance(60) => {
                (self.name_of(&function.name), function.params, function.result)
            }
            _ => {
                let (name, params, result) = &builtins[self.random.below(builtins.len())];
                ((*name).to_owned(), params.to_vec(), result.clone())
            }
        };
        let mut args: Vec<Node> = params.iter().map(|it| self.term(it, depth.min(1))).collect();
        let last = if self.chance(80) {
            Node::plain("").text(self.bind(result))
        } else {
            self.literal(&result, Home::Rego)
        };
        args.push(last);
        let least = args.len();
        Node::plain("call with output").text(format!("{name}(")).many_least(", ", least, args).text(")")
    }

    /// Returns a look at the whole of a package that came before.
    fn package_searched(&mut self) -> Option<Node> {
        let own = format!("data.{}.", self.package);
        let packages = ["data.lib.a", "data.lib.b", "data.deep.er.one", "data.t"];
        let known: Vec<&str> = packages
            .into_iter()
            .filter(|package| {
                let prefix = format!("{package}.");
                prefix != own && self.rules.iter().any(|it| it.text.starts_with(&prefix))
            })
            .collect();
        if known.is_empty() {
            return None;
        }
        let package = known[self.random.below(known.len())];
        let package = self.name_of(package);
        let node = Node::plain("ref to a package");
        Some(match self.random.below(3) {
            0 => node.text(format!("{} := {package}", self.bind(Ty::Any))),
            1 => {
                let (key, value) = (self.bind(WORD), self.bind(Ty::Any));
                node.text(format!("some {key}; {value} := {package}[{key}]"))
            }
            _ => {
                let (key, value) = (self.bind(WORD), self.bind(Ty::Any));
                node.text(format!("some {key}, {value} in {package}"))
            }
        })
    }

    /// Returns a comprehension that has a local of its own by the name of one outside.
    fn shadow(&mut self) -> Option<Node> {
        let locals = self.locals.clone();
        let shadowed = self.pick(&locals)?;
        let (collection, _, value) = self.collection(0);
        let name = shadowed.text;
        let text = collection.print();
        if text.contains(&name) {
            return None;
        }
        let inner = match self.random.below(3) {
            0 => Node::plain("").text(format!("[{name} | some {name} in ")).one(collection).text("]"),
            1 => Node::plain("").text(format!("[{name} | {name} := ")).one(collection).text("[_]]"),
            _ => {
                let body = Node::plain("").text(format!("some {name}; {name} = ")).one(collection);
                Node::plain("").text(format!("[{name} | ")).one(body).text("[_]]")
            }
        };
        let made = self.bind(value.array());
        Some(Node::plain("shadowing").text(format!("{made} := ")).one(inner))
    }

    fn two_free(&mut self) -> Option<Node> {
        let inner = |it: &Known| it.ty.items().and_then(|it| it.1.items());
        let nested: Vec<Known> = self.documents.iter().filter(|it| inner(it).is_some()).cloned().collect();
        let known = self.pick(&nested)?;
        let (outer_key, _) = known.ty.items()?;
        let (inner_key, value) = inner(&known)?;
        let (first, second) = (self.bind(outer_key), self.bind(inner_key));
        let name = self.bind(value);
        let text = self.name_of(&known.text);
        let statement = match self.random.below(3) {
            0 => format!("some {first}, {second}; {name} = {text}[{first}][{second}]"),
            1 => format!("some {first}; some {second}, {name} in {text}[{first}]"),
            _ => format!("{text}[{first}][{second}] = {name}"),
        };
        Some(Node::plain("ref with two free variables").text(statement))
    }

    fn call_searched(&mut self) -> Option<Node> {
        for _ in 0..6 {
            let (call, ty) = self.any_call(1);
            let Some((key, value)) = ty.items() else { continue };
            let node = Node::plain("ref into a call");
            return Some(if self.chance(60) {
                let name = self.bind(value);
                node.text(format!("{name} := ")).one(call).text("[_]")
            } else {
                let (key, value) = (self.bind(key), self.bind(value));
                node.text(format!("some {key}; {value} = ")).one(call).text(format!("[{key}]"))
            });
        }
        None
    }

    fn metadata(&mut self) -> Node {
        let name = self.random.choose(super::requests::ANNOTATED);
        let made = self.bind(Ty::Any);
        Node::plain("assign").text(format!("{made} := ")).one(Node::plain(name).text(format!("{name}()")))
    }
}
