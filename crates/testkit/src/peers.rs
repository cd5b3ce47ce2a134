//! Servers of others that tests talk to, each on a port that the kernel chose and ended by who started it.
//!
//! Apart from engines and oracles because they run beside the tests. A machine without such a server skips its tests,
//! with the reason where `./test` counts; with `CI=true` that is a failure.

pub mod redis;

use std::io::Write as _;

/// Reports a test that cannot run because a server is not installed.
///
/// # Panics
///
/// With `CI=true`, where everything must be installed.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("CI").is_none_or(|it| it != "true"), "{reason}");
    let Some(log) = std::env::var_os("LICTOR_SKIP_LOG") else { return };
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(log).expect("the skip log can be written");
    writeln!(file, "{reason}").expect("the skip log can be written");
}
