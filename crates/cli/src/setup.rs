//! From flags to a prepared query and its input: what `eval` and `bench` have in common.
//!
//! Faults come in OPA's order: those of loading, of the query's text, of the modules together, of the query among
//! them.

use std::sync::Arc;

use lictor::{
    Capabilities, Diagnostic, Document, Engine, Options, Passes, Policy, Query, QueryOptions, RegoVersion,
    SchemaSet,
};
use lictor_server::{Level, Log, LogFormat};
use lictor_syntax::ast::TermKind;
use lictor_syntax::diagnostics::codes;
use lictor_syntax::{ParseOptions, parse_query, parse_statements, parse_term};

use crate::fault::{self, Fault, Faults};
use crate::flags::Parsed;
use crate::host::fetch_schema;
use crate::load::{Loader, clean, input_document, read_file, read_schemas, read_stdin};
use crate::timers::{MODULE_COMPILE, QUERY_COMPILE, QUERY_PARSE, Timers};
use crate::workers::Threads;

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

/// Refuses what flags of `eval` ask for that is not there yet.
pub(crate) fn refuse_absent(flags: &Parsed) -> Result<(), String> {
    // OPA looks at the first one alone.
    if let Some(unknown) = flags.list("unknowns").into_iter().find(|it| *it != "input") {
        let parsed = parse_term(unknown, &ParseOptions::default());
        match parsed.tree.map(|it| it.kind) {
            Some(TermKind::Ref(_)) => {}
            Some(_) => {
                let message = "illegal argument with --unknowns, specify string with one or more --unknowns";
                return Err(message.to_owned());
            }
            None => {
                let faults: Vec<Fault> = parsed.diagnostics.into_iter().map(Fault::Rego).collect();
                return Err(format!("failed to parse term: {}", fault::list_text(&faults, "")));
            }
        }
    }
    if flags.number("optimize") > 0 {
        return Err("flag -O, --optimize above 0 is not supported by this version of lictor".to_owned());
    }
    refuse_wasm(flags)
}

/// Refuses the target that is not there yet.
pub(crate) fn refuse_wasm(flags: &Parsed) -> Result<(), String> {
    if flags.text("target") == "wasm" {
        return Err("flag -t, --target wasm is not supported by this version of lictor".to_owned());
    }
    Ok(())
}

/// Returns the version of the language that modules and the query are in.
pub(crate) fn version(flags: &Parsed) -> RegoVersion {
    if flags.is_on("v0-compatible") { RegoVersion::V0 } else { RegoVersion::V1 }
}

/// Returns how the flags say to log.
pub(crate) fn log(flags: &Parsed) -> Log {
    let level = match flags.text("log-level") {
        "debug" => Level::Debug,
        "error" => Level::Error,
        _ => Level::Info,
    };
    // The layout is needed until the process ends.
    let layout: &'static str = match flags.text("log-timestamp-format") {
        "" => "",
        given => Box::leak(given.to_owned().into_boxed_str()),
    };
    let format = match flags.text("log-format") {
        "text" => LogFormat::Text,
        "json-pretty" => LogFormat::JsonPretty,
        _ => LogFormat::Json,
    };
    Log { level, format, layout }
}

/// Returns what policies may use, if the command line says it: a release, or a file.
pub(crate) fn capabilities(flags: &Parsed) -> Result<Option<Capabilities>, String> {
    let given = flags.text("capabilities");
    if given.is_empty() {
        return Ok(None);
    }
    let file = read_file(given).ok().and_then(|it| Capabilities::from_json(&it).ok());
    file.or_else(|| Capabilities::of_version(given)).map(Some).ok_or_else(|| {
        format!(
            "invalid argument {given:?} for \"--capabilities\" flag: no such file or capabilities version found: {given}"
        )
    })
}

/// Gives an engine what the command line says that policies may use.
pub(crate) fn limit(flags: &Parsed, engine: &mut Engine) -> Result<(), String> {
    if let Some(given) = capabilities(flags)? {
        engine.set_capabilities(&given).map_err(|err| err.to_string())?;
    }
    Ok(())
}

/// Reads the schemas that the command line names.
pub(crate) fn schemas(flags: &Parsed) -> Result<Arc<SchemaSet>, String> {
    match flags.text("schema") {
        "" => Ok(Arc::new(SchemaSet::default().fetching(Arc::new(fetch_schema)))),
        path => read_schemas(path).map(|it| Arc::new(it.fetching(Arc::new(fetch_schema)))),
    }
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
    flags.list("disable-inlining").into_iter().try_for_each(check_reference)?;
    let mut engine = Engine::new(Options {
        version: version(flags),
        strict: flags.is_on("strict"),
        print: true,
        strict_builtin_errors: flags.is_on("strict-builtin-errors"),
        passes: if flags.is_on("show-builtin-errors") { Passes::NONE } else { Passes::ALL },
        schemas: schemas(flags).map_err(|it| vec![Fault::Text(it)])?,
        workers: Threads::all(),
        ..Options::default()
    });
    limit(flags, &mut engine).map_err(|it| vec![Fault::Text(it)])?;
    load(flags, &mut engine, timers)?;
    if text.is_empty() {
        return Err(vec![Fault::Text("cannot evaluate empty query".to_owned())]);
    }
    let is_empty = timers.time(QUERY_PARSE, || parse(flags, &engine, text))?;
    let policy = compile(&engine, timers)?;
    if is_empty {
        let empty = Diagnostic::unplaced(codes::COMPILE, "empty-query", "empty query cannot be compiled");
        return Err(vec![Fault::Rego(empty)]);
    }
    let options = QueryOptions {
        package: Some(flags.text("package")).filter(|it| !it.is_empty()).map(|it| format!("data.{it}")),
        imports: flags.list("import").into_iter().map(str::to_owned).collect(),
        version: version(flags),
    };
    let query = timers.time(QUERY_COMPILE, || policy.query(text, &options));
    query.map_err(|faults| fault::of_policy(&faults))
}

/// Refuses a path that is none, though nothing asks where it leads.
fn check_reference(text: &str) -> Result<(), Faults> {
    let parsed = parse_term(text, &ParseOptions::default());
    match parsed.tree.map(|it| it.kind) {
        Some(TermKind::Ref(_)) => Ok(()),
        Some(_) => Err(vec![Fault::Text(format!("expected ref but got {text}"))]),
        None => Err(parsed.diagnostics.into_iter().map(Fault::Rego).collect()),
    }
}

/// Finds the faults of the query's text and of what stands around it; says whether the query says nothing.
fn parse(flags: &Parsed, engine: &Engine, text: &str) -> Result<bool, Faults> {
    let options = engine.parse_options(version(flags)).map_err(|it| fault::of_policy(&it))?;
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
        // Without modules only the schema of the input can be at fault, and OPA does not say so.
        let faults = |_| {
            let message = "compiler has errors";
            vec![Fault::Rego(Diagnostic::unplaced("eval_internal_error", "schema", message))]
        };
        Ok(engine.compile().map_err(faults)?)
    } else {
        timers.time(MODULE_COMPILE, || engine.compile())
    };
    let checked = compiled.and_then(|policy| policy.check_data().map(|()| policy));
    checked.map_err(|faults| fault::of_policy(&faults))
}
