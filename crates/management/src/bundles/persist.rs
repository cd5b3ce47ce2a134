//! Bundles on disk: the last good one of each name, whole or not at all.
//!
//! `<directory>/<name>/bundle.tar.gz` is the archive as it was downloaded. It is written beside its place, synced and
//! renamed, so that whoever starts after a crash finds the old one or the new one. What is in it is read, and its
//! signature verified, as if it had just arrived.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::chain;
use crate::http::fault::system_text;

const FILE_NAME: &str = "bundle.tar.gz";
/// How the names of files begin and end that are not whole yet.
const ASIDE: (&str, &str) = (".bundle.tar.gz.", ".tmp");
/// A file that is still not whole after this time belongs to a process that was killed.
const ASIDE_LIFE: Duration = Duration::from_secs(60 * 60);

/// Is where bundles are kept.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    directory: PathBuf,
}

impl Shelf {
    /// Returns the place below a directory for what outlives the process.
    pub(crate) fn below(persistence: &Path) -> Self {
        Self { directory: persistence.join("bundles") }
    }

    /// Returns where the bundle of a name is kept.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let below = Path::new(name.trim_start_matches('/'));
        let is_plain = |it: Component<'_>| matches!(it, Component::Normal(_) | Component::CurDir);
        if below.as_os_str().is_empty() || !below.components().all(is_plain) {
            return Err(format!("bundle name {name:?} cannot be the name of a folder"));
        }
        Ok(self.directory.join(below))
    }

    /// Opens the bundle of a name; nothing if there is none.
    pub(crate) fn open(&self, name: &str) -> Result<Option<File>, String> {
        let folder = self.folder(name)?;
        remove_old(&folder);
        let path = folder.join(FILE_NAME);
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(told("open", &path, &error)),
        }
    }

    /// Keeps a delta that is active behind the bundle that it changes.
    pub(crate) fn save_delta(&self, name: &str, delta: &[u8]) -> Result<(), String> {
        let path = self.folder(name)?.join(FILE_NAME);
        chain::append(&path, delta).map_err(|it| told("append to deltas of", &path, &it))
    }

    /// Returns the deltas that are kept behind a bundle.
    pub(crate) fn deltas(&self, name: &str) -> Result<Vec<Vec<u8>>, String> {
        let path = self.folder(name)?.join(FILE_NAME);
        chain::read(&path).map_err(|it| told("read deltas of", &path, &it))
    }

    /// Forgets deltas behind a bundle but the first ones.
    pub(crate) fn cut_deltas(&self, name: &str, count: usize) -> Result<(), String> {
        let path = self.folder(name)?.join(FILE_NAME);
        chain::truncate(&path, count).map_err(|it| told("cut deltas of", &path, &it))
    }

    /// Says whether there is a bundle of a name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.folder(name).is_ok_and(|it| it.join(FILE_NAME).exists())
    }

    /// Keeps a bundle in the place of the last one.
    pub(crate) fn save(&self, name: &str, archive: &[u8]) -> Result<(), String> {
        let folder = self.folder(name)?;
        fs::create_dir_all(&folder).map_err(|it| told("mkdir", &folder, &it))?;
        let aside = folder.join(format!("{}{}{}", ASIDE.0, std::process::id(), ASIDE.1));
        let written = write(&aside, archive).and_then(|()| {
            let path = folder.join(FILE_NAME);
            fs::rename(&aside, &path).map_err(|it| told("rename", &path, &it))
        });
        if let Err(message) = written {
            // Nobody reads it; if it cannot go now it goes when it is old.
            let _ = fs::remove_file(&aside);
            return Err(message);
        }
        // Those that are left by a crash before this are told from those of the new one.
        chain::remove(&folder.join(FILE_NAME)).map_err(|it| told("remove deltas of", &folder, &it))?;
        // The name is in the folder only once that is written, too.
        File::open(&folder).and_then(|it| it.sync_all()).map_err(|it| told("sync", &folder, &it))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let mut file = File::create(path).map_err(|it| told("open", path, &it))?;
    file.write_all(bytes).map_err(|it| told("write", path, &it))?;
    file.sync_all().map_err(|it| told("sync", path, &it))
}

/// Removes what processes left behind that were killed while they wrote.
fn remove_old(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_aside = name.to_str().is_some_and(|it| it.starts_with(ASIDE.0) && it.ends_with(ASIDE.1));
        let age = entry.metadata().and_then(|it| it.modified()).ok().and_then(|it| it.elapsed().ok());
        if is_aside && age.is_some_and(|it| it > ASIDE_LIFE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn told(operation: &str, path: &Path, error: &io::Error) -> String {
    format!("{operation} {}: {}", path.display(), system_text(error))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn folder() -> PathBuf {
        std::env::temp_dir().join(format!("lictor-shelf-{}", std::process::id()))
    }

    #[test]
    fn the_last_bundle_is_found_again() {
        let directory = folder();
        let shelf = Shelf::below(&directory);
        let read = |name: &str| {
            let mut bytes = Vec::new();
            shelf.open(name).expect("fine")?.read_to_end(&mut bytes).expect("read");
            Some(bytes)
        };
        assert_eq!(read("a/b"), None);
        shelf.save("a/b", b"one").expect("saved");
        shelf.save("a/b", b"two").expect("saved");
        assert_eq!(read("a/b").as_deref(), Some(b"two".as_slice()));
        let names: Vec<_> =
            fs::read_dir(directory.join("bundles/a/b")).expect("a folder").flatten().collect();
        assert_eq!(names.len(), 1, "nothing stays beside it: {names:?}");
        // A folder in the place of the file: the old text stays told, and nothing is left.
        let blocked = directory.join("bundles/c/bundle.tar.gz/x");
        fs::create_dir_all(&blocked).expect("made");
        let fault = shelf.save("c", b"one").expect_err("in the way");
        assert!(fault.starts_with("rename "), "{fault}");
        assert_eq!(fs::read_dir(directory.join("bundles/c")).expect("a folder").count(), 1);
        fs::remove_dir_all(directory).expect("removed");
    }

    #[test]
    fn names_stay_in_the_folder() {
        let shelf = Shelf::below(Path::new("/x"));
        assert_eq!(shelf.folder("a/./b"), Ok(PathBuf::from("/x/bundles/a/./b")));
        for name in ["", "..", "a/../b", "/.."] {
            assert!(shelf.folder(name).is_err(), "{name}");
        }
    }
}
