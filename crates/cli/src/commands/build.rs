//! `lictor build`: makes one bundle of files, folders and bundles.
//!
//! It reads flags, asks the loaders, compiles what was loaded and writes an archive; what goes into it and where is
//! `draft`'s. Nothing is written when anything is at fault.

use std::fs;
use std::path::Path;

use lictor::{AnnotationSet, Document, Engine, Options, Policy};
use lictor_bundle::{Layout, SnapshotSource, SnapshotWriter, Trust, write_archive};
use lictor_syntax::ast::Module;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::aside::Aside;
use crate::commands::Failure;
use crate::draft::Draft;
use crate::fault;
use crate::flags::Parsed;
use crate::load::{BundleFault, Collected, Loader, go_error};
use crate::output::contents::{Key, path_of};
use crate::output::{error_line, write_out};
use crate::setup;
use crate::signing;
use crate::timers::Timers;

/// What `--help` says first.
pub(crate) const LONG: &str = "Build a bundle.

Modules and data of the paths given are checked together and written as one bundle: modules formatted, data as one
document, a manifest. Paths are files and folders, or with --bundle folders and archives that are bundles; their
manifests are kept, merged if there are several, and must not own the same.

With --target plan the bundle also holds OPA's plan JSON, with a plan for each entrypoint: those of --entrypoint, those
that metadata names, and unless --prune-unused is given the documents that depend on them.

With --target snapshot the result is no archive but a file (bundle.snapshot) that is mapped instead of read: it loads in
milliseconds, whatever its size, and processes share it. It is given wherever bundles are. With --bundle and one path the
data goes to the file while it is read, so that it may be larger than the memory. Snapshots are of this machine's making:
they are neither signed nor meant to be sent.

Bundles that are signed are verified with --verification-key, and refused without one. With --signing-key the bundle is
signed. The same input gives the same bytes.";

/// The name of what is built, unless the command line says another.
const DEFAULT_OUTPUT: &str = "bundle.tar.gz";
/// Exit code for whatever cannot be built.
const FAULT_EXIT: u8 = 1;

/// Are the names and keys of what plans are made for.
type Entrypoints = Vec<(String, Vec<String>)>;

/// What stays as it is in the names that are not the user's own.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    setup::capabilities(flags).map_err(Failure::Usage)?;
    if flags.arguments.is_empty() {
        return Err(Failure::Usage("expected at least one path".to_owned()));
    }
    if let Err(message) = build(flags) {
        // OPA tells it there too.
        write_out(format!("error: {message}\n").as_bytes());
        return Ok(FAULT_EXIT);
    }
    Ok(0)
}

fn build(flags: &Parsed) -> Result<(), String> {
    let verification = signing::verification(flags)?;
    let signing = signing::signing(flags)?;
    if !flags.is_on("bundle") {
        if verification.is_some() || signing.is_some() {
            let message = "enable bundle mode (ie. --bundle) to verify or sign bundle files or directories";
            return Err(message.to_owned());
        }
        warn_of_manifests(flags);
    }
    refuse_absent(flags)?;
    let mut engine =
        Engine::new(Options { version: setup::version(flags), print: true, ..Options::default() });
    setup::limit(flags, &mut engine)?;
    let mut snapshot =
        (flags.text("target") == "snapshot").then(|| SnapshotDraft::create(flags)).transpose()?;
    if snapshot.is_some() && signing.is_some() {
        return Err("snapshots are not signed".to_owned());
    }
    let mut draft = load(flags, &mut engine, signing::trust(verification), snapshot.as_mut())?;
    let entrypoints = entrypoints(flags, &engine)?;
    let is_plan = flags.text("target") == "plan";
    if is_plan && entrypoints.is_empty() {
        return Err("plan compilation requires at least one entrypoint".to_owned());
    }
    let policy = engine.compile().map_err(|it| list(&it))?;
    if is_plan {
        draft.add_plan(plan(flags, &policy, entrypoints)?);
    }
    if let Some(revision) = flags.list("revision").last() {
        draft.set_revision(revision);
    }
    draft.format(setup::capabilities(flags)?.as_ref())?;
    if flags.is_on("debug") {
        error_line(&format!("debug: {}", draft.summary()));
    }
    if let Some(snapshot) = snapshot {
        return snapshot.finish(&draft, &policy.document());
    }
    // The key of the command line signs under the name of the one that verifies, unless claims say all.
    let signing = signing.map(|mut it| {
        if it.claims.is_none() {
            flags.text("verification-key-id").clone_into(&mut it.key_id);
        }
        it
    });
    let mut archive = Vec::new();
    let members = draft.members(policy.data(), signing.as_ref())?;
    write_archive(&members, &mut archive).map_err(|error| go_error(&error))?;
    let path = flags.text("output");
    fs::write(path, archive).map_err(|error| format!("open {path}: {}", go_error(&error)))
}

fn list(faults: &lictor::Faults) -> String {
    fault::list_text(&fault::of_policy(faults), "")
}

fn refuse_absent(flags: &Parsed) -> Result<(), String> {
    let target = flags.text("target");
    if flags.text("format") == "proto" {
        return Err(match target {
            "plan" => "flag --format proto is not supported by this version of lictor".to_owned(),
            _ => "plan format \"proto\" is only valid with target \"plan\"".to_owned(),
        });
    }
    if flags.number("optimize") > 0 {
        return Err("flag -O, --optimize above 0 is not supported by this version of lictor".to_owned());
    }
    setup::refuse_wasm(flags)
}

fn warn_of_manifests(flags: &Parsed) {
    for path in &flags.arguments {
        let is_there = |name: &&str| Path::new(path).join(name).exists();
        if let Some(name) = [".manifest", ".manifest.pb"].iter().find(|it| is_there(it)) {
            error_line(&format!(
                "Warning: {name} file found in {path:?} but -b flag not specified. Manifest will be ignored."
            ));
        }
    }
}

/// Is a snapshot that is being written.
struct SnapshotDraft {
    aside: Aside,
    path: String,
    writer: SnapshotWriter,
    /// Where the data is, once it was written while it was read.
    layout: Option<Layout>,
}

impl SnapshotDraft {
    fn create(flags: &Parsed) -> Result<Self, String> {
        let path = match flags.text("output") {
            DEFAULT_OUTPUT => "bundle.snapshot",
            path => path,
        };
        let text = |error: std::io::Error| format!("open {path}: {}", go_error(&error));
        let aside = Aside::create(path).map_err(text)?;
        let writer = SnapshotWriter::new(aside.file().map_err(text)?);
        Ok(Self { aside, path: path.to_owned(), writer, layout: None })
    }

    /// Loads one bundle, whose data goes to the file.
    fn load(&mut self, mut loader: Loader<'_>, path: &str) -> Result<Vec<Collected>, BundleFault> {
        let (collected, layout) = loader.collect_into(path, &mut self.writer)?;
        self.layout = layout;
        Ok(collected)
    }

    fn finish(mut self, draft: &Draft, data: &Document) -> Result<(), String> {
        let members = draft.policy_members()?;
        let mut policy = Vec::new();
        let path = self.path;
        let text = |error: std::io::Error| format!("write {path}: {}", go_error(&error));
        write_archive(&members, &mut policy).map_err(text)?;
        let layout = match self.layout {
            Some(layout) => layout,
            None => self.writer.write(data).map_err(text)?,
        };
        self.writer.finish(&layout, &policy, &SnapshotSource::default()).map_err(text)?;
        self.aside.commit().map_err(text)
    }
}

fn load(
    flags: &Parsed,
    engine: &mut Engine,
    trust: Trust,
    snapshot: Option<&mut SnapshotDraft>,
) -> Result<Draft, String> {
    let mut ignore = flags.list("ignore");
    let mut paths: Vec<&str> = flags.arguments.iter().map(String::as_str).collect();
    let version = if flags.is_on("v0-compatible") { 0 } else { 1 };
    let mut timers = Timers::default();
    if flags.is_on("bundle") {
        paths.sort_unstable();
        paths.dedup();
        let loader = Loader::new(engine, &mut timers).ignoring(&ignore).trusting(trust);
        let mut loader = loader.following_links(flags.is_on("follow-symlinks"));
        let collected = match (snapshot, paths.as_slice()) {
            (Some(snapshot), [path]) => snapshot.load(loader, path),
            _ => loader.collect_bundles(&paths),
        };
        let collected = collected.map_err(|it| format!("load error: {}", it.text()))?;
        return Draft::of_bundles(collected, version).map_err(|it| format!("bundle merge failed: {it}"));
    }
    // OPA reads archives that are given by name and leaves them out of what it builds.
    if let Some(path) = paths.iter().find(|it| it.ends_with(".tar.gz")) {
        return Err(format!("load error: {path} is a bundle: enable bundle mode (ie. --bundle)"));
    }
    ignore.push("*.tar.gz");
    let mut loader = Loader::new(engine, &mut timers).ignoring(&ignore);
    let during = " during loading";
    loader.load_files(&paths).map_err(|it| format!("load error: {}", fault::list_text(&it, during)))?;
    Ok(Draft::of_modules(engine.modules(), version))
}

/// Returns the entrypoints of the command line, then those that metadata names.
fn entrypoints(flags: &Parsed, engine: &Engine) -> Result<Entrypoints, String> {
    let mut found: Entrypoints = Vec::new();
    let mut add = |name: String, keys: Vec<String>| {
        if !found.iter().any(|it| it.1 == keys) {
            found.push((name, keys));
        }
    };
    for path in flags.list("entrypoint") {
        let keys = path.split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect();
        add(path.to_owned(), keys);
    }
    let modules: Vec<&Module> = engine.modules().iter().collect();
    let (annotations, faults) = AnnotationSet::build(&modules);
    if !faults.is_empty() {
        let faults: Vec<_> = faults.into_iter().map(fault::Fault::Rego).collect();
        return Err(fault::list_text(&faults, ""));
    }
    let is_one = |scope: &str| matches!(scope, "package" | "document");
    let mut named: Vec<Vec<String>> = Vec::new();
    for block in annotations.blocks() {
        if !block.annotation.entrypoint || !is_one(&block.annotation.scope) {
            continue;
        }
        let name = |key: Key| match key {
            Key::Text(text) => Some(text),
            _ => None,
        };
        named.extend(path_of(block).into_iter().map(name).collect::<Option<Vec<String>>>());
    }
    named.sort();
    named.into_iter().for_each(|keys| add(name_of(&keys), keys));
    Ok(found)
}

/// Returns OPA's plan JSON of the entrypoints and what depends on them.
fn plan(flags: &Parsed, policy: &Policy, mut entrypoints: Entrypoints) -> Result<String, String> {
    if !flags.is_on("prune-unused") {
        let keys: Vec<Vec<String>> = entrypoints.iter().map(|it| it.1.clone()).collect();
        entrypoints.extend(policy.dependents(&keys).into_iter().map(|keys| (name_of(&keys), keys)));
    }
    policy.plan_json(&entrypoints).map_err(|faults| match faults.diagnostics() {
        [only] if only.name == "unknown-entrypoint" => only.message.clone(),
        _ => list(&faults),
    })
}

/// Returns the name of an entrypoint that the user did not name.
fn name_of(keys: &[String]) -> String {
    let parts: Vec<String> = keys.iter().map(|it| utf8_percent_encode(it, PLAIN).to_string()).collect();
    parts.join("/")
}
