//! `lictor deps`: tells which documents a query depends on, those that rules make and those that they do not.
//!
//! The analysis is the engine's and looks at no data; here is only how its answer is shown.

use lictor::{DocumentPath, Engine, Options, PathStep, QueryOptions, Reached};
use lictor_syntax::printer::{is_plain_key, write_quoted};
use lictor_syntax::{ParseOptions, parse_query};

use crate::commands::Failure;
use crate::external;
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
    let lists = found.lists();
    let shown = if flags.text("format") == "json" { as_json(&lists) } else { as_table(&lists).into_bytes() };
    write_out(&shown);
    Ok(0)
}

/// What a query depends on.
struct Found {
    reached: Reached,
    /// Base documents that somebody else keeps.
    external: Vec<DocumentPath>,
}

/// A list of documents with its names as JSON and in the table.
type List<'f> = (&'static str, &'static str, &'f [DocumentPath]);

impl Found {
    fn lists(&self) -> Vec<List<'_>> {
        let lists: [List<'_>; 3] = [
            ("base", "BASE DOCUMENTS", &self.reached.base),
            ("external", "EXTERNAL DOCUMENTS", &self.external),
            ("virtual", "VIRTUAL DOCUMENTS", &self.reached.rules),
        ];
        lists.into_iter().filter(|it| !it.2.is_empty()).collect()
    }
}

/// Says whether a path leads to what somebody else keeps, or through it.
fn is_external(path: &DocumentPath, mounted: &[Vec<String>]) -> bool {
    let leads = |keys: &Vec<String>| {
        let same = |(step, key): (&PathStep, &String)| matches!(step, PathStep::String(it) if **it == **key);
        path.steps.iter().zip(keys).all(same)
    };
    !path.input && mounted.iter().any(leads)
}

fn reached(flags: &Parsed, query: &str) -> Result<Found, String> {
    let text = |faults: &lictor::Faults| fault::list_text(&fault::of_policy(faults), "");
    let version = setup::version(flags);
    let faults = parse_query(query, &ParseOptions { version, ..ParseOptions::default() }).diagnostics;
    let faults: Vec<Fault> = faults.into_iter().filter(|it| !it.recovered).map(Fault::Rego).collect();
    if !faults.is_empty() {
        return Err(fault::list_text(&faults, ""));
    }
    let mut engine = Engine::new(Options { version, ..Options::default() });
    let mounted = external::mount(flags, &mut engine)?;
    let mut timers = Timers::default();
    let ignore = flags.list("ignore");
    let mut loader = Loader::new(&mut engine, &mut timers).ignoring(&ignore).leaving_deltas();
    loader.load_files(&flags.list("data")).map_err(|it| fault::list_text(&it, " during loading"))?;
    loader.load_bundles(&flags.list("bundle")).map_err(|it| it.text())?;
    let policy = engine.compile().map_err(|it| text(&it))?;
    let options = QueryOptions { version, ..QueryOptions::default() };
    let mut reached = policy.dependencies(query, &options).map_err(|it| text(&it))?;
    let (external, base) =
        std::mem::take(&mut reached.base).into_iter().partition(|it| is_external(it, &mounted));
    Ok(Found { reached: Reached { base, ..reached }, external })
}

fn as_table(columns: &[List<'_>]) -> String {
    if columns.is_empty() {
        return String::new();
    }
    let header: Vec<String> = columns.iter().map(|it| it.1.to_owned()).collect();
    let height = columns.iter().map(|it| it.2.len()).max().unwrap_or(0);
    let cell = |list: &[DocumentPath], row: usize| list.get(row).map(path_text).unwrap_or_default();
    let rows: Vec<Vec<String>> =
        (0..height).map(|row| columns.iter().map(|it| cell(it.2, row)).collect()).collect();
    table::draw(&header, &rows)
}

fn as_json(lists: &[List<'_>]) -> Vec<u8> {
    let mut out = b"{".to_vec();
    for (name, _, list) in lists {
        json::key(name, &mut out);
        out.push(b'[');
        for path in *list {
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
