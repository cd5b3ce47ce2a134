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

const BOTH_BUILTIN_ERRORS: &str = "cannot use --show-builtin-errors with --strict-builtin-errors, \
    --strict-builtin-errors will return the first built-in error encountered immediately";

/// Exit code for faults of the policy, the query or the evaluation.
const FAULT_EXIT: u8 = 2;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    setup::capabilities(flags).map_err(Failure::Usage)?;
    setup::validate(flags).map_err(Failure::Usage)?;
    if flags.is_on("fail") && flags.is_on("fail-defined") {
        return Err(Failure::Usage("specify --fail or --fail-defined but not both".to_owned()));
    }
    let format = Format::named(flags.text("format"))
        .ok_or_else(|| Failure::Usage("invalid output format for evaluation".to_owned()))?;
    setup::refuse_absent(flags).map_err(Failure::Usage)?;
    let runs = u32::try_from(flags.number("count")).ok().filter(|it| *it > 0);
    let runs = runs.ok_or_else(|| Failure::Usage("specify a --count of at least 1".to_owned()))?;
    if flags.is_on("show-builtin-errors") && flags.is_on("strict-builtin-errors") {
        return Err(Failure::Text(BOTH_BUILTIN_ERRORS.to_owned(), FAULT_EXIT));
    }
    let text = setup::query_text(flags).map_err(|it| Failure::Text(it, FAULT_EXIT))?;
    let input = setup::input(flags).map_err(|it| Failure::Text(it, FAULT_EXIT))?;
    let input = input.as_ref().map_or(Input::Undefined, |it| Input::Value(it.root()));

    setup::schemas(flags).map_err(|it| Failure::Text(fault::while_loading(it), FAULT_EXIT))?;

    let host = Arc::new(Terminal::new(flags.time("timeout")));
    let mut timers = Vec::new();
    let mut report = None;
    for _ in 0..runs {
        let (result, times) = evaluate(flags, &text, input, format, &host);
        timers.push(times);
        report.get_or_insert(result);
    }
    let mut report = report.unwrap_or_default();
    let metrics = flags.is_on("metrics") || flags.is_on("instrument");
    if metrics && runs > 1 {
        report.samples = samples(&timers);
    } else if metrics {
        report.timers = timers.pop();
    }
    let (out, errors) = report.texts(format);
    write_out(&out);
    write_error(errors.as_bytes());
    Ok(exit_code(flags, &report))
}

fn exit_code(flags: &Parsed, report: &Report) -> u8 {
    if report.faults.len() > report.passed_over {
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
    host: &Arc<Terminal>,
) -> (Report, Timers) {
    let mut session = Session::new(host.clone());
    if flags.is_on("show-builtin-errors") {
        session.collect_builtin_errors();
    }
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
    let result = query.decide(&mut session, input, |answer| {
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
        Err(error) => report.faults.push(fault::of_eval(host.explained(error), expressions)),
    }
    let passed_over = session.take_builtin_errors();
    report.passed_over = passed_over.len();
    report.faults.extend(passed_over.into_iter().map(|it| fault::of_eval(it, expressions)));
    (report, timers)
}
