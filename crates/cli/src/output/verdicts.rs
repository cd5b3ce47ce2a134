//! Results of tests as text, line by line as they come, and as JSON.
//!
//! Apart from the command because the layout is OPA's to the byte. It counts and shows; it runs nothing and decides no
//! exit code.

use std::time::Duration;

use lictor::{Outcome, SubResult, SubResults, Test, Verdict};

use crate::fault;
use crate::output::{json, write_out};

/// Is a test that was run.
pub(crate) struct Finished<'s> {
    /// Its position among all.
    pub(crate) at: usize,
    pub(crate) test: &'s Test,
    pub(crate) outcome: Outcome,
    pub(crate) duration: Duration,
    /// What it printed.
    pub(crate) printed: Vec<u8>,
}

/// Takes results and shows them.
pub(crate) struct Reporter<'s> {
    json: bool,
    verbose: bool,
    counts: Counts,
    /// The file of the last test that was shown.
    file: Option<&'s str>,
    /// Results that are shown at the end: all as JSON, or those that failed.
    kept: Vec<Finished<'s>>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
    errors: usize,
}

impl<'s> Reporter<'s> {
    /// Returns a reporter that has shown nothing.
    pub(crate) fn new(json: bool, verbose: bool) -> Self {
        Self { json, verbose, counts: Counts::default(), file: None, kept: Vec::new() }
    }

    /// Takes the next result.
    pub(crate) fn add(&mut self, finished: Finished<'s>) {
        if self.json {
            self.kept.push(finished);
            return;
        }
        self.counts.add(&finished.outcome);
        let passed = matches!(finished.outcome.verdict, Verdict::Passed);
        if self.verbose || !passed {
            let mut out = String::new();
            if self.file.is_some_and(|it| it != finished.test.file) {
                out.push('\n');
            }
            self.file = Some(&finished.test.file);
            write_result(&finished, self.verbose, &mut out);
            write_out(out.as_bytes());
        }
        if matches!(finished.outcome.verdict, Verdict::Failed) {
            self.kept.push(finished);
        }
    }

    /// Shows what stands at the end.
    pub(crate) fn finish(mut self, by_duration: bool) {
        if self.json {
            if by_duration {
                self.kept.sort_by_key(|it| std::cmp::Reverse(it.duration));
            }
            return write_out(&json::indented(&list(&self.kept)));
        }
        let mut out = String::new();
        if self.verbose && self.counts.failed > 0 {
            write_failures(&self.kept, &mut out);
        }
        if self.file.is_some() {
            write_rule(&mut out);
        }
        self.counts.write(&mut out);
        write_out(out.as_bytes());
    }
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome.verdict {
            Verdict::Skipped => self.skipped += 1,
            Verdict::Ended(_) | Verdict::Refused(_) => self.errors += 1,
            Verdict::Passed | Verdict::Failed if !outcome.cases.is_empty() => {
                outcome.cases.for_each(&mut |_, case| {
                    if case.below.is_empty() {
                        *(if case.fail { &mut self.failed } else { &mut self.passed }) += 1;
                    }
                });
            }
            Verdict::Passed => self.passed += 1,
            Verdict::Failed => self.failed += 1,
        }
    }

    fn write(self, out: &mut String) {
        let total = self.passed + self.failed + self.skipped + self.errors;
        let lines =
            [("PASS", self.passed), ("FAIL", self.failed), ("SKIPPED", self.skipped), ("ERROR", self.errors)];
        for (word, count) in lines.into_iter().filter(|it| it.1 > 0) {
            out.push_str(&format!("{word}: {count}/{total}\n"));
        }
    }
}

fn write_rule(out: &mut String) {
    out.push_str(&"-".repeat(80));
    out.push('\n');
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "PASS",
        Verdict::Failed => "FAIL",
        Verdict::Skipped => "SKIPPED",
        Verdict::Ended(_) | Verdict::Refused(_) => "ERROR",
    }
}

fn case_word(case: &SubResult) -> &'static str {
    if case.fail { "FAIL" } else { "PASS" }
}

fn title(finished: &Finished<'_>) -> String {
    let verdict = &finished.outcome.verdict;
    let name = format!("{}.{}: {}", finished.test.package, finished.test.name, word(verdict));
    match verdict {
        Verdict::Skipped => name,
        _ => format!("{name} ({})", duration_text(finished.duration)),
    }
}

fn write_result(finished: &Finished<'_>, verbose: bool, out: &mut String) {
    let Finished { test, outcome, printed, .. } = finished;
    out.push_str(&format!("{}:{}:\n{}\n", test.file, test.row, title(finished)));
    outcome.cases.for_each(&mut |path, case| {
        if case.fail || verbose {
            out.push_str(&format!("{}{}: {}\n", "  ".repeat(path.len()), case.name, case_word(case)));
        }
    });
    if !printed.is_empty() {
        let text = String::from_utf8_lossy(printed);
        out.push('\n');
        write_indented(text.trim(), out);
        out.push('\n');
    }
    match &outcome.verdict {
        Verdict::Ended(error) => out.push_str(&format!("  {error}\n")),
        Verdict::Refused(faults) => {
            out.push_str(&format!("  {}\n", fault::list_text(&fault::of_policy(faults), "")));
        }
        Verdict::Passed | Verdict::Failed | Verdict::Skipped => {}
    }
}

fn write_indented(text: &str, out: &mut String) {
    for line in text.split('\n') {
        out.push_str("  ");
        out.push_str(line);
        out.push('\n');
    }
}

/// Lists failed tests once more, with the way to each case that failed.
fn write_failures(failed: &[Finished<'_>], out: &mut String) {
    write_rule(out);
    out.push_str("FAILURES\n");
    write_rule(out);
    for finished in failed {
        out.push_str(&title(finished));
        out.push_str("\n\n");
        finished.outcome.cases.for_each(&mut |path, case| {
            if !case.fail || !case.below.is_empty() {
                return;
            }
            for (depth, name) in path.iter().enumerate() {
                out.push_str(&format!("{}{name}: FAIL\n", "  ".repeat(depth + 1)));
            }
            out.push('\n');
        });
    }
}

/// Returns a time as Go writes it: `1m2.5s`, `67.847µs`.
pub(crate) fn duration_text(duration: Duration) -> String {
    let ns = duration.as_nanos();
    let scaled = |unit: u128, digits: usize| {
        let fraction = format!("{:0digits$}", ns % unit);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{}{point}{fraction}", ns / unit)
    };
    match ns {
        0 => "0s".to_owned(),
        1..1_000 => format!("{ns}ns"),
        1_000..1_000_000 => format!("{}µs", scaled(1_000, 3)),
        1_000_000..1_000_000_000 => format!("{}ms", scaled(1_000_000, 6)),
        _ => {
            let minutes = duration.as_secs() / 60;
            let rest = duration - Duration::from_secs(minutes * 60);
            let seconds = format!("{}.{:09}", rest.as_secs(), rest.subsec_nanos());
            let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{seconds}s"),
                (0, minutes) => format!("{minutes}m{seconds}s"),
                (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

fn list(results: &[Finished<'_>]) -> Vec<u8> {
    let mut out = b"[".to_vec();
    for finished in results {
        json::item(&mut out);
        write_json(finished, &mut out);
    }
    out.push(b']');
    out
}

fn write_json(finished: &Finished<'_>, out: &mut Vec<u8>) {
    let Finished { test, outcome, duration, printed, .. } = finished;
    out.push(b'{');
    json::key("location", out);
    json::location(&test.file, test.row, test.col, out);
    json::key("package", out);
    json::string(&test.package, out);
    json::key("name", out);
    json::string(&test.name, out);
    match &outcome.verdict {
        Verdict::Passed => {}
        Verdict::Failed => write_true("fail", out),
        Verdict::Skipped => write_true("skip", out),
        Verdict::Ended(error) => {
            json::key("error", out);
            fault::write_error(error, out);
        }
        Verdict::Refused(faults) => {
            json::key("error", out);
            fault::write_list(&fault::of_policy(faults), out);
        }
    }
    json::key("duration", out);
    json::number(i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX), out);
    if !printed.is_empty() {
        json::key("output", out);
        json::string(&base64(printed), out);
    }
    write_cases(&outcome.cases, out);
    out.push(b'}');
}

fn write_true(key: &str, out: &mut Vec<u8>) {
    json::key(key, out);
    out.extend_from_slice(b"true");
}

fn write_cases(cases: &SubResults, out: &mut Vec<u8>) {
    if cases.is_empty() {
        return;
    }
    json::key("sub_results", out);
    out.push(b'{');
    for (key, case) in cases.iter() {
        json::key(key, out);
        out.push(b'{');
        if !case.name.is_empty() {
            json::key("name", out);
            json::string(&case.name, out);
        }
        if case.fail {
            write_true("fail", out);
        }
        write_cases(&case.below, out);
        out.push(b'}');
    }
    out.push(b'}');
}

/// Returns bytes in the base64 alphabet, padded.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |it: usize| u32::from(chunk.get(it).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let six = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            let letter = ALPHABET.get(six).copied().unwrap_or(b'=');
            out.push(char::from(if place > chunk.len() { b'=' } else { letter }));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_by_go() {
        let cases = [
            (0, "0s"),
            (7, "7ns"),
            (67_847, "67.847µs"),
            (1_200_000, "1.2ms"),
            (1_000_706_160, "1.00070616s"),
            (62_500_000_000, "1m2.5s"),
            (3_600_000_000_000, "1h0m0s"),
        ];
        for (ns, wanted) in cases {
            assert_eq!(duration_text(Duration::from_nanos(ns)), wanted);
        }
    }

    #[test]
    fn bytes_are_padded() {
        assert_eq!(base64(b"hello 1\n"), "aGVsbG8gMQo=");
        assert_eq!(base64(b"hello 1\nx\n"), "aGVsbG8gMQp4Cg==");
        assert_eq!(base64(b"abc"), "YWJj");
    }
}
