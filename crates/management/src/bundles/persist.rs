//! Bundles on disk: the last good one of each name, whole or not at all.
//!
//! `<directory>/<name>/bundle.tar.gz` is the archive as it was downloaded. It is written beside its place, synced and
//! renamed, so that whoever starts after a crash finds the old one or the new one. What is in it is read, and its
//! signature verified, as if it had just arrived. `bundle.snapshot` beside it is the same bundle, mapped instead of read; it
//! says which archive it was made of, and stands for no other.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use lictor::bundle::{Bundle, SnapshotSource, snapshot_source};

use super::chain;
use crate::http::fault::system_text;

const FILE_NAME: &str = "bundle.tar.gz";
const SNAPSHOT_NAME: &str = "bundle.snapshot";
/// Bundles with less data are read as fast as mapped.
const SNAPSHOT_BYTES_MIN: usize = 1 << 20;
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

    /// Opens the snapshot of the archive that is kept; nothing if there is none, or only one of another archive.
    pub(crate) fn open_snapshot(&self, name: &str) -> Option<File> {
        let folder = self.folder(name).ok()?;
        let file = File::open(folder.join(SNAPSHOT_NAME)).ok()?;
        let is_of_it =
            snapshot_source(&file).is_some() && snapshot_source(&file) == source_of(&folder.join(FILE_NAME));
        is_of_it.then_some(file)
    }

    /// Returns what tells the archive that is kept from others that were in its place.
    pub(crate) fn source(&self, name: &str) -> Option<SnapshotSource> {
        source_of(&self.folder(name).ok()?.join(FILE_NAME))
    }

    /// Makes a snapshot of a bundle that was read from the archive with this source. Small ones need none.
    pub(crate) fn save_snapshot(
        &self,
        name: &str,
        bundle: &Bundle,
        source: &SnapshotSource,
    ) -> Result<(), String> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let bytes: usize = bundle.data.iter().map(|it| it.document.bytes()).sum();
        if bytes < SNAPSHOT_BYTES_MIN {
            return Ok(());
        }
        let folder = self.folder(name)?;
        let path = folder.join(SNAPSHOT_NAME);
        // A worker that was stopped may still write one.
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let aside = folder.join(format!("{}{}-{count}{}", ASIDE.0, std::process::id(), ASIDE.1));
        let made = File::options().read(true).write(true).create(true).truncate(true).open(&aside);
        let made =
            made.and_then(|file| lictor::write_snapshot(bundle, file, source)).and_then(|it| it.sync_all());
        made.and_then(|()| fs::rename(&aside, &path)).map_err(|error| {
            // Nobody reads it; if it cannot go now it goes when it is old.
            let _ = fs::remove_file(&aside);
            told("write", &path, &error)
        })
    }

    /// Forgets a snapshot that turned out to be damaged.
    pub(crate) fn drop_snapshot(&self, name: &str) {
        if let Ok(folder) = self.folder(name) {
            // If it cannot go it is found damaged again.
            let _ = fs::remove_file(folder.join(SNAPSHOT_NAME));
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

/// Returns what tells an archive from others that were in its place: its length and when it was written.
fn source_of(archive: &Path) -> Option<SnapshotSource> {
    let known = fs::metadata(archive).ok()?;
    let written = known.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut source = SnapshotSource::default();
    let parts = [known.len(), written.as_secs(), u64::from(written.subsec_nanos())];
    for (place, part) in source.chunks_mut(8).zip(parts) {
        place.copy_from_slice(&part.to_le_bytes());
    }
    Some(source)
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

    use lictor::bundle::{DataFile, Trust};

    use super::*;
    use crate::bundles::read::Reading;

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

    fn large(number: u64) -> Bundle {
        let items: Vec<String> = (0..40_000).map(|it| format!("\"a text of some length {it}\"")).collect();
        let text = format!("{{\"n\":{number},\"items\":[{}]}}", items.join(","));
        let document = lictor::json::read_document(text.as_bytes()).expect("JSON");
        let data = vec![DataFile { member: "/data.json".to_owned(), path: Vec::new(), document }];
        Bundle { data, ..Bundle::default() }
    }

    #[test]
    fn snapshots_stand_for_the_archive_they_were_made_of() {
        let directory = std::env::temp_dir().join(format!("lictor-shelf-snapshots-{}", std::process::id()));
        let shelf = Shelf::below(&directory);
        let reading = Reading { trust: Trust::Unchecked, size_limit_bytes: 1 << 20 };
        let number = || {
            let bundle = reading.snapshot(&shelf.open_snapshot("a")?).expect("a snapshot");
            bundle.data[0].document.root().as_object()?.get_str("n")?.as_i64()
        };
        shelf.save("a", b"one").expect("saved");
        let one = shelf.source("a").expect("there");
        shelf.save_snapshot("a", &Bundle::default(), &one).expect("small");
        assert_eq!(number(), None);
        shelf.save_snapshot("a", &large(1), &one).expect("saved");
        assert_eq!(number(), Some(1));
        shelf.save("a", b"another").expect("saved");
        assert_eq!(number(), None, "it is of the archive before");
        shelf.save_snapshot("a", &large(1), &one).expect("saved late");
        assert_eq!(number(), None);
        shelf.save_snapshot("a", &large(2), &shelf.source("a").expect("there")).expect("saved");
        assert_eq!(number(), Some(2));
        shelf.drop_snapshot("a");
        assert_eq!(number(), None);
        assert_eq!(fs::read_dir(directory.join("bundles/a")).expect("a folder").count(), 1);
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
