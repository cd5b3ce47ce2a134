//! The formatter and the other ways of showing a module: text, JSON and outline.
//!
//! None may fall over a text that parses, and what claims to be JSON must be. That the layout keeps the tree cannot be
//! asked for any text, since it must be OPA's, which has odd corners.

use lictor_syntax::ast::RegoVersion;
use lictor_syntax::format::{FormatOptions, format_source};
use lictor_syntax::outline::module_outline;
use lictor_syntax::tree_json::{TreeOptions, module_json};
use lictor_syntax::{ParseOptions, parse_module_bytes};
use lictor_value::json;

const VERSIONS: [RegoVersion; 3] = [RegoVersion::V0, RegoVersion::V1, RegoVersion::V2];

/// Shows bytes as a module in every way.
///
/// It panics if a way does, or the JSON is none.
pub(super) fn format(bytes: &[u8]) {
    for (idx, from) in VERSIONS.into_iter().enumerate() {
        for to in VERSIONS.into_iter().skip(idx) {
            let options = FormatOptions { version_max: to, ..FormatOptions::for_version(from) };
            let plain = FormatOptions { drop_imports: true, keywords_in_refs: false, ..options };
            for options in [options, plain] {
                let Ok(text) = format_source("fuzz.rego", bytes, &options) else { continue };
                assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "the text has no proper end");
                // The second time may give another text, as with OPA, but must come back too.
                let _ = format_source("fuzz.rego", text.as_bytes(), &FormatOptions::for_version(from));
            }
        }
        show(bytes, from);
    }
}

fn show(bytes: &[u8], version: RegoVersion) {
    let parsed = parse_module_bytes("fuzz.rego", bytes, &ParseOptions { version, ..ParseOptions::default() });
    let Some(module) = parsed.tree.filter(|_| parsed.diagnostics.is_empty()) else { return };
    assert!(module_outline(&module, true).starts_with("module\n package\n"), "the outline has no start");
    for locations in [false, true] {
        if let Ok(text) = module_json(&module, TreeOptions { locations, comments: true }) {
            assert!(json::is_valid(text.as_bytes()), "the tree's JSON is none");
        }
    }
}
