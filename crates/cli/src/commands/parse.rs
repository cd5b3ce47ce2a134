//! `lictor parse`: shows the tree of one module, as an outline or as JSON.
//!
//! Both forms are the syntax crate's; here are the file, the faults and what of the tree is asked for. A file that
//! cannot be parsed ends with a list of faults as JSON, whatever the format.

use lictor::Diagnostic;
use lictor_syntax::ast::Module;
use lictor_syntax::outline::module_outline;
use lictor_syntax::tree_json::{TreeOptions, module_json};
use lictor_syntax::{ParseOptions, parse_module_bytes};

use crate::commands::Failure;
use crate::fault::{self, Fault, Faults};
use crate::flags::Parsed;
use crate::load::{clean, read_file};
use crate::output::{json, write_error, write_out};
use crate::setup;

/// Exit code for a file that cannot be parsed or shown.
const FAULT_EXIT: u8 = 1;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    let Some(path) = flags.arguments.first() else {
        return Err(Failure::Usage("no source file specified".to_owned()));
    };
    let options = included(flags.text("json-include"));
    match parse(path, flags).and_then(|module| shown(&module, options, flags)) {
        Ok(text) => {
            write_out(&text);
            Ok(0)
        }
        Err(faults) => {
            let mut out = b"{".to_vec();
            json::key("errors", &mut out);
            fault::write_list(&faults, &mut out);
            out.push(b'}');
            write_error(&json::indented(&out));
            Ok(FAULT_EXIT)
        }
    }
}

/// Reads which optional parts are asked for: names between commas, with a minus before those to leave out.
fn included(text: &str) -> TreeOptions {
    let mut options = TreeOptions::default();
    for part in text.split(',') {
        let wanted = !part.starts_with('-');
        if part.ends_with("locations") {
            options.locations = wanted;
        }
        if part.ends_with("comments") {
            options.comments = wanted;
        }
    }
    options
}

fn parse(path: &str, flags: &Parsed) -> Result<Module, Faults> {
    let text = |message: String| vec![Fault::Text(message)];
    let path = clean(path).map_err(text)?;
    let bytes = read_file(&path).map_err(text)?;
    let options = ParseOptions { version: setup::version(flags), ..ParseOptions::default() };
    let parsed = parse_module_bytes(&path, &bytes, &options);
    match parsed.tree {
        Some(module) if parsed.diagnostics.is_empty() => Ok(module),
        _ => {
            let first = |found: &Diagnostic| !found.recovered;
            Err(parsed.diagnostics.into_iter().filter(first).map(Fault::Rego).collect())
        }
    }
}

fn shown(module: &Module, options: TreeOptions, flags: &Parsed) -> Result<Vec<u8>, Faults> {
    if flags.text("format") != "json" {
        return Ok(module_outline(module, options.comments).into_bytes());
    }
    match module_json(module, options) {
        Ok(text) => Ok(json::indented(text.as_bytes())),
        Err(error) => Err(vec![Fault::Text(error.to_string())]),
    }
}
