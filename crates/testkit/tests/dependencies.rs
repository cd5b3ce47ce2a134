//! Holds the lock file to `deny.toml`: known licences, known sources, one version of each package.
//!
//! `cargo deny` reads the same table; this test needs no tool beyond cargo, so that it runs wherever
//! the tests run. It reads what cargo already fetched and never the network.

use std::{collections::BTreeMap, process::Command};

use crate::{read, root};

/// The most packages that the lock file may hold, ours included.
const PACKAGES_MAX: usize = 300;

#[derive(serde::Deserialize)]
struct Rules {
    licenses: Licenses,
    sources: Sources,
    bans: Bans,
}

#[derive(serde::Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

#[derive(serde::Deserialize)]
struct Skip {
    name: String,
}

#[derive(serde::Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(serde::Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

fn packages() -> Vec<Package> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "cargo metadata: {text}");
    let metadata: Metadata = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    metadata.packages
}

/// Tells whether a licence expression can be met with the licences in `allow`.
fn is_allowed(expression: &str, allow: &[String]) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    let words = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    // Good enough for what packages write: OR of ANDs without nesting; a nested one is read too strictly.
    words
        .split(" OR ")
        .any(|choice| choice.split(" AND ").all(|it| allow.iter().any(|name| name == it.trim())))
        || words
            .split(" AND ")
            .all(|part| part.split(" OR ").any(|it| allow.iter().any(|name| name == it.trim())))
}

#[test]
fn dependencies_keep_to_deny_toml() {
    let rules: Rules = toml::from_str(&read("deny.toml")).expect("deny.toml is well formed");
    let mut faults = Vec::new();
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        let Package { name, version, license, source } = package;
        if let Some(source) = &source {
            let registry = source.strip_prefix("registry+").unwrap_or(source);
            if !rules.sources.allow_registry.iter().any(|it| it == registry) {
                faults.push(format!("{name} {version}: source {source} is not listed"));
            }
        }
        let license = license.unwrap_or_default();
        if !is_allowed(&license, &rules.licenses.allow) {
            faults.push(format!("{name} {version}: licence `{license}` is not listed"));
        }
        versions.entry(name).or_default().push(version);
    }
    for (name, versions) in &versions {
        if versions.len() > 1 && !rules.bans.skip.iter().any(|it| it.name == *name) {
            faults.push(format!("{name}: {} versions: {}", versions.len(), versions.join(", ")));
        }
    }
    assert!(faults.is_empty(), "dependencies:\n  {}", faults.join("\n  "));
}

#[test]
fn lock_file_stays_small() {
    let count = read("Cargo.lock").lines().filter(|it| *it == "[[package]]").count();
    assert!(count < PACKAGES_MAX, "{count} packages in the lock file, limit is {PACKAGES_MAX}");
}

#[test]
fn versions_stand_in_the_workspace_table_alone() {
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/ can be read").flatten() {
        let manifest =
            std::fs::read_to_string(entry.path().join("Cargo.toml")).expect("a crate has a manifest");
        let manifest: toml::Table = manifest.parse().expect("a manifest is well formed");
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(dependencies) = manifest.get(table).and_then(|it| it.as_table()) else {
                continue;
            };
            for (name, value) in dependencies {
                let inherits = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
                assert!(inherits, "{}: {name} does not say `workspace = true`", entry.path().display());
            }
        }
    }
}

#[test]
fn licence_expressions_are_read() {
    let allow = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned);
    let cases = [
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT OR GPL-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("LGPL-3.0", false),
        ("", false),
    ];
    for (expression, wanted) in cases {
        assert_eq!(is_allowed(expression, &allow), wanted, "{expression}");
    }
}
