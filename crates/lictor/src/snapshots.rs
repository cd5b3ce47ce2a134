//! Writes a bundle that was read as a snapshot, which loads in milliseconds.
//!
//! Apart because the format is the bundle's and merging data is the store's. Who names the file and when it is
//! trusted is above.

use std::fs::File;
use std::io;

use lictor_bundle::{Bundle, Member, SnapshotSource, SnapshotWriter, write_archive};

use crate::bundles::merged;

/// Writes a bundle into an empty file, which still has to be synced. `source` says what it was made from.
///
/// # Errors
///
/// The bundle is a delta, its data files contradict each other, or the file cannot be written.
pub fn write_snapshot(bundle: &Bundle, file: File, source: &SnapshotSource) -> io::Result<File> {
    if bundle.is_delta() {
        return Err(io::Error::other("a delta bundle cannot become a snapshot"));
    }
    let data = merged(bundle).map_err(io::Error::other)?;
    let member = |it: &Member| (it.path.clone(), it.bytes.clone());
    let mut members: Vec<(String, Vec<u8>)> = bundle.modules.iter().map(member).collect();
    members.extend(bundle.wasm_modules.iter().map(member));
    members.extend(bundle.plans.iter().map(member));
    members.push(("/.manifest".to_owned(), bundle.manifest.to_member()));
    let mut policy = Vec::new();
    write_archive(&members, &mut policy)?;
    let mut writer = SnapshotWriter::new(file);
    let layout = writer.write(&data)?;
    writer.finish(&layout, &policy, source)
}
