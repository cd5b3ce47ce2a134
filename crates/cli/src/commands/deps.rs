//! `lictor deps`: tells which documents a query depends on, those that rules make and those that they do not.
//!
//! The analysis is the engine's and looks at no data; here is only how its answer is shown.

use lictor::{DocumentPath, Engine, Options, PathStep, QueryOptions, Reached};
use lictor_syntax::printer::{is_plain_key, write_quoted};
use lictor_syntax::{ParseOptions, parse_query};

use crate::commands::Failure;
use crate::fault::{self, Fault};
use crate::flags::Parsed;
use crate::load::Loader;
use crate::output::{json, table, write_out};
use crate::setup;
use crate::timers::Timers;

/// What `--help` says first.
pub(crate) const LONG: &str = "Print dependencies of provided query.

Dependencies are categorized as either base documents, which is any data loaded
from the outside world, or virtual documents, i.e values that are computed from rules.";

/// Exit code for faults of the query, the files or the modules.
const FAULT_EXIT: u8 = 1;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    let [query] = flags.arguments.as_slice() else {
        return Err(Failure::Usage("specify exactly one query argument".to_owned()));
    };
    let found = reached(flags, query).map_err(|message| Failure::Text(message, FAULT_EXIT))?;
    let shown = if flags.text("format") == "json" { as_json(&found) } else { as_table(&found).into_bytes() };
    write_out(&shown);
    Ok(0)
}

fn reached(flags: &Parsed, query: &str) -> Result<Reached, String> {
    let text = |faults: &lictor::Faults| fault::list_text(&fault::of_policy(faults), "");
    let version = setup::version(flags);
    let faults = parse_query(query, &ParseOptions { version, ..ParseOptions::default() }).diagnostics;
    let faults: Vec<Fault> = faults.into_iter().filter(|it| !it.recovered).map(Fault::Rego).collect();
    if !faults.is_empty() {
        return Err(fault::list_text(&faults, ""));
    }
    let mut engine = Engine::new(Options { version, ..Options::default() });
    let mut timers = Timers::default();
    let ignore = flags.list("ignore");
    let mut loader = Loader::new(&mut engine, &mut timers).ignoring(&ignore).leaving_deltas();
    loader.load_files(&flags.list("data")).map_err(|it| fault::list_text(&it, " during loading"))?;
    loader.load_bundles(&flags.list("bundle")).map_err(|it| it.text())?;
    let policy = engine.compile().map_err(|it| text(&it))?;
    policy.dependencies(query, &QueryOptions { version, ..QueryOptions::default() }).map_err(|it| text(&it))
}

fn as_table(found: &Reached) -> String {
    let columns = [("BASE DOCUMENTS", &found.base), ("VIRTUAL DOCUMENTS", &found.rules)];
    let columns: Vec<_> = columns.into_iter().filter(|it| !it.1.is_empty()).collect();
    if columns.is_empty() {
        return String::new();
    }
    let header: Vec<String> = columns.iter().map(|it| it.0.to_owned()).collect();
    let height = columns.iter().map(|it| it.1.len()).max().unwrap_or(0);
    let cell = |list: &[DocumentPath], row: usize| list.get(row).map(path_text).unwrap_or_default();
    let rows: Vec<Vec<String>> =
        (0..height).map(|row| columns.iter().map(|it| cell(it.1, row)).collect()).collect();
    table::draw(&header, &rows)
}

fn as_json(found: &Reached) -> Vec<u8> {
    let mut out = b"{".to_vec();
    for (name, list) in [("base", &found.base), ("virtual", &found.rules)] {
        if list.is_empty() {
            continue;
        }
        json::key(name, &mut out);
        out.push(b'[');
        for path in list {
            json::item(&mut out);
            write_path(path, &mut out);
        }
        out.push(b']');
    }
    out.push(b'}');
    json::indented(&out)
}

fn root(path: &DocumentPath) -> &'static str {
    if path.input { "input" } else { "data" }
}

/// Returns a path as Rego writes it.
fn path_text(path: &DocumentPath) -> String {
    let mut out = root(path).to_owned();
    for step in &path.steps {
        match step {
            PathStep::String(key) if is_plain_key(key) => {
                out.push('.');
                out.push_str(key);
            }
            PathStep::String(key) => {
                out.push('[');
                write_quoted(&mut out, key);
                out.push(']');
            }
            PathStep::Number(number) => out.push_str(&format!("[{number}]")),
            PathStep::Bool(value) => out.push_str(&format!("[{value}]")),
            PathStep::Null | PathStep::Unknown(_) => out.push_str("[null]"),
        }
    }
    out
}

/// Writes a path as the list of its terms.
fn write_path(path: &DocumentPath, out: &mut Vec<u8>) {
    out.push(b'[');
    json::term("var", out, |out| json::string(root(path), out));
    for step in &path.steps {
        match step {
            PathStep::String(key) => json::term("string", out, |out| json::string(key, out)),
            PathStep::Number(number) => {
                json::term("number", out, |out| out.extend_from_slice(number.as_bytes()));
            }
            PathStep::Bool(value) => {
                json::term("boolean", out, |out| out.extend_from_slice(value.to_string().as_bytes()));
            }
            PathStep::Null | PathStep::Unknown(_) => {
                json::term("null", out, |out| out.extend_from_slice(b"{}"));
            }
        }
    }
    out.push(b']');
}
