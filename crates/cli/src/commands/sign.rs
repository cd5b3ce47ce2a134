//! `lictor sign`: signs bundles and writes the file that says so.
//!
//! It walks paths and writes one file; what is signed and how is the bundle format's.

use std::fs;

use lictor_bundle::{sign, signatures_file};

use crate::commands::Failure;
use crate::flags::Parsed;
use crate::load::{digests, go_error, join};
use crate::output::write_out;
use crate::signing;

/// What `--help` says first.
pub(crate) const LONG: &str = "Generate a bundle signature.

Makes the digests of all files of the bundles given and signs them with --signing-key. What is signed goes into the
file .signatures.json in the folder that --output-file-path says. Each path is a bundle: a folder or an archive, which
--bundle must say.

The key is a secret for the algorithms of HMAC (HS256 …) and a private key in PEM for those of RSA and ECDSA, as a file
or as it is. With --claims-file the signature says more: its scope, who made it and when.";

/// Exit code for whatever cannot be signed.
const FAULT_EXIT: u8 = 1;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    if flags.arguments.is_empty() {
        let message = "specify atleast one path containing policy and/or data files";
        return Err(Failure::Usage(message.to_owned()));
    }
    if flags.text("signing-key").is_empty() {
        return Err(Failure::Usage(signing::INCOMPLETE.to_owned()));
    }
    if !flags.is_on("bundle") {
        let message = "enable bundle mode (ie. --bundle) to sign bundle files or directories";
        return Err(Failure::Usage(message.to_owned()));
    }
    if let Err(message) = write(flags) {
        // OPA tells it there too.
        write_out(format!("error: {message}\n").as_bytes());
        return Ok(FAULT_EXIT);
    }
    Ok(0)
}

fn write(flags: &Parsed) -> Result<(), String> {
    let mut files = Vec::new();
    for path in &flags.arguments {
        files.extend(digests(path)?);
    }
    let signing = signing::signing(flags)?.ok_or(signing::INCOMPLETE)?;
    let token = sign(&files, &signing).map_err(|error| error.to_string())?;
    let path = match flags.text("output-file-path") {
        "" => ".signatures.json".to_owned(),
        folder => join(folder, ".signatures.json"),
    };
    fs::write(&path, signatures_file(&token, ""))
        .map_err(|error| format!("open {path}: {}", go_error(&error)))
}
