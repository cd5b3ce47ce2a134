//! The families of built-ins, a file each. A new built-in is one row and one function in its family's file.

use std::sync::OnceLock;

use crate::builtin::Builtin;

pub(crate) mod aggregates;
pub(crate) mod arrays;
pub(crate) mod comparison;
pub(crate) mod crypto;
pub(crate) mod encoding;
pub(crate) mod globs;
pub mod graphs;
pub(crate) mod json;
pub(crate) mod net;
pub(crate) mod numbers;
pub(crate) mod objects;
pub(crate) mod operands;
pub(crate) mod output;
pub(crate) mod patch;
pub(crate) mod paths;
pub(crate) mod randomness;
pub(crate) mod regex;
pub(crate) mod replacement;
pub(crate) mod semver;
pub(crate) mod sets;
pub(crate) mod strings;
pub(crate) mod types;
pub(crate) mod units;
pub(crate) mod urls;

/// Every family's rows.
const FAMILIES: &[&[Builtin]] = &[
    aggregates::BUILTINS,
    arrays::BUILTINS,
    comparison::BUILTINS,
    crypto::BUILTINS,
    encoding::BUILTINS,
    globs::BUILTINS,
    graphs::BUILTINS,
    json::BUILTINS,
    net::BUILTINS,
    numbers::BUILTINS,
    objects::BUILTINS,
    output::BUILTINS,
    patch::BUILTINS,
    paths::BUILTINS,
    randomness::BUILTINS,
    regex::BUILTINS,
    replacement::BUILTINS,
    semver::BUILTINS,
    sets::BUILTINS,
    strings::BUILTINS,
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
    #[test]
    fn names_are_unique() {
        let table = super::table();
        assert!(table.windows(2).all(|it| it[0].name < it[1].name));
    }
}
