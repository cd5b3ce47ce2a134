//! `lictor exec`: takes one decision for each of many input files.
//!
//! Bundles and the path of the decision come from flags or a configuration. What goes wrong with one input is told in
//! its row and the others go on; what makes all decisions impossible is logged.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use lictor::{Document, Engine, Faults, Input, Options, Policy, Query, Session};
use lictor_server::{Field, Level, Log};

use crate::commands::Failure;
use crate::config::{self, Config, ConfiguredBundle};
use crate::fault::{self, Fault};
use crate::flags::Parsed;
use crate::host::{Terminal, fill_random};
use crate::load::{BundleFault, Loader, NamedBundle, clean, go_error, input_document, read_file, read_stdin};
use crate::output::{json, write_out};
use crate::setup;
use crate::timers::Timers;

/// What `--help` says first.
pub(crate) const LONG: &str = "Execute against input files.

The policy decides once for each JSON and YAML file given, and for those in folders given. Which decision is taken
says --decision, or the default_decision of the configuration. Of the configuration (--config-file, --set) the
default decision, bundles in files and keys that verify their signatures are heeded.";

/// Exit code for whatever is no decision.
const FAULT_EXIT: u8 = 1;
/// The path that is decided if nobody says another one.
const DEFAULT_DECISION: &str = "/system/main";
/// What stands for the path of the standard input.
const STDIN: &str = "--stdin-input";
/// Folders in folders are followed so deep.
const DEPTH_MAX: usize = 1_000;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    // What is missing is told before the format of the log is known.
    if flags.arguments.is_empty() && !flags.is_on("stdin-input") {
        let text = "requires at least 1 path arg, or the --stdin-input flag";
        Log::default().write_plain(Level::Error, "Unexpected error.", &[("err", Field::Text(text))]);
        return Ok(FAULT_EXIT);
    }
    let log = setup::log(flags);
    Ok(match exec(flags, log) {
        Ok(()) => 0,
        Err(message) => {
            log.write(Level::Error, "Unexpected error.", &[("err", Field::Text(&message))]);
            FAULT_EXIT
        }
    })
}

fn exec(flags: &Parsed, log: Log) -> Result<(), String> {
    let variable = |name: &str| std::env::var(name).ok();
    let config = config::load(flags, &variable)?;
    let policy = policy(flags, &config, log)?;
    let failing = Failing::of(flags).map_err(|it| format!("exec error: {it}"))?;
    let host = Arc::new(Terminal::logging(flags.time("timeout"), log));
    let decision = match flags.text("decision") {
        "" => config.default_decision.as_deref().unwrap_or(DEFAULT_DECISION),
        given => given,
    };
    let keys: Vec<&str> = decision.split('/').filter(|it| !it.is_empty()).collect();
    let query = policy.prepare_keys(&keys).map_err(|it| format!("exec error: {}", list(&it)))?;
    let mut rows =
        Rows { decision, query, session: Session::new(host.clone()), host, failing, out: Vec::new() };
    rows.all(flags).map_err(|it| format!("exec error: {it}"))?;
    tell(log, &bundles(flags, &config), "Stopping bundle loader.");
    Ok(())
}

fn list(faults: &Faults) -> String {
    fault::list_text(&fault::of_policy(faults), "")
}

/// Loads and compiles the bundles.
fn policy(flags: &Parsed, config: &Config, log: Log) -> Result<Policy, String> {
    let mut engine =
        Engine::new(Options { version: setup::version(flags), print: true, ..Options::default() });
    let mut timers = Timers::default();
    let bundles = bundles(flags, config);
    tell(log, &bundles, "Starting bundle loader.");
    let named: Vec<NamedBundle<'_>> = bundles
        .iter()
        .map(|it| NamedBundle { name: &it.name, path: &it.address, trust: it.trust.clone() })
        .collect();
    let first = named.first().map_or("", |it| it.name);
    let fail = |what: &str, name: &str, message: String| {
        let fields = [("name", Field::Text(name)), ("plugin", Field::Text("bundle"))];
        log.write(Level::Error, &format!("Bundle {what} failed: {message}"), &fields);
        format!("runtime error: Bundle name: {name}, Code: bundle_error, HTTPCode: -1, Message: {message}")
    };
    let loaded = Loader::new(&mut engine, &mut timers).naming_from_root().load_named_bundles(&named);
    loaded.map_err(|fault| match fault {
        BundleFault::Activation(message) | BundleFault::Store(message) => fail("activation", first, message),
        BundleFault::Path(path, message) => {
            let message =
                message.split_once(": stat ").map_or(message.clone(), |it| format!("stat {}", it.1));
            fail("load", name_of(&named, &path), message)
        }
        BundleFault::Load(path, faults) => {
            let message = match faults.as_slice() {
                [Fault::Text(message)] => message.clone(),
                faults => fault::list_text(faults, ""),
            };
            fail("load", name_of(&named, &path), message)
        }
    })?;
    let policy = engine.compile().map_err(|faults| fail("activation", first, list(&faults)))?;
    tell(log, &bundles, "Bundle loaded and activated successfully.");
    Ok(policy)
}

/// Returns the bundles; those of flags have made-up names.
fn bundles(flags: &Parsed, config: &Config) -> Vec<ConfiguredBundle> {
    let mut bundles = config.bundles.clone();
    for (at, path) in flags.list("bundle").into_iter().enumerate() {
        bundles.push(ConfiguredBundle {
            name: format!("~{at}"),
            address: std::path::absolute(path).map_or_else(|_| path.to_owned(), |it| shown(&it)),
            trust: config.trust.clone(),
        });
    }
    bundles
}

fn tell(log: Log, bundles: &[ConfiguredBundle], message: &str) {
    for bundle in bundles {
        let fields = [("name", Field::Text(&bundle.name)), ("plugin", Field::Text("bundle"))];
        log.write(Level::Info, message, &fields);
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn name_of<'n>(named: &[NamedBundle<'n>], path: &str) -> &'n str {
    let is_it = |it: &&NamedBundle<'_>| it.path == path || clean(it.path).is_ok_and(|it| it == path);
    named.iter().find(is_it).or(named.first()).map_or("", |it| it.name)
}

/// Says which results make the command fail.
#[derive(Clone, Copy, Default)]
struct Failing {
    undefined: bool,
    defined: bool,
    non_empty: bool,
    failures: usize,
    errors: usize,
}

impl Failing {
    fn of(flags: &Parsed) -> Result<Self, String> {
        let [undefined, defined, non_empty] =
            ["fail", "fail-defined", "fail-non-empty"].map(|it| flags.is_on(it));
        match (undefined, defined, non_empty) {
            (true, true, _) => Err("specify --fail or --fail-defined but not both".to_owned()),
            (true, _, true) => Err("specify --fail-non-empty or --fail but not both".to_owned()),
            (_, true, true) => Err("specify --fail-non-empty or --fail-defined but not both".to_owned()),
            _ => Ok(Self { undefined, defined, non_empty, ..Self::default() }),
        }
    }

    fn note_result(&mut self, result: &Document) {
        let root = result.root();
        let is_null = root.is_null();
        self.failures += usize::from((self.defined && !is_null) || (self.undefined && is_null));
        let is_empty =
            root.as_array().is_some_and(|it| it.is_empty()) || root.as_set().is_some_and(|it| it.is_empty());
        self.failures += usize::from(self.non_empty && !is_null && !is_empty);
    }

    fn end(self) -> Result<(), String> {
        let flag = match (self.undefined, self.defined, self.non_empty) {
            (true, ..) => "--fail",
            (_, true, _) => "--fail-defined",
            (_, _, true) => "--fail-non-empty",
            _ => return Ok(()),
        };
        let Self { failures, errors, .. } = self;
        if failures == 0 && errors == 0 {
            return Ok(());
        }
        Err(format!(
            "there were {failures} failures and {errors} errors counted in the results list, and {flag} is set"
        ))
    }
}

/// Takes decisions and writes a row for each.
struct Rows<'d> {
    decision: &'d str,
    query: Query,
    session: Session,
    host: Arc<Terminal>,
    failing: Failing,
    out: Vec<u8>,
}

impl Rows<'_> {
    /// Decides for the standard input and all files, then shows the rows.
    fn all(&mut self, flags: &Parsed) -> Result<(), String> {
        self.out.extend_from_slice(b"{\"result\":[");
        if flags.is_on("stdin-input") {
            self.standard_input()?;
        }
        for path in &flags.arguments {
            self.visit(path, 0)?;
        }
        self.out.extend_from_slice(b"]}");
        write_out(&json::indented(&self.out));
        self.failing.end()
    }

    fn standard_input(&mut self) -> Result<(), String> {
        let bytes = read_stdin()?;
        // What stands behind an empty line is left unread.
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().take_while(|it| !it.is_empty()).collect();
        let input = input_document(lines.join("\n").as_bytes())?;
        if input.root().is_null() {
            let message = "cannot execute on empty input; please enter valid json or yaml when using the --stdin-input flag";
            return Err(message.to_owned());
        }
        self.decide(STDIN, &input);
        Ok(())
    }

    fn visit(&mut self, path: &str, depth: usize) -> Result<(), String> {
        let stat = |error: &std::io::Error| format!("lstat {path}: {}", go_error(error));
        let kind = fs::symlink_metadata(path).map_err(|error| stat(&error))?;
        if !kind.is_dir() {
            self.file(path);
            return Ok(());
        }
        if depth >= DEPTH_MAX {
            return Err(format!("{path}: folders are nested deeper than {DEPTH_MAX}"));
        }
        let open = |error: &std::io::Error| format!("open {path}: {}", go_error(error));
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(|error| open(&error))? {
            names.push(entry.map_err(|error| open(&error))?.file_name());
        }
        names.sort();
        names.iter().try_for_each(|name| self.visit(&shown(&Path::new(path).join(name)), depth + 1))
    }

    fn file(&mut self, path: &str) {
        let extension = Path::new(path).extension().and_then(|it| it.to_str()).unwrap_or_default();
        if !matches!(extension, "json" | "yaml" | "yml") {
            return;
        }
        match read_file(path).and_then(|bytes| input_document(&bytes)) {
            Ok(input) => self.decide(path, &input),
            Err(_) => {
                let Failing { undefined, defined, non_empty, .. } = self.failing;
                self.failing.errors += usize::from(undefined || defined || non_empty);
                // OPA tells no more either.
                self.error_row(path, |out| out.extend_from_slice(b"{}"));
            }
        }
    }

    fn decide(&mut self, path: &str, input: &Document) {
        let Failing { undefined, defined, non_empty, .. } = self.failing;
        match self.query.decide_value(&mut self.session, Input::Value(input.root())) {
            Ok(Some(result)) => {
                self.failing.note_result(&result);
                self.result_row(path, &result);
            }
            Ok(None) => {
                self.failing.errors += usize::from(undefined);
                let message = format!("{} decision was undefined", self.decision);
                self.error_row(path, |out| {
                    out.push(b'{');
                    json::key("code", out);
                    json::string("opa_undefined_error", out);
                    json::key("message", out);
                    json::string(&message, out);
                    out.push(b'}');
                });
            }
            Err(error) => {
                self.failing.errors += usize::from(defined || non_empty);
                let error = self.host.explained(error);
                self.error_row(path, |out| fault::write_error(&error, out));
            }
        }
    }

    fn result_row(&mut self, path: &str, result: &Document) {
        let out = &mut self.out;
        json::item(out);
        out.push(b'{');
        json::key("decision_id", out);
        json::string(&decision_id(), out);
        json::key("path", out);
        json::string(path, out);
        json::key("result", out);
        result.root().write_json(out);
        out.push(b'}');
    }

    fn error_row(&mut self, path: &str, write: impl FnOnce(&mut Vec<u8>)) {
        let out = &mut self.out;
        json::item(out);
        out.push(b'{');
        json::key("path", out);
        json::string(path, out);
        json::key("error", out);
        write(out);
        out.push(b'}');
    }
}

/// Returns a random identifier (a UUID of version 4).
fn decision_id() -> String {
    let mut bytes = [0; 16];
    fill_random(&mut bytes);
    let [.., a, _, b, _, _, _, _, _, _, _] = &mut bytes;
    *a = *a & 0x0f | 0x40;
    *b = *b & 0x3f | 0x80;
    let hex: Vec<String> = bytes.iter().map(|it| format!("{it:02x}")).collect();
    let groups: Vec<String> = [0..4, 4..6, 6..8, 8..10, 10..16]
        .into_iter()
        .map(|it| hex.get(it).map(<[String]>::concat).unwrap_or_default())
        .collect();
    groups.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_of_version_4() {
        let id = decision_id();
        assert_eq!(id.len(), 36);
        assert_eq!(id.get(14..15), Some("4"));
        assert!(id.get(19..20).is_some_and(|it| "89ab".contains(it)), "{id}");
    }
}
