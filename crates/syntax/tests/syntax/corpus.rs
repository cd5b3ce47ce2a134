//! The cases of `corpus/syntax`: each `x.rego` against `x.txt`.
//!
//! A case is a module; its version is the start of its name (`v0_`, `v1_`, `v2_`). The text beside
//! it holds the tree in canonical text, with places, then the faults with their help.
//! `LICTOR_BLESS=1` writes the texts anew.

use std::{fmt::Write as _, fs, path::Path};

use lictor_syntax::{
    ParseOptions, Parsed,
    ast::{Module, RegoVersion},
    parse_module,
    printer::{import_text, package_text, rule_text},
};

fn version_of(name: &str) -> RegoVersion {
    match name.get(..3) {
        Some("v0_") => RegoVersion::V0,
        Some("v2_") => RegoVersion::V2,
        _ => RegoVersion::V1,
    }
}

fn write_module(out: &mut String, module: &Module) -> std::fmt::Result {
    let place = |span: lictor_syntax::Span| {
        let position = module.source.position(span.start);
        format!("{}:{}", position.row, position.col)
    };
    writeln!(out, "{} {}", place(module.package.span), package_text(&module.package))?;
    for import in &module.imports {
        writeln!(out, "{} {}", place(import.span), import_text(import))?;
    }
    for rule in &module.rules {
        for idx in &rule.annotations {
            let annotation = &module.annotations[*idx as usize];
            writeln!(out, "{} metadata for {}", place(annotation.span), annotation.scope)?;
        }
        writeln!(out, "{} {}", place(rule.span), rule_text(rule, module.version_max))?;
    }
    Ok(())
}

fn outcome(parsed: &Parsed<Module>) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    if let Some(module) = &parsed.tree {
        write_module(&mut out, module)?;
    }
    for diagnostic in &parsed.diagnostics {
        let recovered = if diagnostic.recovered { " (recovered)" } else { "" };
        let (row, col) = (diagnostic.row(), diagnostic.col());
        writeln!(out, "{row}:{col} {}{recovered}: {}", diagnostic.name, diagnostic.message)?;
        if let Some(help) = &diagnostic.help {
            writeln!(out, "  help: {help}")?;
        }
    }
    Ok(out)
}

#[test]
fn modules_parse_to_their_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/syntax");
    let bless = std::env::var_os("LICTOR_BLESS").is_some();
    let (mut failures, mut total) = (String::new(), 0);
    for entry in fs::read_dir(folder).expect("corpus folder") {
        let path = entry.expect("readable entry").path();
        if path.extension().is_none_or(|extension| extension != "rego") {
            continue;
        }
        total += 1;
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8 name");
        let text = fs::read_to_string(&path).expect("readable case");
        let options = ParseOptions { version: version_of(name), ..ParseOptions::default() };
        let got = outcome(&parse_module(name, &text, &options)).expect("written");
        let golden = path.with_extension("txt");
        if bless {
            fs::write(&golden, &got).expect("writable corpus");
        }
        let want = fs::read_to_string(&golden).unwrap_or_default();
        if got != want {
            writeln!(failures, "{name}\nwant:\n{want}\ngot:\n{got}").expect("written");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(total >= 30, "only {total} cases");
}
