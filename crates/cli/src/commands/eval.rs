//! `lictor eval`: evaluates a query and shows its solutions.
//!
//! It reads flags, asks the loaders and hands solutions to the formats of `output`. It decides exit codes and nothing
//! about Rego.

use std::sync::Arc;

use lictor::{Answer, Input, Session};

use crate::commands::Failure;
use crate::fault;
use crate::flags::Parsed;
use crate::host::Terminal;
use crate::output::solutions::{Format, Report, render};
use crate::output::{write_error, write_out};
use crate::setup;
use crate::timers::{QUERY_EVAL, Timers, samples};

/// Exit code for faults of the policy, the query or the evaluation.
const FAULT_EXIT: u8 = 2;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    setup::validate(flags).map_err(Failure::Usage)?;
    if flags.is_on("fail") && flags.is_on("fail-defined") {
        return Err(Failure::Usage("specify --fail or --fail-defined but not both".to_owned()));
    }
    let format = Format::named(flags.text("format"))
        .ok_or_else(|| Failure::Usage("invalid output format for evaluation".to_owned()))?;
    let runs = u32::try_from(flags.number("count")).ok().filter(|it| *it > 0);
    let runs = runs.ok_or_else(|| Failure::Usage("specify a --count of at least 1".to_owned()))?;
    let text = setup::query_text(flags).map_err(|it| Failure::Text(it, FAULT_EXIT))?;
    let input = setup::input(flags).map_err(|it| Failure::Text(it, FAULT_EXIT))?;
    let input = input.as_ref().map_or(Input::Undefined, |it| Input::Value(it.root()));

    let host = Arc::new(Terminal::new(flags.time("timeout")));
    let mut timers = Vec::new();
    let mut report = None;
    for _ in 0..runs {
        let mut session = Session::new(host.clone());
        let (result, times) = evaluate(flags, &text, input, format, &mut session);
        timers.push(times);
        report.get_or_insert(result);
    }
    let mut report = report.unwrap_or_default();
    if flags.is_on("metrics") && runs > 1 {
        report.samples = samples(&timers);
    } else if flags.is_on("metrics") {
        report.timers = timers.pop();
    }
    let (out, errors) = report.texts(format);
    write_out(&out);
    write_error(errors.as_bytes());
    Ok(exit_code(flags, &report))
}

fn exit_code(flags: &Parsed, report: &Report) -> u8 {
    if !report.faults.is_empty() {
        return FAULT_EXIT;
    }
    let defined = report.count > 0;
    u8::from((flags.is_on("fail") && !defined) || (flags.is_on("fail-defined") && defined))
}

fn evaluate(
    flags: &Parsed,
    text: &str,
    input: Input<'_>,
    format: Format,
    session: &mut Session,
) -> (Report, Timers) {
    let mut timers = Timers::default();
    let mut report = Report::default();
    let query = match setup::prepare(flags, text, &mut timers) {
        Ok(query) => query,
        Err(faults) => {
            report.faults = faults;
            return (report, timers);
        }
    };
    let expressions = query.expressions();
    let start = std::time::Instant::now();
    let result = query.decide(session, input, |answer| {
        timers.add(QUERY_EVAL, start);
        match answer {
            Answer::Bindings(solutions) => (render(format, solutions, expressions), solutions.len()),
            // An ad-hoc query answers with solutions.
            Answer::Value(_) => (Vec::new(), 0),
        }
    });
    match result {
        Ok((solutions, count)) => {
            report.solutions = solutions;
            report.count = count;
        }
        Err(error) => report.faults.push(fault::of_eval(error, expressions)),
    }
    (report, timers)
}
