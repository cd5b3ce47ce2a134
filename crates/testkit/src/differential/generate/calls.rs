//! Calls of built-ins with operands that they take.
//!
//! A row says what operands make sense, finer than the declaration does. A built-in without a row is called by its
//! declaration alone, so that new ones are tried from the day they are there. `*` leaves the operands to `operands`,
//! which makes those that depend on each other.

use std::rc::Rc;

use lictor_hir::types::Type;

use super::literals::Home;
use super::requests::ANNOTATED;
use super::{Generator, Version};
use crate::differential::kinds::{INT, NUM, Num, SMALL, STR, Text, Ty};
use crate::differential::tree::Node;

pub(super) use crate::differential::kinds::WORD;

/// A built-in with the operands to give it.
#[derive(Clone, Debug)]
pub struct Callable {
    /// The name.
    pub name: &'static str,
    /// The operands; none if they depend on each other.
    operands: Option<Vec<Ty>>,
    result: Ty,
    deprecated: bool,
}

/// Not called by policies, or only by the compiler.
const NOT_CALLED: &[&str] = &[
    "assign",
    "eq",
    "internal.print",
    "internal.template_string",
    "internal.test_case",
    "internal.member_2",
    "internal.member_3",
    "print",
    "walk",
];

const DEPRECATED: &[&str] = &[
    "all",
    "any",
    "cast_array",
    "cast_boolean",
    "cast_null",
    "cast_object",
    "cast_set",
    "cast_string",
    "net.cidr_overlap",
    "re_match",
    "set_diff",
];

const ROWS: &[&str] = &[
    "array.slice: [any], small, small -> [any]",
    "array.flatten: [any] -> [any]",
    "array.flatten: [[word]] -> [any]",
    "base64.decode: b64 -> str",
    "base64.is_valid: b64 -> bool",
    "base64url.decode: b64url -> str",
    "bits.and: int, int -> int",
    "bits.or: int, int -> int",
    "bits.xor: int, int -> int",
    "bits.negate: int -> int",
    "bits.lsh: int, small -> int",
    "bits.rsh: int, small -> int",
    "all: [bool] -> bool",
    "any: {bool} -> bool",
    "cast_array: [any] -> [any]",
    "cast_array: {any} -> [any]",
    "cast_boolean: bool -> bool",
    "cast_null: null -> null",
    "cast_object: {word:any} -> {word:any}",
    "cast_set: [any] -> {any}",
    "cast_set: {any} -> {any}",
    "cast_string: str -> str",
    "ceil: num -> int",
    "floor: num -> int",
    "round: num -> int",
    "abs: num -> num",
    "concat: str, [str] -> str",
    "concat: odd, [odd] -> str",
    "concat: word, {word} -> str",
    "contains: str, word -> bool",
    "count: [any] -> small",
    "count: {any} -> small",
    "count: {word:any} -> small",
    "count: str -> small",
    "count: odd -> small",
    "crypto.hmac.equal: word, word -> bool",
    "div: num, num -> num",
    "endswith: str, word -> bool",
    "format_int: * -> str",
    "glob.match: * -> bool",
    "glob.quote_meta: glob -> str",
    "graph.reachable: {word:[word]}, [word] -> {word}",
    "graph.reachable: {word:{word}}, {word} -> {word}",
    "graph.reachable_paths: {word:[word]}, [word] -> {[word]}",
    "graph.reachable_paths: {word:{word}}, {word} -> {[word]}",
    "hex.decode: hex -> str",
    "indexof: str, word -> int",
    "indexof: odd, odd -> int",
    "lower: str -> str",
    "lower: odd -> str",
    "indexof_n: str, word -> [small]",
    "intersection: {{word}} -> {word}",
    "intersection: {{any}} -> {any}",
    "union: {{word}} -> {word}",
    "union: {{any}} -> {any}",
    "json.filter: * -> {any:any}",
    "json.remove: * -> {any:any}",
    "json.is_valid: json -> bool",
    "json.unmarshal: json -> any",
    "json.marshal: any -> json",
    "json.marshal_with_options: * -> json",
    "json.patch: * -> any",
    "min: [num] -> num",
    "min: {word} -> word",
    "min: [any] -> any",
    "max: [num] -> num",
    "max: {word} -> word",
    "max: {any} -> any",
    "sort: [word] -> [word]",
    "sort: {num} -> [num]",
    "sort: [any] -> [any]",
    "sum: [num] -> num",
    "sum: {num} -> num",
    "product: [num] -> num",
    "product: {small} -> num",
    "minus: num, num -> num",
    "minus: {any}, {any} -> {any}",
    "rem: int, int -> int",
    "net.cidr_contains: cidr, ip -> bool",
    "net.cidr_contains: cidr, cidr -> bool",
    "net.cidr_contains_matches: cidr, ip -> {any}",
    "net.cidr_contains_matches: [cidr], {ip} -> {any}",
    "net.cidr_contains_matches: {word:cidr}, [cidr] -> {any}",
    "net.cidr_contains_matches: [(cidr,word)], {ip} -> {any}",
    "net.cidr_expand: cidr -> {ip}",
    "net.cidr_intersects: cidr, cidr -> bool",
    "net.cidr_overlap: cidr, ip -> bool",
    "net.cidr_is_valid: cidr -> bool",
    "net.cidr_merge: [cidr] -> {cidr}",
    "net.cidr_merge: {ip} -> {cidr}",
    "numbers.range: small, small -> [small]",
    "numbers.range_step: small, small, small -> [small]",
    "numbers.range_step: * -> [int]",
    "object.filter: {word:any}, [word] -> {word:any}",
    "object.filter: {word:any}, {word} -> {word:any}",
    "object.filter: {any:any}, {any:any} -> {any:any}",
    "object.remove: {word:any}, [word] -> {word:any}",
    "object.remove: {word:any}, {word:any} -> {word:any}",
    "object.get: {word:word}, word, word -> word",
    "object.get: {word:any}, [word], any -> any",
    "object.get: {any:any}, any, any -> any",
    "object.keys: {word:any} -> {word}",
    "object.keys: {any:any} -> {any}",
    "object.subset: {word:any}, {word:any} -> bool",
    "object.subset: {word}, {word} -> bool",
    "object.subset: [small], [small] -> bool",
    "object.subset: [word], {word} -> bool",
    "object.union: {word:any}, {word:any} -> {word:any}",
    "object.union: {word:{word:any}}, {word:{word:any}} -> {word:any}",
    "object.union_n: [{word:any}] -> {word:any}",
    "opa.runtime: -> any",
    "rand.intn: * -> small",
    "uuid.rfc4122: * -> any",
    "re_match: regex, str -> bool",
    "regex.find_all_string_submatch_n: * -> [[str]]",
    "regex.find_n: * -> [str]",
    "regex.globs_match: * -> bool",
    "regex.is_valid: regex -> bool",
    "regex.match: * -> bool",
    "regex.replace: * -> str",
    "regex.split: * -> [str]",
    "regex.template_match: * -> bool",
    "replace: str, word, str -> str",
    "semver.compare: semver, semver -> int",
    "semver.is_valid: semver -> bool",
    "semver.is_valid: any -> bool",
    "split: str, word -> [str]",
    "sprintf: * -> str",
    "startswith: str, word -> bool",
    "strings.any_prefix_match: [str], word -> bool",
    "strings.any_prefix_match: str, {word} -> bool",
    "strings.any_suffix_match: {str}, [word] -> bool",
    "strings.any_suffix_match: str, word -> bool",
    "strings.count: str, word -> small",
    "strings.count: * -> small",
    "strings.reverse: str -> str",
    "strings.reverse: odd -> str",
    "strings.replace_n: {word:word}, str -> str",
    "strings.split_n: str, word, small -> [str]",
    "strings.render_template: * -> str",
    "substring: str, small, int -> str",
    "substring: str, small, small -> str",
    "substring: odd, small, small -> str",
    "time.add_date: time, small, int, int -> time",
    "time.clock: time -> [small]",
    "time.clock: (time,zone) -> [small]",
    "time.date: time -> [int]",
    "time.date: (time,zone) -> [int]",
    "time.diff: time, time -> [small]",
    "time.diff: (time,zone), (time,zone) -> [small]",
    "time.format: time -> str",
    "time.format: (time,zone) -> str",
    "time.format: * -> str",
    "time.now_ns: -> time",
    "time.parse_duration_ns: dur -> int",
    "time.parse_ns: * -> time",
    "time.parse_rfc3339_ns: date -> time",
    "time.weekday: time -> word",
    "time.weekday: (time,zone) -> word",
    "to_number: numeral -> num",
    "to_number: num -> num",
    "to_number: bool -> num",
    "trace: word -> bool",
    "trim: str, word -> str",
    "trim: odd, odd -> str",
    "trim_left: str, word -> str",
    "trim_prefix: str, word -> str",
    "trim_right: str, word -> str",
    "trim_suffix: str, word -> str",
    "upper: str -> str",
    "upper: odd -> str",
    "units.parse: unit -> num",
    "units.parse_bytes: bytes -> num",
    "uri.is_valid: url -> bool",
    "uri.parse: url -> {word:str}",
    "urlquery.decode: query -> str",
    "urlquery.decode_object: query -> {str:[str]}",
    "urlquery.encode_object: {word:str} -> query",
    "urlquery.encode_object: {word:[str]} -> query",
    "urlquery.encode_object: {word:{word}} -> query",
    "uuid.parse: uuid -> {word:any}",
    "yaml.is_valid: yaml -> bool",
    "io.jwt.decode: * -> any",
    "io.jwt.decode_verify: * -> any",
    "io.jwt.encode_sign: * -> str",
    "io.jwt.encode_sign_raw: * -> str",
    "io.jwt.verify_eddsa: * -> bool",
    "io.jwt.verify_es256: * -> bool",
    "io.jwt.verify_es384: * -> bool",
    "io.jwt.verify_es512: * -> bool",
    "io.jwt.verify_hs256: * -> bool",
    "io.jwt.verify_hs384: * -> bool",
    "io.jwt.verify_hs512: * -> bool",
    "io.jwt.verify_ps256: * -> bool",
    "io.jwt.verify_ps384: * -> bool",
    "io.jwt.verify_ps512: * -> bool",
    "io.jwt.verify_rs256: * -> bool",
    "io.jwt.verify_rs384: * -> bool",
    "io.jwt.verify_rs512: * -> bool",
    "crypto.parse_private_keys: * -> any",
    "crypto.x509.parse_and_verify_certificates: * -> any",
    "crypto.x509.parse_and_verify_certificates_with_options: * -> any",
    "crypto.x509.parse_certificate_request: * -> any",
    "crypto.x509.parse_certificates: * -> any",
    "crypto.x509.parse_keypair: * -> any",
    "crypto.x509.parse_rsa_private_key: * -> any",
    "providers.aws.sign_req: * -> any",
    "json.match_schema: * -> any",
    "json.verify_schema: * -> any",
    "graphql.is_valid: * -> bool",
    "graphql.parse: * -> any",
    "graphql.parse_and_verify: * -> any",
    "graphql.parse_query: * -> any",
    "graphql.parse_schema: * -> any",
    "graphql.schema_is_valid: * -> bool",
    "rego.parse_module: * -> any",
    "http.send: * -> any",
    "net.lookup_ip_addr: * -> {str}",
    "rego.metadata.chain: -> [any]",
    "rego.metadata.rule: -> any",
    "yaml.unmarshal: yaml -> any",
    "yaml.marshal: any -> yaml",
];

impl Callable {
    /// Returns the built-ins that the product has, a row for each way to call them.
    #[must_use]
    pub fn table() -> Rc<[Callable]> {
        let mut out = Vec::new();
        for row in lictor_runtime::builtins::table() {
            if NOT_CALLED.contains(&row.name) {
                continue;
            }
            let known = out.len();
            out.extend(ROWS.iter().filter_map(|it| {
                let (name, signature) = it.split_once(": ")?;
                (name == row.name).then(|| Self::of_row(row.name, signature))
            }));
            if out.len() == known {
                out.extend(Self::of_declaration(row.name, row.declaration));
            }
        }
        out.into()
    }

    /// Says why no results of a built-in are counted; `None` if they are, and must be many in a full run.
    #[must_use]
    pub fn uncounted(name: &str) -> Option<&'static str> {
        Some(match name {
            "rego.metadata.chain" | "rego.metadata.rule" => {
                "the compiler puts the value in its place: counted as a production"
            }
            "assign" | "eq" => "statements: counted as the productions assign and unify",
            "print" => "the compiler makes it internal.print",
            "internal.test_case" => "made for parametrised tests alone, which decisions are not",
            _ => return None,
        })
    }

    fn of_row(name: &'static str, signature: &str) -> Self {
        let (operands, result) = signature.rsplit_once("->").unwrap_or(("", "any"));
        let operands = (!operands.contains('*')).then(|| {
            let mut reader = Reader { rest: operands.trim() };
            let mut types = Vec::new();
            while !reader.rest.is_empty() {
                types.push(reader.ty());
                reader.take(",");
            }
            types
        });
        let result = Reader { rest: result.trim() }.ty();
        Self { name, operands, result, deprecated: DEPRECATED.contains(&name) }
    }

    fn of_declaration(name: &'static str, notation: &'static str) -> Option<Self> {
        let flags = lictor_hir::Flags::default();
        let declared = lictor_hir::Capabilities::from_declarations([(name, notation, flags)]).ok()?;
        let declared = declared.get(name)?;
        let operands = Some(declared.args.iter().map(of_type).collect());
        let result = declared.result.as_ref().map(of_type)?;
        Some(Self { name, operands, result, deprecated: DEPRECATED.contains(&name) })
    }
}

fn of_type(ty: &Type) -> Ty {
    match ty {
        Type::Any => Ty::Any,
        Type::Null => Ty::Null,
        Type::Bool => Ty::Bool,
        Type::Number => NUM,
        Type::String => STR,
        Type::Array(array) if array.fixed.is_empty() => of_type(&array.rest).array(),
        Type::Array(array) => Ty::Tuple(array.fixed.iter().map(of_type).collect()),
        Type::Set(set) => of_type(&set.of).set(),
        Type::Object(object) => match &object.rest {
            Some((key, value)) => Ty::object(of_type(key), of_type(value)),
            None => Ty::object(WORD, Ty::Any),
        },
        Type::Union(types) => types.of.first().map_or(Ty::Any, of_type),
        Type::Unknown | Type::Function(_) | Type::Recursive(_) => Ty::Any,
    }
}

/// Reads the notation of rows: words for scalars, `[T]`, `{T}`, `{K:V}` and `(A,B)`.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn ty(&mut self) -> Ty {
        if self.take("[") {
            let item = self.ty();
            self.take("]");
            return item.array();
        }
        if self.take("(") {
            let mut items = vec![self.ty()];
            while self.take(",") {
                items.push(self.ty());
            }
            self.take(")");
            return Ty::Tuple(items.into());
        }
        if self.take("{") {
            let key = self.ty();
            let ty = if self.take(":") { Ty::object(key, self.ty()) } else { key.set() };
            self.take("}");
            return ty;
        }
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|it: char| !it.is_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = if end == 0 { "" } else { rest };
        scalar(word)
    }
}

fn scalar(word: &str) -> Ty {
    Ty::Str(match word {
        "null" => return Ty::Null,
        "bool" => return Ty::Bool,
        "num" => return NUM,
        "int" => return INT,
        "small" => return SMALL,
        "time" => return Ty::Num(Num::Time),
        "str" => Text::Any,
        "word" => Text::Word,
        "odd" => Text::Odd,
        "numeral" => Text::Numeral,
        "date" => Text::Date,
        "dur" => Text::Duration,
        "zone" => Text::Zone,
        "cidr" => Text::Cidr,
        "ip" => Text::Ip,
        "glob" => Text::Glob,
        "regex" => Text::Regex,
        "json" => Text::Json,
        "yaml" => Text::Yaml,
        "semver" => Text::Semver,
        "unit" => Text::Unit,
        "bytes" => Text::Bytes,
        "url" => Text::Url,
        "query" => Text::Query,
        "b64" => Text::Base64,
        "b64url" => Text::Base64Url,
        "hex" => Text::Hex,
        "uuid" => Text::Uuid,
        "path" => Text::Path,
        _ => return Ty::Any,
    })
}

impl Generator {
    /// Returns a call of some built-in that gives a value of the type.
    pub(super) fn call(&mut self, want: &Ty, depth: usize) -> Option<Node> {
        let builtins = Rc::clone(&self.builtins);
        let is_v0 = self.version == Version::V0;
        let fits = |it: &&Callable| it.result.fits(want) && (is_v0 || !it.deprecated);
        let mut fitting: Vec<&Callable> = builtins.iter().filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        // A built-in counts once, however many rows it has.
        let mut names: Vec<&str> = fitting.iter().map(|it| it.name).collect();
        names.dedup();
        let name = self.random.choose_any(&names);
        fitting.retain(|it| it.name == name);
        let callable = fitting[self.random.below(fitting.len())];
        Some(self.call_of(callable, depth))
    }

    /// Returns a call of any built-in, and the type of its value.
    pub(super) fn any_call(&mut self, depth: usize) -> (Node, Ty) {
        let builtins = Rc::clone(&self.builtins);
        // Those that v0 alone has come but seldom.
        let deprecated = self.version == Version::V0 && self.chance(30);
        // One with many rows counts once.
        let mut names: Vec<&str> =
            builtins.iter().filter(|it| !deprecated || it.deprecated).map(|it| it.name).collect();
        names.dedup();
        loop {
            let name = self.random.choose_any(&names);
            let rows: Vec<&Callable> = builtins.iter().filter(|it| it.name == name).collect();
            let callable = rows[self.random.below(rows.len())];
            if self.version == Version::V0 || !callable.deprecated {
                return (self.call_of(callable, depth), callable.result.clone());
            }
        }
    }

    fn call_of(&mut self, callable: &Callable, depth: usize) -> Node {
        let operands = match &callable.operands {
            Some(types) => types.iter().map(|it| self.operand(it, depth)).collect(),
            None => self.operands(callable.name),
        };
        let count = operands.len();
        let production = ANNOTATED.iter().find(|it| **it == callable.name).copied();
        // What is random cannot be compared; that it is well formed can.
        let (before, after) =
            if callable.name == "uuid.rfc4122" { ("uuid.parse(", ").version") } else { ("", "") };
        Node::term(production.unwrap_or("call of a built-in"))
            .text(format!("{before}{}(", callable.name))
            .many_least(", ", count, operands)
            .text(format!("){after}"))
    }

    /// Returns an operand, now and then of a type that is not wanted.
    fn operand(&mut self, ty: &Ty, depth: usize) -> Node {
        let documents = self.documents.iter().filter(|it| it.text.starts_with("input"));
        let input: Vec<String> = documents.map(|it| it.text.clone()).collect();
        if self.chance(3) && !input.is_empty() {
            return Node::term("ref to input").text(self.random.pick(&input).clone());
        }
        if self.chance(2) {
            // The type checker must not see it.
            let value = self.literal(&Ty::Any, Home::Rego);
            return Node::term("").text("object.get(input, \"nope\", ").one(value).text(")");
        }
        self.term(ty, depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let row = Callable::of_row("f", "[(cidr,word)], {word:{num}} -> {[str]}");
        let pair = Ty::Tuple([Ty::Str(Text::Cidr), WORD].into());
        assert_eq!(row.operands, Some(vec![pair.array(), Ty::object(WORD, NUM.set())]));
        assert_eq!(row.result, STR.array().set());
        assert_eq!(Callable::of_row("g", "-> any").operands, Some(vec![]));
        assert_eq!(Callable::of_row("h", "* -> num").operands, None);
    }

    #[test]
    fn rows_name_built_ins() {
        for row in ROWS {
            let name = row.split_once(": ").unwrap().0;
            assert!(!NOT_CALLED.contains(&name), "{name}");
        }
    }
}
