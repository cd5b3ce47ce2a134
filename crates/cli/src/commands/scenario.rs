//! `lictor bench --dir`: runs scenario folders and prints a line for each case and mode.
//!
//! A folder holds `policy.rego`, `data.json`, `inputs.jsonl`, `expected.jsonl` and `meta.json` (the query). Answers
//! are checked before anything is timed. *parsed*: the input is a document made before, without knowledge of the
//! policy, and the answer is looked at and not written; *json*: from bytes to bytes. Time is the process's CPU time,
//! the least of several windows over the same inputs.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use lictor::{Answer, Document, Engine, EvalError, Input, Options, Query, Session, json as text};
use rustix::time::{ClockId, clock_gettime};

use crate::commands::Failure;
use crate::flags::Parsed;
use crate::host::Terminal;
use crate::load::{go_error, read_file};
use crate::output::{json, write_out};

const FAULT_EXIT: u8 = 1;
const WINDOWS: u32 = 5;
/// Inputs that a window runs at least, and CPU seconds that finding their number may take.
const PASS_MIN: usize = 20;
const PROBE_SECS: f64 = 2.0;

/// Runs the folders that the flags name.
pub(super) fn run(flags: &Parsed) -> Result<u8, Failure> {
    let secs = flags.text("secs").parse::<f64>().ok().filter(|it| it.is_finite() && *it > 0.0);
    let secs = secs.ok_or_else(|| Failure::Usage("--secs must be a number above 0".to_owned()))?;
    let folder = flags.text("dir");
    let mut cases: Vec<String> = flags.list("cases").into_iter().map(str::to_owned).collect();
    if cases.is_empty() {
        cases = all_cases(folder).map_err(|it| Failure::Text(format!("error: {it}"), FAULT_EXIT))?;
    }
    let mut bad = 0;
    for case in &cases {
        let path = Path::new(folder).join(case);
        bad += measure(&path, case, secs)
            .map_err(|it| Failure::Text(format!("error: {case}: {it}"), FAULT_EXIT))?;
    }
    Ok(u8::from(bad > 0))
}

fn all_cases(folder: &str) -> Result<Vec<String>, String> {
    let fault = |error: &std::io::Error| format!("open {folder}: {}", go_error(error));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| fault(&error))? {
        let entry = entry.map_err(|error| fault(&error))?;
        if entry.path().join("meta.json").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Is a scenario, ready to answer.
struct Scenario {
    query: Query,
    inputs: Vec<Vec<u8>>,
    documents: Vec<Document>,
    expected: Vec<Document>,
    prep_ms: f64,
}

fn measure(path: &Path, case: &str, secs: f64) -> Result<usize, String> {
    let scenario = load(path)?;
    let mut session = Session::new(Arc::new(Terminal::new(None)));
    let bad = check(&scenario, &mut session)?;
    let count = scenario.inputs.len();
    let parsed = least_ns(count, secs, &mut |place| decide_parsed(&scenario, place, &mut session));
    print_line(case, "parsed", parsed, &scenario, bad);
    let mut out = Vec::new();
    let json = least_ns(count, secs, &mut |place| decide_json(&scenario, place, &mut session, &mut out));
    print_line(case, "json", json, &scenario, bad);
    Ok(bad)
}

fn load(path: &Path) -> Result<Scenario, String> {
    let file = |name: &str| -> PathBuf { path.join(name) };
    let read = |name: &str| read_file(&file(name).to_string_lossy());
    let meta = text::read_document(&read("meta.json")?).map_err(|error| format!("meta.json: {error}"))?;
    let query = meta.root().as_object().and_then(|it| it.get_str("query"));
    let query = query.as_ref().and_then(|it| it.as_str()).ok_or("meta.json: no query")?;
    let (policy, inputs, expected) =
        (read("policy.rego")?, lines(&read("inputs.jsonl")?), read("expected.jsonl")?);
    let data = if file("data.json").exists() { Some(read("data.json")?) } else { None };
    let start = Instant::now();
    let mut engine = Engine::new(Options::default());
    engine.add_module("policy.rego", &policy, None);
    if let Some(data) = &data {
        engine.add_data_json(&[], "data.json", data).map_err(|error| error.to_string())?;
    }
    let prepared = engine.compile().and_then(|it| it.prepare(query)).map_err(|faults| faults.to_string())?;
    let prep_ms = start.elapsed().as_secs_f64() * 1e3;
    let documents = documents("inputs.jsonl", &inputs)?;
    let expected = documents_of("expected.jsonl", &expected)?;
    if inputs.is_empty() || inputs.len() != expected.len() {
        return Err(format!("{} inputs, {} expected answers", inputs.len(), expected.len()));
    }
    Ok(Scenario { query: prepared, inputs, documents, expected, prep_ms })
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split(|it| *it == b'\n').filter(|it| !it.is_empty()).map(<[u8]>::to_vec).collect()
}

fn documents_of(name: &str, bytes: &[u8]) -> Result<Vec<Document>, String> {
    documents(name, &lines(bytes))
}

fn documents(name: &str, lines: &[Vec<u8>]) -> Result<Vec<Document>, String> {
    let read = |(index, line): (usize, &Vec<u8>)| {
        text::read_document(line).map_err(|error| format!("{name}:{}: {error}", index + 1))
    };
    lines.iter().enumerate().map(read).collect()
}

/// Returns how many answers are wrong, in either mode; `null` stands for undefined.
fn check(scenario: &Scenario, session: &mut Session) -> Result<usize, String> {
    let mut bad = 0;
    for (place, expected) in scenario.expected.iter().enumerate() {
        let mut out = Vec::new();
        let (document, input) = (scenario.documents.get(place), scenario.inputs.get(place));
        let parsed = Input::Value(document.ok_or("no input")?.root());
        let answers = [parsed, Input::Json(input.ok_or("no input")?)];
        let mut right = true;
        for input in answers {
            out.clear();
            match scenario.query.decide_json(session, input, &mut out) {
                Ok(true) => {
                    let answer = text::read_document(&out).map_err(|error| error.to_string())?;
                    right &= answer.root() == expected.root();
                }
                Ok(false) => right &= expected.root().is_null(),
                Err(_) => right = false,
            }
        }
        bad += usize::from(!right);
    }
    Ok(bad)
}

fn decide_parsed(scenario: &Scenario, place: usize, session: &mut Session) {
    let Some(document) = scenario.documents.get(place) else {
        return;
    };
    let decided: Result<bool, EvalError> =
        scenario.query.decide(session, Input::Value(document.root()), |answer| match black_box(answer) {
            Answer::Value(value) => value.is_some(),
            Answer::Bindings(solutions) => !solutions.is_empty(),
        });
    let _ = black_box(decided);
}

fn decide_json(scenario: &Scenario, place: usize, session: &mut Session, out: &mut Vec<u8>) {
    let Some(input) = scenario.inputs.get(place) else {
        return;
    };
    out.clear();
    let decided = scenario.query.decide_json(session, Input::Json(input), out);
    let _ = black_box((decided, &out));
}

/// Returns the least nanoseconds that a decision took in one of the windows.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and times of a benchmark"
)]
fn least_ns(inputs: usize, secs: f64, decide: &mut dyn FnMut(usize)) -> f64 {
    let window = secs / f64::from(WINDOWS);
    let start = cpu_seconds();
    let mut probed = 0;
    while probed < inputs.min(PASS_MIN) && cpu_seconds() - start < PROBE_SECS {
        decide(probed);
        probed += 1;
    }
    let each = ((cpu_seconds() - start) / probed.max(1) as f64).max(1e-9);
    if each * PASS_MIN as f64 > PROBE_SECS {
        // Windows over the same inputs would take minutes and say no more than this.
        return each * 1e9;
    }
    let count = ((window / each) as usize).clamp(inputs.min(PASS_MIN), inputs);
    // Asking for the time costs a system call, so short passes are run many at a time.
    let passes = (2_000 / count).max(1);
    let mut least = f64::MAX;
    for _ in 0..WINDOWS {
        let start = cpu_seconds();
        let (mut runs, mut spent) = (0, 0.0);
        while spent < window {
            for _ in 0..passes {
                (0..count).for_each(&mut *decide);
            }
            runs += count * passes;
            spent = cpu_seconds() - start;
        }
        least = least.min(spent / runs as f64 * 1e9);
    }
    least
}

/// Returns the CPU time of the process.
#[expect(clippy::cast_precision_loss, reason = "seconds since the start of the process")]
pub(super) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the memory that the process holds, 0 where the system does not tell.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    line.and_then(|it| it.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn print_line(case: &str, mode: &str, ns: f64, scenario: &Scenario, bad: usize) {
    let mut out = b"{".to_vec();
    json::key("peer", &mut out);
    json::string("lictor", &mut out);
    json::key("case", &mut out);
    json::string(case, &mut out);
    json::key("mode", &mut out);
    json::string(mode, &mut out);
    json::key("ns", &mut out);
    out.extend_from_slice(format!("{ns:.1}").as_bytes());
    json::key("prep_ms", &mut out);
    out.extend_from_slice(format!("{:.3}", scenario.prep_ms).as_bytes());
    json::key("rss_kb", &mut out);
    json::number(resident_kb(), &mut out);
    json::key("bad", &mut out);
    out.extend_from_slice(bad.to_string().as_bytes());
    out.extend_from_slice(b"}\n");
    write_out(&out);
}
