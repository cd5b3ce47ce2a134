//! Rules where a base document stands already.
//!
//! Apart from the other conflicts because it takes data, which policies outlive and which outlives policies: whoever
//! loads both asks, before either is used.

use std::sync::Arc;

use lictor_syntax::Diagnostic;

use crate::{
    diagnostics::compile_error,
    tree::{Group, Hir},
};

/// Reports rules at whose path `exists` finds a base document; what is below such a path is not asked for.
#[must_use]
pub fn check_base_documents(hir: &Hir, exists: &dyn Fn(&[&str]) -> bool) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut last: Option<&[Arc<str>]> = None;
    for group in &hir.groups {
        if last.is_some_and(|it| group.path.starts_with(it)) {
            continue;
        }
        let path: Vec<&str> = group.path.iter().map(AsRef::as_ref).collect();
        if exists(&path) {
            last = Some(&group.path);
            found.extend(conflict(hir, group, &path.join("/")));
        }
    }
    found
}

fn conflict(hir: &Hir, group: &Group, path: &str) -> Option<Diagnostic> {
    let first = group.rules.iter().chain(&group.default).min()?;
    let place = hir.rules.get(first.0 as usize)?.place;
    let source = hir.sources.get(place.file.0 as usize)?;
    let message = format!("conflicting rule for data path {path} found");
    Some(compile_error(source, place.span, "rule-over-data", message))
}

#[cfg(test)]
mod tests {
    use lictor_syntax::{ParseOptions, parse_module};

    use super::*;
    use crate::{Capabilities, Options, lower};

    #[test]
    fn rules_over_data_are_named_once() {
        let text = "package a\nb.c := 1\nb.d := 2\ne := 3";
        let parsed = parse_module("p.rego", text, &ParseOptions::default());
        let capabilities = Capabilities::default();
        let options = Options {
            capabilities: &capabilities,
            absent: &[],
            strict: false,
            print: false,
            error_limit: 10,
            test_cases: false,
            schemas: None,
            unsafe_builtins: &[],
            workers: None,
            lenient: false,
        };
        let modules = crate::Modules(parsed.tree.into_iter().collect());
        let hir = lower(&Arc::new(modules), &options).hir;
        let found = check_base_documents(&hir, &|path| matches!(path, ["a", "b", "d"] | ["a", "e"]));
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "p.rego:3: rego_compile_error: conflicting rule for data path a/b/d found",
                "p.rego:4: rego_compile_error: conflicting rule for data path a/e found"
            ]
        );
    }
}
