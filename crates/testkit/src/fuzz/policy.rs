//! The engine as a whole: a module of any bytes, compiled, prepared and asked.
//!
//! With the passes and without, the answer must be the same; one that a limit ended says nothing.

use std::sync::LazyLock;

use lictor::{Engine, ErrorCode, EvalError, Input, Options, Passes, Policy, RegoVersion, Session};

use super::LIMITS;

const INPUT: &[u8] =
    br#"{"user": "ann", "a": [1, "x", {"b": null}], "n": 3, "m": {"x": {"y": [true, 2]}, "s": "t"}}"#;
const DATA: &[u8] =
    br#"{"roles": {"ann": ["admin", "dev"], "bob": []}, "xs": [1, 2, 3, 2], "t": {"k": "v", "x": {"y": 1}}}"#;

const VERSIONS: [RegoVersion; 3] = [RegoVersion::V1, RegoVersion::V0, RegoVersion::V2];

/// An engine for each choice of the first byte, with the passes and without; making one takes longer than a run.
static ENGINES: LazyLock<Vec<[Engine; 2]>> = LazyLock::new(|| {
    let flags = [(false, false), (true, false), (false, true), (true, true)];
    let choices = VERSIONS.iter().flat_map(|version| flags.map(|it| (*version, it)));
    let engine = |version, (strict, strict_builtin_errors), passes| {
        let options =
            Options { version, strict, strict_builtin_errors, passes, limits: LIMITS, ..Options::default() };
        let mut engine = Engine::new(options);
        engine.add_data_json(&[], "data.json", DATA).expect("the data is JSON");
        engine
    };
    choices.map(|(version, flags)| [Passes::ALL, Passes::NONE].map(|it| engine(version, flags, it))).collect()
});

/// Compiles bytes as a module and asks for everything. The first byte is the version and two flags: `0`, `1`, `2`
/// for versions 1, 0, 2, a backquote for strict checks, `9` for strict errors of built-ins.
///
/// It panics if the passes change an answer, or a module is refused without a fault.
pub(super) fn policy(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let flags = usize::from(first >> 6 & 1) | usize::from(first >> 3 & 1) << 1;
    let [optimized, plain] = &ENGINES[usize::from(first % 3) * 4 + flags];
    let Some(optimized) = compile(optimized, text) else { return };
    let plain = compile(plain, text).expect("the passes have no say in what is refused");
    let (with, without) = (decide(&optimized), decide(&plain));
    if is_limit(&with) || is_limit(&without) {
        return;
    }
    match (with, without) {
        (Ok(with), Ok(without)) => {
            assert_eq!(
                String::from_utf8_lossy(&with),
                String::from_utf8_lossy(&without),
                "passes change the answer"
            );
        }
        (Err(with), Err(without)) => assert_eq!(with.code(), without.code(), "passes change the error"),
        (Ok(_), Err(error)) => unreachable!("passes lose an error: {error}"),
        (Err(error), Ok(_)) => unreachable!("passes make an error: {error}"),
    }
}

fn compile(engine: &Engine, text: &[u8]) -> Option<Policy> {
    let mut engine = engine.clone();
    engine.add_module("fuzz.rego", text, None);
    match engine.compile() {
        Ok(policy) => Some(policy),
        Err(faults) => {
            assert!(!faults.diagnostics().is_empty(), "refused without a fault");
            assert!(!faults.to_string().is_empty(), "faults without a text");
            None
        }
    }
}

fn decide(policy: &Policy) -> Result<Vec<u8>, EvalError> {
    let query = policy.prepare("data").expect("everything is a path");
    let mut out = Vec::new();
    query.decide_json(&mut Session::default(), Input::Json(INPUT), &mut out)?;
    Ok(out)
}

fn is_limit(outcome: &Result<Vec<u8>, EvalError>) -> bool {
    outcome.as_ref().is_err_and(|it| it.code() == ErrorCode::Cancel)
}
