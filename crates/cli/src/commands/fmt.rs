//! `lictor fmt`: formats modules as OPA does, to the standard output or in place.
//!
//! Outcomes show in the order of files, folders in the order of names; the first that cannot be formatted ends the run,
//! as with OPA, and nothing behind it is written. Layout is the syntax crate's; here are only files, versions and what
//! is shown of the outcome.

use std::fs;
use std::io::Write as _;

use lictor_syntax::ParseOptions;
use lictor_syntax::ast::RegoVersion;
use lictor_syntax::format::{FormatError, FormatOptions, format_source};

use crate::commands::Failure;
use crate::flags::Parsed;
use crate::in_order::map_in_order;
use crate::load::{clean, go_error, read_file, read_stdin, tidy};
use crate::output::{diff, write_out};
use crate::setup;

/// What `--help` says above the flags.
pub(crate) const LONG: &str = "Format Rego source files.

Prints the formatted text of each file; without a path it formats the standard input. With '-w' files are written
instead, with '-l' the names of those that would change are listed, with '-d' their differences are shown. With
'--fail' the exit code tells whether anything would change.

Old text is formatted by '--v0-compatible', and brought to a form that both versions read by '--v0-v1'.";

/// Exit code for a file that cannot be formatted, and with `--fail` for one that would change.
const FILE_EXIT: u8 = 2;
/// Exit code for what is wrong outside the files.
const OTHER_EXIT: u8 = 1;
/// So much is gathered before it is shown.
const SHOWN_BYTES: usize = 64 << 10;
/// How deep folders may nest.
const FOLDERS_DEPTH_MAX: usize = 255;

/// Says with `--fail` that a file would change.
const UNEXPECTED_DIFF: &str = "unexpected diff";

/// Is what the flags ask for.
struct Job {
    options: FormatOptions,
    write: bool,
    list: bool,
    diff: bool,
    fail: bool,
    check_result: bool,
}

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    let job = job(flags)?;
    if flags.arguments.is_empty() {
        return job.format_stdin();
    }
    let mut files = Vec::new();
    let walked = flags.arguments.iter().try_for_each(|path| {
        let path = clean(path).map_err(other)?;
        walk(&path, 0, &mut files)
    });
    let mut shown = Vec::new();
    let formatted = map_in_order(&files, |path| job.format_file(path), |outcome| outcome.apply(&mut shown));
    write_out(&shown);
    formatted.and(walked).map(|()| 0)
}

fn other(message: String) -> Failure {
    Failure::Text(message, OTHER_EXIT)
}

/// Collects a file, or the files below a folder by order of names; links to folders are not followed. Those before a
/// fault are there.
fn walk(path: &str, depth: usize, files: &mut Vec<String>) -> Result<(), Failure> {
    let metadata =
        fs::symlink_metadata(path).map_err(|error| other(format!("lstat {path}: {}", go_error(&error))))?;
    if metadata.is_dir() {
        return walk_folder(path, depth, files);
    }
    if is_rego(path) {
        files.push(path.to_owned());
    }
    Ok(())
}

fn walk_folder(path: &str, depth: usize, files: &mut Vec<String>) -> Result<(), Failure> {
    if depth > FOLDERS_DEPTH_MAX {
        return Err(other(format!("{path}: folders nest deeper than {FOLDERS_DEPTH_MAX}")));
    }
    let entries = fs::read_dir(path).map_err(|error| other(format!("open {path}: {}", go_error(&error))))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| other(format!("read {path}: {}", go_error(&error))))?;
        let is_file = entry.file_type().is_ok_and(|it| !it.is_dir());
        names.push((entry.file_name().to_string_lossy().into_owned(), is_file));
    }
    names.sort();
    for (name, is_file) in names {
        let below = tidy(&format!("{path}/{name}"));
        if !is_file {
            walk(&below, depth + 1, files)?;
        } else if is_rego(&below) {
            files.push(below);
        }
    }
    Ok(())
}

/// Is what comes of a file: what is shown, then what is written to it, then how it ends.
#[derive(Default)]
struct Outcome {
    shown: Vec<u8>,
    written: Option<(String, String)>,
    failure: Option<Failure>,
}

impl Outcome {
    fn failed(message: String) -> Self {
        Self { failure: Some(Failure::Text(message, FILE_EXIT)), ..Self::default() }
    }

    /// Writes what is to be written; what is shown is gathered, so that few large pieces go out.
    fn apply(self, shown: &mut Vec<u8>) -> Result<(), Failure> {
        shown.extend_from_slice(&self.shown);
        if shown.len() >= SHOWN_BYTES {
            write_out(shown);
            shown.clear();
        }
        if let Some((path, text)) = &self.written {
            overwrite(path, text.as_bytes()).map_err(|message| Failure::Text(message, FILE_EXIT))?;
        }
        self.failure.map_or(Ok(()), Err)
    }
}

fn job(flags: &Parsed) -> Result<Job, Failure> {
    let both = flags.is_on("v0-v1") || flags.is_on("rego-v1");
    let old = flags.is_on("v0-compatible");
    let new = flags.is_on("v1-compatible");
    let parse_version = if old || (both && !new) { RegoVersion::V0 } else { RegoVersion::V1 };
    let version_min = if both || old { RegoVersion::V0 } else { RegoVersion::V1 };
    let version_max = if both { RegoVersion::V1 } else { version_min };
    // What both versions read has no templates, unless the capabilities say so.
    let templates = match has_feature(flags, "template_strings")? {
        Some(true) => Some(true),
        _ => both.then_some(false),
    };
    let keywords_in_refs = has_feature(flags, "keywords_in_refs")?.unwrap_or(true);
    Ok(Job {
        options: FormatOptions {
            parse_version,
            version_min,
            version_max,
            drop_imports: flags.is_on("drop-v0-imports"),
            templates,
            keywords_in_refs,
        },
        write: flags.is_on("write"),
        list: flags.is_on("list"),
        diff: flags.is_on("diff"),
        fail: flags.is_on("fail"),
        check_result: flags.is_on("check-result"),
    })
}

/// Tells whether the capabilities that are given have a feature; `None` if none are given.
fn has_feature(flags: &Parsed, feature: &str) -> Result<Option<bool>, Failure> {
    let given = setup::capabilities(flags).map_err(Failure::Usage)?;
    Ok(given.map(|it| it.has_feature(feature)))
}

impl Job {
    fn format_stdin(&self) -> Result<u8, Failure> {
        let bytes = read_stdin().map_err(|message| Failure::Text(message, OTHER_EXIT))?;
        // Of the flags only versions count here.
        let options = FormatOptions { drop_imports: false, ..self.options };
        let formatted = format_source("stdin", &bytes, &options)
            .map_err(|error| Failure::Text(error.to_string(), OTHER_EXIT))?;
        write_out(formatted.as_bytes());
        Ok(0)
    }

    fn format_file(&self, path: &str) -> Outcome {
        let bytes = match read_file(path) {
            Ok(bytes) => bytes,
            Err(message) => return Outcome::failed(format!("failed to open file: {message}")),
        };
        let formatted = match format_source(path, &bytes, &self.options) {
            Ok(formatted) => formatted,
            Err(error) => return Outcome::failed(format!("failed to format Rego source file: {error}")),
        };
        let changed = formatted.as_bytes() != bytes.as_slice();
        if changed && self.fail && !self.list && !self.diff {
            return Outcome::failed(UNEXPECTED_DIFF.to_owned());
        }
        // What was parsed as it is need not be parsed again for the same version.
        let is_known = !changed && self.options.parse_version == self.options.version_min;
        if self.check_result
            && !is_known
            && let Err(message) = self.check(path, &formatted)
        {
            return Outcome::failed(message);
        }
        self.outcome(path, &bytes, formatted, changed)
    }

    fn outcome(&self, path: &str, bytes: &[u8], formatted: String, changed: bool) -> Outcome {
        if self.list || self.diff {
            if !changed {
                return Outcome::default();
            }
            let shown = if self.list {
                format!("{path}\n")
            } else {
                format!("{}\n", diff::colored(&String::from_utf8_lossy(bytes), &formatted))
            };
            let failure = self.fail.then(|| Failure::Text(UNEXPECTED_DIFF.to_owned(), FILE_EXIT));
            return Outcome { shown: shown.into_bytes(), written: None, failure };
        }
        if !self.write {
            return Outcome { shown: formatted.into_bytes(), ..Outcome::default() };
        }
        let written = changed.then(|| (path.to_owned(), formatted));
        Outcome { written, ..Outcome::default() }
    }

    /// Parses what was formatted, for the versions that it is for.
    fn check(&self, path: &str, formatted: &str) -> Result<(), String> {
        let options = ParseOptions {
            version: self.options.version_min,
            annotations: false,
            templates: self.options.templates,
            ..ParseOptions::default()
        };
        let parsed = lictor_syntax::parse_module("formatted", formatted, &options);
        if parsed.diagnostics.is_empty() {
            return Ok(());
        }
        let error = FormatError::of_parse(parsed.diagnostics);
        Err(format!(
            "{path} was successfully formatted, but the result is invalid: {error}\n\nTo inspect the formatted Rego, you can turn off this check with --check-result=false."
        ))
    }
}

fn is_rego(path: &str) -> bool {
    // A name that is all ending counts, as with Go.
    path.rsplit('/').next().is_some_and(|name| name.ends_with(".rego"))
}

/// Writes a file that is there, keeping its mode.
fn overwrite(path: &str, bytes: &[u8]) -> Result<(), String> {
    let file = fs::OpenOptions::new().write(true).truncate(true).open(path);
    let mut file =
        file.map_err(|error| format!("failed to open file for writing: open {path}: {}", go_error(&error)))?;
    file.write_all(bytes)
        .map_err(|error| format!("failed writing formatted contents: write {path}: {}", go_error(&error)))
}
