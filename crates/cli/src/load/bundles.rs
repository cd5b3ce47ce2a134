//! Bundles of `--bundle`: folders and archives, checked against their manifests and each other.
//!
//! Apart from plain paths because a bundle owns its roots and two of them may clash. The format is `lictor_bundle`'s;
//! here are only files and faults.

use std::fmt;
use std::fs::{self, File};
use std::io::{Read, Seek as _};
use std::time::Instant;

use lictor::{ActiveBundle, DataErrorKind, Patch, RegoVersion, WriteErrorKind, json};
use lictor_bundle::{
    Bundle, BundleError, BundleErrorKind, BundleReader, DataFile, Digests, FileDigest, Layout, Limits,
    Manifest, Member, Members, Meter, Options, PatchOperation, Roots, SnapshotWriter, Trust, check_overlap,
    expand, is_snapshot, open_snapshot, read_expanded, read_members,
};
use lictor_syntax::printer::package_text;

use super::files::{base_name, folder_names, join, tidy};
use super::paths::{check_local, clean, go_error, input_document};
use super::{Loader, is_ignored};
use crate::ahead::read_ahead;
use crate::fault::{self, Fault, Faults};
use crate::timers::LOAD_BUNDLES;

/// Is a bundle to load.
pub(crate) struct NamedBundle<'a> {
    /// Its name among the bundles.
    pub(crate) name: &'a str,
    /// Where it is.
    pub(crate) path: &'a str,
    /// What its signature counts for.
    pub(crate) trust: Trust,
}

/// Is a bundle whose modules and data are in an engine.
pub(crate) struct Collected {
    /// The path of the archive that it came from.
    archive: Option<String>,
    /// All of it but the data.
    pub(crate) bundle: Bundle,
}

impl Collected {
    /// Returns the path of a member from where the command runs.
    pub(crate) fn path_of(&self, member: &Member) -> String {
        match &self.archive {
            Some(archive) => join(archive, &member.path),
            None => member.name.clone(),
        }
    }
}

/// Says why bundles cannot be loaded.
pub(crate) enum BundleFault {
    /// A bundle cannot be read: its name and what is wrong.
    Load(String, Faults),
    /// Bundles cannot be active together, or a delta says what is no operation.
    Activation(String),
    /// The operation of a delta cannot be done.
    Store(String),
    /// The path is no bundle: its name and what is wrong.
    Path(String, String),
}

impl BundleFault {
    /// Returns the text that stands for the fault; the name of the bundle goes before the faults of its modules.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Load(name, faults) => match faults.as_slice() {
                [Fault::Text(message)] => format!("bundle {name}: {message}"),
                faults => format!("bundle {name}: {}", fault::list_text(faults, "")),
            },
            Self::Activation(message) | Self::Store(message) | Self::Path(_, message) => message.clone(),
        }
    }

    /// Returns the faults one by one: those of modules without the name of the bundle.
    pub(crate) fn list(&self) -> Faults {
        match self {
            Self::Load(_, faults) if matches!(faults.first(), Some(Fault::Rego(_))) => faults.clone(),
            _ => vec![Fault::Text(self.text())],
        }
    }

    /// Returns the fault as `eval` shows it.
    pub(crate) fn while_loading(&self) -> Fault {
        Fault::Text(match self {
            Self::Activation(message) => format!("bundle activation failed: {message}"),
            Self::Store(message) => message.clone(),
            _ => format!("loading error: {}", self.text()),
        })
    }
}

impl Loader<'_> {
    /// Loads bundles. The first fault ends it.
    pub(crate) fn load_bundles(&mut self, paths: &[&str]) -> Result<(), BundleFault> {
        let trust = &self.trust;
        let named: Vec<NamedBundle<'_>> =
            paths.iter().map(|path| NamedBundle { name: path, path, trust: trust.clone() }).collect();
        self.load_named_bundles(&named)
    }

    /// Returns the bundles that were loaded.
    pub(crate) fn owners(self) -> Vec<ActiveBundle> {
        self.owners
    }

    /// Loads bundles that have names beside their paths.
    pub(crate) fn load_named_bundles(&mut self, bundles: &[NamedBundle<'_>]) -> Result<(), BundleFault> {
        let start = Instant::now();
        let mut manifests: Vec<(&str, Manifest)> = Vec::new();
        let mut deltas = Vec::new();
        self.documents.clear();
        for NamedBundle { name, path, trust } in bundles {
            self.trust.clone_from(trust);
            let mut bundle = self.read_bundle(path)?;
            manifests.push((name, bundle.manifest.clone()));
            if bundle.is_delta() {
                deltas.push(bundle.patch);
                continue;
            }
            // What a bundle owns is the bundle's alone: documents loaded before give way.
            for root in bundle.manifest.roots.as_slice() {
                let keys: Vec<&str> = root.split('/').filter(|it| !it.is_empty()).collect();
                self.engine.remove_data(&keys);
            }
            self.add_bundle(name, &mut bundle)
                .map_err(|faults| BundleFault::Load((*path).to_owned(), faults))?;
        }
        let list: Vec<(&str, &Roots)> = manifests.iter().map(|it| (it.0, &it.1.roots)).collect();
        check_overlap(&list).map_err(|error| BundleFault::Activation(error.to_string()))?;
        deltas.iter().try_for_each(|it| self.apply_delta(it))?;
        self.add_manifests(&manifests)?;
        self.owners.extend(manifests.into_iter().map(|(name, manifest)| ActiveBundle {
            name: name.to_owned(),
            revision: manifest.revision,
            roots: manifest.roots,
        }));
        self.timers.add(LOAD_BUNDLES, start);
        Ok(())
    }

    /// Does what a delta says to the data that was loaded.
    fn apply_delta(&mut self, operations: &[PatchOperation]) -> Result<(), BundleFault> {
        if self.leave_deltas {
            return Ok(());
        }
        let patches = operations.iter().map(|PatchOperation { operation, path, value }| Patch {
            operation,
            path,
            value,
        });
        self.engine.apply_delta(patches).map_err(|error| match error.kind() {
            WriteErrorKind::Delta => BundleFault::Activation(error.to_string()),
            _ => BundleFault::Store(error.to_string()),
        })
    }

    /// Loads bundles that are to be made into one, and gives back what the engine does not keep of them.
    pub(crate) fn collect_bundles(&mut self, paths: &[&str]) -> Result<Vec<Collected>, BundleFault> {
        let mut collected = Vec::new();
        self.documents.clear();
        for path in paths {
            let mut bundle = self.read_bundle(path)?;
            let fault = |faults| BundleFault::Load((*path).to_owned(), faults);
            self.add_bundle(path, &mut bundle).map_err(fault)?;
            let clean = clean(path).map_err(|message| BundleFault::Path((*path).to_owned(), message))?;
            // Members of an archive are named behind it, as if it were a folder.
            let archive = if fs::metadata(&clean).is_ok_and(|it| it.is_dir()) { None } else { Some(clean) };
            collected.push(Collected { archive, bundle });
        }
        Ok(collected)
    }

    /// Loads a bundle that is to become a snapshot. Its data goes into the snapshot's file while it comes, if it can;
    /// the layout says so.
    pub(crate) fn collect_into(
        &mut self,
        path: &str,
        writer: &mut SnapshotWriter,
    ) -> Result<(Vec<Collected>, Option<Layout>), BundleFault> {
        let Some((mut bundle, layout)) = self.read_into(path, writer)? else {
            return Ok((self.collect_bundles(&[path])?, None));
        };
        self.documents.clear();
        let fault = |faults| BundleFault::Load(path.to_owned(), faults);
        self.add_bundle(path, &mut bundle).map_err(fault)?;
        let clean = clean(path).map_err(|message| BundleFault::Path(path.to_owned(), message))?;
        let archive = if fs::metadata(&clean).is_ok_and(|it| it.is_dir()) { None } else { Some(clean) };
        Ok((vec![Collected { archive, bundle }], Some(layout)))
    }

    /// Reads a bundle with its data into a snapshot's file. None if its data files lie in each other.
    fn read_into(
        &self,
        path: &str,
        writer: &mut SnapshotWriter,
    ) -> Result<Option<(Bundle, Layout)>, BundleFault> {
        let opened = open(path).map_err(|message| BundleFault::Path(path.to_owned(), message))?;
        let text = |error: &std::io::Error| {
            BundleFault::Path(path.to_owned(), format!("snapshot cannot be written: {}", go_error(error)))
        };
        let image = writer.image().map_err(|error| text(&error))?;
        let read = match opened {
            Opened::Snapshot(..) => return Ok(None),
            Opened::Folder(folder) => {
                let reader = BundleReader::new(self.large_options(&self.prefix(&folder))).with_image(image);
                self.walk_folder(&folder, reader)
            }
            Opened::Archive(_, file) => {
                let reader = BundleReader::new(self.large_options("")).with_image(image);
                self.read_members(file, reader)
            }
        };
        let load = |message: String| BundleFault::Load(path.to_owned(), vec![Fault::Text(message)]);
        let (mut bundle, end) = match read.and_then(|it| it.finish_image().map_err(Unread::Bundle)) {
            Ok(read) => read,
            Err(Unread::Bundle(error)) if error.kind() == BundleErrorKind::Nested => return Ok(None),
            Err(error) => return Err(load(error.to_string())),
        };
        if bundle.is_delta() {
            return Ok(Some((bundle, Layout { words_at: 0, words: 0, root: 0, sums_at: 0 })));
        }
        let layout = writer.seal(end).map_err(|error| text(&error))?;
        let document = writer.map(&layout).map_err(|error| text(&error))?;
        if document.root().as_object().is_none() {
            return Err(load(BundleError::root_not_object("/data.json").to_string()));
        }
        bundle.manifest.check_data(&[], document.root()).map_err(|error| load(error.to_string()))?;
        bundle.data.push(DataFile { member: "/data.json".to_owned(), path: Vec::new(), document });
        Ok(Some((bundle, layout)))
    }

    /// Shows policies what is loaded: `data.system.bundles`.
    fn add_manifests(&mut self, manifests: &[(&str, Manifest)]) -> Result<(), BundleFault> {
        for (name, manifest) in manifests {
            let path = ["system", "bundles", name].map(str::to_owned);
            let below = [path.as_slice(), &["manifest".to_owned()]].concat();
            let etag = [path.as_slice(), &["etag".to_owned()]].concat();
            let empty =
                json::read_document(b"\"\"").map_err(|error| BundleFault::Activation(error.to_string()))?;
            self.add_document(name, &below, manifest.document())
                .and_then(|()| self.add_document(name, &etag, empty))
                .map_err(|(error, _)| BundleFault::Activation(error.to_string()))?;
        }
        Ok(())
    }

    /// Reads a bundle without adding it.
    pub(crate) fn read_bundle(&self, path: &str) -> Result<Bundle, BundleFault> {
        let opened = open(path).map_err(|message| BundleFault::Path(path.to_owned(), message))?;
        let (clean, read) = match opened {
            Opened::Folder(folder) => {
                let read = self.read_folder(&folder);
                (folder, read)
            }
            Opened::Archive(path, file) => {
                let read = self.read_archive(file);
                (path, read)
            }
            Opened::Snapshot(path, file) => {
                let read = open_snapshot(&file, self.options("")).map_err(|error| error.to_string());
                (path, read)
            }
        };
        read.map_err(|message| BundleFault::Load(clean, vec![Fault::Text(message)]))
    }

    fn options(&self, folder: &str) -> Options {
        let trust = self.trust.clone();
        Options { limits: Limits::default(), folder: folder.to_owned(), yaml: input_document, trust }
    }

    /// Returns the options for what need not fit into memory.
    fn large_options(&self, folder: &str) -> Options {
        let limits = Limits { member_bytes_max: 64 << 30, total_bytes_max: 64 << 30, ..Limits::default() };
        Options { limits, ..self.options(folder) }
    }

    /// Returns what stands before the names of modules of a bundle in a folder.
    fn prefix(&self, folder: &str) -> String {
        if self.named_from_root { String::new() } else { tidy(root_of(folder)) }
    }

    fn read_archive(&self, file: File) -> Result<Bundle, String> {
        let reader = self.read_members(file, BundleReader::new(self.options("")));
        reader.and_then(|it| it.finish().map_err(Unread::Bundle)).map_err(|error| error.to_string())
    }

    /// Gives the members of an archive to a reader.
    fn read_members(&self, file: File, reader: BundleReader) -> Result<BundleReader, Unread> {
        let mut members = Unignored { reader, ignore: self.ignore };
        expand(file)
            .and_then(|expanded| read_expanded(read_ahead(expanded), &mut members))
            .map_err(Unread::Bundle)?;
        Ok(members.reader)
    }

    fn read_folder(&self, folder: &str) -> Result<Bundle, String> {
        let reader = self.walk_folder(folder, BundleReader::new(self.options(&self.prefix(folder))));
        reader.and_then(|it| it.finish().map_err(Unread::Bundle)).map_err(|error| error.to_string())
    }

    /// Gives the members in a folder to a reader.
    fn walk_folder(&self, folder: &str, mut reader: BundleReader) -> Result<BundleReader, Unread> {
        let root = root_of(folder);
        if !is_ignored(self.ignore, base_name(root)) {
            let walk = Walk { root, ignore: self.ignore, follow: self.follow };
            walk.folder("", &mut reader)?;
        }
        Ok(reader)
    }

    /// Adds an archive that was given as a data file.
    pub(super) fn load_archive(&mut self, path: &str, file: File, keys: &[String]) {
        let mut reader = BundleReader::new(self.options(""));
        let read = expand(file)
            .and_then(|expanded| read_expanded(read_ahead(expanded), &mut reader))
            .and_then(|()| reader.finish());
        let bundle = match read {
            Ok(bundle) => bundle,
            Err(error) => return self.faults.push(Fault::Text(format!("bundle {path}: {error}"))),
        };
        if let Err(faults) = self.add_modules(&bundle) {
            self.faults.extend(faults);
            return;
        }
        let manifest: Vec<String> =
            keys.iter().cloned().chain(["system", "bundle", "manifest"].map(str::to_owned)).collect();
        if let Err(message) = self.merge_document(path, &manifest, bundle.manifest.document()) {
            return self.faults.push(Fault::Text(message));
        }
        for file in bundle.data {
            let below: Vec<String> = keys.iter().cloned().chain(file.path).collect();
            if let Err(message) = self.merge_document(path, &below, file.document) {
                return self.faults.push(Fault::Text(message));
            }
        }
    }

    /// Adds a bundle, whose data files it takes.
    fn add_bundle(&mut self, name: &str, bundle: &mut Bundle) -> Result<(), Faults> {
        self.add_modules(bundle)?;
        for file in std::mem::take(&mut bundle.data) {
            let Err((error, other)) = self.add_document(name, &file.path, file.document) else {
                continue;
            };
            // Roots keep bundles apart, so a conflict with another bundle is told as one of roots.
            let is_own = other.is_none_or(|it| it == name);
            let error = match error.kind() {
                Some(DataErrorKind::RootNotObject) => BundleError::root_not_object(&file.member),
                Some(_) if is_own => BundleError::data_conflict(&file.member, &file.path),
                _ => continue,
            };
            return Err(vec![Fault::Text(error.to_string())]);
        }
        Ok(())
    }

    /// Adds the modules of a bundle and checks their packages; the faults of the first one at fault come back.
    fn add_modules(&mut self, bundle: &Bundle) -> Result<(), Faults> {
        let mut faults = Vec::new();
        for module in &bundle.modules {
            let version = bundle.manifest.version_of(&module.path).and_then(version_numbered);
            let found = self.add_module(&module.name, &module.bytes, version);
            if faults.is_empty() {
                faults = found;
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        for module in bundle.modules.iter().filter_map(|it| self.engine.module(&it.name)) {
            let path: Vec<&str> = module.package.path.iter().filter_map(|it| it.as_str()).collect();
            let shown = package_text(&module.package);
            let shown = shown.strip_prefix("package ").unwrap_or(&shown);
            let checked = bundle.manifest.check_package(&path, shown, module.source.name());
            checked.map_err(|error| vec![Fault::Text(error.to_string())])?;
        }
        Ok(())
    }
}

/// Makes the digests of all members of a bundle.
pub(crate) fn digests(path: &str) -> Result<Vec<FileDigest>, String> {
    let list = |folder: &str| Digests::new(folder, Limits::default(), input_document);
    let digests = match open(path)? {
        Opened::Folder(folder) => {
            let root = root_of(&folder);
            let mut digests = list(&tidy(root));
            let walk = Walk { root, ignore: &[], follow: false };
            walk.folder("", &mut digests).map_err(|error| error.to_string())?;
            digests
        }
        Opened::Snapshot(..) => return Err("snapshots are not signed".to_owned()),
        Opened::Archive(_, file) => {
            let mut digests = list("");
            read_members(file, &mut digests).map_err(|error| error.to_string())?;
            digests
        }
    };
    Ok(digests.into_files())
}

/// Says why a bundle was not read to its end.
enum Unread {
    /// What the system says.
    Text(String),
    Bundle(BundleError),
}

impl From<String> for Unread {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Bundle(error) => error.fmt(f),
        }
    }
}

/// Returns the path of a folder without what says nothing.
fn root_of(folder: &str) -> &str {
    folder.strip_prefix("./").filter(|it| !it.is_empty()).unwrap_or(folder)
}

/// Is a bundle whose path leads somewhere.
enum Opened {
    Folder(String),
    Archive(String, File),
    Snapshot(String, File),
}

fn open(path: &str) -> Result<Opened, String> {
    let clean = clean(path).and_then(|it| check_local(&it).map(|()| it))?;
    let stat = |error: std::io::Error| format!("error reading {clean:?}: stat {clean}: {}", go_error(&error));
    if fs::metadata(&clean).map_err(stat)?.is_dir() {
        return Ok(Opened::Folder(clean));
    }
    let text = |error: std::io::Error| format!("open {clean}: {}", go_error(&error));
    let mut file = File::open(&clean).map_err(text)?;
    let mut start = Vec::new();
    (&file).take(8).read_to_end(&mut start).map_err(text)?;
    file.rewind().map_err(text)?;
    Ok(if is_snapshot(&start) { Opened::Snapshot(clean, file) } else { Opened::Archive(clean, file) })
}

/// Takes the members of an archive whose names no pattern leaves out, nor those of their folders.
struct Unignored<'a> {
    reader: BundleReader,
    ignore: &'a [&'a str],
}

impl Members for Unignored<'_> {
    fn wants(&self, path: &str) -> bool {
        let is_left_out = |name: &str| !matches!(name, "" | ".") && is_ignored(self.ignore, name);
        !path.split('/').any(is_left_out) && self.reader.wants(path)
    }

    fn meter(&mut self) -> &mut Meter {
        self.reader.meter()
    }

    fn add(&mut self, path: &str, content: &mut dyn Read) -> Result<(), BundleError> {
        self.reader.add(path, content)
    }
}

/// Says how the folder of a bundle is walked.
struct Walk<'a> {
    root: &'a str,
    /// Patterns of names that are left out.
    ignore: &'a [&'a str],
    /// Whether links to files are read; else a folder must not reach outside of itself.
    follow: bool,
}

impl Walk<'_> {
    fn folder(&self, below: &str, members: &mut dyn Members) -> Result<(), Unread> {
        let folder = if below.is_empty() { self.root.to_owned() } else { join(self.root, below) };
        for name in folder_names(&folder)? {
            if is_ignored(self.ignore, &name) {
                continue;
            }
            let member = format!("{below}/{name}");
            let path = join(self.root, &member);
            let stat = |error: std::io::Error| format!("stat {path}: {}", go_error(&error));
            let mut kind = fs::symlink_metadata(&path).map_err(stat)?;
            if kind.is_dir() {
                self.folder(&member, members)?;
                continue;
            }
            if kind.is_symlink() && self.follow {
                kind = fs::metadata(&path).map_err(stat)?;
                if kind.is_dir() {
                    return Err(format!("read {path}: is a directory").into());
                }
            }
            if kind.is_file() && members.wants(&member) {
                members.meter().check_size(&member, kind.len()).map_err(Unread::Bundle)?;
                let mut file = File::open(&path).map_err(|error| {
                    format!("failed to open file {path}: open {path}: {}", go_error(&error))
                })?;
                members.add(&member, &mut file).map_err(Unread::Bundle)?;
            }
        }
        Ok(())
    }
}

/// Returns the version of the language of a number.
pub(crate) fn version_numbered(number: u8) -> Option<RegoVersion> {
    match number {
        0 => Some(RegoVersion::V0),
        1 => Some(RegoVersion::V1),
        2 => Some(RegoVersion::V2),
        _ => None,
    }
}
