//! The parser: modules and queries of any bytes in every version of the language.
//!
//! Spans lie in the text, a refusal has a fault to show, and the canonical text parses to itself.

use lictor_syntax::ast::{Module, RegoVersion};
use lictor_syntax::printer::{body_text, import_text, package_text, rule_text};
use lictor_syntax::{
    Diagnostic, ParseOptions, parse_module, parse_module_bytes, parse_query, parse_statements,
};

/// Parses bytes as a module, a query and statements.
///
/// It panics if the parser answers with nothing, with places outside the text, or reads its own text as another tree.
pub(super) fn parser(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for version in [RegoVersion::V0, RegoVersion::V1, RegoVersion::V2] {
        let options = ParseOptions { version, ..ParseOptions::default() };
        module(bytes, &options);
        query(&text, &options);
        let parsed = parse_statements(&text, &options);
        check_faults(&parsed.diagnostics, parsed.tree.is_some(), text.len());
    }
}

fn check_faults(faults: &[Diagnostic], has_tree: bool, length: usize) {
    assert!(has_tree || !faults.is_empty(), "neither a tree nor a fault");
    for fault in faults {
        let (start, end) = (fault.span.start as usize, fault.span.end as usize);
        assert!(start <= end && end <= length + 1, "{start}..{end} of {length}: {fault}");
        assert!(!fault.to_string().is_empty(), "a fault without a text");
    }
}

fn module(bytes: &[u8], options: &ParseOptions) {
    let parsed = parse_module_bytes("fuzz.rego", bytes, options);
    let length = parsed.source.text().len();
    check_faults(&parsed.diagnostics, parsed.tree.is_some(), length);
    let Some(tree) = parsed.tree else { return };
    for rule in &tree.rules {
        let (start, end) = (rule.span.start as usize, rule.span.end as usize);
        assert!(start <= end && end <= length + 1, "rule at {start}..{end} of {length}");
    }
    let printed = module_text(&tree);
    if !parsed.diagnostics.is_empty() || !is_plain(parsed.source.text()) {
        return;
    }
    let again = parse_module("printed.rego", &printed, options);
    if let Some(tree) = again.tree.filter(|_| again.diagnostics.is_empty()) {
        assert_eq!(printed, module_text(&tree), "a module prints as another");
    }
}

fn query(text: &str, options: &ParseOptions) {
    let parsed = parse_query(text, options);
    check_faults(&parsed.diagnostics, parsed.tree.is_some(), text.len());
    let Some(body) = parsed.tree else { return };
    let printed = body_text(&body);
    if !is_plain(text) {
        return;
    }
    if let Some(again) = parse_query(&printed, options).tree {
        assert_eq!(printed, body_text(&again), "a query prints as another");
    }
}

fn module_text(module: &Module) -> String {
    let mut out = package_text(&module.package);
    let imports = module.imports.iter().map(import_text);
    let rules = module.rules.iter().map(|it| rule_text(it, module.version_max));
    for line in imports.chain(rules) {
        out.push('\n');
        out.push_str(&line);
    }
    out
}

/// Tells whether the canonical text can say what the text does: OPA's, which ours must match, writes keys without
/// their escapes and makes scalars in templates part of the text around them.
fn is_plain(text: &str) -> bool {
    !text.contains(['\\', '`', '$'])
}
