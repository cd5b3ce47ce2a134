//! Bundles as compressed tar archives, read as a stream: of data, a few hundred kilobytes of text are in memory.
//!
//! Sizes are those after expansion and never taken from the archive's word. Only plain files count; a name that
//! leads out of the bundle is refused, since somebody may write what is read here to a disk one day.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use crate::error::{BundleError, BundleErrorKind};
use crate::meter::Members;
use crate::reader::{Bundle, BundleReader, Options};

/// Reads a bundle from a tar archive in a gzip or zstd stream.
///
/// # Errors
///
/// The archive ends early or is none, a limit is passed, or a member is at fault.
pub fn read_archive(archive: impl Read + Send, options: Options) -> Result<Bundle, BundleError> {
    let mut reader = BundleReader::new(options);
    read_members(archive, &mut reader)?;
    reader.finish()
}

/// Hands on the members of an archive, a tar file in a gzip or zstd stream, one by one.
///
/// # Errors
///
/// The archive ends early or is none, a limit is passed, or a member is refused.
pub fn read_members(archive: impl Read + Send, members: &mut dyn Members) -> Result<(), BundleError> {
    read_expanded(expand(archive)?, members)
}

/// Returns the expanded bytes of an archive. Reading them may be another thread's work.
///
/// # Errors
///
/// The archive cannot be read, or is neither a gzip nor a zstd stream.
pub fn expand<'a>(archive: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>, BundleError> {
    const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    let mut compressed = BufReader::with_capacity(64 * 1024, archive);
    let start = compressed.fill_buf().map_err(|it| BundleError::unreadable(&it))?;
    if start.starts_with(ZSTD) {
        let expanded = zstd::stream::read::Decoder::with_buffer(compressed);
        return Ok(Box::new(expanded.map_err(|it| BundleError::unreadable(&it))?));
    }
    check_header(start)?;
    Ok(Box::new(MultiGzDecoder::new(compressed)))
}

/// Hands on the members of a tar file one by one.
///
/// # Errors
///
/// As [`read_members`].
pub fn read_expanded(expanded: impl Read, members: &mut dyn Members) -> Result<(), BundleError> {
    let mut tar = tar::Archive::new(expanded);
    for entry in tar.entries().map_err(|it| BundleError::unreadable(&it))? {
        let mut entry = entry.map_err(|it| BundleError::unreadable(&it))?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !matches!(entry.header().entry_type(), tar::EntryType::Regular) {
            members.meter().count(&path, 0)?;
            continue;
        }
        check_path(&path)?;
        let size = entry.size();
        if !members.wants(&path) {
            members.meter().count(&path, size)?;
            continue;
        }
        let mut content = Whole { entry: &mut entry, left: size };
        members.add(&path, &mut content)?;
    }
    // The checksum stands behind the last member.
    io::copy(&mut tar.into_inner(), &mut io::sink()).map_err(|it| BundleError::unreadable(&it))?;
    Ok(())
}

/// Is the content of a member that must be as long as its header says.
struct Whole<'a, R> {
    entry: &'a mut R,
    left: u64,
}

impl<R: Read> Read for Whole<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.entry.read(to)?;
        self.left = self.left.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
        if count == 0 && self.left > 0 && !to.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(count)
    }
}

/// Refuses what is no gzip stream, in Go's words.
fn check_header(start: &[u8]) -> Result<(), BundleError> {
    const HEADER_BYTES: usize = 10;
    let message = if start.is_empty() {
        "EOF"
    } else if start.len() < HEADER_BYTES {
        "unexpected EOF"
    } else if start.get(..3) != Some(&[0x1f, 0x8b, 8]) {
        "gzip: invalid header"
    } else {
        return Ok(());
    };
    Err(BundleError::new(
        BundleErrorKind::Archive,
        format!("bundle read failed: archive read failed: {message}"),
    ))
}

fn check_path(path: &str) -> Result<(), BundleError> {
    if path.split('/').any(|it| it == "..") {
        let message = format!("bundle read failed: file `{path}` leads out of the bundle");
        return Err(BundleError::new(BundleErrorKind::Path, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;
    use crate::guard::Trust;
    use crate::limits::Limits;

    fn options() -> Options {
        let yaml = |_: &[u8]| Err("no YAML here".to_owned());
        Options { limits: Limits::default(), folder: String::new(), yaml, trust: Trust::Unchecked }
    }

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, bytes) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o600);
            let name = &mut header.as_gnu_mut().expect("a GNU header").name;
            name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            builder.append(&header, *bytes).expect("written");
        }
        builder.into_inner().expect("written").finish().expect("written")
    }

    fn fault(bytes: &[u8]) -> String {
        read_archive(bytes, options()).expect_err("a fault").to_string()
    }

    #[test]
    fn members_are_read() {
        let bytes = archive(&[("/data.json", b"{\"a\":1}"), ("./p/x.rego", b"package p"), ("x.txt", b"")]);
        let bundle = read_archive(bytes.as_slice(), options()).expect("a bundle");
        assert_eq!(bundle.data[0].document.root().to_json(), r#"{"a":1}"#);
        assert_eq!(bundle.modules[0].bytes, b"package p");
    }

    #[test]
    fn every_cut_is_an_error() {
        let bytes = archive(&[("/data.json", b"{\"a\":1}"), ("/p/x.rego", &b"package p\n".repeat(200))]);
        for length in 0..bytes.len() {
            assert!(read_archive(&bytes[..length], options()).is_err(), "cut at {length}");
        }
        assert_eq!(fault(b""), "bundle read failed: archive read failed: EOF");
        assert_eq!(fault(b"abc"), "bundle read failed: archive read failed: unexpected EOF");
        assert_eq!(
            fault(b"no archive at all"),
            "bundle read failed: archive read failed: gzip: invalid header"
        );
        assert_eq!(fault(&bytes[..40]), "bundle read failed: unexpected EOF");
    }

    #[test]
    fn paths_stay_inside() {
        assert!(fault(&archive(&[("a/../../x.rego", b"")])).contains("leads out of the bundle"));
    }

    #[test]
    fn expansion_is_limited() {
        let zeros = vec![b' '; 1 << 20];
        let bytes = archive(&[("/data.json", &zeros)]);
        let limits = Limits { member_bytes_max: 1 << 16, ..Limits::default() };
        let error = read_archive(bytes.as_slice(), Options { limits, ..options() }).expect_err("too large");
        assert_eq!(error.kind(), BundleErrorKind::Limit);
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&zeros).expect("written");
        assert!(read_archive(encoder.finish().expect("written").as_slice(), options()).is_err());
    }
}
