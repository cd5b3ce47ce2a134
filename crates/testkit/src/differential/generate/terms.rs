//! Terms of a wanted type, from what is in scope.
//!
//! Terms that hold operators stand in parentheses, so that any term fits anywhere. A term is always safe: it names
//! only locals that are bound, or wildcards.

use super::literals::Home;
use super::{Generator, Known, Version};
use crate::differential::kinds::{INT, NUM, SMALL, STR, Ty};
use crate::differential::tree::Node;

#[derive(Clone, Copy)]
enum Form {
    Leaf,
    Call,
    Infix,
    Comprehension,
    Function,
    Composite,
    Template,
    Index,
}

const FORMS: &[(usize, Form)] = &[
    (40, Form::Leaf),
    (22, Form::Call),
    (14, Form::Infix),
    (6, Form::Comprehension),
    (8, Form::Function),
    (6, Form::Composite),
    (8, Form::Template),
    (6, Form::Index),
];

impl Generator {
    /// Returns a term of a type, of at most so many levels.
    pub(super) fn term(&mut self, want: &Ty, depth: usize) -> Node {
        self.fuel -= 1;
        if depth == 0 || self.fuel <= 0 {
            return self.leaf(want);
        }
        let want = &if *want == Ty::Any && self.chance(90) { self.interesting_type() } else { want.clone() };
        let made = match self.weighted(FORMS) {
            Form::Leaf => None,
            Form::Call => self.call(want, depth - 1),
            Form::Infix => self.infix(want, depth - 1),
            Form::Comprehension => self.comprehension(want, depth - 1),
            Form::Function => self.function_call(want, depth - 1),
            Form::Composite => self.composite(want, depth - 1),
            Form::Template => (*want == STR).then(|| self.template(depth - 1)).flatten(),
            Form::Index => self.index(want),
        };
        made.unwrap_or_else(|| self.leaf(want))
    }

    /// Returns the type of something that can be referred to, or any.
    pub(super) fn interesting_type(&mut self) -> Ty {
        let known = if self.chance(40) { &self.locals } else { &self.documents };
        if known.is_empty() || self.random.below(100) < 25 {
            return self.some_type(2, Home::Rego);
        }
        known[self.random.below(known.len())].ty.clone()
    }

    /// Returns a term without operands: a local, a reference or a literal.
    pub(super) fn leaf(&mut self, want: &Ty) -> Node {
        let sources = [(45, 0), (30, 1), (14, 2), (11, 3)];
        let start = self.weighted(&sources);
        for source in start..3 {
            let known = match source {
                0 => &self.locals,
                1 => &self.documents,
                _ => &self.rules,
            };
            let fitting: Vec<&Known> = known.iter().filter(|it| it.ty.fits(want)).collect();
            if !fitting.is_empty() {
                let text = fitting[self.random.below(fitting.len())].text.clone();
                return self.reference(source, &text);
            }
        }
        self.literal(want, Home::Rego)
    }

    fn reference(&mut self, source: usize, text: &str) -> Node {
        let production = match source {
            0 => "ref to a local",
            1 if text.starts_with("input") => "ref to input",
            1 => "ref to data",
            _ => "ref to a rule",
        };
        Node::term(production).text(self.name_of(text))
    }

    /// Returns how this module refers to a rule or function of a full name.
    pub(super) fn name_of(&mut self, text: &str) -> String {
        let prefix = format!("data.{}.", self.package);
        if let Some(name) = text.strip_prefix(&prefix)
            && self.chance(90)
        {
            return name.to_owned();
        }
        for (path, alias) in &self.imports {
            if let Some(rest) = text.strip_prefix(path.as_str())
                && (rest.is_empty() || rest.starts_with(['.', '[']))
            {
                return format!("{alias}{rest}");
            }
        }
        text.to_owned()
    }

    /// Returns an element of a collection that can be referred to.
    fn index(&mut self, want: &Ty) -> Option<Node> {
        let all = self.documents.iter().chain(&self.locals).chain(&self.rules).enumerate();
        let fitting = all.filter(|it| it.1.ty.items().is_some_and(|it| it.1.fits(want)));
        let fitting: Vec<(usize, Known)> = fitting.map(|it| (it.0, it.1.clone())).collect();
        if fitting.is_empty() {
            return None;
        }
        let (at, known) = fitting[self.random.below(fitting.len())].clone();
        // Of a document the type checker knows nothing; elsewhere a key may be known not to be there.
        let is_document = at < self.documents.len();
        let (key, _) = known.ty.items()?;
        let text = self.name_of(&known.text);
        if self.many && self.chance(25) {
            return Some(Node::term("ref with wildcard").text(format!("{text}[_]")));
        }
        let locals: Vec<String> =
            self.locals.iter().filter(|it| it.ty.fits(&key)).map(|it| it.text.clone()).collect();
        let key = if is_document {
            self.leaf(&key)
        } else if locals.is_empty() {
            return None;
        } else {
            let text = locals[self.random.below(locals.len())].clone();
            Node::term("ref to a local").text(text)
        };
        Some(Node::term("ref with computed key").text(format!("{text}[")).one(key).text("]"))
    }

    pub(super) fn infix(&mut self, want: &Ty, depth: usize) -> Option<Node> {
        let (production, operator, left, right) = match want {
            Ty::Num(_) if NUM.fits(want) || INT.fits(want) => {
                let operand = if NUM.fits(want) { NUM } else { SMALL };
                let choices = [
                    (4, ("infix plus", "+")),
                    (4, ("infix minus", "-")),
                    (3, ("infix times", "*")),
                    (4, ("infix divide", "/")),
                    (4, ("infix remainder", "%")),
                ];
                let (production, operator) =
                    self.weighted(if NUM.fits(want) { &choices } else { &choices[..3] });
                let operand = if operator == "%" { INT } else { operand };
                (production, operator, operand.clone(), operand)
            }
            Ty::Set(_) => {
                let choices =
                    [(1, ("infix and", "&")), (1, ("infix or", "|")), (1, ("infix difference", "-"))];
                let (production, operator) = self.weighted(&choices);
                (production, operator, want.clone(), want.clone())
            }
            Ty::Bool => return Some(self.comparison(depth)),
            _ => return None,
        };
        let (left, right) = (self.term(&left, depth), self.term(&right, depth));
        Some(Node::term(production).text("(").one(left).text(format!(" {operator} ")).one(right).text(")"))
    }

    /// Returns a comparison or a membership test, in parentheses.
    fn comparison(&mut self, depth: usize) -> Node {
        let inner = self.condition(depth);
        Node::term("").text("(").one(inner).text(")")
    }

    /// Returns a comparison or a membership test as an expression.
    pub(super) fn condition(&mut self, depth: usize) -> Node {
        let choices = [
            (6, ("compare equal", "==")),
            (5, ("compare unequal", "!=")),
            (3, ("compare less", "<")),
            (3, ("compare at most", "<=")),
            (5, ("compare greater", ">")),
            (3, ("compare at least", ">=")),
            (4, ("membership", "in")),
            (5, ("membership with key", "in")),
        ];
        let (production, operator) = self.weighted(&choices);
        let ty = self.interesting_type();
        let is_scalar = matches!(ty, Ty::Num(_) | Ty::Str(_) | Ty::Bool);
        let ty = if is_scalar || !production.starts_with("membership") { ty } else { super::calls::WORD };
        let infix = |left: Node, right: Node| {
            Node::term(production).one(left).text(format!(" {operator} ")).one(right)
        };
        match production {
            "membership" => {
                let collection = if self.chance(50) { ty.clone().array() } else { ty.clone().set() };
                let (item, collection) = (self.term(&ty, depth), self.term(&collection, depth));
                infix(item, collection)
            }
            "membership with key" => {
                let collection = Ty::object(super::calls::WORD, ty.clone());
                let key = self.leaf(&super::calls::WORD);
                let (item, collection) = (self.leaf(&ty), self.term(&collection, depth));
                infix(Node::plain("").one(key).text(", ").one(item), collection)
            }
            "compare equal" | "compare unequal" => {
                let (left, right) = self.two_sides(&ty, depth);
                infix(left, right)
            }
            _ => {
                let (left, right) = (self.term(&ty, depth), self.term(&ty, depth));
                infix(left, right)
            }
        }
    }

    /// Returns two terms that may be equal as far as the type checker can tell.
    pub(super) fn two_sides(&mut self, ty: &Ty, depth: usize) -> (Node, Node) {
        let left = self.term(ty, depth);
        if matches!(ty, Ty::Num(_) | Ty::Str(_) | Ty::Bool) {
            return (left, self.term(ty, depth));
        }
        let fitting: Vec<&Known> = self.documents.iter().filter(|it| it.ty.fits(ty)).collect();
        if fitting.is_empty() {
            return (left.clone(), left);
        }
        let text = fitting[self.random.below(fitting.len())].text.clone();
        let right = self.reference(1, &text);
        if self.chance(50) { (left, right) } else { (right, left) }
    }

    pub(super) fn comprehension(&mut self, want: &Ty, depth: usize) -> Option<Node> {
        let (production, open, close) = match want {
            Ty::Array(_) => ("array comprehension", "[", "]"),
            Ty::Set(_) => ("set comprehension", "{", "}"),
            Ty::Object(..) => ("object comprehension", "{", "}"),
            _ => return None,
        };
        let want = want.clone();
        Some(self.scoped(|it| {
            let count = it.weighted(&[(2, 1), (4, 2), (2, 3)]);
            let mut body = vec![it.iteration(depth)];
            body.extend(it.statements(count - 1, depth));
            let head = match &want {
                Ty::Object(key, value) => {
                    let (key, value) = (it.leaf(key), it.term(value, depth.min(1)));
                    Node::plain("").one(key).text(": ").one(value)
                }
                _ => {
                    let item = want.items().map_or(Ty::Any, |it| it.1);
                    it.term(&item, depth.min(1))
                }
            };
            Node::term(production).text(open).one(head).text(" | ").many_least("; ", 1, body).text(close)
        }))
    }

    pub(super) fn function_call(&mut self, want: &Ty, depth: usize) -> Option<Node> {
        let fitting: Vec<_> = self.functions.iter().filter(|it| it.result.fits(want)).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = &fitting[self.random.below(fitting.len())];
        let args = function.params.iter().map(|it| self.term(it, depth)).collect::<Vec<_>>();
        let name = self.name_of(&function.name);
        let count = args.len();
        Some(
            Node::term("call of a function").text(format!("{name}(")).many_least(", ", count, args).text(")"),
        )
    }

    pub(super) fn composite(&mut self, want: &Ty, depth: usize) -> Option<Node> {
        let count = self.weighted(&[(3, 1), (3, 2), (1, 3)]);
        let node = |production| Node::term(production);
        Some(match want {
            Ty::Array(item) => {
                let items = (0..count).map(|_| self.term(item, depth)).collect();
                node("array of terms").text("[").many(", ", items).text("]")
            }
            Ty::Tuple(types) => {
                let items: Vec<Node> = types.iter().map(|it| self.term(it, depth)).collect();
                node("array of terms").text("[").many_least(", ", types.len(), items).text("]")
            }
            Ty::Set(item) => {
                // Computed members that turn out equal OPA enumerates twice.
                let mut items = vec![self.term(item, depth)];
                if count > 1 {
                    items.push(Node::term("term string").text("\"zz\""));
                }
                node("set of terms").text("{").many_least(", ", 1, items).text("}")
            }
            Ty::Object(key, value) => {
                // The same goes for keys, and which of two counts is the compiler's affair.
                let pairs = (0..count).map(|at| {
                    let key = match at {
                        0 => self.leaf(key),
                        _ => Node::term("term string").text(format!("\"z{at}\"")),
                    };
                    Node::plain("").one(key).text(": ").one(self.term(value, depth))
                });
                let pairs = pairs.collect();
                node("object of terms").text("{").many(", ", pairs).text("}")
            }
            Ty::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| {
                    Node::plain("").text(format!("\"{name}\": ")).one(self.term(ty, depth))
                });
                let fields = fields.collect();
                node("object of terms").text("{").many(", ", fields).text("}")
            }
            _ => return None,
        })
    }

    pub(super) fn template(&mut self, depth: usize) -> Option<Node> {
        if self.version == Version::V0 {
            return None;
        }
        let many = std::mem::replace(&mut self.many, false);
        let count = self.between(1, 3);
        let mut parts = Vec::new();
        for _ in 0..count {
            let text = self.random.choose(&["", "a ", " is ", "\u{e9}", ", ", "\\{", "}", "\\\"", "100%"]);
            let ty = self.interesting_type();
            let term = self.term(&ty, depth.min(1));
            parts.push(Node::plain("").text(format!("{text}{{")).one(term).text("}"));
        }
        self.many = many;
        Some(Node::term("template string").text("$\"").many_least("", 1, parts).text("\""))
    }
}
