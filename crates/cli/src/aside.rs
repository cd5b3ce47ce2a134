//! Files that are written aside and take their place when they are whole.
//!
//! Apart because half a file must never stand where somebody looks for a whole one, whatever ends the process. What is
//! in the file it does not know.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Is a file on its way; without [`Aside::commit`] nothing of it stays.
#[derive(Debug)]
pub(crate) struct Aside {
    path: PathBuf,
    aside: PathBuf,
    file: File,
}

impl Aside {
    /// Makes an empty file beside the place that it will have.
    pub(crate) fn create(path: &str) -> io::Result<Self> {
        let path = PathBuf::from(path);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let aside = path.with_file_name(name);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&aside)?;
        Ok(Self { path, aside, file })
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Puts the file in its place once all of it is on the disk.
    pub(crate) fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.aside, &self.path)?;
        let folder = self.path.parent().filter(|it| !it.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // After the rename there is no such file.
        drop(fs::remove_file(&self.aside));
    }
}
