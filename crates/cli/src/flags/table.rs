//! The one table of flags: those of OPA 1.22, command by command, and our own of `bench`.
//!
//! A flag that is `Absent` is OPA's and not there yet; giving it is refused by name, never ignored.

use super::{Flag, Kind};

const fn flag(name: &'static str, kind: Kind, help: &'static str) -> Flag {
    Flag { name, short: None, kind, help }
}

const fn short(letter: char, name: &'static str, kind: Kind, help: &'static str) -> Flag {
    Flag { name, short: Some(letter), kind, help }
}

const fn absent(name: &'static str) -> Flag {
    flag(name, Kind::Absent, "")
}

const fn short_absent(letter: char, name: &'static str) -> Flag {
    short(letter, name, Kind::Absent, "")
}

const DATA: Flag = short('d', "data", Kind::List, "set policy or data file(s). This flag can be repeated.");
const BUNDLES: Flag =
    short('b', "bundle", Kind::List, "set bundle file(s) or directory path(s). This flag can be repeated.");
const BUNDLE_MODE: Flag =
    short('b', "bundle", Kind::Switch, "load paths as bundle files or root directories");
const IGNORE: Flag = flag(
    "ignore",
    Kind::CommaList,
    "set file and directory names to ignore during loading (e.g., '.*' excludes hidden files)",
);
const INPUT: Flag = short('i', "input", Kind::Text(""), "set input file path");
const STDIN_INPUT: Flag = short('I', "stdin-input", Kind::Switch, "read input document from stdin");
const STDIN: Flag = flag("stdin", Kind::Switch, "read query from stdin");
const PACKAGE: Flag = flag("package", Kind::Text(""), "set query package");
const IMPORT: Flag = flag("import", Kind::List, "set query import(s). This flag can be repeated.");
const STRICT: Flag = short('S', "strict", Kind::Switch, "enable compiler strict mode");
const METRICS: Flag = flag("metrics", Kind::Switch, "report query performance metrics");
const V0: Flag =
    flag("v0-compatible", Kind::Switch, "opt-in to OPA features and behaviors prior to the OPA v1.0 release");
const V1: Flag = flag(
    "v1-compatible",
    Kind::Switch,
    "opt-in to OPA features and behaviors that are enabled by default in OPA v1.0",
);
const MAX_ERRORS: Flag = short(
    'm',
    "max-errors",
    Kind::Number(10),
    "set the number of errors to allow before compilation fails early",
);

/// Flags of `eval`.
pub(crate) const EVAL: &[Flag] = &[
    BUNDLES,
    DATA,
    IGNORE,
    INPUT,
    STDIN_INPUT,
    STDIN,
    PACKAGE,
    IMPORT,
    STRICT,
    METRICS,
    V0,
    V1,
    short(
        'f',
        "format",
        Kind::Choice(&["json", "values", "bindings", "pretty", "source", "raw", "discard"]),
        "set output format",
    ),
    flag("count", Kind::Number(1), "number of times to repeat each benchmark"),
    flag("fail", Kind::Switch, "exits with non-zero exit code on undefined/empty result and errors"),
    flag(
        "fail-defined",
        Kind::Switch,
        "exits with non-zero exit code on defined/non-empty result and errors",
    ),
    flag(
        "strict-builtin-errors",
        Kind::Switch,
        "treat the first built-in function error encountered as fatal",
    ),
    flag("timeout", Kind::Time, "set eval timeout (default unlimited)"),
    absent("capabilities"),
    absent("coverage"),
    absent("coverage-runs"),
    absent("disable-early-exit"),
    absent("disable-indexing"),
    absent("disable-inlining"),
    short_absent('e', "entrypoint"),
    absent("explain"),
    absent("instrument"),
    absent("nondeterminstic-builtins"),
    short_absent('O', "optimize"),
    absent("optimize-store-for-read-speed"),
    short_absent('p', "partial"),
    absent("pretty-limit"),
    absent("profile"),
    absent("profile-limit"),
    absent("profile-sort"),
    short_absent('s', "schema"),
    absent("shallow-inlining"),
    absent("show-builtin-errors"),
    short_absent('t', "target"),
    short_absent('u', "unknowns"),
    absent("var-values"),
];

/// Flags of `check`.
pub(crate) const CHECK: &[Flag] = &[
    BUNDLE_MODE,
    IGNORE,
    STRICT,
    MAX_ERRORS,
    V0,
    V1,
    short('f', "format", Kind::Choice(&["pretty", "json"]), "set output format"),
    flag(
        "v0-v1",
        Kind::Switch,
        "check for Rego v0 and v1 compatibility (policies must be compatible with both Rego versions)",
    ),
    flag("rego-v1", Kind::Switch, "the old name of --v0-v1"),
    absent("capabilities"),
    short_absent('s', "schema"),
];

/// Flags of `run`.
pub(crate) const RUN: &[Flag] = &[
    short('s', "server", Kind::Switch, "start the runtime in server mode"),
    short(
        'a',
        "addr",
        Kind::CommaList,
        "set listening address of the server (e.g., [ip]:<port> for TCP) (default [localhost:8181])",
    ),
    BUNDLE_MODE,
    DATA_FILES,
    IGNORE,
    V0,
    V1,
    MAX_ERRORS,
    short('l', "log-level", Kind::Choice(&["info", "debug", "error"]), "set log level"),
    flag("log-format", Kind::Choice(&["json", "text", "json-pretty"]), "set log format"),
    flag(
        "shutdown-grace-period",
        Kind::Number(10),
        "set the time (in seconds) that the server will wait to gracefully shut down",
    ),
    absent("authentication"),
    absent("authorization"),
    short_absent('c', "config-file"),
    absent("diagnostic-addr"),
    absent("exclude-files-verify"),
    short_absent('f', "format"),
    absent("h2c"),
    short_absent('H', "history"),
    absent("log-level-request"),
    absent("log-timestamp-format"),
    absent("min-tls-version"),
    absent("optimize-store-for-read-speed"),
    absent("pprof"),
    absent("ready-timeout"),
    absent("scope"),
    absent("set"),
    absent("set-file"),
    absent("shutdown-wait-period"),
    absent("signing-alg"),
    absent("skip-known-schema-check"),
    absent("skip-verify"),
    absent("skip-version-check"),
    absent("tls-ca-cert-file"),
    absent("tls-cert-file"),
    absent("tls-cert-refresh-period"),
    absent("tls-cipher-suites"),
    absent("tls-private-key-file"),
    absent("unix-socket-perm"),
    absent("verification-key"),
    absent("verification-key-id"),
    short_absent('w', "watch"),
    absent("watch-config"),
];

const DATA_FILES: Flag =
    short('d', "data", Kind::List, "set policy or data file(s), beside those given as arguments");

/// Flags of `bench`.
pub(crate) const BENCH: &[Flag] = &[
    BUNDLES,
    DATA,
    IGNORE,
    INPUT,
    STDIN_INPUT,
    STDIN,
    PACKAGE,
    IMPORT,
    V0,
    V1,
    short('f', "format", Kind::Choice(&["pretty", "json", "gobench"]), "set output format"),
    flag("count", Kind::Number(1), "number of times to repeat each benchmark"),
    flag("dir", Kind::Text(""), "run the scenario folders of this directory instead of a query"),
    flag("cases", Kind::CommaList, "scenario folders to run (default all)"),
    flag("secs", Kind::Text("1"), "seconds to spend on each scenario and mode"),
    flag("fail", Kind::On, "exits with non-zero exit code on undefined/empty result and errors"),
    flag("metrics", Kind::On, "report query performance metrics"),
    absent("benchmem"),
    short_absent('c', "config-file"),
    absent("e2e"),
    absent("optimize-store-for-read-speed"),
    short_absent('p', "partial"),
    short_absent('s', "schema"),
    absent("shutdown-grace-period"),
    absent("shutdown-wait-period"),
    short_absent('t', "target"),
    short_absent('u', "unknowns"),
];

/// Flags of `version`.
pub(crate) const VERSION: &[Flag] = &[short_absent('c', "check")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_letters_are_unique() {
        for flags in [EVAL, CHECK, RUN, BENCH, VERSION] {
            for (index, flag) in flags.iter().enumerate() {
                for other in &flags[index + 1..] {
                    assert_ne!(flag.name, other.name);
                    assert!(flag.short.is_none() || flag.short != other.short, "-{:?}", flag.short);
                }
            }
        }
    }
}
