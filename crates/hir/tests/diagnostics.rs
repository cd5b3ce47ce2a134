//! Runs `corpus/diagnostics`: policies with the faults that the front end must find, and no others.
//!
//! A file holds one policy. `# file: NAME` starts another module, `# options: v0 strict print` at the top says how it
//! is checked. A fault stands below its line: `# ^ type error: TEXT` with the caret in its column, or
//! `# column 1: type error: TEXT` where the comment has no room for a caret; `# nowhere: …` has no place at all. Line
//! breaks in messages are written `\n`.

use std::{fs, path::Path};

use lictor_hir::{Capabilities, Flags, Options, lower};
use lictor_syntax::{Diagnostic, ParseOptions, ast::RegoVersion, diagnostics::codes, parse_module};

/// The built-ins that the corpus calls.
const BUILTINS: &[(&str, &str)] = &[
    ("and", "set[any], set[any] -> set[any]"),
    ("any", "[any*]/set[any] -> bool"),
    ("assign", "any, any -> bool"),
    ("concat", "str, [str*]/set[str] -> str"),
    ("count", "str/[any*]/{any:any}/set[any] -> num"),
    ("div", "num, num -> num"),
    ("eq", "any, any -> bool"),
    ("equal", "any, any -> bool"),
    ("gt", "any, any -> bool"),
    ("gte", "any, any -> bool"),
    ("internal.member_2", "any, any -> bool"),
    ("internal.member_3", "any, any, any -> bool"),
    ("internal.print", "[set[any]*] -> -"),
    ("internal.template_string", "[any*] -> str"),
    ("json.marshal", "any -> str"),
    ("lower", "str -> str"),
    ("lt", "any, any -> bool"),
    ("lte", "any, any -> bool"),
    ("max", "[any*]/set[any] -> any"),
    ("minus", "num/set[any], num/set[any] -> num/set[any]"),
    ("mul", "num, num -> num"),
    ("neq", "any, any -> bool"),
    ("or", "set[any], set[any] -> set[any]"),
    ("plus", "num, num -> num"),
    ("print", "any... -> -"),
    ("rem", "num, num -> num"),
    ("split", "str, str -> [str*]"),
    ("startswith", "str, str -> bool"),
    ("trim_space", "str -> str"),
    ("upper", "str -> str"),
    ("walk", "any -> [[any*],any]"),
];

const ABSENT: &[&str] = &["http.send"];

#[expect(clippy::unwrap_used, reason = "a fault in this file's table fails the test")]
fn capabilities() -> Capabilities {
    let rows = BUILTINS.iter().map(|(name, declaration)| {
        (*name, *declaration, Flags { deprecated: *name == "any", relation: *name == "walk", impure: false })
    });
    Capabilities::from_declarations(rows).unwrap()
}

/// One module of a case with the faults it wants, as `row:col: text`.
#[derive(Default)]
struct Module {
    name: String,
    text: String,
    wanted: Vec<String>,
}

struct Case {
    options: Vec<String>,
    modules: Vec<Module>,
}

fn read_case(text: &str) -> Case {
    let mut options = Vec::new();
    let mut modules = vec![Module { name: "p.rego".to_owned(), ..Module::default() }];
    let mut row = 0;
    for line in text.lines() {
        if let Some(list) = line.strip_prefix("# options: ") {
            options.extend(list.split(' ').map(str::to_owned));
            continue;
        }
        if let Some(name) = line.strip_prefix("# file: ") {
            if modules.last().is_some_and(|it| it.text.is_empty()) {
                modules.pop();
            }
            modules.push(Module { name: name.to_owned(), ..Module::default() });
            row = 0;
            continue;
        }
        let Some(module) = modules.last_mut() else { continue };
        if let Some(wanted) = read_fault(line, row) {
            module.wanted.push(wanted);
            continue;
        }
        module.text.push_str(line);
        module.text.push('\n');
        row += 1;
    }
    Case { options, modules }
}

fn read_fault(line: &str, row: u32) -> Option<String> {
    let rest = line.strip_prefix('#')?;
    let blank = rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    if let Some(message) = rest.strip_prefix("nowhere: ") {
        return Some(message.to_owned());
    }
    if let Some(message) = rest.strip_prefix("column ") {
        let (col, message) = message.split_once(": ")?;
        return Some(format!("{row}:{col}: {message}"));
    }
    let message = rest.strip_prefix('^')?.trim_start_matches('^').trim_start();
    Some(format!("{row}:{}: {message}", blank + 2))
}

fn shown(fault: &Diagnostic) -> String {
    let code = match fault.code {
        codes::COMPILE => "compile",
        codes::TYPE => "type",
        codes::UNSAFE_VAR => "unsafe-var",
        codes::RECURSION => "recursion",
        other => other,
    };
    let message = fault.message.replace('\n', "\\n");
    match &fault.location {
        Some(at) => format!("{}:{}: {code} error: {message}", at.position.row, at.position.col),
        None => format!("{code} error: {message}"),
    }
}

/// Returns what is wrong with a case, if anything.
fn run(case: &Case, capabilities: &Capabilities) -> Result<(), String> {
    let has = |name: &str| case.options.iter().any(|it| it == name);
    let version = if has("v0") { RegoVersion::V0 } else { RegoVersion::V1 };
    let parse = ParseOptions { version, ..ParseOptions::default() };
    let mut modules = Vec::new();
    for module in &case.modules {
        let parsed = parse_module(&module.name, &module.text, &parse);
        if let Some(fault) = parsed.diagnostics.first() {
            return Err(format!("does not parse: {fault}"));
        }
        modules.extend(parsed.tree);
    }
    let options = Options {
        capabilities,
        absent: ABSENT,
        strict: has("strict"),
        print: has("print"),
        error_limit: 10,
        test_cases: false,
        schemas: None,
        unsafe_builtins: &[],
        workers: None,
        lenient: false,
    };
    let found = lower(&std::sync::Arc::new(lictor_hir::Modules(modules)), &options).diagnostics;
    let mut problems = String::new();
    for module in &case.modules {
        let is_here = |it: &&Diagnostic| it.location.as_ref().is_none_or(|at| *at.file == *module.name);
        let mut have: Vec<String> = found.iter().filter(is_here).map(shown).collect();
        have.sort();
        let mut want = module.wanted.clone();
        want.sort();
        if have != want {
            let (have, want) = (have.join("\n  "), want.join("\n  "));
            problems.push_str(&format!("\n{}: found\n  {have}\nwanted\n  {want}", module.name));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

#[test]
fn the_corpus_of_faults() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/diagnostics");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 50, "only {} cases", files.len());
    let capabilities = capabilities();
    let mut failed = Vec::new();
    for file in &files {
        let case = read_case(&fs::read_to_string(file).unwrap());
        if let Err(problem) = run(&case, &capabilities) {
            failed.push(format!("{}: {problem}", file.display()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
