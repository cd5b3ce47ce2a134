//! Deltas on disk: those that were activated since the bundle that is kept, in one file beside it.
//!
//! `docs/internals/bundles.md` has the format. Each record is bound to the one before and the first to the archive, so
//! that what is cut off, damaged or of another archive ends the chain where it stands. Nothing here reads a bundle.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::UNIX_EPOCH;

use lictor_crypto::{Hash, hmac};

/// The file beside the archive.
const FILE_NAME: &str = "deltas";
const MAGIC: &[u8; 8] = b"LICTORDL";
const VERSION: u32 = 1;
/// Magic, version, zero, and what tells the archive.
const HEADER_BYTES: u64 = 32;
/// Length and code of a record.
const RECORD_HEAD_BYTES: u64 = 40;
/// A longer chain is not worth replaying: the whole bundle is asked for.
const DELTAS_MAX: usize = 1_000;
/// As above, in bytes.
const BYTES_MAX: u64 = 256 << 20;

/// Adds a delta that is active behind those that are there, and syncs it.
pub(super) fn append(archive: &Path, delta: &[u8]) -> io::Result<()> {
    let header = header(archive)?;
    let path = archive.with_file_name(FILE_NAME);
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
    let mut found = scan(&mut file, &header, |_| {})?;
    if found.end == 0 {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header)?;
        found.end = HEADER_BYTES;
    }
    let length = delta.len() as u64;
    if found.count >= DELTAS_MAX || found.end + RECORD_HEAD_BYTES + length > BYTES_MAX {
        return Err(io::Error::other(format!(
            "{} deltas and {} bytes are kept already",
            found.count, found.end
        )));
    }
    file.set_len(found.end)?;
    file.seek(SeekFrom::Start(found.end))?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(&code(&found.last, delta)?)?;
    file.write_all(delta)?;
    file.sync_all()?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

/// Returns the deltas that follow an archive, in order, and cuts off what is no record.
pub(super) fn read(archive: &Path) -> io::Result<Vec<Vec<u8>>> {
    let path = archive.with_file_name(FILE_NAME);
    let mut file = match OpenOptions::new().read(true).write(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut deltas = Vec::new();
    let found = scan(&mut file, &header(archive)?, |delta| deltas.push(delta))?;
    if found.end == 0 {
        fs::remove_file(&path)?;
    } else {
        file.set_len(found.end)?;
    }
    Ok(deltas)
}

/// Keeps the first so many deltas.
pub(super) fn truncate(archive: &Path, count: usize) -> io::Result<()> {
    let mut ends = vec![HEADER_BYTES];
    for delta in read(archive)? {
        let last = ends.last().copied().unwrap_or(HEADER_BYTES);
        ends.push(last + RECORD_HEAD_BYTES + delta.len() as u64);
    }
    let Some(end) = ends.get(count) else { return Ok(()) };
    let file = OpenOptions::new().write(true).open(archive.with_file_name(FILE_NAME))?;
    file.set_len(*end)?;
    file.sync_all()
}

/// Forgets the deltas.
pub(super) fn remove(archive: &Path) -> io::Result<()> {
    match fs::remove_file(archive.with_file_name(FILE_NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns what a chain of this archive begins with.
fn header(archive: &Path) -> io::Result<Vec<u8>> {
    let known = fs::metadata(archive)?;
    let time = known.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend([0; 4]);
    header.extend(known.len().to_le_bytes());
    header.extend(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).to_le_bytes());
    Ok(header)
}

/// How far a file is a chain.
struct Found {
    /// Where the last whole record ends; 0 if it is no chain of this archive.
    end: u64,
    count: usize,
    /// The code of the last record, or the header.
    last: Vec<u8>,
}

fn scan(file: &mut File, header: &[u8], mut take: impl FnMut(Vec<u8>)) -> io::Result<Found> {
    let size = file.metadata()?.len();
    let mut found = Found { end: 0, count: 0, last: header.to_vec() };
    let Some(start) = read_exactly(file, HEADER_BYTES)? else { return Ok(found) };
    let version = start.get(8..12).and_then(|it| it.try_into().ok()).map_or(0, u32::from_le_bytes);
    if start.starts_with(MAGIC) && version > VERSION {
        return Err(io::Error::other(format!(
            "deltas are of version {version}, this release reads {VERSION}"
        )));
    }
    if start != header {
        return Ok(found);
    }
    found.end = HEADER_BYTES;
    loop {
        let Some(head) = read_exactly(file, RECORD_HEAD_BYTES)? else { return Ok(found) };
        let Some((length, wanted)) = head.split_first_chunk::<8>() else { return Ok(found) };
        let length = u64::from_le_bytes(*length);
        // No more is believed than there is.
        if length > size.saturating_sub(found.end + RECORD_HEAD_BYTES) {
            return Ok(found);
        }
        let Some(delta) = read_exactly(file, length)? else { return Ok(found) };
        if code(&found.last, &delta)? != wanted {
            return Ok(found);
        }
        found = Found {
            end: found.end + RECORD_HEAD_BYTES + length,
            count: found.count + 1,
            last: wanted.to_vec(),
        };
        take(delta);
    }
}

/// Reads so many bytes; nothing if the file ends before.
fn read_exactly(file: &mut File, count: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|it| it.len() as u64 == count))
}

/// Returns the code that binds a delta to what stands before it.
fn code(before: &[u8], delta: &[u8]) -> io::Result<Vec<u8>> {
    hmac(Hash::Sha256, before, delta).ok_or_else(|| io::Error::other("there is no SHA-256"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn archive(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("lictor-chain-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("made");
        let archive = folder.join("bundle.tar.gz");
        fs::write(&archive, b"whole").expect("written");
        archive
    }

    #[test]
    fn deltas_are_found_up_to_the_first_that_is_damaged() {
        let archive = archive("damaged");
        assert!(read(&archive).expect("nothing there").is_empty());
        for delta in ["one", "second", ""] {
            append(&archive, delta.as_bytes()).expect("kept");
        }
        let file = archive.with_file_name(FILE_NAME);
        let whole = fs::read(&file).expect("a file");
        assert_eq!(read(&archive).expect("read"), [b"one".to_vec(), b"second".to_vec(), Vec::new()]);
        // Cut anywhere, or with any byte changed, it is what stands whole before that.
        for at in 0..whole.len() {
            for is_cut in [true, false] {
                let mut bytes = whole.clone();
                if is_cut {
                    bytes.truncate(at);
                } else {
                    bytes[at] ^= 0x40;
                }
                fs::write(&file, &bytes).expect("written");
                let Ok(deltas) = read(&archive) else { continue };
                let ends = [32, 75, 121, 161];
                assert_eq!(
                    deltas.len(),
                    ends.iter().filter(|it| **it <= at).count().saturating_sub(1),
                    "{at}"
                );
                append(&archive, b"next").expect("kept");
                assert_eq!(read(&archive).expect("read").len(), deltas.len() + 1);
            }
        }
        fs::remove_dir_all(archive.parent().expect("a folder")).expect("removed");
    }

    #[test]
    fn a_chain_is_of_one_archive() {
        let archive = archive("other");
        append(&archive, b"one").expect("kept");
        append(&archive, b"two").expect("kept");
        truncate(&archive, 1).expect("cut");
        assert_eq!(read(&archive).expect("read").len(), 1);
        fs::write(&archive, b"another").expect("written");
        assert!(read(&archive).expect("read").is_empty() && !archive.with_file_name(FILE_NAME).exists());
        append(&archive, b"one").expect("kept");
        remove(&archive).expect("gone");
        remove(&archive).expect("gone already");
        assert!(read(&archive).expect("read").is_empty());
        fs::remove_dir_all(archive.parent().expect("a folder")).expect("removed");
    }

    /// What this release wrote first must be read by all that follow.
    #[test]
    fn version_1_is_read() {
        let text = include_str!("../../../../corpus/formats/deltas-1.hex").replace('\n', "");
        let digit = |it: u8| u8::try_from(char::from(it).to_digit(16).expect("a digit")).expect("below 16");
        let bytes: Vec<u8> =
            text.as_bytes().as_chunks::<2>().0.iter().map(|[a, b]| digit(*a) << 4 | digit(*b)).collect();
        let archive = archive("version");
        let time = UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000);
        File::options().write(true).open(&archive).and_then(|it| it.set_modified(time)).expect("set");
        fs::write(archive.with_file_name(FILE_NAME), &bytes).expect("written");
        assert_eq!(read(&archive).expect("read"), [b"one".to_vec(), b"second".to_vec()]);
        fs::remove_dir_all(archive.parent().expect("a folder")).expect("removed");
    }

    #[test]
    fn newer_versions_are_left_alone() {
        let archive = archive("newer");
        let mut bytes = header(&archive).expect("an archive");
        bytes[8] = 2;
        let file = archive.with_file_name(FILE_NAME);
        fs::write(&file, &bytes).expect("written");
        let error = read(&archive).expect_err("newer");
        assert_eq!(error.to_string(), "deltas are of version 2, this release reads 1");
        assert!(append(&archive, b"x").is_err());
        assert_eq!(fs::read(&file).expect("there"), bytes);
        fs::remove_dir_all(archive.parent().expect("a folder")).expect("removed");
    }
}
