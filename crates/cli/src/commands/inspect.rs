//! `lictor inspect`: tells what is in a bundle or a file: packages, data, metadata, what it needs, and what entrypoints
//! read.
//!
//! It loads and asks; the layout is in `output::contents`. Nothing is evaluated.

use std::collections::BTreeMap;
use std::fs;

use lictor::{AnnotationSet, Engine, Options, Passes, Placed, RegoVersion};
use lictor_bundle::Bundle;
use lictor_syntax::ast::Module;
use lictor_syntax::printer::package_text;

use crate::commands::Failure;
use crate::external;
use crate::fault;
use crate::flags::Parsed;
use crate::load::{Loader, join, version_numbered};
use crate::output::contents::{self, Contents};
use crate::output::{error_line, memory, write_out};
use crate::setup;
use crate::timers::Timers;

/// What `--help` says first.
pub(crate) const LONG: &str = "Inspect a bundle, a folder that is one, or a single Rego file.

It lists packages with their files, places of data, the manifest, signatures, WebAssembly modules and, with
--annotations, metadata of packages and rules. As JSON it also tells which built-ins and features are needed. With
--reads it tells which parts of input and data an entrypoint can read.

With --memory it loads paths, bundles and files, and tells nothing but what they take in memory: documents below data
(two levels where one takes most) and packages (their text, and their rules compiled once for all entrypoints).";

/// Exit code for what cannot be read or compiled.
const FAULT_EXIT: u8 = 1;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    if flags.is_on("memory") {
        if flags.arguments.is_empty() {
            return Err(Failure::Usage("specify at least one OPA bundle or path".to_owned()));
        }
        return Ok(tell(memory(flags)));
    }
    let [path] = flags.arguments.as_slice() else {
        return Err(Failure::Usage("specify exactly one OPA bundle or path".to_owned()));
    };
    Ok(tell(inspect(flags, path)))
}

fn tell(shown: Result<Vec<u8>, String>) -> u8 {
    match shown {
        Ok(shown) => {
            write_out(&shown);
            0
        }
        Err(message) => {
            error_line(&format!("error: {message}"));
            FAULT_EXIT
        }
    }
}

/// Loads what is named as a server would, and weighs it.
fn memory(flags: &Parsed) -> Result<Vec<u8>, String> {
    let mut engine = Engine::new(Options { version: setup::version(flags), ..Options::default() });
    let mut timers = Timers::default();
    let mut loader = Loader::new(&mut engine, &mut timers);
    let is_bundle = |path: &&str| path.ends_with(".tar.gz") || fs::metadata(path).is_ok_and(|it| it.is_dir());
    let (bundles, files): (Vec<&str>, Vec<&str>) =
        flags.arguments.iter().map(String::as_str).partition(is_bundle);
    loader.load_files(&files).map_err(|faults| fault::list_text(&faults, " during loading"))?;
    loader.load_bundles(&bundles).map_err(|it| it.text())?;
    let list = |faults: &lictor::Faults| fault::list_text(&fault::of_policy(faults), "");
    let policy = engine.compile().map_err(|it| list(&it))?;
    policy.prepare("data").map_err(|it| list(&it))?;
    let report = policy.memory();
    Ok(if flags.text("format") == "json" { memory::as_json(&report) } else { memory::as_text(&report) })
}

fn inspect(flags: &Parsed, path: &str) -> Result<Vec<u8>, String> {
    let mut engine =
        Engine::new(Options { version: setup::version(flags), passes: Passes::NONE, ..Options::default() });
    external::mount(flags, &mut engine)?;
    let bundle = if path.ends_with(".rego") {
        let mut timers = Timers::default();
        let loaded = Loader::new(&mut engine, &mut timers).load_files(&[path]);
        loaded.map_err(|faults| fault::list_text(&faults, " during loading"))?;
        None
    } else {
        Some(read(&mut engine, path)?)
    };
    let list = |faults: &lictor::Faults| fault::list_text(&fault::of_policy(faults), "");
    let modules: Vec<&Module> = engine.modules().iter().collect();
    let (annotations, faults) = AnnotationSet::build(&modules);
    if !faults.is_empty() {
        let faults: Vec<_> = faults.into_iter().map(fault::Fault::Rego).collect();
        return Err(fault::list_text(&faults, ""));
    }
    let requirements = engine.requirements().map_err(|it| list(&it))?;
    let mut reads = Vec::new();
    if !flags.list("reads").is_empty() {
        let policy = engine.compile().map_err(|it| list(&it))?;
        for entrypoint in flags.list("reads") {
            let query = policy.prepare(entrypoint).map_err(|it| list(&it))?;
            reads.push((entrypoint.to_owned(), query));
        }
    }
    let contents = Contents {
        namespaces: namespaces(&modules, bundle.as_ref(), folder(path)),
        bundle: bundle.as_ref(),
        annotations: if flags.is_on("annotations") { sorted(&annotations) } else { Vec::new() },
        requirements,
        reads,
    };
    Ok(if flags.text("format") == "json" {
        contents::as_json(&contents)
    } else {
        contents::as_text(&contents)
    })
}

/// Reads a bundle and adds its modules.
fn read(engine: &mut Engine, path: &str) -> Result<Bundle, String> {
    let mut timers = Timers::default();
    let bundle = Loader::new(engine, &mut timers).read_bundle(path).map_err(|it| it.text())?;
    let mut faults = Vec::new();
    for module in &bundle.modules {
        let version: Option<RegoVersion> =
            bundle.manifest.version_of(&module.path).and_then(version_numbered);
        let found = engine.add_module(tidy(&module.name), &module.bytes, version);
        let told = found.iter().filter(|it| !it.recovered).cloned().map(fault::Fault::Rego);
        if faults.is_empty() {
            faults.extend(told);
        }
    }
    if faults.is_empty() {
        Ok(bundle)
    } else {
        Err(format!("bundle {path}: {}", fault::list_text(&faults, "")))
    }
}

fn tidy(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

/// Returns the folder whose files are listed with its name, empty for an archive.
fn folder(path: &str) -> &str {
    if fs::metadata(path).is_ok_and(|it| it.is_dir()) { path } else { "" }
}

/// Returns the files that each package and each place of data comes from.
fn namespaces(modules: &[&Module], bundle: Option<&Bundle>, folder: &str) -> BTreeMap<String, Vec<String>> {
    let mut namespaces: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |path: String, file: &str| namespaces.entry(path).or_default().push(tidy(file).to_owned());
    for module in modules {
        let package = package_text(&module.package);
        let package = package.strip_prefix("package ").unwrap_or(&package);
        add(format!("data.{package}"), module.source.name());
    }
    for file in bundle.iter().flat_map(|it| &it.data) {
        let path: Vec<&str> = file.path.iter().map(String::as_str).collect();
        let name = if folder.is_empty() { file.member.clone() } else { join(folder, &file.member) };
        add(["data"].into_iter().chain(path).collect::<Vec<_>>().join("."), &name);
    }
    for entry in bundle.iter().flat_map(|it| &it.manifest.wasm) {
        let path = entry.entrypoint.trim_start_matches('/').replace('/', ".");
        add(format!("data.{path}"), &entry.module);
    }
    namespaces
}

/// Returns the blocks in the order of what they speak of, then of their places.
fn sorted<'a>(set: &AnnotationSet<'a>) -> Vec<Placed<'a>> {
    let mut blocks = set.blocks().to_vec();
    let place = |it: &Placed<'_>| {
        let position = it.module.source.position(it.annotation.span.start);
        (it.module.source.name().clone(), position.row, position.col)
    };
    blocks.sort_by(|a, b| {
        contents::path_of(a).cmp(&contents::path_of(b)).then_with(|| place(a).cmp(&place(b)))
    });
    blocks
}
