//! Data of a bundle that goes into an image while it comes, for what is larger than the memory.
//!
//! Apart from the reader because parts of an image cannot be read before it is ended: files that lie in each other
//! cannot be joined here, and whoever reads the bundle has to take it into memory instead.

use std::io::Read;

use lictor_value::image::ImageBuilder;
use lictor_value::json::{self, StreamError};
use lictor_value::{Document, DocumentBuilder, Part};

use crate::error::{BundleError, BundleErrorKind};

/// Is data that is being built in an image.
#[derive(Debug)]
pub(crate) struct ImageData {
    image: ImageBuilder,
    /// Where each file's content lies below `data`, and what it is there.
    parts: Vec<(Vec<String>, Part)>,
}

impl ImageData {
    pub(crate) fn new(image: ImageBuilder) -> Self {
        Self { image, parts: Vec::new() }
    }

    /// Takes a data file while it comes; the fault of its text comes back apart from those of the bundle.
    pub(crate) fn stream(
        &mut self,
        path: &[String],
        content: &mut dyn Read,
    ) -> Result<Result<(), StreamError>, BundleError> {
        self.check(path)?;
        match json::stream_into(content, self.image.builder()) {
            Ok(part) => self.push(path, part).map(Ok),
            Err(error) => self.check_file().map(|()| Err(error)),
        }
    }

    /// Takes a data file that was read.
    pub(crate) fn add(&mut self, path: &[String], document: &Document) -> Result<(), BundleError> {
        self.check(path)?;
        let part = self.image.builder().copy(document.root());
        self.check_file()?;
        self.push(path, part)
    }

    fn push(&mut self, path: &[String], part: Part) -> Result<(), BundleError> {
        self.parts.push((path.to_vec(), part));
        Ok(())
    }

    /// Refuses a file that lies in another, or another in it.
    fn check(&self, path: &[String]) -> Result<(), BundleError> {
        let is_inside = |other: &[String]| path.iter().zip(other).all(|it| it.0 == it.1);
        if self.parts.iter().any(|it| is_inside(&it.0)) {
            let message = "data files lie in each other, which cannot be joined while they come";
            return Err(BundleError::new(BundleErrorKind::Nested, message));
        }
        Ok(())
    }

    fn check_file(&self) -> Result<(), BundleError> {
        match self.image.fault() {
            Some(error) => {
                Err(BundleError::new(BundleErrorKind::Archive, format!("data cannot be written: {error}")))
            }
            None => Ok(()),
        }
    }

    /// Ends the image, and returns its number of words and the root's cell.
    pub(crate) fn finish(mut self) -> Result<(u64, u64), BundleError> {
        self.parts.sort_by(|a, b| a.0.cmp(&b.0));
        let root = joined(self.image.builder(), &self.parts, 0);
        self.check_file()?;
        let unwritten =
            |error| BundleError::new(BundleErrorKind::Archive, format!("data cannot be written: {error}"));
        self.image.finish(root).map_err(unwritten)
    }
}

/// Returns what parts with the same first keys make below those; they are sorted, and none lies in another.
fn joined(builder: &mut DocumentBuilder, parts: &[(Vec<String>, Part)], depth: usize) -> Part {
    if let [(path, part)] = parts
        && path.len() == depth
    {
        return *part;
    }
    let mut pairs = Vec::new();
    for below in parts.chunk_by(|a, b| a.0.get(depth) == b.0.get(depth)) {
        let key = below.first().and_then(|it| it.0.get(depth)).map(String::as_str).unwrap_or_default();
        pairs.push((builder.string(key), joined(builder, below, depth + 1)));
    }
    builder.object(&pairs)
}
