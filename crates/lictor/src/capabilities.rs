//! What a policy may use: built-ins, keywords, features, hosts. As OPA's capability files say it.
//!
//! The capabilities of this release and of every earlier one of OPA's are made of the runtime's table and the facts in
//! [`facts`]; others are read from files. Reading and writing of OPA's JSON is in [`json`].

use lictor_hir::{Declaration, Flags, types::Label};
use lictor_runtime::{Builtin, builtins};
use lictor_syntax::ast::{Keywords, RegoVersion};
use lictor_syntax::diagnostics::codes;
use lictor_syntax::{Diagnostic, Language, ParseOptions};

pub(crate) mod facts;
mod json;

pub use json::CapabilitiesError;
pub(crate) use json::declaration_json;

use crate::faults::Faults;
use facts::{EARLIER, Fact, RELEASES};

/// Deprecated built-ins.
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

/// Built-ins whose results OPA does not call determined.
pub(crate) const NONDETERMINISTIC: [&str; 11] = [
    "http.send",
    "io.jwt.decode_verify",
    "io.jwt.encode_sign",
    "io.jwt.encode_sign_raw",
    "json.match_schema",
    "json.verify_schema",
    "net.lookup_ip_addr",
    "opa.runtime",
    "rand.intn",
    "time.now_ns",
    "uuid.rfc4122",
];

/// Operators and the built-ins that they call.
pub(crate) const INFIX: [(&str, &str); 17] = [
    ("and", "&"),
    ("assign", ":="),
    ("div", "/"),
    ("eq", "="),
    ("equal", "=="),
    ("gt", ">"),
    ("gte", ">="),
    ("internal.member_2", "in"),
    ("internal.member_3", "in"),
    ("lt", "<"),
    ("lte", "<="),
    ("minus", "-"),
    ("mul", "*"),
    ("neq", "!="),
    ("or", "|"),
    ("plus", "+"),
    ("rem", "%"),
];

/// Keywords and features by the release from which on they are so.
const LANGUAGE: &[(&str, &str, &str)] = &[
    ("0.17.0", "", ""),
    ("0.34.0", "in", ""),
    ("0.38.0", "every in", ""),
    ("0.42.0", "contains every if in", ""),
    ("0.46.0", "contains every if in", "rule_head_ref_string_prefixes"),
    ("0.59.0", "contains every if in", "rule_head_ref_string_prefixes rule_head_refs rego_v1_import"),
    ("1.0.0", "", "rego_v1"),
    ("1.6.0", "", "keywords_in_refs rego_v1"),
    ("1.12.0", "", "keywords_in_refs rego_v1 template_strings"),
    ("1.17.0", "not", "keywords_in_refs rego_v1 template_strings"),
    ("1.20.0", "and not or", "keywords_in_refs rego_v1 template_strings"),
    ("1.22.0", "and not or", "keywords_in_refs rego_v1 rego_v2 rego_v2_import template_strings"),
];

/// What V0 has instead.
const LANGUAGE_V0: (&str, &str) = (
    "and contains every if in not or",
    "keywords_in_refs rego_v1 rego_v1_import rego_v2 rego_v2_import rule_head_ref_string_prefixes rule_head_refs",
);

/// Keywords that capabilities may name.
const KEYWORDS: &[(&str, Keywords)] = &[
    ("and", Keywords::AND),
    ("contains", Keywords::CONTAINS),
    ("every", Keywords::EVERY),
    ("if", Keywords::IF),
    ("in", Keywords::IN),
    ("not", Keywords::NOT),
    ("or", Keywords::OR),
];

/// Interfaces to Wasm by the release that added them.
const WASM: &[(&str, u32)] = &[("0.27.0", 1), ("0.31.0", 2)];

/// What a policy may use.
#[derive(Clone, Debug, Default)]
pub struct Capabilities {
    builtins: Vec<Known>,
    future_keywords: Vec<String>,
    features: Vec<String>,
    wasm_abi_versions: Vec<(u32, u32)>,
    allow_net: Option<Vec<String>>,
}

/// A built-in with what is told about it.
#[derive(Clone, Debug)]
struct Known {
    declaration: Declaration,
    description: String,
    categories: Vec<String>,
    infix: String,
    nondeterministic: bool,
}

impl Known {
    fn of(declaration: Declaration) -> Self {
        Self {
            infix: infix(&declaration.name),
            nondeterministic: NONDETERMINISTIC.contains(&&*declaration.name),
            description: String::new(),
            categories: Vec::new(),
            declaration,
        }
    }
}

impl Capabilities {
    /// Returns the capabilities of this release.
    #[must_use]
    pub fn current(version: RegoVersion) -> Self {
        let last = LANGUAGE.last().map(|it| (it.1, it.2)).unwrap_or_default();
        let (keywords, features) = if version == RegoVersion::V0 { LANGUAGE_V0 } else { last };
        let builtin = |row: &&Builtin| {
            let fact = fact(row.name);
            let declaration = Declaration {
                labels: fact.map(labels).unwrap_or_default(),
                ..declaration(row, row.declaration, DEPRECATED.contains(&row.name))
            };
            let categories = words(fact.map_or("", |it| it.categories));
            Known { categories, ..Known::of(declaration) }
        };
        Self {
            builtins: builtins::table().iter().map(builtin).collect(),
            future_keywords: words(keywords),
            features: words(features),
            ..Self::default()
        }
    }

    /// Returns the names of all releases that have capabilities (`v0.17.0`), in order.
    pub fn versions() -> impl Iterator<Item = String> {
        releases().map(|it| format!("v{it}"))
    }

    /// Returns the capabilities of a release of OPA's, `v0.50.0`.
    #[must_use]
    pub fn of_version(name: &str) -> Option<Self> {
        let release = order(name.strip_prefix('v')?)?;
        let is_there = |since: &str| order(since).is_some_and(|it| it <= release);
        let row_of = |fact: &Fact| builtins::table().iter().find(|it| it.name == fact.name).copied();
        let builtin = |fact: &Fact| {
            let row = row_of(fact)?;
            let earlier = EARLIER.iter().find(|it| it.0 == fact.name && !is_there(it.1));
            let notation = earlier.map_or(row.declaration, |it| it.2);
            let deprecated = DEPRECATED.contains(&fact.name) && is_there("1.11.0");
            let known = Known::of(declaration(row, notation, deprecated).in_order());
            let told = if fact.name.starts_with("json.") { "1.21.0" } else { "0.44.0" };
            Some(Known { nondeterministic: known.nondeterministic && is_there(told), ..known })
        };
        let language = LANGUAGE.iter().rev().find(|it| is_there(it.0))?;
        Some(Self {
            builtins: facts::BUILTINS.iter().filter(|it| is_there(it.since)).filter_map(builtin).collect(),
            future_keywords: words(language.1),
            features: words(language.2),
            wasm_abi_versions: WASM.iter().filter(|it| is_there(it.0)).map(|it| (1, it.1)).collect(),
            allow_net: None,
        })
    }

    /// Returns the built-ins.
    pub fn builtins(&self) -> impl Iterator<Item = &Declaration> {
        self.builtins.iter().map(|it| &it.declaration)
    }

    /// Returns the keywords that may be imported from `future.keywords`.
    #[must_use]
    pub fn future_keywords(&self) -> &[String] {
        &self.future_keywords
    }

    /// Tells whether a feature of the language is there.
    #[must_use]
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|it| it == name)
    }

    /// Returns how texts of a version are parsed.
    ///
    /// # Errors
    /// When the capabilities do not allow the version, or name keywords that there are not.
    pub fn parse_options(&self, version: RegoVersion) -> Result<ParseOptions, Faults> {
        let illegal = |what: String| {
            let message = format!("illegal capabilities: {what}");
            Faults::new(vec![Diagnostic::unplaced(codes::PARSE, "illegal-capabilities", message)])
        };
        let needed = match version {
            RegoVersion::V0 => None,
            RegoVersion::V1 => Some(("rego_v1", "v1")),
            RegoVersion::V2 => Some(("rego_v2", "v2")),
        };
        if let Some((feature, name)) = needed.filter(|it| !self.has_feature(it.0)) {
            return Err(illegal(format!("{feature} feature required for parsing {name} Rego")));
        }
        let mut importable = match version {
            RegoVersion::V0 if !self.has_feature("rego_v1") => Keywords::default(),
            RegoVersion::V0 | RegoVersion::V1 => Keywords::V1,
            RegoVersion::V2 => Keywords::ALL,
        };
        for name in &self.future_keywords {
            let known = KEYWORDS.iter().find(|it| it.0 == name);
            let (_, keyword) = known.ok_or_else(|| illegal(format!("unknown keyword: {name}")))?;
            importable = importable.with(*keyword);
        }
        let (v1, v2) = (self.has_feature("rego_v1"), self.has_feature("rego_v2"));
        let implied = version == RegoVersion::V2 && v2;
        let language = Language {
            importable,
            v1_import: v1 || v2 || self.has_feature("rego_v1_import"),
            v2_import: v2 || self.has_feature("rego_v2_import"),
            keywords_in_refs: implied || self.has_feature("keywords_in_refs"),
        };
        let templates = Some(implied || self.has_feature("template_strings"));
        Ok(ParseOptions { version, templates, language, ..ParseOptions::default() })
    }

    /// Returns the hosts that schemas may be fetched from; none said means any.
    #[must_use]
    pub fn allow_net(&self) -> Option<&[String]> {
        self.allow_net.as_deref()
    }
}

fn releases() -> impl Iterator<Item = &'static str> {
    RELEASES.split(' ')
}

fn order(release: &str) -> Option<usize> {
    releases().position(|it| it == release)
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

fn infix(name: &str) -> String {
    INFIX.iter().find(|it| it.0 == name).map_or(String::new(), |it| it.1.to_owned())
}

/// Returns what is known of a built-in.
pub(crate) fn fact(name: &str) -> Option<&'static Fact> {
    let at = facts::BUILTINS.binary_search_by(|it| it.name.cmp(name)).ok()?;
    facts::BUILTINS.get(at)
}

/// Returns the names of operands and of the result.
pub(crate) fn labels(fact: &Fact) -> Vec<Label> {
    let label = |name: &str| Label { name: name.into(), description: Box::default() };
    let Some((operands, result)) = fact.operands.split_once("->") else { return Vec::new() };
    operands.split(',').chain([result]).map(str::trim).filter(|it| !it.is_empty()).map(label).collect()
}

/// Returns the declaration of a built-in of the table.
pub(crate) fn declaration(row: &Builtin, notation: &str, deprecated: bool) -> Declaration {
    let flags = Flags { deprecated, relation: row.name == "walk", impure: row.impure };
    let read = Declaration::parse(row.name, notation, flags);
    read.expect("a test reads the declarations of the tables")
}

/// Returns the declaration of a built-in of this release.
pub(crate) fn current_declaration(row: &Builtin) -> Declaration {
    let labels = fact(row.name).map(labels).unwrap_or_default();
    Declaration { labels, ..declaration(row, row.declaration, DEPRECATED.contains(&row.name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_release_can_be_made() {
        for name in Capabilities::versions() {
            let found = Capabilities::of_version(&name).expect("it is in the list");
            assert!(found.builtins().count() > 50, "{name}");
        }
        assert!(Capabilities::of_version("v9.0.0").is_none());
        assert!(facts::BUILTINS.windows(2).all(|it| it[0].name < it[1].name));
    }

    #[test]
    fn operands_have_names() {
        for row in builtins::table() {
            let found = current_declaration(row);
            let count = found.args.len() + usize::from(found.result.is_some());
            assert!(found.labels.is_empty() || found.labels.len() == count, "{}", row.name);
        }
    }
}
