//! Runs a folder of cases in the conformance format on an engine and closes with
//! `N passed, N failed`.
//!
//! It only reads arguments, prints verdicts and writes the report; reading, running and judging are
//! the library's. Ends with status 1 if a case fails, or with `--report` if one fails without a
//! feature that is known to be absent; with status 2 if it cannot run at all.

#![forbid(unsafe_code)]

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use lictor_testkit::conformance::{
    Engine, case, compare,
    compare::Judged,
    format::{self, FormatCase},
    report::{self, Failure},
    run::{Maker, Runner, run},
};
use lictor_testkit::engines;

const USAGE: &str = "usage: conformance KIND FOLDER [--engine NAME] [--report FILE] [--only TEXT] \
                     [--sample N] [--quiet]\nKIND is rego, ir, compile, parse or format";

struct Options {
    kind: String,
    folder: PathBuf,
    engine: Option<String>,
    report: Option<PathBuf>,
    /// Runs only cases whose id or name holds this text.
    only: Option<String>,
    /// Runs every N-th case.
    sample: usize,
    /// Leaves out the reasons.
    is_quiet: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| dispatch(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            // Nothing is left to do if standard error is gone.
            drop(writeln!(io::stderr(), "{err}"));
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, String> {
    let mut args = std::env::args().skip(1);
    let mut words = Vec::new();
    let mut options = Options {
        kind: String::new(),
        folder: PathBuf::new(),
        engine: None,
        report: None,
        only: None,
        sample: 1,
        is_quiet: false,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        match arg.as_str() {
            "--engine" => options.engine = Some(value()?),
            "--report" => options.report = Some(value()?.into()),
            "--only" => options.only = Some(value()?),
            "--sample" => {
                let text = value()?;
                let number = text.parse().ok().filter(|it| *it > 0);
                options.sample = number.ok_or_else(|| format!("--sample {text}: want a count"))?;
            }
            "--quiet" => options.is_quiet = true,
            _ if arg.starts_with('-') => return Err(format!("unknown option {arg}\n{USAGE}")),
            _ => words.push(arg),
        }
    }
    match <[String; 2]>::try_from(words) {
        Ok([kind, folder]) => Ok(Options { kind, folder: folder.into(), ..options }),
        Err(_) => Err(USAGE.to_owned()),
    }
}

/// Runs the kind of cases that is asked for; returns whether the run is a success.
fn dispatch(options: &Options) -> Result<bool, String> {
    let default = engines::default_for(&options.kind);
    let name = options.engine.as_deref().unwrap_or(default);
    let make = engines::maker(name)
        .ok_or_else(|| format!("unknown engine `{name}`; known are {}", engines::NAMES))?;
    match options.kind.as_str() {
        "rego" => eval_cases(options, &make, case::eval_cases(&options.folder)?),
        "ir" => eval_cases(options, &make, case::ir_cases(&options.folder)?),
        "compile" => {
            let cases = case::compile_cases(&options.folder)?;
            let cases = chosen(options, cases, |it| format!("{} ({})", it.id, it.note));
            let runner: Runner<case::CompileCase> =
                |engine, case| compare::compile(case, &engine.compile(case));
            let verdicts = run(&cases, &make, runner);
            print(options, cases.iter().map(|it| format!("{} ({})", it.id, it.note)), &verdicts)
        }
        "parse" => {
            let cases = case::parse_cases(&options.folder)?;
            let cases = chosen(options, cases, |it| it.name.clone());
            let verdicts = run(&cases, &make, run_parse);
            print(options, cases.iter().map(|it| it.name.clone()), &verdicts)
        }
        "format" => {
            let cases = chosen(options, format::cases(&options.folder)?, |it| it.id.clone());
            let verdicts = run(&cases, &make, run_format);
            print(options, cases.iter().map(|it| it.id.clone()), &verdicts)
        }
        kind => Err(format!("unknown kind `{kind}`\n{USAGE}")),
    }
}

fn run_format(engine: &mut dyn Engine, case: &FormatCase) -> Judged {
    let got = engine.format(case);
    let again = |text: &str| engine.format(&FormatCase { source: text.into(), ..case.clone() });
    format::judge(case, &got, again)
}

fn run_parse(engine: &mut dyn Engine, case: &case::ParseCase) -> Judged {
    for (version, want) in &case.want {
        compare::parse(want, &engine.parse(case, *version))
            .map_err(|err| format!("{}: {err}", version.name()))?;
    }
    Ok(())
}

fn eval_cases(options: &Options, make: &Maker, cases: Vec<case::EvalCase>) -> Result<bool, String> {
    let name = |it: &case::EvalCase| format!("{} ({})", it.id, it.note);
    let cases = chosen(options, cases, name);
    let verdicts = run(&cases, make, |engine, case| compare::eval(case, &engine.eval(case)));
    let Some(path) = &options.report else {
        return print(options, cases.iter().map(name), &verdicts);
    };
    let failures: Vec<Failure<'_>> = cases
        .iter()
        .zip(&verdicts)
        .filter_map(|(case, verdict)| Some(Failure { case, why: verdict.as_ref().err()? }))
        .collect();
    let builtins = make().builtins().unwrap_or_default();
    let report = report::write(cases.len(), &failures, &builtins);
    std::fs::write(path, &report.text).map_err(|err| format!("{}: {err}", path.display()))?;
    let lines = cases.iter().map(|it| {
        let is_defect = report.unexplained.contains(&it.id);
        if is_defect { format!("defect: {}", name(it)) } else { name(it) }
    });
    print(options, lines, &verdicts)?;
    Ok(report.unexplained.is_empty())
}

/// Keeps the cases that the options ask for.
fn chosen<C>(options: &Options, cases: Vec<C>, name: fn(&C) -> String) -> Arc<[C]> {
    let is_asked = |case: &C| options.only.as_ref().is_none_or(|it| name(case).contains(it));
    cases.into_iter().filter(is_asked).step_by(options.sample).collect()
}

/// Prints what failed and the closing line; returns whether nothing failed and something ran.
fn print(
    options: &Options,
    names: impl Iterator<Item = String>,
    verdicts: &[Judged],
) -> Result<bool, String> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let failed = verdicts.iter().filter(|it| it.is_err()).count();
    let write = || -> io::Result<()> {
        for (name, verdict) in names.zip(verdicts) {
            match verdict {
                Err(why) if !options.is_quiet => writeln!(out, "failed: {name}: {why}")?,
                _ => (),
            }
        }
        writeln!(out, "{} passed, {failed} failed", verdicts.len() - failed)?;
        out.flush()
    };
    write().map_err(|err| format!("standard output: {err}"))?;
    Ok(failed == 0 && !verdicts.is_empty())
}
