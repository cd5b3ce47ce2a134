//! The parser against cases that another project recorded, read in place.
//!
//! The folder is `LICTOR_SHARED` or `../shared`; without it each test prints one line and passes.
//! Nothing of the folder is part of this repository.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use lictor_syntax::{
    ParseOptions, ast::RegoVersion, parse_module, parse_statements, printer::statement_text,
};
use serde_json::Value;

const VERSIONS: [(&str, RegoVersion); 3] =
    [("v0", RegoVersion::V0), ("v1", RegoVersion::V1), ("v2", RegoVersion::V2)];

#[expect(clippy::print_stderr, reason = "says that the test was skipped")]
fn conformance(folder: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("LICTOR_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = shared.join("conformance").join(folder);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is absent", folder.display());
    None
}

fn options(version: RegoVersion) -> ParseOptions {
    ParseOptions { version, annotations: false, ..ParseOptions::default() }
}

/// Returns the recorded verdict's form of what the parser says.
fn verdict(text: &str, version: RegoVersion) -> Value {
    let parsed = parse_statements(text, &options(version));
    if let Some(statements) = parsed.tree {
        let printed: Vec<String> =
            statements.iter().map(|statement| statement_text(statement, RegoVersion::V1)).collect();
        if printed.is_empty() {
            return serde_json::json!({"ok": true});
        }
        return serde_json::json!({"ok": true, "statements": printed.len(), "printed": printed});
    }
    let errors: Vec<Value> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| {
            serde_json::json!({
                "code": diagnostic.code, "row": diagnostic.row(), "col": diagnostic.col(),
                "message": diagnostic.message,
            })
        })
        .collect();
    serde_json::json!({"ok": false, "errors": errors})
}

fn close(failures: &str, failed: usize, total: usize) {
    assert_eq!(failed, 0, "{failed} of {total} failed:\n{failures}");
}

#[test]
fn statements_parse_and_print_as_recorded() {
    let Some(folder) = conformance("parse") else {
        return;
    };
    let text = fs::read_to_string(folder.join("statements.jsonl")).expect("readable cases");
    let (mut failures, mut failed, mut total) = (String::new(), 0, 0);
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("valid case");
        let source = case["src"].as_str().expect("source");
        for (name, version) in VERSIONS.into_iter().take(2) {
            total += 1;
            let got = verdict(source, version);
            if got != case[name] {
                failed += 1;
                writeln!(failures, "{} {name}\n{source}\nwant {}\n got {got}\n", case["name"], case[name])
                    .expect("written");
            }
        }
    }
    close(&failures, failed, total);
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("readable folder");
    let paths = entries.map(|entry| entry.expect("readable entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths
}

#[test]
fn modules_of_all_cases_parse() {
    let Some(folder) = conformance("rego") else {
        return;
    };
    let (mut failures, mut failed, mut total) = (String::new(), 0, 0);
    for (name, version) in VERSIONS.into_iter().take(2) {
        for file in files(&folder.join(name), "json") {
            let text = fs::read_to_string(&file).expect("readable case");
            let cases: Value = serde_json::from_str(&text).expect("valid file");
            let cases = cases["cases"].as_array().expect("cases");
            let modules = cases.iter().flat_map(|case| case["modules"].as_array().into_iter().flatten());
            for module in modules.filter_map(Value::as_str) {
                total += 1;
                let options = ParseOptions { version, ..ParseOptions::default() };
                let parsed = parse_module("test.rego", module, &options);
                if parsed.tree.is_none() || !parsed.diagnostics.is_empty() {
                    failed += 1;
                    let found = lictor_syntax::diagnostics::list_text(&parsed.diagnostics);
                    writeln!(failures, "{}\n{module}\n{found}\n", file.display()).expect("written");
                }
            }
        }
    }
    close(&failures, failed, total);
}

#[test]
fn sources_of_the_formatter_parse() {
    let Some(folder) = conformance("format") else {
        return;
    };
    let (mut failures, mut failed, mut total) = (String::new(), 0, 0);
    for (name, version) in VERSIONS {
        for file in files(&folder.join(name), "rego") {
            if file.with_extension("rego.error").exists() {
                continue;
            }
            let formatted = file.with_extension("rego.formatted");
            for file in [file, formatted].iter().filter(|file| file.exists()) {
                total += 1;
                let text = fs::read_to_string(file).expect("readable source");
                let options = ParseOptions { version, ..ParseOptions::default() };
                let parsed = parse_module("test.rego", &text, &options);
                if parsed.tree.is_none() || !parsed.diagnostics.is_empty() {
                    failed += 1;
                    let found = lictor_syntax::diagnostics::list_text(&parsed.diagnostics);
                    writeln!(failures, "{}\n{found}\n", file.display()).expect("written");
                }
            }
        }
    }
    close(&failures, failed, total);
}
