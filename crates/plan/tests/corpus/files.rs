//! Runs `corpus/plan/*.plan`: what a step makes of a plan, text in and text out.
//!
//! A file is a line `// run: <step>`, a plan, a line `-----`, and what is expected. `LICTOR_BLESS=1` writes what came
//! out in place of what is expected.

use std::path::{Path, PathBuf};

use lictor_plan::Plan;
use lictor_plan::passes::{Folded, Optimize, Passes, optimize};
use lictor_value::{Arena, Document};

/// Returns what a step makes of a plan, as text; none if there is no such step.
fn run(step: &str, plan: &Plan) -> Option<String> {
    match step {
        "print" => Some(plan.to_string()),
        "verify" => Some(faults(plan)),
        "export" => {
            let json = lictor_plan::opa::export::export(plan);
            let again = json
                .map_err(|err| err.to_string())
                .and_then(|it| lictor_plan::opa::import::import(&it).map_err(|err| err.to_string()));
            Some(again.map_or_else(|err| format!("{err}\n"), |it| it.to_string()))
        }
        pass => Some(passed(Passes::only(pass)?, plan)),
    }
}

/// Runs a pass. Rules that it wants evaluated ahead give `"folded"`.
fn passed(passes: Passes, plan: &Plan) -> String {
    let arena = Arena::new();
    let evaluate = |it: &Plan| {
        let value = Document::from_value(arena.string("folded"));
        it.entrypoints.iter().map(|_| Folded::Value(value.clone())).collect::<Vec<_>>()
    };
    let mut plan = plan.clone();
    let options = Optimize { passes, strict: false, evaluate: &evaluate, impure: &|it| it == "time.now_ns" };
    optimize(&mut plan, options);
    plan.to_string()
}

/// Every pass has a file.
#[test]
fn passes_have_files() {
    let named: Vec<String> = files().iter().filter_map(|it| std::fs::read_to_string(it).ok()).collect();
    for name in Passes::names() {
        let line = format!("// run: {name}\n");
        assert!(named.iter().any(|it| it.starts_with(&line)), "no file runs `{name}`");
    }
}

fn faults(plan: &Plan) -> String {
    match lictor_plan::verify(plan) {
        Ok(()) => "valid\n".to_owned(),
        Err(faults) => faults.iter().map(|it| format!("{it}\n")).collect(),
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/plan");
    let entries = std::fs::read_dir(&folder).expect("the folder of plans is there");
    let mut files: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "plan"));
    files.sort();
    files
}

#[test]
fn plans_give_what_their_files_expect() {
    let files = files();
    assert!(files.len() >= 3, "only {} files were found", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the file is readable");
        let name = file.display();
        let step = text.lines().next().and_then(|it| it.strip_prefix("// run: "));
        let step = step.unwrap_or_else(|| unreachable!("{name}: the first line names no step"));
        let (given, expected) = text.split_once("\n-----\n").unwrap_or((&text, ""));
        let plan = lictor_plan::parse(given).unwrap_or_else(|err| unreachable!("{name}: {err}"));
        let out = run(step, &plan).unwrap_or_else(|| unreachable!("{name}: unknown step `{step}`"));
        if std::env::var_os("LICTOR_BLESS").is_some() {
            std::fs::write(&file, format!("{given}\n-----\n{out}")).expect("the file is writable");
            continue;
        }
        assert_eq!(out, expected, "{name}");
        if step == "print" {
            let again = lictor_plan::parse(&out).map(|it| it.to_string());
            assert_eq!(again.as_deref(), Ok(out.as_str()), "{name} printed twice");
        }
    }
}
