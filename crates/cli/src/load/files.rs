//! Files and folders of `--data`: modules, JSON and YAML, and archives among them.
//!
//! A folder's content lands below `data` at the names of the folders on the way, the first excepted. A path may say
//! where its content goes: `a.b:path`.

use std::fs;
use std::path::Path;
use std::time::Instant;

use lictor::{DataErrorKind, Document};

use super::paths::{check_local, clean, go_error, json_document, read_file, split_prefix, yaml_document};
use super::{Loader, is_ignored};
use crate::fault::{Fault, Faults};
use crate::timers::LOAD_FILES;

impl Loader<'_> {
    /// Loads files and folders. All are tried; the faults of all come back.
    pub(crate) fn load_files(&mut self, paths: &[&str]) -> Result<(), Faults> {
        let start = Instant::now();
        for path in paths {
            let (keys, path) = split_prefix(path);
            match clean(path).and_then(|it| check_local(&it).map(|()| it)) {
                Ok(path) => self.visit(&path, &keys, 0),
                Err(message) => self.faults.push(Fault::Text(message)),
            }
        }
        self.timers.add(LOAD_FILES, start);
        if self.faults.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.faults)) }
    }

    fn visit(&mut self, path: &str, keys: &[String], depth: usize) {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.faults.push(Fault::Text(format!("stat {path}: {}", go_error(&error))));
                return;
            }
        };
        let name = base_name(path);
        if self.leaves_out(name, metadata.is_dir(), depth) {
            return;
        }
        if metadata.is_dir() {
            let mut keys = keys.to_vec();
            if depth > 0 {
                keys.push(name.to_owned());
            }
            self.visit_folder(path, &keys, depth);
        } else if self.seen.insert((keys.to_vec(), tidy(path))) {
            self.load_file(path, keys, depth);
        }
    }

    fn visit_folder(&mut self, path: &str, keys: &[String], depth: usize) {
        match folder_names(path) {
            Ok(names) => {
                for name in names {
                    self.visit(&join(path, &name), keys, depth + 1);
                }
            }
            Err(message) => self.faults.push(Fault::Text(message)),
        }
    }

    fn leaves_out(&self, name: &str, is_folder: bool, depth: usize) -> bool {
        (self.only_rego && !is_folder && !name.ends_with(".rego"))
            || (depth >= 1 && is_ignored(self.ignore, name))
    }

    fn load_file(&mut self, path: &str, keys: &[String], depth: usize) {
        let bytes = match read_file(path) {
            Ok(bytes) => bytes,
            Err(message) => return self.faults.push(Fault::Text(message)),
        };
        match extension(path) {
            "json" => {
                let document = json_document(path, &bytes, self.timers);
                self.load_document(path, keys, document);
            }
            "yaml" | "yml" => {
                let document = yaml_document(path, &bytes, self.timers);
                self.load_document(path, keys, document);
            }
            "rego" => {
                let faults = self.add_module(path, &bytes, None);
                self.faults.extend(faults);
            }
            _ if path.ends_with(".tar.gz") => self.load_archive(path, &bytes, keys),
            // In a folder, what nobody knows is left out; by name it must be something.
            _ if depth > 0 => {}
            _ => self.load_any(path, &bytes, keys),
        }
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
