//! From flags to a prepared query and its input: what `eval` and `bench` have in common.
//!
//! Faults come in OPA's order: those of loading, of the query's text, of the modules together, of the query among
//! them.

use lictor::{Diagnostic, Document, Engine, Options, Policy, Query, QueryOptions, RegoVersion};
use lictor_syntax::diagnostics::codes;
use lictor_syntax::{ParseOptions, parse_query, parse_statements};

use crate::fault::{self, Fault, Faults};
use crate::flags::Parsed;
use crate::load::{Loader, clean, input_document, read_file, read_stdin};
use crate::timers::{MODULE_COMPILE, QUERY_COMPILE, QUERY_PARSE, Timers};

/// Refuses flags that contradict each other.
pub(crate) fn validate(flags: &Parsed) -> Result<(), String> {
    let message = match flags.arguments.len() {
        0 if !flags.is_on("stdin") => "specify query argument or --stdin",
        1.. if flags.is_on("stdin") => "specify query argument or --stdin but not both",
        2.. => "specify at most one query argument",
        _ if flags.is_on("stdin") && flags.is_on("stdin-input") => {
            "specify --stdin or --stdin-input but not both"
        }
        _ if flags.is_on("stdin-input") && !flags.text("input").is_empty() => {
            "specify --stdin-input or --input but not both"
        }
        _ => return Ok(()),
    };
    Err(message.to_owned())
}

/// Returns the version of the language that modules and the query are in.
pub(crate) fn version(flags: &Parsed) -> RegoVersion {
    if flags.is_on("v0-compatible") { RegoVersion::V0 } else { RegoVersion::V1 }
}

/// Returns the text of the query.
pub(crate) fn query_text(flags: &Parsed) -> Result<String, String> {
    if flags.is_on("stdin") {
        let bytes = read_stdin()?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(flags.arguments.first().cloned().unwrap_or_default())
}

/// Returns the input document, if one was given.
pub(crate) fn input(flags: &Parsed) -> Result<Option<Document>, String> {
    let bytes = if flags.is_on("stdin-input") {
        read_stdin()?
    } else if flags.text("input").is_empty() {
        return Ok(None);
    } else {
        read_file(&clean(flags.text("input"))?)?
    };
    input_document(&bytes).map(Some).map_err(|error| format!("unable to parse input: {error}"))
}

/// The fault of a query that is a whole statement of a module.
const NOT_A_BODY: &str = "not-a-query";

/// Loads, compiles and prepares what the flags name.
pub(crate) fn prepare(flags: &Parsed, text: &str, timers: &mut Timers) -> Result<Query, Faults> {
    let mut engine = Engine::new(Options {
        version: version(flags),
        strict: flags.is_on("strict"),
        print: true,
        strict_builtin_errors: flags.is_on("strict-builtin-errors"),
        ..Options::default()
    });
    load(flags, &mut engine, timers)?;
    if text.is_empty() {
        return Err(vec![Fault::Text("cannot evaluate empty query".to_owned())]);
    }
    let is_empty = timers.time(QUERY_PARSE, || parse(flags, text))?;
    let policy = compile(&engine, timers)?;
    if is_empty {
        let empty = Diagnostic::unplaced(codes::COMPILE, "empty-query", "empty query cannot be compiled");
        return Err(vec![Fault::Rego(empty)]);
    }
    let options = QueryOptions {
        package: Some(flags.text("package").to_owned()).filter(|it| !it.is_empty()),
        imports: flags.list("import").into_iter().map(str::to_owned).collect(),
        version: version(flags),
    };
    let query = timers.time(QUERY_COMPILE, || policy.query(text, &options));
    query.map_err(|faults| fault::of_policy(&faults))
}

/// Finds the faults of the query's text and of what stands around it; says whether the query says nothing.
fn parse(flags: &Parsed, text: &str) -> Result<bool, Faults> {
    let options = ParseOptions { version: version(flags), ..ParseOptions::default() };
    let package = Some(flags.text("package")).filter(|it| !it.is_empty()).map(|it| format!("package {it}"));
    let imports = flags.list("import").into_iter().map(|it| format!("import {it}"));
    for statement in package.into_iter().chain(imports) {
        refuse(parse_statements(&statement, &options).diagnostics)?;
    }
    let parsed = parse_query(text, &options);
    refuse(parsed.diagnostics)?;
    Ok(parsed.tree.is_none_or(|it| it.is_empty()))
}

/// Returns the faults that OPA would tell; one of them has no code there.
fn refuse(diagnostics: Vec<Diagnostic>) -> Result<(), Faults> {
    let told: Faults = diagnostics
        .into_iter()
        .filter(|it| !it.recovered)
        .map(|it| if it.name == NOT_A_BODY { Fault::Text(it.message) } else { Fault::Rego(it) })
        .collect();
    if told.is_empty() { Ok(()) } else { Err(told) }
}

fn load(flags: &Parsed, engine: &mut Engine, timers: &mut Timers) -> Result<(), Faults> {
    let ignore = flags.list("ignore");
    let (data, bundles) = (flags.list("data"), flags.list("bundle"));
    let mut loader = Loader::new(engine, timers).ignoring(&ignore);
    if !data.is_empty() {
        loader.load_files(&data)?;
    }
    if !bundles.is_empty() {
        loader.load_bundles(&bundles).map_err(|fault| vec![fault.while_loading()])?;
    }
    Ok(())
}

fn compile(engine: &Engine, timers: &mut Timers) -> Result<Policy, Faults> {
    let compiled = if engine.modules().is_empty() {
        engine.compile()
    } else {
        timers.time(MODULE_COMPILE, || engine.compile())
    };
    let checked = compiled.and_then(|policy| policy.check_data().map(|()| policy));
    checked.map_err(|faults| fault::of_policy(&faults))
}
