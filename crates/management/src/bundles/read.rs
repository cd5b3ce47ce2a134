//! Reads bundles: archives as they arrive or from a disk, and folders.
//!
//! The one place that knows how a bundle's bytes become a [`Bundle`]; limits and signatures are the same wherever they
//! come from.

use std::fs;
use std::io::{self, Read, Seek as _};
use std::path::Path;
use std::time::SystemTime;

use lictor::bundle::{
    Bundle, BundleReader, Limits, Members as _, Options, Trust, is_snapshot, open_snapshot, read_archive,
};
use lictor::{Document, json};

use crate::http::fault::system_text;

/// Folders in folders are followed so deep.
const DEPTH_MAX: usize = 1_000;
/// A folder of a bundle has no more files.
const FILES_MAX: usize = 1_000_000;

/// Says how bundles are read.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) trust: Trust,
    pub(crate) size_limit_bytes: u64,
}

impl Reading {
    /// Reads an archive.
    pub(crate) fn archive(&self, bytes: impl Read + Send) -> Result<Bundle, String> {
        read_archive(bytes, self.options("")).map_err(|error| error.to_string())
    }

    /// Maps a snapshot that was made of an archive.
    pub(crate) fn snapshot(&self, file: &fs::File) -> Result<Bundle, String> {
        open_snapshot(file, self.options("")).map_err(|error| error.to_string())
    }

    /// Says whether a snapshot may stand for an archive: not where a signature counts, which is on the archive.
    pub(crate) fn takes_snapshots(&self) -> bool {
        !matches!(self.trust, Trust::Signed(_))
    }

    /// Reads a file or a folder.
    pub(crate) fn path(&self, path: &str) -> Result<Bundle, String> {
        let kind = fs::metadata(path).map_err(|it| told("stat", path, &it))?;
        if !kind.is_dir() {
            let mut file = fs::File::open(path).map_err(|it| told("open", path, &it))?;
            let mut start = Vec::new();
            (&file).take(8).read_to_end(&mut start).map_err(|it| told("read", path, &it))?;
            if is_snapshot(&start) {
                return self.snapshot(&file);
            }
            file.rewind().map_err(|it| told("read", path, &it))?;
            return self.archive(file);
        }
        let mut reader = BundleReader::new(self.options(path));
        for File { below, size, .. } in files(path)? {
            if reader.wants(&below) {
                let at = format!("{path}{below}");
                reader.meter().check_size(&below, size).map_err(|it| it.to_string())?;
                let mut content = fs::File::open(&at).map_err(|it| told("open", &at, &it))?;
                reader.add(&below, &mut content).map_err(|it| it.to_string())?;
            }
        }
        reader.finish().map_err(|it| it.to_string())
    }

    fn options(&self, folder: &str) -> Options {
        let limits = Limits { member_bytes_max: self.size_limit_bytes, ..Limits::default() };
        Options { limits, folder: folder.to_owned(), yaml: structured, trust: self.trust.clone() }
    }
}

/// Reads JSON, or YAML if it is not.
fn structured(bytes: &[u8]) -> Result<Document, String> {
    json::read_document(bytes).or_else(|_| lictor::document_of_yaml(bytes))
}

/// What a path looks like; if it looks the same again, nothing has changed there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Look(Vec<File>);

/// Is a file, by what changes when it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
struct File {
    /// The path in the folder, with a slash before it.
    below: String,
    size: u64,
    written: Option<SystemTime>,
}

/// Looks at a path.
pub(crate) fn look(path: &str) -> Result<Look, String> {
    let kind = fs::metadata(path).map_err(|it| told("stat", path, &it))?;
    if kind.is_dir() {
        return files(path).map(Look);
    }
    Ok(Look(vec![File { below: String::new(), size: kind.len(), written: kind.modified().ok() }]))
}

/// Returns the plain files of a folder, in the order of their paths.
fn files(folder: &str) -> Result<Vec<File>, String> {
    let mut found = Vec::new();
    walk(Path::new(folder), "", 0, &mut found)?;
    Ok(found)
}

fn walk(folder: &Path, below: &str, depth: usize, found: &mut Vec<File>) -> Result<(), String> {
    let shown = folder.display().to_string();
    if depth > DEPTH_MAX || found.len() > FILES_MAX {
        return Err(format!("folder {shown} is too deep or has too many files"));
    }
    let entries = fs::read_dir(folder).map_err(|it| told("open", &shown, &it))?;
    let mut names = entries.map(|it| it.map(|it| it.file_name())).collect::<io::Result<Vec<_>>>();
    names.iter_mut().for_each(|it| it.sort());
    for name in names.map_err(|it| told("readdir", &shown, &it))? {
        let path = folder.join(&name);
        let below = format!("{below}/{}", name.to_string_lossy());
        let kind =
            fs::symlink_metadata(&path).map_err(|it| told("stat", &path.display().to_string(), &it))?;
        if kind.is_dir() {
            walk(&path, &below, depth + 1, found)?;
        } else if kind.is_file() {
            found.push(File { below, size: kind.len(), written: kind.modified().ok() });
        }
    }
    Ok(())
}

fn told(operation: &str, path: &str, error: &io::Error) -> String {
    format!("{operation} {path}: {}", system_text(error))
}
