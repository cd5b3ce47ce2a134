//! Images: documents as they stand in files, mapped and not read.
//!
//! An image is the words of one segment, as `docs/internals/values.md` describes them, and a table with a checksum for
//! each block of them. What stands round it in the file, and who vouches for the table, is the caller's; see
//! `docs/internals/snapshots.md`. Opening one costs a map, whatever its size; a block is held to its checksum when
//! something in it is read for the first time.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

use crate::cell::Cell;
use crate::document::{Document, DocumentBuilder, Part};
use crate::raw::mapped::{self, BLOCK_BYTES, MappedFile};
use crate::raw::{Segment, bytes_of};

/// Words stand at multiples of this in a file: the largest page of the systems we know.
pub const ALIGNMENT: u64 = 64 * 1024;

/// Says where an image stands in a file. Positions are bytes from the start of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Where the words start; a multiple of [`ALIGNMENT`].
    pub words_at: u64,
    /// The number of words.
    pub words: u64,
    /// The root's cell.
    pub root: u64,
    /// Where the checksums start; a multiple of 8.
    pub sums_at: u64,
}

impl Layout {
    /// Returns how many bytes the words take.
    #[must_use]
    pub fn words_bytes(&self) -> u64 {
        self.words.saturating_mul(8)
    }

    /// Returns how many bytes the checksums take.
    #[must_use]
    pub fn sums_bytes(&self) -> u64 {
        self.words_bytes().div_ceil(BLOCK_BYTES as u64).saturating_mul(8)
    }
}

/// Returns the checksum of bytes that belong to no block, as those of blocks are made.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    mapped::block_sum(u64::MAX, bytes)
}

/// Says whether any image was found damaged since the process began; [`Document::is_damaged`] says which.
#[must_use]
pub fn any_damage() -> bool {
    mapped::any_damage()
}

/// Writes the words of a document and returns their number, the root's cell and the checksums. A document that was
/// edited is copied into one segment first.
///
/// # Errors
///
/// The writer fails.
pub fn write(document: &Document, out: &mut dyn Write) -> io::Result<(u64, u64, Vec<u64>)> {
    let whole = match document.only_segment() {
        Some(_) => document.clone(),
        None => Document::from_value(document.root()),
    };
    let words: &[Cell] = whole.only_segment().map_or(&[], |it| it.all_cells());
    let mut sums = Vec::new();
    for (number, block) in words.chunks(BLOCK_BYTES / 8).enumerate() {
        let block: Vec<u64> = block.iter().map(|it| it.0).collect();
        let bytes = bytes_of(&block);
        sums.push(mapped::block_sum(number as u64, bytes));
        out.write_all(bytes)?;
    }
    Ok((words.len() as u64, whole.root_cell().0, sums))
}

/// Returns the checksums of words that a reader gives, which ends behind them.
///
/// # Errors
///
/// The reader fails.
pub fn sums(words: &mut dyn Read) -> io::Result<Vec<u64>> {
    let mut sums = Vec::new();
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    loop {
        block.clear();
        words.take(BLOCK_BYTES as u64).read_to_end(&mut block)?;
        if block.is_empty() {
            return Ok(sums);
        }
        sums.push(mapped::block_sum(sums.len() as u64, &block));
    }
}

/// Maps the image in a file. Nothing of its words is read.
///
/// # Errors
///
/// The file cannot be mapped, or ends before the image does.
pub fn open(file: &File, layout: &Layout) -> io::Result<Document> {
    let size = |bytes: u64| usize::try_from(bytes).map_err(|_| io::ErrorKind::FileTooLarge);
    let place = mapped::Place {
        words_at: size(layout.words_at)?,
        words: size(layout.words)?,
        sums_at: size(layout.sums_at)?,
    };
    let file = MappedFile::open(file, place)?;
    Ok(Document::in_segment(Arc::new(Segment::of_file(file)), Cell(layout.root).with_segment(0)))
}

/// Builds an image in a file, of which little is in memory at a time.
#[derive(Debug)]
pub struct ImageBuilder {
    builder: DocumentBuilder,
}

impl ImageBuilder {
    /// Returns a builder that writes to a file from a position on, which must be a multiple of [`ALIGNMENT`].
    ///
    /// # Errors
    ///
    /// The file cannot be made larger or mapped.
    pub fn new(file: File, words_at: u64) -> io::Result<Self> {
        Ok(Self { builder: DocumentBuilder::in_file(file, words_at)? })
    }

    /// Returns what builds the document.
    pub fn builder(&mut self) -> &mut DocumentBuilder {
        &mut self.builder
    }

    /// Returns why the file could not grow, if it could not; what was added after that is lost.
    #[must_use]
    pub fn fault(&self) -> Option<&io::Error> {
        self.builder.fault()
    }

    /// Ends building, and returns the number of words and the root's cell. The file ends behind the words.
    ///
    /// # Errors
    ///
    /// The file could not be written.
    pub fn finish(self, root: Part) -> io::Result<(u64, u64)> {
        Ok((self.builder.finish_in_file()?, root.0.0))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom};

    use super::*;
    use crate::{Edit, Value, json};

    /// Gives an empty file that goes with its handle.
    fn scratch() -> File {
        let name = format!("lictor-image-{}-{:?}", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        let file =
            File::options().create(true).truncate(true).read(true).write(true).open(&path).expect("a file");
        std::fs::remove_file(path).expect("removed");
        file
    }

    fn text() -> String {
        let mut text = "{".to_owned();
        for at in 0..3_000 {
            text.push_str(&format!(
                "\"key number {at}\":[{at},\"a text of some length {at}\",{{\"x\":null}}],"
            ));
        }
        text + "\"last\":1}"
    }

    fn stored(words: &[u8], (count, root): (u64, u64), sums: &[u64]) -> (File, Layout) {
        let mut file = scratch();
        let layout =
            Layout { words_at: ALIGNMENT, words: count, root, sums_at: ALIGNMENT + words.len() as u64 };
        file.seek(SeekFrom::Start(ALIGNMENT)).expect("sought");
        file.write_all(words).expect("written");
        file.write_all(bytes_of(sums)).expect("written");
        (file, layout)
    }

    fn get<'a>(document: &'a Document, key: &str) -> Option<Value<'a>> {
        document.root().as_object()?.get_str(key)
    }

    #[test]
    fn what_is_written_is_mapped() {
        let document = json::read_document(text().as_bytes()).expect("JSON");
        let mut words = Vec::new();
        let (count, root, sums) = write(&document, &mut words).expect("written");
        assert_eq!(super::sums(&mut words.as_slice()).expect("read"), sums);
        let (file, layout) = stored(&words, (count, root), &sums);
        assert_eq!((layout.words_bytes(), layout.sums_bytes()), (words.len() as u64, 8 * sums.len() as u64));
        let mapped = open(&file, &layout).expect("mapped");
        assert_eq!(
            get(&mapped, "key number 2711").expect("there").to_json(),
            get(&document, "key number 2711").expect("there").to_json()
        );
        assert!(get(&mapped, "no key").is_none());
        assert_eq!(mapped.root().to_json(), document.root().to_json());
        assert_eq!(mapped.bytes(), document.bytes());
        assert!(!mapped.is_damaged());
        let edited = mapped.edited(&["key number 7", "0"], Edit::Set(&document)).expect("a place");
        assert_eq!(get(&edited, "last").expect("there").to_json(), "1");
        // An edited document is one image again.
        let mut copied = Vec::new();
        let (count, root, sums) = write(&edited, &mut copied).expect("written");
        let (file, layout) = stored(&copied, (count, root), &sums);
        assert_eq!(open(&file, &layout).expect("mapped").root().to_json(), edited.root().to_json());
    }

    #[test]
    fn what_is_built_in_a_file_is_mapped() {
        let text = text();
        let file = scratch();
        let mut image = ImageBuilder::new(file.try_clone().expect("a handle"), ALIGNMENT).expect("mapped");
        let root = json::stream_into(&mut text.as_bytes(), image.builder()).expect("JSON");
        let (words, root) = image.finish(root).expect("written");
        let mut file = file;
        file.seek(SeekFrom::Start(ALIGNMENT)).expect("sought");
        let mut written = Vec::new();
        file.read_to_end(&mut written).expect("read");
        assert_eq!(written.len() as u64, 8 * words);
        let sums = sums(&mut written.as_slice()).expect("read");
        file.write_all(bytes_of(&sums)).expect("written");
        let layout = Layout { words_at: ALIGNMENT, words, root, sums_at: ALIGNMENT + 8 * words };
        let mapped = open(&file, &layout).expect("mapped");
        assert_eq!(mapped.root(), json::read_document(text.as_bytes()).expect("JSON").root());
    }

    #[test]
    fn every_damaged_block_is_seen_and_nothing_else_is() {
        let document = json::read_document(text().as_bytes()).expect("JSON");
        let mut words = Vec::new();
        let (count, root, sums) = write(&document, &mut words).expect("written");
        for block in 0..sums.len() {
            let mut damaged = words.clone();
            let at = (block * BLOCK_BYTES + 9).min(words.len() - 1);
            damaged[at] ^= 4;
            let (file, layout) = stored(&damaged, (count, root), &sums);
            let mapped = open(&file, &layout).expect("mapped");
            let found = get(&mapped, "key number 2711").map(Value::to_json);
            let right = get(&document, "key number 2711").map(Value::to_json);
            assert!(mapped.is_damaged() || found == right, "block {block}");
            let whole = mapped.root().to_json();
            assert!(mapped.is_damaged() || whole == document.root().to_json(), "block {block}");
            // The index over the keys is read by look-ups alone.
            let found =
                (0..3_000).step_by(10).filter_map(|it| get(&mapped, &format!("key number {it}"))).count();
            assert!(mapped.is_damaged() || found == 300);
            assert!(mapped.is_damaged() && any_damage(), "block {block}");
            let edited = mapped.edited(&["last"], Edit::Remove);
            assert!(edited.is_none_or(|it| it.is_damaged()));
        }
    }

    #[test]
    fn bytes_that_say_anything_are_read_inside_the_file() {
        let document = json::read_document(text().as_bytes()).expect("JSON");
        let mut words = Vec::new();
        let (count, root, _) = write(&document, &mut words).expect("written");
        let mut state = 7u64;
        for _ in 0..60 {
            let mut wrong = words.clone();
            for _ in 0..200 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = usize::try_from(state >> 33).expect("31 bits") % wrong.len();
                wrong[at] = state.to_le_bytes()[3];
            }
            // Checksums that are right: only what is said is wrong.
            let sums = sums(&mut wrong.as_slice()).expect("read");
            let (file, layout) = stored(&wrong, (count, root), &sums);
            let mapped = open(&file, &layout).expect("mapped");
            for at in 0..200 {
                let found = get(&mapped, &format!("key number {at}"));
                found
                    .and_then(|it| it.as_array())
                    .map(|it| it.get(1).and_then(|it| it.as_str().map(str::to_owned)));
            }
        }
    }

    #[test]
    fn images_that_end_early_are_refused() {
        let document = json::read_document(text().as_bytes()).expect("JSON");
        let mut words = Vec::new();
        let (count, root, sums) = write(&document, &mut words).expect("written");
        let (file, layout) = stored(&words, (count, root), &sums);
        file.set_len(ALIGNMENT + words.len() as u64 + 8 * sums.len() as u64 - 1).expect("cut");
        assert!(open(&file, &layout).is_err());
        assert!(open(&file, &Layout { words: u64::MAX / 8, ..layout }).is_err());
        assert!(open(&file, &Layout { words_at: u64::MAX - 7, ..layout }).is_err());
    }
}
