//! Writes archives: gzipped tar, the same bytes for the same members.
//!
//! Nothing of where and when it was made goes in: no time, no owner, no name of the machine. Members stand in the order
//! they are given, as OPA writes them.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};

/// The longest name that stands in a member's own header.
const NAME_BYTES_MAX: usize = 100;
/// Who may read a member that somebody unpacks: its owner.
const MODE: u32 = 0o600;

/// Writes members, each a path and its content, as an archive.
///
/// # Errors
///
/// The writer fails.
pub fn write_archive(members: &[(String, Vec<u8>)], out: impl Write) -> io::Result<()> {
    let mut tar = tar::Builder::new(GzBuilder::new().mtime(0).write(out, Compression::default()));
    for (path, bytes) in members {
        if path.len() > NAME_BYTES_MAX || !path.is_ascii() {
            tar.append_pax_extensions([("path", path.as_bytes())])?;
        }
        tar.append(&header(path, bytes.len()), bytes.as_slice())?;
    }
    tar.into_inner()?.finish()?.flush()
}

fn header(path: &str, size: usize) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.set_size(size as u64);
    header.set_mode(MODE);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    if let Some(fields) = header.as_ustar_mut() {
        // The header's own setter refuses the leading slash that OPA's bundles have.
        let plain = path.bytes().filter(u8::is_ascii).take(NAME_BYTES_MAX);
        fields.name.iter_mut().zip(plain).for_each(|(to, byte)| *to = byte);
        fields.set_device_major(0);
        fields.set_device_minor(0);
    }
    header.set_cksum();
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Trust;
    use crate::limits::Limits;
    use crate::reader::Options;

    #[test]
    fn what_is_written_is_read() {
        let long = format!("/{}/\u{e9}.rego", "x".repeat(300));
        let members = vec![
            ("/data.json".to_owned(), b"{\"a\":1}".to_vec()),
            ("/p/x.rego".to_owned(), b"package p".to_vec()),
            (long.clone(), b"package q".to_vec()),
        ];
        let write = || {
            let mut out = Vec::new();
            write_archive(&members, &mut out).expect("written");
            out
        };
        let bytes = write();
        assert_eq!(bytes, write());
        let options = Options {
            limits: Limits::default(),
            folder: String::new(),
            yaml: |_| Err("no YAML here".to_owned()),
            trust: Trust::Unchecked,
        };
        let bundle = crate::read_archive(bytes.as_slice(), options).expect("a bundle");
        let names: Vec<&str> = bundle.modules.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(names, ["/p/x.rego", long.as_str()]);
        assert_eq!(bundle.data[0].document.root().to_json(), r#"{"a":1}"#);
    }
}
