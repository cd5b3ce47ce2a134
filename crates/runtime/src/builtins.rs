//! The families of built-ins, a file each. A new built-in is one row and one function in its family's file.
//!
//! This file joins their rows into one sorted table; what families share is in `operands`. A family knows values
//! and its context, never an engine.

use std::sync::OnceLock;

use crate::builtin::Builtin;

pub(crate) mod aggregates;
pub(crate) mod arrays;
pub(crate) mod comparison;
pub(crate) mod crypto;
pub(crate) mod encoding;
pub(crate) mod format;
pub(crate) mod glob;
pub(crate) mod globs;
pub(crate) mod graphql;
pub mod graphs;
pub(crate) mod http;
pub(crate) mod json;
pub(crate) mod jwt;
pub(crate) mod metadata;
pub(crate) mod net;
pub(crate) mod numbers;
pub(crate) mod objects;
pub(crate) mod operands;
pub(crate) mod output;
pub(crate) mod patch;
pub(crate) mod paths;
pub(crate) mod providers;
pub(crate) mod regex;
pub(crate) mod rego;
pub(crate) mod render;
pub(crate) mod replacement;
pub(crate) mod schema;
pub(crate) mod semver;
pub(crate) mod sets;
pub(crate) mod strings;
pub(crate) mod time;
pub(crate) mod types;
pub(crate) mod units;
pub(crate) mod urls;
pub(crate) mod world;
pub(crate) mod x509;
pub(crate) mod yaml;

/// Every family's rows.
const FAMILIES: &[&[Builtin]] = &[
    aggregates::BUILTINS,
    arrays::BUILTINS,
    comparison::BUILTINS,
    crypto::BUILTINS,
    encoding::BUILTINS,
    format::BUILTINS,
    glob::BUILTINS,
    globs::BUILTINS,
    graphql::BUILTINS,
    graphs::BUILTINS,
    http::BUILTINS,
    json::BUILTINS,
    jwt::BUILTINS,
    metadata::BUILTINS,
    net::BUILTINS,
    numbers::BUILTINS,
    objects::BUILTINS,
    output::BUILTINS,
    patch::BUILTINS,
    paths::BUILTINS,
    providers::BUILTINS,
    world::BUILTINS,
    x509::BUILTINS,
    yaml::BUILTINS,
    regex::BUILTINS,
    rego::BUILTINS,
    render::BUILTINS,
    replacement::BUILTINS,
    schema::BUILTINS,
    semver::BUILTINS,
    sets::BUILTINS,
    strings::BUILTINS,
    time::BUILTINS,
    types::BUILTINS,
    units::BUILTINS,
    urls::BUILTINS,
];

/// Returns all rows, sorted by name.
pub fn table() -> &'static [&'static Builtin] {
    static TABLE: OnceLock<Vec<&'static Builtin>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut rows: Vec<&Builtin> = FAMILIES.iter().copied().flatten().collect();
        rows.sort_by_key(|it| it.name);
        rows
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use lictor_value::{Value, json};

    use super::*;

    #[test]
    fn names_are_unique() {
        assert!(table().windows(2).all(|it| it[0].name < it[1].name));
    }

    #[test]
    fn declarations_are_opa_s() {
        let Some(text) = capabilities() else { return };
        let document = json::read_document(&text).expect("the file is JSON");
        let builtins = field(document.root(), "builtins").expect("a list of built-ins");
        let declared: BTreeMap<String, String> = items(builtins)
            .map(|it| (text_of(field(it, "name")), declaration(field(it, "decl").expect("a declaration"))))
            .collect();
        for row in table() {
            assert_eq!(declared.get(row.name).map(String::as_str), Some(row.declaration), "{}", row.name);
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a test finds the facts beside the repository")]
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    fn capabilities() -> Option<Vec<u8>> {
        let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
        let shared = std::env::var("LICTOR_SHARED").map_or_else(|_| beside(), PathBuf::from);
        let text = std::fs::read(shared.join("reference/capabilities-1.22.json")).ok();
        if text.is_none() {
            eprintln!("skipped: no capabilities beside the repository");
        }
        text
    }

    fn field<'e>(value: Value<'e>, name: &str) -> Option<Value<'e>> {
        value.as_object()?.get_str(name)
    }

    fn items(value: Value<'_>) -> impl Iterator<Item = Value<'_>> {
        value.as_array().into_iter().flat_map(|it| it.iter())
    }

    fn text_of(value: Option<Value<'_>>) -> String {
        value.as_ref().and_then(|it| it.as_str()).unwrap_or_default().to_owned()
    }

    /// Writes a function type of OPA's in the notation of the table.
    fn declaration(decl: Value<'_>) -> String {
        let mut operands: Vec<String> = field(decl, "args").into_iter().flat_map(items).map(ty).collect();
        operands.extend(field(decl, "variadic").map(|it| ty(it) + "..."));
        let result = field(decl, "result").map_or("-".to_owned(), ty);
        let operands = operands.join(", ");
        if operands.is_empty() { format!("-> {result}") } else { format!("{operands} -> {result}") }
    }

    fn ty(value: Value<'_>) -> String {
        let of = |name: &str| field(value, name).map(ty);
        match text_of(field(value, "type")).as_str() {
            "string" => "str".to_owned(),
            "number" => "num".to_owned(),
            "boolean" => "bool".to_owned(),
            "any" => match field(value, "of") {
                Some(members) => items(members).map(ty).collect::<Vec<_>>().join("/"),
                None => "any".to_owned(),
            },
            "set" => format!("set[{}]", of("of").unwrap_or_default()),
            "array" => match field(value, "static") {
                Some(members) => format!("[{}]", items(members).map(ty).collect::<Vec<_>>().join(",")),
                None => format!("[{}*]", of("dynamic").unwrap_or_default()),
            },
            "object" => {
                let fields = field(value, "static").into_iter().flat_map(items).map(|it| {
                    format!(
                        "{}:{}",
                        text_of(field(it, "key")),
                        field(it, "value").map(ty).unwrap_or_default()
                    )
                });
                let rest = field(value, "dynamic").map(|it| {
                    let side = |name: &str| field(it, name).map(ty).unwrap_or_default();
                    format!("{}:{}", side("key"), side("value"))
                });
                format!("{{{}}}", fields.chain(rest).collect::<Vec<_>>().join(","))
            }
            other => other.to_owned(),
        }
    }
}
