//! What the fuzzers call, and the replay of their seeds as a test.
//!
//! A target takes any bytes and must come back: it asserts what holds for every input and lets all
//! else be. The fuzzers in `fuzz/` feed these functions with coverage; the seeds in `fuzz/seeds` and
//! every find since run here on the plain toolchain.

use std::sync::LazyLock;

use lictor::{Engine, Input, Options, RegoVersion, Session};
use lictor_plan::{Plan, opa};
use lictor_syntax::{ParseOptions, diagnostics::list_text, parse_module_bytes, parse_statements};
use lictor_value::{Arena, Document};
use lictor_vm::{Derived, EntrypointId, Limits, Request, Scratch};

/// A target: takes bytes, comes back, and panics if something that must hold does not.
pub type Target = fn(&[u8]);

/// The targets by name; their seeds lie in `fuzz/seeds/<name>`.
pub const TARGETS: [(&str, Target); 3] = [("rego", rego), ("json", json), ("plan", plan)];

/// Feeds a target, known by its name, with bytes.
///
/// # Panics
///
/// If there is no such target, or something that must hold does not.
pub fn run_target(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|it| it.0 == name).expect("the fuzzer names a target").1;
    target(bytes);
}

const VERSIONS: [RegoVersion; 3] = [RegoVersion::V1, RegoVersion::V0, RegoVersion::V2];

/// An engine for each version, without strict checks and with them; making one takes longer than a run.
static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let engine =
        |version, strict| Engine::new(Options { version, strict, limits: LIMITS, ..Options::default() });
    VERSIONS.iter().flat_map(|it| [engine(*it, false), engine(*it, true)]).collect()
});

/// A budget that ends whatever a made-up policy starts.
const LIMITS: Limits = Limits { steps_max: 20_000, bytes_max: 1 << 20, depth_max: 100 };

/// Parses a module and statements, compiles what parses, and evaluates what compiles.
fn rego(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let version = VERSIONS[usize::from(first % 3)];
    let options = ParseOptions { version, ..ParseOptions::default() };
    let parsed = parse_statements(&String::from_utf8_lossy(text), &options);
    assert!(parsed.tree.is_some() || !parsed.diagnostics.is_empty(), "no tree and no fault");
    let module = parse_module_bytes("fuzz.rego", text, &options);
    if !module.diagnostics.is_empty() {
        assert!(!list_text(&module.diagnostics).is_empty());
        return;
    }
    // Strict mode is a bit of the first byte too.
    let mut engine = ENGINES[usize::from(first % 3) * 2 + usize::from(first >> 6 & 1)].clone();
    engine.add_module("fuzz.rego", text, None);
    match engine.compile() {
        Ok(policy) => {
            if let Ok(query) = policy.prepare("data") {
                let mut out = Vec::new();
                // An error is as good an end as an answer.
                drop(query.decide_json(&mut Session::default(), Input::Json(b"{\"a\":[1]}"), &mut out));
            }
        }
        Err(faults) => assert!(!faults.diagnostics().is_empty(), "refused without a fault"),
    }
}

/// Reads JSON into both homes of values; what is accepted reads again from its own text.
fn json(bytes: &[u8]) {
    let arena = Arena::new();
    let read = lictor_value::json::read(bytes, &arena);
    let document = lictor_value::json::read_document(bytes);
    assert_eq!(read.is_ok(), document.is_ok(), "the two homes disagree");
    let (Ok(value), Ok(document)) = (read, document) else { return };
    assert!(value == document.root(), "the two homes read different values");
    let (mut text, mut again) = (Vec::new(), Vec::new());
    value.write_json(&mut text);
    let second = lictor_value::json::read_document(&text).expect("our own text is JSON");
    second.root().write_json(&mut again);
    assert_eq!(text, again, "a value reads back as another");
}

/// Reads a plan in either form; one that verifies prints as itself and can be run.
fn plan(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let plan = match text.trim_start().starts_with('{') {
        true => opa::import::import(text).ok(),
        false => lictor_plan::parse(text).ok(),
    };
    let Some(plan) = plan.filter(|it| lictor_plan::verify(it).is_ok()) else { return };
    let printed = plan.to_string();
    let again = lictor_plan::parse(&printed).expect("our own text is a plan");
    assert_eq!(printed, again.to_string(), "a plan prints as another");
    run(&plan);
}

fn run(plan: &Plan) {
    let link = |name: &str| lictor_runtime::builtin_named(name).map(|it| it.1.function);
    let Ok(program) = lictor_vm::compile(plan, link) else { return };
    if plan.entrypoints.is_empty() {
        return;
    }
    let data = Document::empty_object();
    let request = Request {
        entrypoint: EntrypointId::first(),
        input: lictor_vm::Input::Undefined,
        data: data.root(),
        derived: Some(&Derived::new(program.functions())),
        host: &lictor_runtime::NullHost,
        limits: LIMITS,
        strict: false,
    };
    // An error is as good an end as an answer.
    drop(Scratch::new().eval(&program, request, |_| ()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn seeds_run_clean() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
        for (name, target) in TARGETS {
            let folder = fs::read_dir(seeds.join(name)).expect("each target has seeds");
            let mut count = 0;
            for entry in folder.flatten() {
                let bytes = fs::read(entry.path()).expect("a seed can be read");
                let outcome = std::panic::catch_unwind(|| target(&bytes));
                assert!(outcome.is_ok(), "{name}: {}", entry.path().display());
                count += 1;
            }
            assert!(count > 0, "{name} has no seeds");
        }
    }
}
