//! The cases of the conformance format and how their files are read.
//!
//! A folder holds JSON or YAML files with a `cases` list, or JSON lines. The Rego version is the name of the
//! folder that a file lies in (`v0`, `v1`). Names of cases repeat, so a case is known by its version,
//! file and place. Cases of the kind `ir` are those of `rego/v1` with a plan beside each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    json::{self, Json},
    yaml,
};

/// A version of the Rego language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Rego as before 1.0.
    V0,
    /// Rego as before 1.0 that must also be valid in 1.0.
    V0CompatV1,
    /// Rego 1.0.
    V1,
}

impl Version {
    /// Returns the name that folders and options use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Version::V0 => "v0",
            Version::V0CompatV1 => "v0-compat-v1",
            Version::V1 => "v1",
        }
    }
}

/// A fault that a parser or compiler reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The file name, `test-0.rego` for the first module of a case.
    pub module: String,
    /// The code, as `rego_parse_error`.
    pub code: String,
    /// The line, from 1; 0 in a wanted fault means any.
    pub row: i64,
    /// The column, from 1; 0 in a wanted fault means any.
    pub col: i64,
    /// The message, without position and code.
    pub message: String,
}

/// An evaluation case.
#[derive(Debug, Clone)]
pub struct EvalCase {
    /// The version that the modules are written in; the query is always v1.
    pub version: Version,
    /// The name, not unique.
    pub note: String,
    /// The conformance file without its ending, then the place in it from 0.
    pub id: String,
    /// The sources, named `test-0.rego`, `test-1.rego` …
    pub modules: Vec<String>,
    /// The query.
    pub query: String,
    /// The base document; absent is an empty one.
    pub data: Option<Json>,
    /// The input; absent is undefined.
    pub input: Option<Json>,
    /// The input as a Rego term; stands instead of `input`.
    pub input_term: Option<String>,
    /// Whether an error of a built-in ends the evaluation.
    pub strict_errors: bool,
    /// What the case wants.
    pub want: Want,
    /// The plan that OPA made of the case, of kind `ir`.
    pub plan: Option<String>,
}

/// The wanted end of an evaluation case.
#[derive(Debug, Clone, Default)]
pub struct Want {
    /// The solutions; `None` if an error is wanted.
    pub results: Option<Vec<Json>>,
    /// The exact code of the wanted error.
    pub error_code: Option<String>,
    /// A part of the wanted error's text.
    pub error_part: Option<String>,
    /// Whether the array bound to each variable is sorted before comparing.
    pub sort_bindings: bool,
    /// Whether variables that the compiler made up are left out.
    pub ignore_generated_vars: bool,
}

/// A case of compiler diagnostics.
#[derive(Debug, Clone)]
pub struct CompileCase {
    /// The version that the modules are written in.
    pub version: Version,
    /// The name, not unique.
    pub note: String,
    /// The conformance file without its ending, then the place in it from 0.
    pub id: String,
    /// The sources, named `test-0.rego`, `test-1.rego` …
    pub modules: Vec<String>,
    /// Whether strict mode is on.
    pub strict: bool,
    /// Whether calls of `print` are kept.
    pub keep_print: bool,
    /// Keywords that are not on by default and are for this case.
    pub keywords: Vec<String>,
    /// The faults that must be reported once each.
    pub want: Vec<Fault>,
    /// Whether nothing else may be reported.
    pub exhaustive: bool,
}

/// A source to parse with what OPA says about it.
#[derive(Debug, Clone)]
pub struct ParseCase {
    /// The name of the entry.
    pub name: String,
    /// The text to parse as statements.
    pub source: String,
    /// What OPA says in each version.
    pub want: Vec<(Version, WantParsed)>,
}

/// What OPA says about a source in one version.
#[derive(Debug, Clone, Default)]
pub struct WantParsed {
    /// The faults; empty if the source is accepted.
    pub faults: Vec<Fault>,
    /// How many statements there are.
    pub statements: usize,
    /// The canonical text of each statement.
    pub printed: Vec<String>,
}

/// Reads the evaluation cases below a folder, in the order of file names.
///
/// # Errors
///
/// Names the file that cannot be read or is not in the format.
pub fn eval_cases(folder: &Path) -> Result<Vec<EvalCase>, String> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        let version = version_of(&path);
        for (place, case) in case_list(&path)?.iter().enumerate() {
            let case = eval_case(case, version, case_id(&path, place));
            cases.push(case.ok_or_else(|| format!("{}: case {place} is malformed", path.display()))?);
        }
    }
    Ok(cases)
}

/// Reads plans and puts each beside its evaluation case, which lies in `../../rego/v1` of the folder.
///
/// # Errors
///
/// Names the file that cannot be read, or whose plans do not pair with the cases.
pub fn ir_cases(folder: &Path) -> Result<Vec<EvalCase>, String> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        let name = path.file_stem().unwrap_or_default();
        let rego = sibling(&path)?.join(name).with_extension("json");
        let plans = case_list(&path)?;
        let sources = case_list(&rego)?;
        if plans.len() != sources.len() {
            return Err(format!("{}: {} plans, {} cases", path.display(), plans.len(), sources.len()));
        }
        for (place, (plan, source)) in plans.iter().zip(&sources).enumerate() {
            let case = eval_case(source, Version::V1, case_id(&path, place));
            let mut case = case.ok_or_else(|| format!("{}: case {place}", rego.display()))?;
            if plan.get("note").and_then(Json::as_str) != Some(case.note.as_str()) {
                return Err(format!("{}: plan {place} is of another case", path.display()));
            }
            case.plan = plan.get("plan").map(ToString::to_string);
            cases.push(case);
        }
    }
    Ok(cases)
}

/// Returns `…/rego/v1` for a plan file `…/ir/v1/x.jsonl`.
fn sibling(path: &Path) -> Result<PathBuf, String> {
    let top = path.ancestors().nth(3).ok_or_else(|| format!("{}: too near the root", path.display()))?;
    Ok(top.join("rego").join("v1"))
}

/// Reads the compiler cases below a folder.
///
/// # Errors
///
/// Names the file that cannot be read or is not in the format.
pub fn compile_cases(folder: &Path) -> Result<Vec<CompileCase>, String> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        for (place, case) in case_list(&path)?.iter().enumerate() {
            cases.push(compile_case(case, case_id(&path, place)));
        }
    }
    Ok(cases)
}

/// Reads the sources to parse, from a file of JSON lines or a folder of such files.
///
/// # Errors
///
/// Names the file that cannot be read or is not in the format.
pub fn parse_cases(folder: &Path) -> Result<Vec<ParseCase>, String> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        for entry in case_list(&path)? {
            let text = |key: &str| entry.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
            let versions = [(Version::V0, "v0"), (Version::V1, "v1")];
            let want = versions
                .into_iter()
                .filter_map(|(version, key)| Some((version, want_parsed(entry.get(key)?))))
                .collect();
            cases.push(ParseCase { name: text("name"), source: text("src"), want });
        }
    }
    Ok(cases)
}

/// Lists the `.json`, `.jsonl` and `.yaml` files below a path, sorted; the path may be such a file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let entries = fs::read_dir(path).map_err(|err| format!("{}: {err}", path.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path
            .extension()
            .is_some_and(|it| ["json", "jsonl", "yaml"].iter().any(|known| it == *known))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads the cases of one file: a `cases` list, or a document a line.
fn case_list(path: &Path) -> Result<Vec<Json>, String> {
    let fault = |err: &dyn std::fmt::Display| format!("{}: {err}", path.display());
    let text = fs::read_to_string(path).map_err(|err| fault(&err))?;
    if path.extension().is_some_and(|it| it == "jsonl") {
        return text.lines().map(|line| json::parse(line).map_err(|err| fault(&err))).collect();
    }
    let is_yaml = path.extension().is_some_and(|it| it == "yaml");
    let document = if is_yaml { yaml::parse(&text) } else { json::parse(&text) };
    let document = document.map_err(|err| fault(&err))?;
    match document.get("cases") {
        Some(Json::Array(cases)) => Ok(cases.clone()),
        _ => Err(fault(&"no list of cases")),
    }
}

fn version_of(path: &Path) -> Version {
    let is_v0 = path.components().rev().any(|it| it.as_os_str() == "v0");
    if is_v0 { Version::V0 } else { Version::V1 }
}

fn case_id(path: &Path, place: usize) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = path.file_stem().unwrap_or_default();
    format!("{}/{}/{place}", folder.to_string_lossy(), name.to_string_lossy())
}

fn text(case: &Json, key: &str) -> Option<String> {
    case.get(key).and_then(Json::as_str).map(str::to_owned)
}

fn flag(case: &Json, key: &str) -> bool {
    case.get(key).and_then(Json::as_bool).unwrap_or(false)
}

fn texts(case: &Json, key: &str) -> Vec<String> {
    let items = case.get(key).and_then(Json::as_array).unwrap_or_default();
    items.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn eval_case(case: &Json, version: Version, id: String) -> Option<EvalCase> {
    let results = case.get("want_result").and_then(Json::as_array).map(<[Json]>::to_vec);
    Some(EvalCase {
        version,
        note: text(case, "note")?,
        id,
        modules: texts(case, "modules"),
        query: text(case, "query")?,
        // Some cases say `null` for no document.
        data: case.get("data").filter(|it| **it != Json::Null).cloned(),
        input: case.get("input").cloned(),
        input_term: text(case, "input_term"),
        strict_errors: flag(case, "strict_error"),
        want: Want {
            results,
            error_code: text(case, "want_error_code"),
            error_part: text(case, "want_error"),
            sort_bindings: flag(case, "sort_bindings"),
            ignore_generated_vars: flag(case, "ignore_generated_vars"),
        },
        plan: None,
    })
}

fn compile_case(case: &Json, id: String) -> CompileCase {
    let version = match case.get("rego_version").and_then(Json::as_str) {
        Some("v0") => Version::V0,
        Some("v0-compat-v1") => Version::V0CompatV1,
        _ => Version::V1,
    };
    let want = case.get("want_errors").and_then(Json::as_array).unwrap_or_default();
    CompileCase {
        version,
        note: text(case, "note").unwrap_or_default(),
        id,
        modules: texts(case, "modules"),
        strict: flag(case, "strict"),
        keep_print: flag(case, "print_statements"),
        keywords: texts(case, "experimental_keywords"),
        want: want.iter().map(|it| fault(it, "test-0.rego")).collect(),
        exhaustive: flag(case, "exhaustive"),
    }
}

fn fault(value: &Json, module: &str) -> Fault {
    let number = |key: &str| value.get(key).and_then(Json::as_i64).unwrap_or(0);
    Fault {
        module: text(value, "module").unwrap_or_else(|| module.to_owned()),
        code: text(value, "code").unwrap_or_default(),
        row: number("row"),
        col: number("col"),
        message: text(value, "message").unwrap_or_default(),
    }
}

fn want_parsed(value: &Json) -> WantParsed {
    let faults = value.get("errors").and_then(Json::as_array).unwrap_or_default();
    let statements = value.get("statements").and_then(Json::as_i64).unwrap_or(0);
    WantParsed {
        faults: faults.iter().map(|it| fault(it, "")).collect(),
        statements: usize::try_from(statements).unwrap_or(0),
        printed: texts(value, "printed"),
    }
}
