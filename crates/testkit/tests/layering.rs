//! Holds the workspace to `layers.toml`: the table is the architecture diagram.
//!
//! Reads what `cargo metadata` says about each package and fails on an edge that the table does not
//! list, on a listed crate that does not exist, and on an async dependency in a synchronous crate.
//! Also holds the rules on who may have unsafe code and who must refuse the clock, files and threads.

use std::{collections::BTreeMap, process::Command};

use crate::{read, root};

#[derive(serde::Deserialize)]
struct Layers {
    #[serde(rename = "crate")]
    crates: BTreeMap<String, Entry>,
    forbidden_outside_async: Names,
}

#[derive(serde::Deserialize)]
struct Entry {
    layer: u32,
    uses: Vec<String>,
    #[serde(default, rename = "async")]
    is_async: bool,
}

#[derive(serde::Deserialize)]
struct Names {
    names: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(serde::Deserialize, Clone)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(serde::Deserialize, Clone)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

fn layers() -> Layers {
    toml::from_str(&read("layers.toml")).expect("layers.toml is well formed")
}

fn packages() -> Vec<Package> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "cargo metadata: {text}");
    let metadata: Metadata = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    metadata.packages
}

/// Lists what in `packages` goes against `layers`, one line a fault.
fn faults(layers: &Layers, packages: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for name in layers.crates.keys() {
        if !packages.iter().any(|package| package.name == *name) {
            faults.push(format!("{name}: listed but absent"));
        }
    }
    for package in packages {
        match layers.crates.get(&package.name) {
            Some(entry) => {
                for dependency in &package.dependencies {
                    faults.extend(edge_faults(layers, &package.name, entry, dependency));
                }
            }
            None => faults.push(format!("{}: not listed", package.name)),
        }
    }
    faults
}

fn edge_faults(layers: &Layers, name: &str, me: &Entry, dependency: &Dependency) -> Vec<String> {
    let other = &dependency.name;
    let is_dev = dependency.kind.as_deref() == Some("dev");
    match layers.crates.get(other) {
        Some(_) if is_dev && other == "lictor-testkit" => Vec::new(),
        Some(entry) => {
            let mut faults = Vec::new();
            if !me.uses.iter().any(|it| it == other || it == "*") {
                faults.push(format!("{name} -> {other}: not allowed"));
            }
            if entry.layer >= me.layer {
                faults.push(format!("{name} -> {other}: not a lower layer"));
            }
            faults
        }
        None if !is_dev && !me.is_async && layers.forbidden_outside_async.names.contains(other) => {
            vec![format!("{name} -> {other}: async dependency in a synchronous crate")]
        }
        None => Vec::new(),
    }
}

#[test]
fn workspace_matches_layers() {
    let faults = faults(&layers(), &packages());
    assert!(faults.is_empty(), "layering broken:\n  {}", faults.join("\n  "));
}

#[test]
fn planted_faults_are_named() {
    let layers: Layers = toml::from_str(
        r#"
[crate]
low = { layer = 0, uses = [] }
peer = { layer = 1, uses = ["low"] }
high = { layer = 1, uses = ["low", "peer"] }
gone = { layer = 2, uses = [] }
[forbidden_outside_async]
names = ["tokio"]
"#,
    )
    .expect("the fixture is well formed");
    let package = |name: &str, uses: &[&str]| Package {
        name: name.to_owned(),
        dependencies: uses.iter().map(|it| Dependency { name: (*it).to_owned(), kind: None }).collect(),
    };
    let packages = [
        package("low", &["tokio"]),
        package("peer", &["high"]),
        package("high", &["peer"]),
        package("new", &[]),
    ];
    assert_eq!(
        faults(&layers, &packages),
        [
            "gone: listed but absent",
            "low -> tokio: async dependency in a synchronous crate",
            "peer -> high: not allowed",
            "peer -> high: not a lower layer",
            "high -> peer: not a lower layer",
            "new: not listed",
        ]
    );
}

/// Every crate root refuses unsafe code but those that may hold it in `raw`.
#[test]
fn only_named_crates_may_hold_unsafe() {
    for name in layers().crates.keys() {
        let folder = crate_folder(name);
        if ["value", "jit", "capi"].contains(&folder) {
            continue;
        }
        let text = crate_root(folder);
        assert!(
            text.contains("#![forbid(unsafe_code)]"),
            "crates/{folder}: the root lacks #![forbid(unsafe_code)]"
        );
    }
}

/// Layers 0 to 4 are pure: each root switches on the list of methods that `clippy.toml` forbids.
#[test]
fn lower_layers_refuse_the_world() {
    for (name, entry) in layers().crates {
        if entry.layer > 4 {
            continue;
        }
        let folder = crate_folder(&name);
        let text = crate_root(folder);
        let lint = "clippy::disallowed_methods";
        let is_on = text.lines().any(|line| {
            (line.starts_with("#![deny(") || line.starts_with("#![warn(") || line.starts_with("#![forbid("))
                && line.contains(lint)
        });
        assert!(is_on, "crates/{folder}: the root lacks #![deny({lint})]");
    }
}

fn crate_folder(name: &str) -> &str {
    name.strip_prefix("lictor-").unwrap_or(name)
}

fn crate_root(folder: &str) -> String {
    let file = if folder == "cli" { "main.rs" } else { "lib.rs" };
    read(&format!("crates/{folder}/src/{file}"))
}
