//! `lictor test`: finds tests, runs them on several threads and reports in the order of files and rules.
//!
//! Here are threads, time limits and exit codes. What a test is and what makes it pass is the engine's; how it is shown
//! is in `output::verdicts`.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

use lictor::{Engine, Faults, Options, Part, Pattern, Session, Suite, Verdict};

use crate::commands::{Failure, leave};
use crate::fault;
use crate::flags::Parsed;
use crate::host::Terminal;
use crate::load::{BundleFault, Loader};
use crate::output::verdicts::{Finished, Reporter};
use crate::output::{error_line, write_error};
use crate::setup;
use crate::timers::Timers;
use crate::workers::Threads;

/// What `--help` says first.
pub(crate) const LONG: &str = "Execute Rego test cases.

All rules in the files and folders whose names start with \"test_\" are run; each passes if it is true. A rule
with a variable behind its name, like test_add[case.note], has a result for each case. A name that starts with
\"todo_test_\" is told as skipped. With --bundle the paths are bundles.";

/// Exit code for files, modules and flags that make tests impossible.
const FAULT_EXIT: u8 = 1;
/// Exit code for tests that do not pass.
const FAILED_EXIT: u8 = 2;
/// What a test may take unless flags say otherwise.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Tests that are compiled together: so few that threads have something to share, so many that they share something.
const PART_TESTS_MIN: usize = 64;
const PART_TESTS_MAX: usize = 512;
/// Memory of a thread's stack.
const STACK_BYTES: usize = 16 << 20;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    if flags.arguments.is_empty() {
        return Err(Failure::Usage("specify at least one file".to_owned()));
    }
    if flags.text("format") == "gobench" {
        error_line("cannot use output format gobench without running benchmarks (--bench)");
        return Ok(0);
    }
    setup::capabilities(flags).map_err(Failure::Usage)?;
    setup::refuse_wasm(flags).map_err(Failure::Usage)?;
    let suite = match prepare(flags) {
        Ok(suite) => suite,
        Err(message) => {
            write_error(format!("{message}\n").as_bytes());
            return Ok(FAULT_EXIT);
        }
    };
    if flags.text("format") == "pretty" && flags.text("sort") != "none" {
        error_line("warning: --sort is only supported with JSON format");
    }
    for _ in 0..flags.number("count").max(0) {
        let code = run_once(flags, &suite);
        if code != 0 {
            leave(suite);
            return Ok(code);
        }
    }
    leave(suite);
    Ok(0)
}

/// Loads and compiles what the flags name.
fn prepare(flags: &Parsed) -> Result<Suite, String> {
    let mut engine = Engine::new(Options {
        version: setup::version(flags),
        schemas: setup::schemas(flags).map_err(fault::while_loading)?,
        print: true,
        error_limit: usize::try_from(flags.number("max-errors")).unwrap_or(0),
        workers: Threads::all(),
        ..Options::default()
    });
    setup::limit(flags, &mut engine)?;
    let mut timers = Timers::default();
    let ignore = flags.list("ignore");
    let paths: Vec<&str> = flags.arguments.iter().map(String::as_str).collect();
    let mut loader = Loader::new(&mut engine, &mut timers).ignoring(&ignore);
    if flags.is_on("bundle") {
        let mut seen = HashSet::new();
        let paths: Vec<&str> = paths.into_iter().filter(|it| seen.insert(*it)).collect();
        loader.load_bundles(&paths).map_err(|fault| match &fault {
            BundleFault::Load(name, _) | BundleFault::Path(name, _) => {
                format!("unable to load bundle {name}: {}", fault.text())
            }
            BundleFault::Activation(message) | BundleFault::Store(message) => message.clone(),
        })?;
    } else {
        loader.load_files(&paths).map_err(|faults| fault::list_text(&faults, " during loading"))?;
    }
    let pattern = match flags.text("run") {
        "" => None,
        text => Some(Pattern::new(text).map_err(|it| it.to_string())?),
    };
    let wanted = |name: &str| pattern.as_ref().is_none_or(|it| it.is_match(name));
    let suite = engine.compile_tests(&wanted);
    leave(engine);
    suite.map_err(|faults| fault::list_text(&fault::of_policy(&faults), ""))
}

fn run_once(flags: &Parsed, suite: &Suite) -> u8 {
    let mut reporter = Reporter::new(flags.text("format") == "json", flags.is_on("verbose"));
    let mut code = 0;
    let timeout = flags.time("timeout").unwrap_or(TIMEOUT);
    let skipped_is_fine = flags.is_on("exit-zero-on-skipped");
    let ran = run_all(suite, threads(flags), timeout, &mut |finished| {
        let fine = match finished.outcome.verdict {
            Verdict::Passed => true,
            Verdict::Skipped => skipped_is_fine,
            Verdict::Failed | Verdict::Ended(_) | Verdict::Refused(_) => false,
        };
        if !fine {
            code = FAILED_EXIT;
        }
        reporter.add(finished);
    });
    if let Err(faults) = ran {
        error_line(&fault::list_text(&fault::of_policy(&faults), ""));
        return FAULT_EXIT;
    }
    reporter.finish(flags.text("sort") == "duration");
    if suite.tests().is_empty() && flags.is_on("fail-on-empty") {
        error_line("no tests were run");
        return FAULT_EXIT;
    }
    code
}

fn threads(flags: &Parsed) -> usize {
    let given = usize::try_from(flags.number("parallel")).ok().filter(|it| *it > 0);
    given.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
}

/// Runs all tests and hands them on in their order, each as soon as it and those before it are done.
fn run_all<'s>(
    suite: &'s Suite,
    threads: usize,
    timeout: Duration,
    take: &mut dyn FnMut(Finished<'s>),
) -> Result<(), Faults> {
    let parts = Parts::new(suite, threads);
    let mut waiting = InOrder::default();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 1..threads.min(suite.tests().len()) {
            let (sender, parts) = (sender.clone(), &parts);
            // Whoever takes results outlives all that make them; a fault of a part is found by whoever asks for it.
            let run = move || parts.work(timeout, |it| drop(sender.send(it)));
            // Without one more thread those that are there do its work.
            let _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        }
        drop(sender);
        let fault = parts.work(timeout, |it| {
            waiting.put(it);
            receiver.try_iter().for_each(|it| waiting.put(it));
            waiting.take(take);
        });
        for finished in &receiver {
            waiting.put(finished);
            waiting.take(take);
        }
        fault
    })
}

/// Are the tests in parts, each of which is compiled by the thread that gets it.
struct Parts<'s> {
    suite: &'s Suite,
    /// The next part that nobody has begun.
    next: AtomicUsize,
    list: Vec<LazyPart<'s>>,
}

struct LazyPart<'s> {
    tests: Range<usize>,
    /// The next test that nobody has begun.
    next: AtomicUsize,
    /// What was compiled, until all tests are begun: then its memory serves the next part.
    compiled: Mutex<Option<Arc<Compiled<'s>>>>,
}

type Compiled<'s> = OnceLock<Result<Part<'s>, Faults>>;

impl<'s> Parts<'s> {
    fn new(suite: &'s Suite, threads: usize) -> Self {
        let count = suite.tests().len();
        let size = (count / threads.max(1) / 4).clamp(PART_TESTS_MIN, PART_TESTS_MAX);
        let part = |start: usize| LazyPart {
            tests: start..count.min(start + size),
            next: AtomicUsize::new(start),
            compiled: Mutex::new(Some(Arc::default())),
        };
        Self { suite, next: AtomicUsize::new(0), list: (0..count).step_by(size).map(part).collect() }
    }

    /// Compiles and runs parts that nobody has begun until there are none, then helps with the others.
    fn work(&self, timeout: Duration, mut give: impl FnMut(Finished<'s>)) -> Result<(), Faults> {
        let host = Arc::new(Terminal::keeping());
        let mut session = Session::new(host.clone());
        while let Some(part) = self.list.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            self.run_part(part, &host, &mut session, timeout, &mut give)?;
        }
        self.list.iter().try_for_each(|part| self.run_part(part, &host, &mut session, timeout, &mut give))
    }

    /// Runs tests of a part that nobody has begun until there are none.
    fn run_part(
        &self,
        part: &LazyPart<'s>,
        host: &Terminal,
        session: &mut Session,
        timeout: Duration,
        give: &mut impl FnMut(Finished<'s>),
    ) -> Result<(), Faults> {
        let compiled = || part.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = compiled().clone() else { return Ok(()) };
        loop {
            let at = part.next.fetch_add(1, Ordering::Relaxed);
            let Some(test) = self.suite.tests().get(at).filter(|_| at < part.tests.end) else {
                compiled().take();
                return Ok(());
            };
            let own = known.get_or_init(|| self.suite.part(part.tests.clone()));
            let own = own.as_ref().map_err(Faults::clone)?;
            host.restart(Some(timeout));
            let start = Instant::now();
            let mut outcome = own.run(at, session);
            let duration = start.elapsed();
            if let Verdict::Ended(error) = outcome.verdict {
                outcome.verdict = Verdict::Ended(host.explained(error));
            }
            let is_skipped = matches!(outcome.verdict, Verdict::Skipped);
            let duration = if is_skipped { Duration::ZERO } else { duration };
            give(Finished { at, test, outcome, duration, printed: host.take_printed() });
        }
    }
}

/// Holds results back until those before them are there.
#[derive(Default)]
struct InOrder<'s> {
    next: usize,
    waiting: BTreeMap<usize, Finished<'s>>,
}

impl<'s> InOrder<'s> {
    fn put(&mut self, finished: Finished<'s>) {
        self.waiting.insert(finished.at, finished);
    }

    fn take(&mut self, take: &mut dyn FnMut(Finished<'s>)) {
        while let Some(finished) = self.waiting.remove(&self.next) {
            self.next += 1;
            take(finished);
        }
    }
}
