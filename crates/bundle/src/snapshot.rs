//! Snapshots: a bundle as one file that is mapped instead of read.
//!
//! The format is `docs/internals/snapshots.md`; what the words of the data are, `lictor_value::image` knows. Files are
//! given open: who names, syncs and renames them is above.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use lictor_value::Document;
use lictor_value::image::{self, ALIGNMENT, ImageBuilder, Layout};

use crate::archive::read_members;
use crate::error::{BundleError, BundleErrorKind};
use crate::reader::{Bundle, BundleReader, DataFile, Options};

const MAGIC: &[u8; 8] = b"lictsnap";
const HEADER_BYTES: usize = 128;
const VERSION: u32 = 1;
/// Of the layout of cells and nodes, and of the hash that indexes are made with.
const WORDS_VERSION: u64 = 1;
const BLOCK_BYTES: u32 = 16 * 1024;
/// More policy than this is refused before it is read.
const POLICY_BYTES_MAX: u64 = 1 << 30;

/// Is what tells the source of a snapshot from others, as whoever makes it likes; zeros if nobody said.
pub type SnapshotSource = [u8; 32];

/// Says whether a file that starts so is a snapshot.
#[must_use]
pub fn is_snapshot(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// Writes a snapshot into an empty file.
#[derive(Debug)]
pub struct SnapshotWriter {
    file: File,
}

impl SnapshotWriter {
    /// Returns a writer that has written nothing yet.
    #[must_use]
    pub fn new(file: File) -> Self {
        Self { file }
    }

    /// Returns what builds data in the file, of any size; its end goes to [`Self::seal`].
    ///
    /// # Errors
    ///
    /// The file cannot be made larger or mapped.
    pub fn image(&self) -> io::Result<ImageBuilder> {
        ImageBuilder::new(self.file.try_clone()?, ALIGNMENT)
    }

    /// Writes data that is there.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&mut self, document: &Document) -> io::Result<Layout> {
        // Something may have been begun in the file and given up.
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(ALIGNMENT))?;
        let mut out = io::BufWriter::with_capacity(1 << 20, &self.file);
        let (words, root, sums) = image::write(document, &mut out)?;
        out.flush()?;
        drop(out);
        self.end_data(words, root, &sums)
    }

    /// Ends data that was built in the file: the number of words and the root's cell.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written.
    pub fn seal(&mut self, (words, root): (u64, u64)) -> io::Result<Layout> {
        self.file.seek(SeekFrom::Start(ALIGNMENT))?;
        let sums = image::sums(&mut (&self.file).take(words.saturating_mul(8)))?;
        self.end_data(words, root, &sums)
    }

    fn end_data(&mut self, words: u64, root: u64, sums: &[u64]) -> io::Result<Layout> {
        let sums_at = ALIGNMENT + words.saturating_mul(8);
        let bytes: Vec<u8> = sums.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.file.seek(SeekFrom::Start(sums_at))?;
        self.file.write_all(&bytes)?;
        Ok(Layout { words_at: ALIGNMENT, words, root, sums_at })
    }

    /// Maps the data that was written; the file is no snapshot yet.
    ///
    /// # Errors
    ///
    /// The file cannot be mapped.
    pub fn map(&self, layout: &Layout) -> io::Result<Document> {
        image::open(&self.file, layout)
    }

    /// Ends the file: the policy, an archive without data files, and the header. It still has to be synced.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written.
    pub fn finish(mut self, layout: &Layout, policy: &[u8], source: &SnapshotSource) -> io::Result<File> {
        let sums = read_part(&self.file, layout.sums_at, layout.sums_bytes())?;
        self.file.seek(SeekFrom::Start(layout.sums_at + layout.sums_bytes()))?;
        self.file.write_all(policy)?;
        let header = Header {
            words: layout.words,
            root: layout.root,
            sums_sum: image::checksum(&sums),
            policy_bytes: policy.len() as u64,
            policy_sum: image::checksum(policy),
            source: *source,
        };
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header.to_bytes())?;
        Ok(self.file)
    }
}

/// Opens a snapshot: its policy is read, its data mapped.
///
/// # Errors
///
/// The file is none, of a later version, damaged, or its policy is at fault.
pub fn open_snapshot(file: &File, options: Options) -> Result<Bundle, BundleError> {
    let refuse =
        |what: &str| BundleError::new(BundleErrorKind::Archive, format!("snapshot read failed: {what}"));
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => refuse("unexpected end of file"),
        _ => refuse(&error.to_string()),
    };
    let start = read_part(file, 0, HEADER_BYTES as u64).map_err(unreadable)?;
    let header = Header::read(&start).map_err(|it| refuse(&it))?;
    let layout = header.layout().ok_or_else(|| refuse("sizes are too large"))?;
    let policy_at = layout.sums_at.saturating_add(layout.sums_bytes());
    let length = file.metadata().map_err(unreadable)?.len();
    if policy_at.checked_add(header.policy_bytes) != Some(length) {
        return Err(refuse("the file is not as long as its header says"));
    }
    if header.policy_bytes > POLICY_BYTES_MAX {
        return Err(refuse("the policy is too large"));
    }
    let sums = read_part(file, layout.sums_at, layout.sums_bytes()).map_err(unreadable)?;
    if image::checksum(&sums) != header.sums_sum {
        return Err(refuse("the checksums of the data are damaged"));
    }
    let policy = read_part(file, policy_at, header.policy_bytes).map_err(unreadable)?;
    if image::checksum(&policy) != header.policy_sum {
        return Err(refuse("the policy is damaged"));
    }
    let mut reader = BundleReader::new(options);
    read_members(policy.as_slice(), &mut reader)?;
    let mut bundle = reader.finish()?;
    let document = image::open(file, &layout).map_err(unreadable)?;
    bundle.data.push(DataFile { member: "/data.json".to_owned(), path: Vec::new(), document });
    Ok(bundle)
}

/// Returns what a snapshot says of its source; none if the file is no snapshot that can be opened.
#[must_use]
pub fn snapshot_source(file: &File) -> Option<SnapshotSource> {
    let start = read_part(file, 0, HEADER_BYTES as u64).ok()?;
    Header::read(&start).ok().map(|it| it.source)
}

/// Reads bytes of a file, as many as it has of them at most.
fn read_part(mut file: &File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    let read = file.take(length).read_to_end(&mut bytes)?;
    if (read as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

/// Is what the first bytes say.
struct Header {
    words: u64,
    root: u64,
    sums_sum: u64,
    policy_bytes: u64,
    policy_sum: u64,
    source: SnapshotSource,
}

impl Header {
    fn layout(&self) -> Option<Layout> {
        let sums_at = self.words.checked_mul(8)?.checked_add(ALIGNMENT)?;
        Some(Layout { words_at: ALIGNMENT, words: self.words, root: self.root, sums_at })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(BLOCK_BYTES.to_le_bytes());
        for number in
            [self.words, self.root, self.sums_sum, self.policy_bytes, self.policy_sum, WORDS_VERSION]
        {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.source);
        bytes.resize(HEADER_BYTES - 8, 0);
        bytes.extend(image::checksum(&bytes).to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let number = |at: usize| {
            let bytes = bytes.get(at..).and_then(|it| it.first_chunk::<8>());
            bytes.map_or(0, |it| u64::from_le_bytes(*it))
        };
        if !is_snapshot(bytes) {
            return Err("this is no snapshot".to_owned());
        }
        let version = number(8) & 0xffff_ffff;
        if version != u64::from(VERSION) {
            return Err(format!("version {version} is not known, this release reads version {VERSION}"));
        }
        let checked = bytes.get(..HEADER_BYTES - 8).unwrap_or_default();
        if image::checksum(checked) != number(HEADER_BYTES - 8) {
            return Err("the header is damaged".to_owned());
        }
        if number(8) >> 32 != u64::from(BLOCK_BYTES) || number(56) != WORDS_VERSION {
            return Err("the layout of the data is not known".to_owned());
        }
        let source = bytes.get(64..).and_then(|it| it.first_chunk::<32>()).copied().unwrap_or_default();
        Ok(Self {
            words: number(16),
            root: number(24),
            sums_sum: number(32),
            policy_bytes: number(40),
            policy_sum: number(48),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use lictor_value::json;

    use super::*;
    use crate::guard::Trust;
    use crate::limits::Limits;
    use crate::writer::write_archive;

    fn scratch() -> File {
        let name = format!("lictor-snapshot-{}-{:?}", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        let file =
            File::options().create(true).truncate(true).read(true).write(true).open(&path).expect("a file");
        std::fs::remove_file(path).expect("removed");
        file
    }

    fn options() -> Options {
        let yaml = |_: &[u8]| Err("no YAML here".to_owned());
        Options { limits: Limits::default(), folder: String::new(), yaml, trust: Trust::Unchecked }
    }

    fn snapshot(data: &str) -> File {
        let members = [("/p/x.rego".to_owned(), b"package p".to_vec())];
        let mut policy = Vec::new();
        write_archive(&members, &mut policy).expect("written");
        let mut writer = SnapshotWriter::new(scratch());
        let layout = writer.write(&json::read_document(data.as_bytes()).expect("JSON")).expect("written");
        writer.finish(&layout, &policy, &[7; 32]).expect("written")
    }

    fn data() -> String {
        let items: Vec<String> = (0..4_000).map(|it| format!("\"key {it} of some length\":{it}")).collect();
        format!("{{{}}}", items.join(","))
    }

    fn content(file: &File) -> Vec<u8> {
        read_part(file, 0, file.metadata().expect("known").len()).expect("read")
    }

    fn fault(bytes: &[u8]) -> String {
        let mut file = scratch();
        file.write_all(bytes).expect("written");
        open_snapshot(&file, options()).map(|_| ()).expect_err("a fault").to_string()
    }

    #[test]
    fn what_is_written_is_opened() {
        let file = snapshot(&data());
        let bundle = open_snapshot(&file, options()).expect("a snapshot");
        assert_eq!(bundle.modules[0].bytes, b"package p");
        let wanted = json::read_document(data().as_bytes()).expect("JSON");
        assert_eq!(bundle.data[0].document.root(), wanted.root());
        assert_eq!(snapshot_source(&file), Some([7; 32]));
        assert_eq!(content(&file), content(&snapshot(&data())));
    }

    #[test]
    fn what_is_damaged_at_the_start_or_the_end_is_refused() {
        let whole = content(&snapshot(r#"{"a": [1]}"#));
        for length in
            (0..whole.len()).filter(|it| *it <= HEADER_BYTES || *it % 4_099 == 0 || it + 300 > whole.len())
        {
            fault(&whole[..length]);
        }
        let words_end = usize::try_from(ALIGNMENT).expect("small") + 8 * 10;
        for at in (0..HEADER_BYTES).chain(words_end..whole.len()) {
            let mut wrong = whole.clone();
            wrong[at] ^= 1;
            assert!(!fault(&wrong).is_empty(), "byte {at}");
        }
        fault(&[whole.as_slice(), b"x"].concat());
    }

    #[test]
    fn later_versions_are_refused_by_name() {
        let mut later = content(&snapshot("{}"));
        later[8] = 2;
        let wanted = "snapshot read failed: version 2 is not known, this release reads version 1";
        assert_eq!(fault(&later), wanted);
        assert_eq!(fault(b"package p"), "snapshot read failed: unexpected end of file");
        assert_eq!(fault(&[b'x'; 200]), "snapshot read failed: this is no snapshot");
    }

    #[test]
    fn data_goes_to_the_file_while_it_comes() {
        let read = |members: &[(&str, &str)]| {
            let mut writer = SnapshotWriter::new(scratch());
            let mut reader = BundleReader::new(options()).with_image(writer.image().expect("mapped"));
            for (path, text) in members {
                crate::meter::Members::add(&mut reader, path, &mut text.as_bytes())?;
            }
            let (_, end) = reader.finish_image()?;
            let layout = writer.seal(end).expect("written");
            Ok::<_, BundleError>(writer.map(&layout).expect("mapped").root().to_json())
        };
        let several = [("/b/c/data.json", "[1]"), ("/a/data.json", "{\"x\":2}"), ("/b/a/data.json", "3")];
        assert_eq!(read(&several).expect("read"), r#"{"a":{"x":2},"b":{"a":3,"c":[1]}}"#);
        assert_eq!(read(&[("/data.json", &data())]).map(|it| it.len()), Ok(data().len()));
        assert_eq!(read(&[]).as_deref(), Ok("{}"));
        let nested = read(&[("/a/data.json", "{}"), ("/a/b/data.json", "1")]).expect_err("not joined");
        assert_eq!(nested.kind(), BundleErrorKind::Nested);
        let error = read(&[("/a/data.json", "{")]).expect_err("no JSON");
        assert_eq!(error.to_string(), "bundle load failed on /a/data.json: unexpected EOF");
    }

    /// Every version that was ever written is read: `corpus/formats` has one file of each.
    #[test]
    fn version_1_is_read() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/formats/snapshot-1.snapshot");
        let bundle = open_snapshot(&File::open(path).expect("a fixture"), options()).expect("a snapshot");
        assert_eq!(
            bundle.data[0].document.root().to_json(),
            r#"{"users":{"ann":{"admin":true},"bob":{"admin":false}}}"#
        );
        assert_eq!(bundle.modules.len(), 1);
    }
}
