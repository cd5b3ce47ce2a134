//! Whole cases: modules in packages that import each other, documents, and what to ask.
//!
//! Apart from rules and terms because it decides how many there are of each and what they may call. The productions
//! that the coverage table counts are named here, in one table.

use super::{Case, Generator, Known, Module, Question, Version};
use crate::differential::kinds::Ty;
use crate::differential::tree::{Node, Role};

/// What of the grammar a full run must have made, and made often.
pub const PRODUCTIONS: &[&str] = &[
    "annotation",
    "annotation of a package",
    "rego.metadata.chain",
    "rego.metadata.rule",
    "import of data",
    "import with alias",
    "import of a rule",
    "import rego.v1",
    "import rego.v2",
    "import of future keywords",
    "complete rule",
    "complete rule without body",
    "one of several clauses",
    "body after body",
    "default",
    "else",
    "partial set",
    "partial object",
    "ref head",
    "multi-value ref head",
    "ref head with variables",
    "composite key in head",
    "function",
    "default function",
    "array as parameter",
    "object as parameter",
    "constant as parameter",
    "wildcard as parameter",
    "nested pattern as parameter",
    "indexed clause",
    "indexed test",
    "one of many calls",
    "assign",
    "unify",
    "unify terms",
    "unify arrays",
    "unify objects",
    "compare equal",
    "compare unequal",
    "compare less",
    "compare at most",
    "compare greater",
    "compare at least",
    "membership",
    "membership with key",
    "term as statement",
    "some",
    "some of several",
    "some in",
    "some key in",
    "some in with pattern",
    "ref into a term",
    "ref into a call",
    "ref with free variable",
    "ref with two free variables",
    "use before binding",
    "pattern as key",
    "every",
    "not",
    "not of a body",
    "and",
    "or",
    "walk",
    "print",
    "shadowing",
    "with input",
    "with part of input",
    "with part of data",
    "with rule",
    "with function",
    "with built-in",
    "term null",
    "term boolean",
    "term number",
    "term edge number",
    "term string",
    "term raw string",
    "term array",
    "term set",
    "term object",
    "term object with other keys",
    "array of terms",
    "set of terms",
    "object of terms",
    "array comprehension",
    "set comprehension",
    "object comprehension",
    "template string",
    "infix plus",
    "infix minus",
    "infix times",
    "infix divide",
    "infix remainder",
    "infix and",
    "infix or",
    "infix difference",
    "call of a built-in",
    "call of a function",
    "call with output",
    "ref to a local",
    "ref to input",
    "ref to data",
    "ref to a rule",
    "ref to a package",
    "ref to a collection",
    "ref with wildcard",
    "ref with computed key",
];

impl Generator {
    /// Returns the case.
    #[must_use]
    pub fn case(mut self) -> Case {
        self.strict = self.chance(25);
        let (data, inputs) = self.documents();
        let mut modules = Vec::new();
        let mut packages = Vec::new();
        let count = self.weighted(&[(5, 1), (3, 2), (1, 3)]);
        for index in 0..count {
            let package = self.random.choose(&["t", "lib.a", "lib.b", "deep.er.one"]);
            if packages.contains(&package) && self.chance(70) {
                continue;
            }
            self.package = package.to_owned();
            modules.push(self.module(&format!("m{index}.rego"), &packages));
            packages.push(package);
        }
        let queries = self.questions(&packages);
        let source: String = modules
            .iter()
            .map(|it| it.tree.print())
            .chain(queries.iter().map(|it| it.text.clone()))
            .collect();
        let keys: Vec<Node> = Self::keys_of(&source).into_iter().chain(Self::server_of(&source)).collect();
        let mut members = vec![data];
        if !keys.is_empty() {
            members.push(Node::plain("").text("\"keys\": {").many(", ", keys).text("}"));
        }
        members.extend(self.data_beside_rules());
        let data = Node::new("", Role::Json).text("{").many(", ", members).text("}");
        Case { modules, data, inputs, queries, strict: self.strict }
    }

    /// Returns base data in a package's place: beside a rule, or under its name.
    fn data_beside_rules(&mut self) -> Option<Node> {
        if self.rules.is_empty() || self.chance(60) {
            return None;
        }
        let rule = self.rules[self.random.below(self.rules.len())].text.clone();
        let mut path: Vec<&str> = rule.split('.').skip(1).collect();
        if self.chance(70) {
            path.pop();
            path.push("zz");
        }
        let open: String = path.iter().skip(1).map(|it| format!("{{\"{it}\": ")).collect();
        let value = self.literal(&Ty::object(super::calls::WORD, Ty::Bool), super::literals::Home::Json);
        let first = path.first().copied().unwrap_or_default();
        let close = "}".repeat(path.len().saturating_sub(1));
        Some(Node::plain("").text(format!("\"{first}\": {open}")).one(value).text(close))
    }

    fn module(&mut self, name: &str, packages: &[&'static str]) -> Module {
        self.version = self.weighted(&[(4, Version::V1), (2, Version::V0), (4, Version::V2)]);
        self.imports.clear();
        let mut head = vec![self.package_line()];
        let named = self.chance(70);
        match self.version {
            Version::V2 => head.push(Node::plain("import rego.v2").text("import rego.v2")),
            Version::V1 if named => head.push(Node::plain("import rego.v1").text("import rego.v1")),
            Version::V0 => {
                for keyword in ["in", "every"] {
                    let text = format!("import future.keywords.{keyword}");
                    head.push(Node::plain("import of future keywords").text(text));
                }
            }
            Version::V1 => {}
        }
        self.import(packages, &mut head);
        let mut rules = Vec::new();
        for _ in 0..self.between(3, 8) {
            self.rule(&mut rules);
        }
        self.shuffle(&mut rules);
        self.annotate(&mut rules);
        let tree = Node::plain("").many_least("\n", 1, head).text("\n\n").many("\n\n", rules).text("\n");
        Module { name: name.to_owned(), version: self.version, tree }
    }

    fn import(&mut self, packages: &[&'static str], head: &mut Vec<Node>) {
        let own = self.package.clone();
        for package in packages.iter().filter(|it| **it != own) {
            let path = format!("data.{package}");
            if self.imports.iter().any(|it| it.0 == path) {
                continue;
            }
            match self.random.below(2) {
                0 => {
                    let last = package.rsplit('.').next().unwrap_or(package).to_owned();
                    head.push(Node::plain("import of data").text(format!("import {path}")));
                    self.imports.push((path, last));
                }
                1 => {
                    let alias = self.fresh("lib");
                    head.push(Node::plain("import with alias").text(format!("import {path} as {alias}")));
                    self.imports.push((path, alias));
                }
                _ => {}
            }
        }
        let prefix = format!("data.{own}.");
        let others: Vec<String> =
            self.rules.iter().map(|it| it.text.clone()).filter(|it| !it.starts_with(&prefix)).collect();
        if !others.is_empty() && self.chance(30) {
            let path = self.random.pick(&others).clone();
            let alias = self.fresh("imp");
            head.push(Node::plain("import of a rule").text(format!("import {path} as {alias}")));
            self.imports.insert(0, (path, alias));
        }
        if self.chance(15) {
            head.push(Node::plain("import with alias").text("import input.k as key"));
            self.imports.push(("input.k".to_owned(), "key".to_owned()));
        }
        if self.chance(15) {
            head.push(Node::plain("import of data").text("import data.base"));
            self.imports.push(("data.base".to_owned(), "base".to_owned()));
        }
    }

    /// Puts the rules in another order: theirs has no meaning but for `else`.
    fn shuffle(&mut self, rules: &mut [Node]) {
        if self.chance(50) {
            for index in (1..rules.len()).rev() {
                let other = self.random.below(index + 1);
                rules.swap(index, other);
            }
        }
    }

    fn questions(&mut self, packages: &[&'static str]) -> Vec<Question> {
        let value = |text: String| Question { text, bindings: false };
        let mut out: Vec<Question> = Vec::new();
        let rules: Vec<Known> = self.rules.clone();
        for rule in &rules {
            out.push(value(rule.text.clone()));
            let (key, _) = match rule.ty.items() {
                Some(items) if self.chance(15) => items,
                _ => continue,
            };
            let key = if self.chance(80) {
                "k".to_owned()
            } else {
                self.literal(&key, super::literals::Home::Rego).print()
            };
            out.push(Question { text: format!("{}[{key}] = v", rule.text), bindings: true });
        }
        for package in packages {
            if self.chance(30) {
                out.push(value(format!("data.{package}")));
            }
        }
        self.version = Version::V1;
        self.many = false;
        self.imports.clear();
        self.package.clear();
        self.locals.clear();
        for _ in 0..2 {
            self.fuel = 20;
            let ty: Ty = self.interesting_type();
            let term = self.term(&ty, 2);
            out.push(Question { text: format!("v := {}", term.print()), bindings: true });
        }
        out
    }
}
