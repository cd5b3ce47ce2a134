//! What the fuzzers call, and the replay of their seeds as a test.
//!
//! A target takes any bytes and must come back: it asserts what holds for every input and lets all
//! else be. The fuzzers in `fuzz/` feed these functions with coverage; the seeds in `fuzz/seeds` and
//! every find since run here on the plain toolchain.

mod calls;
mod format;
mod json;
mod jwt;
mod parser;
mod plan;
mod policy;
mod regex;
mod schema;
mod sprintf;
mod template;
mod x509;
mod yaml;

use lictor_vm::Limits;

/// A target: takes bytes, comes back, and panics if something that must hold does not.
pub type Target = fn(&[u8]);

/// The targets by name; their seeds lie in `fuzz/seeds/<name>`.
pub const TARGETS: [(&str, Target); 12] = [
    ("parser", parser::parser),
    ("format", format::format),
    ("json", json::json),
    ("jwt", jwt::jwt),
    ("plan", plan::plan),
    ("policy", policy::policy),
    ("regex", regex::regex),
    ("schema", schema::schema),
    ("sprintf", sprintf::sprintf),
    ("template", template::template),
    ("x509", x509::x509),
    ("yaml", yaml::yaml),
];

/// Feeds a target, known by its name, with bytes.
///
/// # Panics
///
/// If there is no such target, or something that must hold does not.
pub fn run_target(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|it| it.0 == name).expect("the fuzzer names a target").1;
    target(bytes);
}

/// A budget that ends whatever a made-up policy starts.
const LIMITS: Limits = Limits { steps_max: 20_000, bytes_max: 1 << 20, depth_max: 100 };

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn seeds_run_clean() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
        for (name, target) in TARGETS {
            let folder = fs::read_dir(seeds.join(name)).expect("each target has seeds");
            let mut count = 0;
            for entry in folder.flatten() {
                let bytes = fs::read(entry.path()).expect("a seed can be read");
                let outcome = std::panic::catch_unwind(|| target(&bytes));
                assert!(outcome.is_ok(), "{name}: {}", entry.path().display());
                count += 1;
            }
            assert!(count > 0, "{name} has no seeds");
        }
    }
}
