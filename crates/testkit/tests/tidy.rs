//! Holds the tree to the rules of style that a lint cannot see.
//!
//! Every rule is a function from one file to the faults in it; `faults_of` is their table. Adding a rule
//! is a function and a line. The rules read tracked files (and new ones that are not ignored), so a
//! fault is named before it is committed. Others' test data is watched for in `shared_text`.

mod shared_text;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::root;

const LINES_MAX: usize = 1_200;
const HEADER_LINES: std::ops::RangeInclusive<usize> = 3..=15;

/// A file of the repository: its path from the root and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Tells whether a file is one that people write, as opposed to data and lock files.
    fn is_written(&self) -> bool {
        let endings = [".rs", ".py", ".go", ".sh", ".md", ".toml", ".rego", ".js", ".ts", ".yaml", ".yml"];
        let is_script = self.text.starts_with("#!");
        (is_script || endings.iter().any(|it| self.path.ends_with(it))) && !self.path.ends_with("Cargo.lock")
    }

    fn is_generated(&self) -> bool {
        self.text.lines().take(5).any(|line| line.contains("@generated"))
    }
}

/// Lists the repository's files: what git tracks or would track, else what lies in the folder.
fn paths() -> Vec<PathBuf> {
    let root = root();
    let out = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(&root)
        .output();
    let mut paths = match out {
        Ok(out) if out.status.success() && !out.stdout.is_empty() => String::from_utf8_lossy(&out.stdout)
            .split('\0')
            .filter(|it| !it.is_empty())
            .map(PathBuf::from)
            .collect(),
        _ => {
            let mut found = Vec::new();
            walk(&root, &root, &mut found);
            found
        }
    };
    paths.sort();
    paths.dedup();
    paths
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the tree can be read").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if !["target", ".git", "out"].iter().any(|it| name == *it) {
                walk(root, &path, found);
            }
        } else {
            found.push(path.strip_prefix(root).expect("the walk stays below the root").to_owned());
        }
    }
}

/// Reads every text file of the repository; binary files and links to nowhere are left out.
fn sources() -> Vec<Source> {
    let root = root();
    paths()
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(root.join(&path)).ok()?;
            Some(Source { path: path.to_string_lossy().into_owned(), text })
        })
        .collect()
}

#[test]
fn tree_is_tidy() {
    let mut faults: Vec<String> = sources().iter().flat_map(faults_of).collect();
    faults.extend(test_binary_faults());
    assert!(faults.is_empty(), "{} faults:\n  {}", faults.len(), faults.join("\n  "));
}

/// The table of rules.
fn faults_of(source: &Source) -> Vec<String> {
    let rules: [fn(&Source, &mut Vec<String>); 8] = [
        header,
        length,
        marker_words,
        no_mod_files,
        no_switched_off_tests,
        machine_names,
        unsafe_place,
        plain_comments,
    ];
    let mut faults = Vec::new();
    for rule in rules {
        rule(source, &mut faults);
    }
    faults
}

fn header(source: &Source, faults: &mut Vec<String>) {
    if !source.is_rust() || source.is_generated() {
        return;
    }
    let lines = source.text.lines().take_while(|line| line.starts_with("//!")).count();
    let is_root = source.path.ends_with("/lib.rs") || source.path.ends_with("/main.rs");
    if lines < *HEADER_LINES.start() || (lines > *HEADER_LINES.end() && !is_root) {
        faults.push(format!("{}: opens with {lines} lines of //!, wanted 3 to 15", source.path));
    }
}

fn length(source: &Source, faults: &mut Vec<String>) {
    if source.is_generated() || !source.is_written() || source.path.ends_with(".md") {
        return;
    }
    let lines = source.text.lines().take_while(|line| *line != "#[cfg(test)]").count();
    if lines > LINES_MAX && !source.path.contains("/tests/") {
        faults.push(format!("{}: {lines} lines, limit is {LINES_MAX}", source.path));
    }
}

fn marker_words(source: &Source, faults: &mut Vec<String>) {
    if !source.is_written() {
        return;
    }
    // Put together here, so that this file does not hold them.
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];
    let stubs = [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("// to", "do")];
    for (row, line) in source.text.lines().enumerate() {
        let has_word = words.iter().any(|word| holds_word(line, word));
        if has_word || stubs.iter().any(|stub| line.contains(stub)) {
            faults.push(format!("{}:{}: marker word", source.path, row + 1));
        }
    }
}

/// Tells whether `word` stands in `line` with no letter, digit or underscore on either side.
fn holds_word(line: &str, word: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|it| it.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

fn no_mod_files(source: &Source, faults: &mut Vec<String>) {
    if source.path.ends_with("/mod.rs") {
        faults.push(format!("{}: write foo.rs beside foo/", source.path));
    }
}

fn no_switched_off_tests(source: &Source, faults: &mut Vec<String>) {
    if !source.is_rust() {
        return;
    }
    for (row, line) in source.text.lines().enumerate() {
        let line = line.trim_start();
        if ["#[ignore", "#[should_panic", "#[allow(", "#![allow("].iter().any(|it| line.starts_with(it)) {
            faults.push(format!("{}:{}: `{line}` is not used here", source.path, row + 1));
        }
    }
}

/// Paths of one machine and hosts of registries say nothing to a reader elsewhere.
fn machine_names(source: &Source, faults: &mut Vec<String>) {
    let locks = ["Cargo.lock", "go.sum", "LICENSE"];
    if locks.iter().any(|it| source.path.ends_with(it)) {
        return;
    }
    let folders =
        [concat!("/wo", "rk/"), concat!("/fa", "rm/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
    let hosts = [
        concat!("crates.io", "/api"),
        concat!("static.", "crates"),
        concat!("proxy.", "golang"),
        concat!("pypi", ".org"),
        concat!("registry.", "npmjs"),
        concat!("deb.", "debian"),
        concat!("repo.", "maven"),
    ];
    for (row, line) in source.text.lines().enumerate() {
        let is_path = folders.iter().any(|folder| {
            line.match_indices(folder).any(|(at, _)| {
                let before = line.get(..at).and_then(|it| it.chars().next_back());
                !before.is_some_and(|it| it.is_alphanumeric() || it == '_' || it == '.')
            })
        });
        if is_path || hosts.iter().any(|host| line.contains(host)) {
            faults.push(format!("{}:{}: path of a machine or host of a registry", source.path, row + 1));
        }
    }
}

fn unsafe_place(source: &Source, faults: &mut Vec<String>) {
    if !source.is_rust() || may_be_unsafe(&source.path) {
        return;
    }
    for (row, line) in source.text.lines().enumerate() {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        let opens = ["{", "fn ", "impl ", "impl<", "extern ", "trait ", "(no_mangle"];
        let is_unsafe = opens.iter().any(|it| code.contains(&format!("{} {it}", concat!("uns", "afe"))));
        if is_unsafe || code.contains(concat!("#[uns", "afe(")) {
            faults.push(format!("{}:{}: unsafe outside raw.rs", source.path, row + 1));
        }
    }
}

fn may_be_unsafe(path: &str) -> bool {
    let may = ["crates/value/", "crates/jit/", "crates/capi/"].iter().any(|it| path.starts_with(it));
    may && (path.ends_with("/raw.rs") || path.contains("/raw/"))
}

/// No banners and no emoji in comments and documentation.
fn plain_comments(source: &Source, faults: &mut Vec<String>) {
    let is_markdown = source.path.ends_with(".md");
    if !source.is_rust() && !is_markdown {
        return;
    }
    for (row, line) in source.text.lines().enumerate() {
        let line = line.trim_start();
        let is_plain_comment = line.starts_with("// ") || line.starts_with("////");
        let rules = ["-----", "=====", "*****", "/////", "#####"];
        if is_plain_comment && rules.iter().any(|it| line.contains(it)) {
            faults.push(format!("{}:{}: banner", source.path, row + 1));
        }
        if (is_markdown || line.starts_with("//")) && line.chars().any(is_emoji) {
            faults.push(format!("{}:{}: emoji", source.path, row + 1));
        }
    }
}

fn is_emoji(it: char) -> bool {
    matches!(it, '\u{1F300}'..='\u{1FAFF}' | '\u{2600}'..='\u{26FF}' | '\u{2705}' | '\u{274C}' | '\u{FE0F}')
}

/// Each integration-test binary links everything again, so a crate has one at most.
fn test_binary_faults() -> Vec<String> {
    let root = root();
    let mut faults = Vec::new();
    for entry in fs::read_dir(root.join("crates")).expect("crates/ can be read").flatten() {
        let folder = entry.path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let named = manifest.matches("[[test]]").count();
        let found =
            if manifest.contains("autotests = false") { named } else { test_files(&folder.join("tests")) };
        if found > 1 {
            faults.push(format!("{}: {found} integration-test binaries, limit is 1", entry.path().display()));
        }
    }
    faults
}

fn test_files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .filter(|it| {
            let path = it.path();
            path.extension().is_some_and(|it| it == "rs") || path.join("main.rs").is_file()
        })
        .count()
}

#[test]
fn planted_faults_are_named() {
    let cases = [
        ("crates/x/src/a.rs", "//! One line.\n", 1),
        ("crates/x/src/mod.rs", "//! One.\n//! Two.\n//! Three.\n", 1),
        ("crates/x/src/b.rs", concat!("//! A\n//! B\n//! C\n// FIX", "ME later\n"), 1),
        ("crates/x/src/c.rs", concat!("//! A\n//! B\n//! C\nuns", "afe { it() }\n"), 1),
        ("crates/value/src/raw.rs", concat!("//! A\n//! B\n//! C\nuns", "afe { it() }\n"), 0),
        ("crates/x/src/d.rs", "//! A\n//! B\n//! C\n#[ignore]\n// ------ part ------\n", 2),
        ("README.md", concat!("see /ro", "ot/notes and src/ro", "ot/x\n"), 1),
    ];
    for (path, text, wanted) in cases {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        let faults = faults_of(&source);
        assert_eq!(faults.len(), wanted, "{path}: {faults:?}");
    }
}
