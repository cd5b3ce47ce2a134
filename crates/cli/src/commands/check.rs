//! `lictor check`: tells whether modules parse and compile.
//!
//! Where OPA stops at the first fault of a text, the parser goes on; what it finds then is told too.

use lictor::{Diagnostic, Engine, Options, RegoVersion};

use crate::commands::{Failure, leave};
use crate::fault::{self, Fault, Faults};
use crate::flags::Parsed;
use crate::load::{BundleFault, Loader};
use crate::output::{json, write_error};
use crate::setup;
use crate::timers::Timers;
use crate::workers::Threads;

/// Exit code for modules that are at fault.
const FAULT_EXIT: u8 = 1;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    setup::capabilities(flags).map_err(Failure::Usage)?;
    if flags.arguments.is_empty() {
        return Err(Failure::Usage("specify at least one file".to_owned()));
    }
    let Err(found) = check(flags) else {
        return Ok(0);
    };
    if flags.text("format") == "json" {
        let mut out = b"{".to_vec();
        json::key("errors", &mut out);
        fault::write_list(&found.faults, &mut out);
        out.push(b'}');
        write_error(&json::indented(&out));
    } else {
        write_error(format!("{}\n", found.text).as_bytes());
    }
    Ok(FAULT_EXIT)
}

/// Is what `check` tells: as text and as a list.
struct Found {
    text: String,
    faults: Faults,
}

fn check(flags: &Parsed) -> Result<(), Found> {
    let both = flags.is_on("v0-v1") || flags.is_on("rego-v1");
    let schemas = setup::schemas(flags).map_err(of_loading)?;
    let mut engine = Engine::new(Options {
        version: if both { RegoVersion::V0 } else { setup::version(flags) },
        also: both.then_some(RegoVersion::V1),
        schemas,
        strict: flags.is_on("strict"),
        print: true,
        error_limit: usize::try_from(flags.number("max-errors")).unwrap_or(0),
        workers: Threads::all(),
        ..Options::default()
    });
    setup::limit(flags, &mut engine).map_err(of_text)?;
    let mut timers = Timers::default();
    let ignore = flags.list("ignore");
    let paths: Vec<&str> = flags.arguments.iter().map(String::as_str).collect();
    let loader = Loader::new(&mut engine, &mut timers).ignoring(&ignore);
    if flags.is_on("bundle") {
        loader.telling_all().leaving_deltas().load_bundles(&paths).map_err(|fault| of_bundle(&fault))?;
    } else {
        loader
            .checking()
            .load_files(&paths)
            .map_err(|faults| Found { text: fault::list_text(&faults, " during loading"), faults })?;
    }
    let checked = engine.compile().and_then(|policy| {
        let checked = policy.check_data();
        leave(policy);
        checked
    });
    leave(engine);
    match checked {
        Ok(()) => Ok(()),
        Err(faults) => {
            let faults = fault::of_policy(&faults);
            Err(Found { text: with_help(&faults, ""), faults })
        }
    }
}

/// Returns the text of a list, with what we know to do about the faults below it.
fn with_help(faults: &Faults, when: &str) -> String {
    let mut text = fault::list_text(faults, when);
    for fault in faults {
        if let Fault::Rego(Diagnostic { help: Some(help), location, .. }) = fault {
            let place = location.as_ref().map(|it| format!("{}:{}: ", it.file, it.position.row));
            text.push_str(&format!("\nhelp: {}{help}", place.unwrap_or_default()));
        }
    }
    text
}

fn of_loading(message: String) -> Found {
    let faults = vec![Fault::Text(message)];
    Found { text: fault::list_text(&faults, " during loading"), faults }
}

fn of_text(message: String) -> Found {
    let faults = vec![Fault::Text(message)];
    Found { text: fault::list_text(&faults, ""), faults }
}

fn of_bundle(fault: &BundleFault) -> Found {
    Found { text: fault.text(), faults: fault.list() }
}
