//! Loads policies and data into an engine: files, folders and bundles.
//!
//! Faults are collected in the order of the paths, worded as OPA words them. A module's faults are known when it is
//! added; whether modules fit together is found when the engine compiles them.

mod bundles;
mod files;
mod paths;
mod schemas;

use std::collections::HashSet;
use std::sync::Arc;

use lictor::{ActiveBundle, DataError, Document, Engine, ParsedModule, RegoVersion};
use lictor_bundle::{Trust, name_matches};

use crate::fault::{Fault, Faults};
use crate::timers::{MODULE_PARSE, Timers};

pub(crate) use bundles::{BundleFault, Collected, NamedBundle, digests, version_numbered};
pub(crate) use files::join;
pub(crate) use files::tidy;
pub(crate) use paths::{clean, go_error, input_document, read_file, read_stdin};
pub(crate) use schemas::read_schemas;

/// Fills an engine from paths.
pub(crate) struct Loader<'a> {
    engine: &'a mut Engine,
    timers: &'a mut Timers,
    /// Patterns of names that are left out.
    ignore: &'a [&'a str],
    /// Whether data files are left out.
    only_rego: bool,
    /// Whether faults are told that the parser found after it had recovered from one that ends OPA's.
    recovered: bool,
    /// Whether modules of a bundle in a folder are named by their path in it, as those of archives are.
    named_from_root: bool,
    /// What signatures of bundles count for.
    trust: Trust,
    /// Whether deltas are read and not applied.
    leave_deltas: bool,
    /// Whether links in folders of bundles are followed to files.
    follow: bool,
    documents: Vec<Known>,
    /// The bundles that were loaded.
    owners: Vec<ActiveBundle>,
    seen: HashSet<(Arc<[String]>, String)>,
    faults: Faults,
}

/// Says whether one of the patterns of `--ignore` matches the name of a file or folder.
fn is_ignored(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|it| name_matches(it, name))
}

/// Is a document that was added, for the faults of later ones.
struct Known {
    name: String,
    path: Vec<String>,
    document: Document,
}

impl<'a> Loader<'a> {
    /// Returns a loader that leaves nothing out.
    pub(crate) fn new(engine: &'a mut Engine, timers: &'a mut Timers) -> Self {
        Self {
            engine,
            timers,
            ignore: &[],
            only_rego: false,
            recovered: false,
            named_from_root: false,
            trust: Trust::Unchecked,
            leave_deltas: false,
            follow: false,
            documents: Vec::new(),
            owners: Vec::new(),
            seen: HashSet::new(),
            faults: Vec::new(),
        }
    }

    /// Leaves out files and folders whose names match one of the patterns.
    pub(crate) fn ignoring(mut self, patterns: &'a [&'a str]) -> Self {
        self.ignore = patterns;
        self
    }

    /// Loads modules and no data, and tells of all their faults, as `check` does.
    pub(crate) fn checking(mut self) -> Self {
        self.only_rego = true;
        self.telling_all()
    }

    /// Names modules of bundles by their path in the bundle.
    pub(crate) fn naming_from_root(mut self) -> Self {
        self.named_from_root = true;
        self
    }

    /// Says what signatures of bundles count for; without it they are not looked at.
    pub(crate) fn trusting(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Reads deltas and does not apply them: data does not count.
    pub(crate) fn leaving_deltas(mut self) -> Self {
        self.leave_deltas = true;
        self
    }

    /// Follows links to files in the folders of bundles, if `follow` says so.
    pub(crate) fn following_links(mut self, follow: bool) -> Self {
        self.follow = follow;
        self
    }

    /// Tells also of faults that the parser found after it had recovered.
    pub(crate) fn telling_all(mut self) -> Self {
        self.recovered = true;
        self
    }

    /// Adds a module; its faults come back.
    fn add_module(&mut self, name: &str, text: &[u8], version: Option<RegoVersion>) -> Faults {
        let parsed = self.timers.time(MODULE_PARSE, || self.engine.parse_module(name, text, version));
        self.add_parsed(parsed)
    }

    /// Adds a module that was parsed; its faults come back.
    fn add_parsed(&mut self, parsed: ParsedModule) -> Faults {
        let recovered = self.recovered;
        let diagnostics = self.engine.add_parsed(parsed);
        diagnostics.iter().filter(|it| recovered || !it.recovered).cloned().map(Fault::Rego).collect()
    }

    /// Adds a document; if it does not fit, the other file comes back that says otherwise.
    fn add_document(
        &mut self,
        name: &str,
        path: &[String],
        document: Document,
    ) -> Result<(), (DataError, Option<String>)> {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        match self.engine.add_data(&keys, &document) {
            Ok(()) => {
                self.documents.push(Known { name: name.to_owned(), path: path.to_vec(), document });
                Ok(())
            }
            Err(error) => {
                let other = self.documents.iter().find(|it| it.holds(error.path())).map(|it| it.name.clone());
                Err((error, other))
            }
        }
    }
}

impl Known {
    /// Says whether the document has something at a path.
    fn holds(&self, path: &[String]) -> bool {
        let shared = self.path.iter().zip(path).take_while(|it| it.0 == it.1).count();
        if shared < self.path.len().min(path.len()) {
            return false;
        }
        let mut value = self.document.root();
        for key in path.get(self.path.len()..).unwrap_or_default() {
            let Some(below) = value.as_object().and_then(|it| it.get_str(key)) else {
                return false;
            };
            value = below;
        }
        true
    }
}
