//! What all peers share: reading a scenario, checking answers, timing, printing.
//!
//! Time is the CPU time of the process, the least of several windows. Every window runs the same
//! inputs, as many as fit into one, so that windows can be compared. Inputs live as long as the
//! process, which lets typed peers borrow from them.

use std::{fs, hint::black_box, io, path::Path, time::Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

const WINDOWS: usize = 5;
const CHECK_SECS: f64 = 5.0;
const PASS_MIN: usize = 20;
const PROBE_SECS: f64 = 2.0;

/// A scenario folder in memory.
pub struct Scenario {
    pub name: String,
    pub policy: String,
    pub query: String,
    pub data: &'static [u8],
    pub inputs: Vec<&'static [u8]>,
    pub expected: Vec<Value>,
}

impl Scenario {
    pub fn load(dir: &str, name: &str) -> io::Result<Scenario> {
        let dir = Path::new(dir).join(name);
        let meta: Value = serde_json::from_slice(&fs::read(dir.join("meta.json"))?)?;
        let inputs: &'static [u8] = fs::read(dir.join("inputs.jsonl"))?.leak();
        let expected = fs::read_to_string(dir.join("expected.jsonl"))?;
        Ok(Scenario {
            name: name.to_owned(),
            policy: fs::read_to_string(dir.join("policy.rego"))?,
            query: meta["query"].as_str().unwrap_or_default().to_owned(),
            data: fs::read(dir.join("data.json"))?.leak(),
            inputs: inputs.split(|it| *it == b'\n').filter(|it| !it.is_empty()).collect(),
            expected: expected.lines().map(|it| serde_json::from_str(it).unwrap_or(Value::Null)).collect(),
        })
    }
}

/// A peer that is ready to answer: by the place of a parsed input, and from bytes to bytes.
pub struct Prepared {
    pub prep_ms: f64,
    pub parsed: Box<dyn FnMut(usize)>,
    pub json: Box<dyn FnMut(&'static [u8], &mut Vec<u8>)>,
}

/// Times how long `make` takes, in milliseconds.
pub fn timed<T>(make: impl FnOnce() -> T) -> (T, f64) {
    let began = Instant::now();
    let made = make();
    (made, began.elapsed().as_secs_f64() * 1e3)
}

/// Checks the answers, then times both modes and prints a line for each.
pub fn measure(peer: &str, scenario: &Scenario, mut prepared: Prepared, secs: f64) {
    let mut out = Vec::new();
    let mut bad = 0;
    let began = cpu();
    for (input, expected) in scenario.inputs.iter().zip(&scenario.expected) {
        // A peer that takes milliseconds for an answer is checked on fewer of them.
        if cpu() - began > CHECK_SECS {
            break;
        }
        out.clear();
        (prepared.json)(input, &mut out);
        let answer: Option<Value> = serde_json::from_slice(&out).ok();
        bad += usize::from(answer.as_ref() != Some(expected));
    }
    let count = scenario.inputs.len();
    let parsed = best(count, secs, &mut *prepared.parsed);
    let json = best(count, secs, &mut |place| {
        out.clear();
        (prepared.json)(scenario.inputs[place], &mut out);
        black_box(&out);
    });
    for (mode, ns) in [("parsed", parsed), ("json", json)] {
        let line = serde_json::json!({"peer": peer, "case": scenario.name, "mode": mode, "ns": ns,
            "prep_ms": prepared.prep_ms, "rss_kb": rss_kb(), "bad": bad});
        println!("{line}");
    }
}

fn best(inputs: usize, secs: f64, eval: &mut dyn FnMut(usize)) -> f64 {
    let window = secs / WINDOWS as f64;
    let began = cpu();
    let mut probed = 0;
    while probed < inputs.min(PASS_MIN) && cpu() - began < PROBE_SECS {
        eval(probed);
        probed += 1;
    }
    let each = (cpu() - began) / probed as f64;
    if each * PASS_MIN as f64 > PROBE_SECS {
        // Windows over the same inputs would take minutes and say no more than this.
        return each * 1e9;
    }
    let count = ((window / each) as usize).min(inputs).max(inputs.min(PASS_MIN));
    let mut least = f64::MAX;
    for _ in 0..WINDOWS {
        let began = cpu();
        let mut runs = 0;
        let mut spent = 0.0;
        while spent < window {
            // Asking for the time costs a system call, so short passes are run many at a time.
            for _ in 0..(2_000 / count).max(1) {
                (0..count).for_each(&mut *eval);
                runs += count;
            }
            spent = cpu() - began;
        }
        least = least.min(spent / runs as f64 * 1e9);
    }
    least
}

/// CPU seconds of the process so far.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn rss_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    line.and_then(|it| it.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
