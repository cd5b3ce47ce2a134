//! Values written down: as Rego literals, and as the JSON of inputs and data.
//!
//! One function for both, since JSON is part of Rego; sets and keys that are no strings are Rego's alone.

use super::{Generator, texts};
use crate::differential::kinds::{INT, NUM, Num, SMALL, STR, Text, Ty, WORD};
use crate::differential::tree::{Node, Role};

/// Numbers at edges: of widths, of the mantissa, of printing.
pub(crate) const EDGES: &[&str] = &[
    "0",
    "-0",
    "0.0",
    "1.0",
    "1.50",
    "-1",
    "1e3",
    "1E+3",
    "1e-3",
    "0.1",
    "0.2",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
    "3.141592653589793238462643",
    "0.1234567890123456789012",
    "1e20",
    "1e21",
    "1e22",
    "1e-7",
    "1.7976931348623157e308",
    "1e300",
    "5e-324",
    "100000000000000000000.5",
    "2.5",
    "-2.5",
    "3.5",
    "0.5",
    "-0.5",
    "99999999999999.999",
    "1e15",
    "123456789.123456789",
    "4.35",
    "0.30000000000000004",
    "1e0",
    "10e-1",
];

/// What a literal is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// A module.
    Rego,
    /// A document.
    Json,
}

impl Generator {
    /// Returns a value of a type.
    pub(super) fn literal(&mut self, ty: &Ty, home: Home) -> Node {
        let role = if home == Home::Rego { Role::Term } else { Role::Json };
        let scalar = |production: &'static str, text: String| {
            let production = if home == Home::Rego { production } else { "" };
            Node::new(production, role).text(text)
        };
        match ty {
            Ty::Any => {
                let ty = self.some_type(2, home);
                self.literal(&ty, home)
            }
            Ty::Null => scalar("term null", "null".to_owned()),
            Ty::Bool => scalar("term boolean", (if self.chance(60) { "true" } else { "false" }).to_owned()),
            Ty::Num(kind) => {
                let text = self.number(*kind);
                scalar(if text.len() > 6 { "term edge number" } else { "term number" }, text)
            }
            Ty::Str(kind) => {
                let text = texts::text(&mut self.random, *kind);
                self.string(&text, home)
            }
            Ty::Array(item) => {
                let count = self.length();
                let items = (0..count).map(|_| self.literal(item, home)).collect();
                scalar("term array", "[".to_owned()).many(", ", items).text("]")
            }
            Ty::Tuple(types) => {
                let items = types.iter().map(|it| self.literal(it, home)).collect();
                scalar("term array", "[".to_owned()).many_least(", ", types.len(), items).text("]")
            }
            Ty::Set(item) => self.set_literal(item, home),
            Ty::Object(key, value) => self.object_literal(key, value, home),
            Ty::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| {
                    Node::plain("").text(format!("\"{name}\": ")).one(self.literal(ty, home))
                });
                let fields = fields.collect();
                scalar("term object", "{".to_owned()).many(", ", fields).text("}")
            }
        }
    }

    fn length(&mut self) -> usize {
        self.weighted(&[(1, 0), (3, 1), (5, 2), (4, 3), (2, 4), (1, 7)])
    }

    fn set_literal(&mut self, item: &Ty, home: Home) -> Node {
        let count = self.length();
        let items: Vec<Node> = (0..count).map(|_| self.literal(item, home)).collect();
        match home {
            Home::Json => Node::new("", Role::Json).text("[").many(", ", items).text("]"),
            Home::Rego if count == 0 => Node::term("term set").text("set()"),
            Home::Rego => Node::term("term set").text("{").many_least(", ", 1, items).text("}"),
        }
    }

    fn object_literal(&mut self, key: &Ty, value: &Ty, home: Home) -> Node {
        let count = self.length();
        let is_string = matches!(key, Ty::Str(_));
        let key = if home == Home::Json && !is_string { &STR } else { key };
        let mut used = Vec::new();
        let mut pairs = Vec::new();
        for _ in 0..count {
            let key = self.literal(key, home);
            let text = key.print();
            // Of a repeated key OPA's compiler keeps one; which one is not of interest in documents.
            if !used.contains(&text) {
                used.push(text);
                pairs.push(Node::plain("").one(key).text(": ").one(self.literal(value, home)));
            }
        }
        let (role, production) = match home {
            Home::Json => (Role::Json, ""),
            Home::Rego if is_string => (Role::Term, "term object"),
            Home::Rego => (Role::Term, "term object with other keys"),
        };
        Node::new(production, role).text("{").many(", ", pairs).text("}")
    }

    /// Returns a string as a literal.
    pub(super) fn string(&mut self, text: &str, home: Home) -> Node {
        if home == Home::Json {
            return Node::new("", Role::Json).text(quote(text));
        }
        let raw = !text.contains(['`', '\r', '\0']) && self.chance(10);
        if raw {
            return Node::term("term raw string").text(format!("`{text}`"));
        }
        Node::term("term string").text(quote(text))
    }

    fn number(&mut self, kind: Num) -> String {
        match kind {
            Num::Small => self.random.below(6).to_string(),
            Num::Int => match self.random.below(8) {
                0 => (self.random.choose(&["9007199254740993", "-9223372036854775808", "2147483648"]))
                    .to_owned(),
                1 | 2 => format!("-{}", 1 + self.random.below(50)),
                _ => self.random.below(50).to_string(),
            },
            Num::Time => {
                let day = self.random.below(40_000);
                let rest = self.random.below(86_400);
                format!("{}{rest:05}{:09}", day, self.random.below(1_000_000_000))
                    .trim_start_matches('0')
                    .get(..)
                    .filter(|it| it.len() < 19)
                    .unwrap_or("1600000000123456789")
                    .to_owned()
            }
            Num::Any => match self.random.below(4) {
                0 => (self.random.choose(EDGES)).to_owned(),
                1 => format!("{}.{}", self.random.below(20), 1 + self.random.below(9)),
                _ => self.random.below(10).to_string(),
            },
        }
    }

    /// Returns some type of so many levels.
    pub(super) fn some_type(&mut self, depth: usize, home: Home) -> Ty {
        let scalar = [(6, 0), (2, 1), (4, 2), (3, 3), (1, 4), (2, 5)];
        let choice = if depth == 0 {
            self.weighted(&scalar)
        } else {
            self.weighted(&[(6, 0), (2, 1), (4, 2), (3, 3), (1, 4), (2, 5), (4, 6), (3, 7), (4, 8), (1, 9)])
        };
        match choice {
            0 => WORD,
            1 => STR,
            2 => SMALL,
            3 => NUM,
            4 => Ty::Null,
            5 => Ty::Bool,
            6 => self.some_type(depth - 1, home).array(),
            7 if home == Home::Rego => self.some_type(depth - 1, home).set(),
            8 => Ty::object(WORD, self.some_type(depth - 1, home)),
            9 if home == Home::Rego => {
                let key = self.some_type(depth - 1, home);
                Ty::object(key, self.some_type(0, home))
            }
            _ => INT,
        }
    }

    /// Returns some kind of string that is not just text.
    pub(super) fn some_text(&mut self) -> Text {
        *self.random.pick(&[
            Text::Any,
            Text::Word,
            Text::Numeral,
            Text::Date,
            Text::Duration,
            Text::Zone,
            Text::Cidr,
            Text::Ip,
            Text::Glob,
            Text::Regex,
            Text::Json,
            Text::Yaml,
            Text::Semver,
            Text::Unit,
            Text::Bytes,
            Text::Url,
            Text::Query,
            Text::Base64,
            Text::Base64Url,
            Text::Hex,
            Text::Uuid,
            Text::Path,
        ])
    }
}

/// Returns a string between quotes, as JSON and Rego write it.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
