//! Lowers `corpus/lower/*.rego` and compares the plans with the `.plan` files beside them.
//!
//! The first line names the entrypoints; a module without that line goes with the one whose name it begins with
//! (`dispatch_north.rego` with `dispatch.rego`). `LICTOR_BLESS=1` writes the plans anew.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lictor_hir::{Capabilities, Flags, Options};
use lictor_plan::{BuiltinFacts, Plan};
use lictor_syntax::ast::Module;

const BUILTINS: &[(&str, &str)] = &[
    ("count", "any -> num"),
    ("equal", "any, any -> bool"),
    ("gt", "any, any -> bool"),
    ("gte", "any, any -> bool"),
    ("lt", "any, any -> bool"),
];

const FIRST_LINE: &str = "# entrypoints: ";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/lower")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("the file is readable")
}

fn sources() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder()).expect("the folder of modules is there");
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "rego"));
    paths.sort();
    let stem = |it: &PathBuf| it.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|it| (stem(it), read(it))).collect()
}

fn lower(modules: Vec<Module>, entrypoints: &[&str]) -> Plan {
    let rows = BUILTINS.iter().map(|(name, declaration)| (*name, *declaration, Flags::default()));
    let capabilities = Capabilities::from_declarations(rows).expect("the declarations are read");
    let options = Options {
        capabilities: &capabilities,
        absent: &[],
        strict: false,
        print: false,
        error_limit: 0,
        test_cases: false,
        schemas: None,
        unsafe_builtins: &[],
        workers: None,
        lenient: false,
    };
    let lowered = lictor_hir::lower(&Arc::new(lictor_hir::Modules(modules)), &options);
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    lictor_plan::lower(Arc::new(lowered.hir), entrypoints, Arc::new(|_: &str| BuiltinFacts::default()))
}

#[test]
fn modules_give_the_plans_beside_them() {
    let sources = sources();
    let mut seen = 0;
    for (name, text) in &sources {
        let Some(entrypoints) = text.lines().next().and_then(|it| it.strip_prefix(FIRST_LINE)) else {
            continue;
        };
        let entrypoints: Vec<&str> = entrypoints.split_whitespace().collect();
        let modules = sources.iter().filter(|it| it.0.starts_with(name.as_str())).map(|(name, text)| {
            let options = lictor_syntax::ParseOptions::default();
            let parsed =
                lictor_syntax::parse_module_bytes(&format!("{name}.rego"), text.as_bytes(), &options);
            assert!(parsed.diagnostics.is_empty(), "{name}: {:?}", parsed.diagnostics);
            parsed.tree.expect("a module without faults has a tree")
        });
        let plan = lower(modules.collect(), &entrypoints);
        assert_eq!(lictor_plan::verify(&plan), Ok(()), "{name}");
        let (text, path) = (plan.to_string(), folder().join(format!("{name}.plan")));
        if std::env::var_os("LICTOR_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the file is writable");
        }
        assert_eq!(text, read(&path), "{name}");
        let again = lictor_plan::parse(&text).map(|it| it.to_string());
        assert_eq!(again.as_deref(), Ok(text.as_str()), "{name} read back");
        let exported = lictor_plan::opa::export::export(&plan).expect("a lowered plan can be exported");
        let imported = lictor_plan::opa::import::import(&exported).expect("an exported plan is read back");
        assert_eq!(lictor_plan::verify(&imported), Ok(()), "{name} in OPA's form");
        seen += 1;
    }
    assert!(seen >= 7, "only {seen} modules were found");
}
