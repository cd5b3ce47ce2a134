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
const CAPABILITIES: Flag =
    flag("capabilities", Kind::Text(""), "set capabilities version or capabilities.json file path");
const SCHEMA: Flag = short('s', "schema", Kind::Text(""), "set schema file path or directory path");
const MAX_ERRORS: Flag = short(
    'm',
    "max-errors",
    Kind::Number(10),
    "set the number of errors to allow before compilation fails early",
);

const VERIFICATION_KEY: Flag = flag(
    "verification-key",
    Kind::Text(""),
    "set the secret (HMAC) or path of the PEM file containing the public key (RSA and ECDSA)",
);
const VERIFICATION_KEY_ID: Flag = flag(
    "verification-key-id",
    Kind::Text("default"),
    "name assigned to the verification key used for bundle verification",
);
const SIGNING_ALG: Flag = flag("signing-alg", Kind::Text("RS256"), "name of the signing algorithm");
const SIGNING_KEY: Flag = flag(
    "signing-key",
    Kind::Text(""),
    "set the secret (HMAC) or path of the PEM file containing the private key (RSA and ECDSA)",
);
const SIGNING_PLUGIN: Flag =
    flag("signing-plugin", Kind::Text(""), "name of the plugin to use for signing/verification");
const CLAIMS_FILE: Flag =
    flag("claims-file", Kind::Text(""), "set path of JSON file containing optional claims");
const SCOPE: Flag = flag("scope", Kind::Text(""), "scope to use for bundle signature verification");
const EXCLUDE_FILES_VERIFY: Flag =
    flag("exclude-files-verify", Kind::CommaList, "set file names to exclude during bundle verification");

const TARGET: Flag = short('t', "target", Kind::Choice(&["rego", "wasm"]), "set the runtime to exercise");

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
    CAPABILITIES,
    absent("coverage"),
    absent("coverage-runs"),
    absent("explain"),
    short_absent('p', "partial"),
    absent("profile"),
    absent("profile-limit"),
    absent("profile-sort"),
    SCHEMA,
    flag("disable-early-exit", Kind::Switch, "disable 'early exit' optimizations"),
    flag("disable-indexing", Kind::Switch, "disable indexing optimizations"),
    flag("disable-inlining", Kind::List, "set paths of documents to exclude from inlining"),
    short('e', "entrypoint", Kind::Text(""), "set slash separated entrypoint path"),
    flag("instrument", Kind::Switch, "enable query instrumentation metrics (implies --metrics)"),
    flag(
        "nondeterminstic-builtins",
        Kind::Switch,
        "evaluate nondeterministic builtins (if all arguments are known) during partial eval",
    ),
    short('O', "optimize", Kind::Number(0), "set optimization level"),
    flag(
        "optimize-store-for-read-speed",
        Kind::Switch,
        "optimize default in-memory store for read speed, which it always is",
    ),
    flag("pretty-limit", Kind::Number(80), "set limit after which pretty output gets truncated"),
    flag("shallow-inlining", Kind::Switch, "disable inlining of rules that depend on unknowns"),
    flag(
        "show-builtin-errors",
        Kind::Switch,
        "collect and return all encountered built-in errors, built in errors are not fatal",
    ),
    TARGET,
    short('u', "unknowns", Kind::List, "set paths to treat as unknown during partial evaluation"),
    flag("var-values", Kind::Switch, "show local variable values in pretty trace output"),
];

/// Flags of `build`.
pub(crate) const BUILD: &[Flag] = &[
    BUNDLE_MODE,
    IGNORE,
    V0,
    V1,
    CAPABILITIES,
    VERIFICATION_KEY,
    VERIFICATION_KEY_ID,
    SIGNING_ALG,
    SCOPE,
    EXCLUDE_FILES_VERIFY,
    SIGNING_KEY,
    SIGNING_PLUGIN,
    CLAIMS_FILE,
    short('o', "output", Kind::Text("bundle.tar.gz"), "set the output filename"),
    short('r', "revision", Kind::Text(""), "set output bundle revision"),
    short('e', "entrypoint", Kind::List, "set slash separated entrypoint path"),
    short(
        't',
        "target",
        Kind::Choice(&["rego", "wasm", "plan", "snapshot"]),
        "set the output bundle target type",
    ),
    flag("prune-unused", Kind::Switch, "exclude dependents of entrypoints"),
    flag(
        "follow-symlinks",
        Kind::Switch,
        "follow symlinks in the input set of paths when building the bundle",
    ),
    flag("debug", Kind::Switch, "enable debug output"),
    short('O', "optimize", Kind::Number(0), "set optimization level"),
    flag(
        "format",
        Kind::Choice(&["json", "proto"]),
        "set the plan output format (only applies when --target=plan)",
    ),
    absent("partial-namespace"),
    absent("plan-addons"),
    absent("wasm-include-print"),
];

/// Flags of `capabilities`.
pub(crate) const CAPABILITIES_OF: &[Flag] = &[
    flag("current", Kind::Switch, "print current capabilities"),
    flag("version", Kind::Text(""), "print capabilities of a specific version"),
    flag("file", Kind::Text(""), "print capabilities defined by a file"),
    V0,
    V1,
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
    CAPABILITIES,
    SCHEMA,
];

/// Flags of `fmt`.
pub(crate) const FMT: &[Flag] = &[
    V0,
    V1,
    short('w', "write", Kind::Switch, "overwrite the original source file"),
    short('l', "list", Kind::Switch, "list all files who would change when formatted"),
    short('d', "diff", Kind::Switch, "only display a diff of the changes"),
    flag("fail", Kind::Switch, "non zero exit code on reformat"),
    flag("v0-v1", Kind::Switch, "format module(s) to be compatible with both Rego v0 and v1"),
    flag("rego-v1", Kind::Switch, "the old name of --v0-v1"),
    flag("check-result", Kind::On, "assert that the formatted code is valid and can be successfully parsed"),
    flag(
        "drop-v0-imports",
        Kind::Switch,
        "drop v0 imports from the formatted code, such as 'rego.v1' and 'future.keywords'",
    ),
    CAPABILITIES,
];

/// Flags of `parse`.
pub(crate) const PARSE: &[Flag] = &[
    V0,
    V1,
    short('f', "format", Kind::Choice(&["pretty", "json"]), "set output format"),
    flag(
        "json-include",
        Kind::Text(""),
        "include or exclude optional elements. By default comments are included. Current options: locations, comments. E.g. --json-include locations,-comments will include locations and exclude comments.",
    ),
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
    short('l', "log-level", Kind::ChoiceOr("info", &["debug", "info", "error"]), "set log level"),
    flag("log-format", Kind::ChoiceOr("json", &["text", "json", "json-pretty"]), "set log format"),
    VERIFICATION_KEY,
    VERIFICATION_KEY_ID,
    SIGNING_ALG,
    SCOPE,
    EXCLUDE_FILES_VERIFY,
    flag("skip-verify", Kind::Switch, "disables bundle signature verification"),
    flag(
        "shutdown-grace-period",
        Kind::Number(10),
        "set the time (in seconds) that the server will wait to gracefully shut down",
    ),
    CONFIG_FILE,
    SET,
    SET_FILE,
    absent("authentication"),
    absent("authorization"),
    absent("diagnostic-addr"),
    short_absent('f', "format"),
    absent("h2c"),
    short_absent('H', "history"),
    absent("log-level-request"),
    absent("log-timestamp-format"),
    absent("min-tls-version"),
    absent("optimize-store-for-read-speed"),
    absent("pprof"),
    absent("ready-timeout"),
    absent("shutdown-wait-period"),
    absent("skip-known-schema-check"),
    absent("skip-version-check"),
    absent("tls-ca-cert-file"),
    absent("tls-cert-file"),
    absent("tls-cert-refresh-period"),
    absent("tls-cipher-suites"),
    absent("tls-private-key-file"),
    absent("unix-socket-perm"),
    short_absent('w', "watch"),
    absent("watch-config"),
];

const CONFIG_FILE: Flag = short('c', "config-file", Kind::Text(""), "set path of configuration file");
const SET: Flag = flag(
    "set",
    Kind::List,
    "override config values on the command line (use commas to specify multiple values)",
);
const SET_FILE: Flag = flag(
    "set-file",
    Kind::List,
    "override config values with files on the command line (use commas to specify multiple values)",
);

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
    SCHEMA,
    absent("shutdown-grace-period"),
    absent("shutdown-wait-period"),
    short_absent('t', "target"),
    short_absent('u', "unknowns"),
];

/// Flags of `sign`.
pub(crate) const SIGN: &[Flag] = &[
    BUNDLE_MODE,
    SIGNING_KEY,
    CLAIMS_FILE,
    SIGNING_ALG,
    SIGNING_PLUGIN,
    short('o', "output-file-path", Kind::Text("."), "set the location for the .signatures.json file"),
];

/// Flags of `test`.
pub(crate) const TEST: &[Flag] = &[
    BUNDLE_MODE,
    IGNORE,
    MAX_ERRORS,
    V0,
    V1,
    flag("count", Kind::Number(1), "number of times to repeat each test"),
    short('z', "exit-zero-on-skipped", Kind::Switch, "skipped tests return status 0"),
    flag("fail-on-empty", Kind::Switch, "Whether to fail the test when no test was run"),
    short('f', "format", Kind::Choice(&["pretty", "json", "gobench"]), "set output format"),
    short(
        'p',
        "parallel",
        Kind::Number(0),
        "the number of tests that can run in parallel, defaulting to the number of CPUs (explicitly set with 0)",
    ),
    short('r', "run", Kind::Text(""), "run only test cases matching the regular expression"),
    flag("sort", Kind::Choice(&["none", "duration"]), "sort the JSON formatted test output"),
    flag("timeout", Kind::Time, "set test timeout (default 5s)"),
    short('v', "verbose", Kind::Switch, "set verbose reporting mode"),
    absent("bench"),
    absent("benchmem"),
    CAPABILITIES,
    short_absent('c', "coverage"),
    absent("coverage-runs"),
    absent("explain"),
    SCHEMA,
    TARGET,
    absent("threshold"),
    absent("var-values"),
    short_absent('w', "watch"),
];

/// Flags of `inspect`: OPA's, and `--reads`.
pub(crate) const INSPECT: &[Flag] = &[
    V0,
    V1,
    short('a', "annotations", Kind::Switch, "list annotations"),
    short('f', "format", Kind::Choice(&["pretty", "json"]), "set output format"),
    flag("memory", Kind::Switch, "tell what data and packages take in memory, of any number of paths"),
    EXTERNAL,
    flag("reads", Kind::List, "list what an entrypoint can read. This flag can be repeated."),
];

const EXTERNAL: Flag = flag(
    "external",
    Kind::List,
    "path of data that others keep, and behind a colon how many keys name a document. This flag can be repeated.",
);

/// Flags of `exec`.
pub(crate) const EXEC: &[Flag] = &[
    BUNDLES,
    V0,
    V1,
    CONFIG_FILE,
    flag("decision", Kind::Text(""), "set decision to evaluate"),
    flag("fail", Kind::Switch, "exits with non-zero exit code on undefined/empty result and errors"),
    flag(
        "fail-defined",
        Kind::Switch,
        "exits with non-zero exit code on defined/non-empty result and errors",
    ),
    flag("fail-non-empty", Kind::Switch, "exits with non-zero exit code on non-empty result and errors"),
    short('f', "format", Kind::Choice(&["json"]), "set output format"),
    flag("log-format", Kind::ChoiceOr("json", &["text", "json", "json-pretty"]), "set log format"),
    short('l', "log-level", Kind::ChoiceOr("error", &["debug", "info", "error"]), "set log level"),
    flag("log-timestamp-format", Kind::Text(""), "set log timestamp format (a layout of Go's)"),
    SET,
    SET_FILE,
    short('I', "stdin-input", Kind::Switch, "read input document from stdin rather than a static file"),
    flag(
        "timeout",
        Kind::Time,
        "set exec timeout with a Go-style duration, such as '5m 30s'. (default unlimited)",
    ),
];

/// Flags of `deps`.
pub(crate) const DEPS: &[Flag] = &[
    BUNDLES,
    DATA,
    IGNORE,
    V1,
    EXTERNAL,
    short('f', "format", Kind::Choice(&["pretty", "json"]), "set output format"),
];

/// Flags of `version`.
pub(crate) const VERSION: &[Flag] = &[short_absent('c', "check")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_letters_are_unique() {
        for flags in [EVAL, CHECK, FMT, PARSE, RUN, BENCH, TEST, DEPS, EXEC, INSPECT, VERSION] {
            for (index, flag) in flags.iter().enumerate() {
                for other in &flags[index + 1..] {
                    assert_ne!(flag.name, other.name);
                    assert!(flag.short.is_none() || flag.short != other.short, "-{:?}", flag.short);
                }
            }
        }
    }
}
