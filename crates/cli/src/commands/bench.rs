//! `lictor bench`: measures a query, or scenario folders.
//!
//! The loop and the figures live here; scenario folders are `scenario`'s. Timing is this command's business, so it must
//! not do more inside the loop than decide.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lictor::{Answer, Input, Query, Session};

use crate::commands::{Failure, scenario};
use crate::fault::{self, Fault, Faults};
use crate::flags::Parsed;
use crate::host::Terminal;
use crate::output::{json, table, write_error, write_out};
use crate::setup;
use crate::timers::{Statistics, Timers};

const FAULT_EXIT: u8 = 1;
/// How long a benchmark runs at least.
const TIME: Duration = Duration::from_secs(1);
/// How many times are kept for the statistics.
const SAMPLES_MAX: usize = 4_000_000;
const HISTOGRAM: &str = "histogram_timer_rego_query_eval_ns";

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    if !flags.text("dir").is_empty() {
        return scenario::run(flags);
    }
    setup::validate(flags).map_err(Failure::Usage)?;
    match bench(flags) {
        Ok(()) => Ok(0),
        Err(faults) => {
            if flags.text("format") == "json" {
                let mut out = b"{".to_vec();
                json::key("errors", &mut out);
                fault::write_list(&faults, &mut out);
                out.push(b'}');
                write_out(&json::indented(&out));
            } else {
                write_error(format!("{}\n", fault::list_text(&faults, "")).as_bytes());
            }
            Ok(FAULT_EXIT)
        }
    }
}

fn bench(flags: &Parsed) -> Result<(), Faults> {
    let one = |message: String| vec![Fault::Text(message)];
    let text = setup::query_text(flags).map_err(one)?;
    let input = setup::input(flags).map_err(one)?;
    let input = input.as_ref().map_or(Input::Undefined, |it| Input::Value(it.root()));
    let query = setup::prepare(flags, &text, &mut Timers::default())?;
    for _ in 0..flags.number("count") {
        let measured = measure(&query, input, flags.is_on("fail"))?;
        let text = match flags.text("format") {
            "json" => measured.json(flags.is_on("metrics")),
            "gobench" => measured.line(flags.is_on("metrics")),
            _ => measured.table(flags.is_on("metrics")),
        };
        write_out(&text);
    }
    Ok(())
}

/// Is what a benchmark gave.
struct Measured {
    runs: u64,
    total: Duration,
    statistics: Statistics,
}

fn measure(query: &Query, input: Input<'_>, fail: bool) -> Result<Measured, Faults> {
    let mut session = Session::new(Arc::new(Terminal::new(None)));
    let mut decide = || {
        query.decide(&mut session, input, |answer| match answer {
            Answer::Bindings(solutions) => !solutions.is_empty(),
            Answer::Value(value) => value.is_some(),
        })
    };
    let defined = decide().map_err(|error| vec![fault::of_eval(error, query.expressions())])?;
    if !defined && fail {
        return Err(vec![Fault::Text("undefined result".to_owned())]);
    }
    let (mut runs, mut total) = (0, Duration::ZERO);
    let mut sample = Vec::new();
    while total < TIME {
        let start = Instant::now();
        // The first run told whether there is an error.
        let _ = std::hint::black_box(decide());
        let spent = start.elapsed();
        total += spent;
        runs += 1;
        if sample.len() < SAMPLES_MAX {
            sample.push(u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX));
        }
    }
    Ok(Measured { runs, total, statistics: Statistics::new(sample) })
}

impl Measured {
    #[expect(clippy::cast_precision_loss, reason = "an average of nanoseconds")]
    fn ns_each(&self) -> f64 {
        self.total.as_nanos() as f64 / self.runs as f64
    }

    fn figures(&self, metrics: bool) -> Vec<(String, String)> {
        if !metrics {
            return Vec::new();
        }
        self.statistics.figures().into_iter().map(|it| (format!("{HISTOGRAM}_{}", it.0), it.1)).collect()
    }

    fn json(&self, metrics: bool) -> Vec<u8> {
        let mut out = b"{".to_vec();
        json::key("N", &mut out);
        json::number(self.runs, &mut out);
        json::key("T", &mut out);
        out.extend_from_slice(self.total.as_nanos().to_string().as_bytes());
        for name in ["Bytes", "MemAllocs", "MemBytes"] {
            json::key(name, &mut out);
            json::number(0, &mut out);
        }
        json::key("Extra", &mut out);
        out.push(b'{');
        for (name, figure) in self.figures(metrics) {
            json::key(&name, &mut out);
            out.extend_from_slice(figure.as_bytes());
        }
        out.extend_from_slice(b"}}");
        json::indented(&out)
    }

    fn line(&self, metrics: bool) -> Vec<u8> {
        let mut out = format!("BenchmarkOPAEval\t{:8}\t{} ns/op", self.runs, padded(self.ns_each()));
        for (name, figure) in self.figures(metrics) {
            out.push_str(&format!("\t{} {name}", padded(figure.parse().unwrap_or(0.0))));
        }
        out.push('\n');
        out.into_bytes()
    }

    fn table(&self, metrics: bool) -> Vec<u8> {
        let mut rows = vec![
            vec!["samples".to_owned(), self.runs.to_string()],
            vec!["ns/op".to_owned(), padded(self.ns_each()).trim().to_owned()],
        ];
        for (name, figure) in self.figures(metrics) {
            rows.push(vec![name, padded(figure.parse().unwrap_or(0.0)).trim().to_owned()]);
        }
        table::draw_figures(&rows).into_bytes()
    }
}

/// Returns a figure as Go's benchmarks print it: ten places before the point, fewer digits behind it for larger ones.
fn padded(figure: f64) -> String {
    let size = figure.abs();
    let digits = if size == 0.0 || size >= 99.95 {
        return format!("{figure:10.0}");
    } else if size >= 9.995 {
        1
    } else if size >= 0.999_5 {
        2
    } else {
        3
    };
    format!("{figure:width$.digits$}", width = 11 + digits)
}

#[cfg(test)]
mod tests {
    use super::padded;

    #[test]
    fn figures_are_padded_as_by_go() {
        assert_eq!(padded(14_504.4), "     14504");
        assert_eq!(padded(42.25), "        42.2");
        assert_eq!(padded(1.5), "         1.50");
    }
}
