//! `lictor version`: the lines that users of OPA's command look for.
//!
//! The lines are OPA's, so that scripts find them; the version is that of the package. It loads nothing and asks no
//! engine.

use crate::commands::Failure;
use crate::flags::Parsed;
use crate::host::LANGUAGE_VERSION;
use crate::output::write_out;

#[expect(clippy::unnecessary_wraps, reason = "every command has this signature")]
pub(crate) fn run(_: &Parsed) -> Result<u8, Failure> {
    let text = format!(
        "Version: {}\n\
         Build Commit: {}\n\
         Build Timestamp: {}\n\
         Build Hostname: {}\n\
         Go Version: none\n\
         Platform: {}/{}\n\
         Rego Version: v1\n\
         WebAssembly: unavailable\n\
         OPA Version: {LANGUAGE_VERSION}\n",
        env!("CARGO_PKG_VERSION"),
        option_env!("LICTOR_BUILD_COMMIT").unwrap_or_default(),
        option_env!("LICTOR_BUILD_TIMESTAMP").unwrap_or_default(),
        option_env!("LICTOR_BUILD_HOSTNAME").unwrap_or_default(),
        std::env::consts::OS,
        architecture(),
    );
    write_out(text.as_bytes());
    Ok(0)
}

/// Returns the processor's name as Go has it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
