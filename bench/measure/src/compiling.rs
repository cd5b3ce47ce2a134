//! How long texts take to become a policy: 100,000 lines in many modules, and 1,000 rules of one package.
//!
//! Apart because the modules are made here, of a shape that policies have, and nothing is decided with them but once,
//! to show that they work. Times are those of the processor, so that a busy machine changes little.

use std::fmt::Write as _;
use std::time::Duration;

use lictor::{Engine, Input, Options, QueryOptions, Session};

use crate::{Outcome, usage};

const LINES: usize = 100_000;
const RULES: usize = 1_000;
const RUNS: usize = 5;

pub(crate) fn measure() -> Outcome {
    let tree = tree();
    let lines: usize = tree.iter().map(|it| it.lines().count()).sum();
    let taken = compile(&tree, "data.app.p0.allow")?;
    println!(
        "{{\"figure\":\"compile lines\",\"lines\":{lines},\"modules\":{},\"ms\":{:.1},\"prepare_ms\":{:.2},\"query_ms\":{:.3}}}",
        tree.len(),
        ms(taken.compile),
        ms(taken.prepare),
        ms(taken.query)
    );
    let taken = compile(&[package_of_rules()], "data.app.allow")?;
    println!(
        "{{\"figure\":\"compile rules\",\"rules\":{RULES},\"ms\":{:.2},\"prepare_ms\":{:.2},\"query_ms\":{:.3}}}",
        ms(taken.compile),
        ms(taken.prepare),
        ms(taken.query)
    );
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Least times: to parse and compile, to prepare an entrypoint then, and to prepare a query that reads no rule.
struct Taken {
    compile: Duration,
    prepare: Duration,
    query: Duration,
}

/// Measures a policy, whose entrypoint must allow.
fn compile(modules: &[String], entrypoint: &str) -> Result<Taken, Box<dyn std::error::Error>> {
    let mut least = Taken { compile: Duration::MAX, prepare: Duration::MAX, query: Duration::MAX };
    for _ in 0..RUNS {
        let start = usage::cpu();
        let mut engine = Engine::new(Options::default());
        for (number, text) in modules.iter().enumerate() {
            engine.add_module(&format!("{number}.rego"), text.as_bytes(), None);
        }
        let policy = engine.compile()?;
        let compiled = usage::cpu();
        let query = policy.prepare(entrypoint)?;
        let prepared = usage::cpu();
        policy.query("x := input.limit + 1; x > 1", &QueryOptions::default())?;
        let queried = usage::cpu();
        let mut out = Vec::new();
        let input = br#"{"method":"GET","path":"/r7","roles":["r7"],"limit":1}"#;
        query.decide_json(&mut Session::default(), Input::Json(input), &mut out)?;
        if out != b"true" {
            return Err(format!("{entrypoint} is {}", String::from_utf8_lossy(&out)).into());
        }
        least.compile = least.compile.min(compiled - start);
        least.prepare = least.prepare.min(prepared - compiled);
        least.query = least.query.min(queried - prepared);
    }
    Ok(least)
}

/// A tree of modules that import each other, of about so many lines.
fn tree() -> Vec<String> {
    let mut modules = Vec::new();
    let mut lines = 0;
    while lines < LINES {
        let number = modules.len();
        let mut text = format!("package app.p{number}\n\n");
        if number > 0 {
            let _ = writeln!(text, "import data.app.p{} as other\n", number - 1);
            text.push_str("chained if other.allow\n\n");
        }
        text.push_str("default allow := false\n\n");
        for rule in 0..40 {
            let _ = write!(
                text,
                "allow if {{\n\tsome role in input.roles\n\trole == \"r{rule}\"\n\tinput.limit < limits[role]\n}}\n\n\
                 limits[\"r{rule}\"] := {rule} + 1\n\n\
                 names contains name if {{\n\tsome item in input.items\n\tname := sprintf(\"%s-{rule}\", [item.name])\n\
                 \tstartswith(name, \"x{rule}\")\n\tnot item.hidden\n}}\n\n\
                 score(x) := y if {{\n\tx > {rule}\n\tx <= {} \n\ty := x * {rule}\n}}\n\n",
                rule + 1
            );
        }
        lines += text.lines().count();
        modules.push(text);
    }
    modules
}

fn package_of_rules() -> String {
    let mut text = "package app\n\ndefault allow := false\n\n".to_owned();
    for rule in 0..RULES {
        let _ = write!(text, "allow if {{\n\tinput.method == \"GET\"\n\tinput.path == \"/r{rule}\"\n}}\n\n");
    }
    text
}
