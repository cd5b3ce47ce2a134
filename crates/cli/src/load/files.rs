//! Files and folders of `--data`: modules, JSON and YAML, and archives among them.
//!
//! A folder's content lands below `data` at the names of the folders on the way, the first excepted. A path may say
//! where its content goes: `a.b:path`.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use lictor::{DataErrorKind, Document, Engine, ParsedModule};

use super::paths::{
    check_local, clean, go_error, json_document, json_stream, open_file, read_file, split_prefix,
    yaml_document,
};
use super::{Loader, is_ignored};
use crate::fault::{Fault, Faults};
use crate::in_order::map_in_order;
use crate::timers::{LOAD_FILES, MODULE_PARSE};

/// What was met on the way through folders.
enum Met {
    Fault(String),
    File {
        path: String,
        /// Where its content goes.
        keys: Arc<[String]>,
        /// How many folders it is below what was named.
        depth: usize,
    },
}

/// A module that was read and parsed, and how long parsing took.
type Read = (Result<ParsedModule, String>, u64);

impl Loader<'_> {
    /// Loads files and folders. All are tried; the faults of all come back.
    pub(crate) fn load_files(&mut self, paths: &[&str]) -> Result<(), Faults> {
        let start = Instant::now();
        let mut met = Vec::new();
        for path in paths {
            let (keys, path) = split_prefix(path);
            match clean(path).and_then(|it| check_local(&it).map(|()| it)) {
                Ok(path) => self.visit(path, &keys.into(), 0, &mut met),
                Err(message) => met.push(Met::Fault(message)),
            }
        }
        for (it, module) in met.iter().zip(read_modules(self.engine, &met)) {
            match it {
                Met::Fault(message) => self.faults.push(Fault::Text(message.clone())),
                Met::File { path, keys, depth } => self.load_file(path, keys, *depth, module),
            }
        }
        self.timers.add(LOAD_FILES, start);
        if self.faults.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.faults)) }
    }

    fn visit(&mut self, path: String, keys: &Arc<[String]>, depth: usize, met: &mut Vec<Met>) {
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                met.push(Met::Fault(format!("stat {path}: {}", go_error(&error))));
                return;
            }
        };
        let name = base_name(&path);
        if self.leaves_out(name, metadata.is_dir(), depth) {
            return;
        }
        if metadata.is_dir() {
            let below = (depth > 0).then(|| name.to_owned());
            let keys = keys.iter().cloned().chain(below).collect();
            self.visit_folder(&path, &keys, depth, met);
        } else if self.seen.insert((Arc::clone(keys), tidy(&path))) {
            met.push(Met::File { path, keys: Arc::clone(keys), depth });
        }
    }

    fn visit_folder(&mut self, path: &str, keys: &Arc<[String]>, depth: usize, met: &mut Vec<Met>) {
        match folder_names(path) {
            Ok(names) => {
                for name in names {
                    self.visit(join(path, &name), keys, depth + 1, met);
                }
            }
            Err(message) => met.push(Met::Fault(message)),
        }
    }

    fn leaves_out(&self, name: &str, is_folder: bool, depth: usize) -> bool {
        (self.only_rego && !is_folder && !name.ends_with(".rego"))
            || (depth >= 1 && is_ignored(self.ignore, name))
    }

    fn load_file(&mut self, path: &str, keys: &[String], depth: usize, module: Option<Read>) {
        if let Some((parsed, parse_ns)) = module {
            self.timers.add_ns(MODULE_PARSE, parse_ns);
            match parsed {
                Ok(parsed) => {
                    let faults = self.add_parsed(parsed);
                    self.faults.extend(faults);
                }
                Err(message) => self.faults.push(Fault::Text(message)),
            }
            return;
        }
        let loaded = match extension(path) {
            "json" => open_file(path).map(|file| {
                let document = json_stream(path, file, self.timers);
                self.load_document(path, keys, document);
            }),
            "yaml" | "yml" => read_file(path).map(|bytes| {
                let document = yaml_document(path, &bytes, self.timers);
                self.load_document(path, keys, document);
            }),
            _ if path.ends_with(".tar.gz") => open_file(path).map(|file| self.load_archive(path, file, keys)),
            // In a folder, what nobody knows is left out; by name it must be something.
            _ if depth > 0 => open_file(path).map(drop),
            _ => read_file(path).map(|bytes| self.load_any(path, &bytes, keys)),
        };
        self.faults.extend(loaded.err().map(Fault::Text));
    }

    /// Loads a file whose name tells nothing.
    fn load_any(&mut self, path: &str, bytes: &[u8], keys: &[String]) {
        let options = lictor_syntax::ParseOptions::default();
        if lictor_syntax::parse_module_bytes(path, bytes, &options).diagnostics.is_empty() {
            let faults = self.add_module(path, bytes, None);
            self.faults.extend(faults);
            return;
        }
        let document =
            json_document(path, bytes, self.timers).or_else(|_| yaml_document(path, bytes, self.timers));
        let document = document.map_err(|_| format!("{path}: can't recognize file type"));
        self.load_document(path, keys, document);
    }

    fn load_document(&mut self, path: &str, keys: &[String], document: Result<Document, String>) {
        let fault = match document {
            Ok(document) => self.merge_document(path, keys, document).err(),
            Err(message) => Some(message),
        };
        self.faults.extend(fault.map(Fault::Text));
    }

    /// Adds a document and words the fault if it does not fit.
    pub(super) fn merge_document(
        &mut self,
        path: &str,
        keys: &[String],
        document: Document,
    ) -> Result<(), String> {
        let Err((error, other)) = self.add_document(path, keys, document) else {
            return Ok(());
        };
        if error.kind() == Some(DataErrorKind::RootNotObject) {
            return Err(format!("{path}: document must be of type object"));
        }
        let place = error.reference().unwrap_or_default();
        Err(match other {
            Some(other) => {
                format!("{path}: merge error: conflicting values at {place}, also defined in {other}")
            }
            None => format!(
                "{path}: merge error: conflicting values at {place}, data from multiple files must not overlap"
            ),
        })
    }
}

/// Reads and parses the modules among files on all processors; none stands for what is no module by its name.
fn read_modules(engine: &Engine, met: &[Met]) -> Vec<Option<Read>> {
    let read = |it: &Met| match it {
        Met::File { path, .. } if extension(path) == "rego" => {
            let mut parse_ns = 0;
            let parsed = read_file(path).map(|bytes| {
                let start = Instant::now();
                let parsed = engine.parse_module(path, &bytes, None);
                parse_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                parsed
            });
            Some((parsed, parse_ns))
        }
        _ => None,
    };
    let mut out = Vec::with_capacity(met.len());
    let Ok(()) = map_in_order(met, read, |it| {
        out.push(it);
        Ok::<(), Infallible>(())
    });
    out
}

/// Returns the names in a folder, sorted.
pub(super) fn folder_names(path: &str) -> Result<Vec<String>, String> {
    let fault = |error: &std::io::Error| format!("open {path}: {}", go_error(error));
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| fault(&error))? {
        let entry = entry.map_err(|error| fault(&error))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

/// Joins a folder and a name as Go does, without `./` and doubled slashes.
pub(crate) fn join(folder: &str, name: &str) -> String {
    tidy(&format!("{folder}/{name}"))
}

/// Returns a path without steps that lead nowhere.
pub(crate) fn tidy(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Returns the last name of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn extension(path: &str) -> &str {
    Path::new(path).extension().and_then(|it| it.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_as_go_joins_them() {
        assert_eq!(join(".", "a"), "a");
        assert_eq!(join("./b/", "a"), "b/a");
        assert_eq!(join("/", "a"), "/a");
        assert_eq!(join("../x/..", "a"), "../a");
        assert_eq!(tidy("a//b/../c"), "a/c");
    }

    #[test]
    fn names_of_files() {
        assert_eq!(base_name("a/b.rego"), "b.rego");
        assert_eq!(extension("a/b.tar.gz"), "gz");
        assert_eq!(extension("a/.json"), "");
    }
}
