//! A long run: cases from a seed one after the other, differences shrunk and kept, coverage counted.
//!
//! Everything is a function of the seed and the number of the case, so that a run can go on where another ended and a
//! difference can be made again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lictor::Passes;

use super::compare::{self, Allowances, Difference, Level, ROW_INDEX, ROW_TEMPLATES, ROWS_MENDED};
use super::generate::{Callable, Case, Generator};
use super::own::Own;
use super::peer::{Answer, Peer, Request};
use super::shrink::shrink;
use super::tally::Tally;

/// After so many cases the peer is asked what it counted.
const COUNTED_EVERY: u64 = 64;
/// So long a difference is made smaller.
const SHRUNK_FOR: Duration = Duration::from_secs(30);

/// So often OPA is asked again whether it answers the same.
const ASKED_AGAIN: u32 = 2;

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program that speaks for OPA.
    pub peer: String,
    /// How many decisions to compare.
    pub count: u64,
    /// How long to run at most.
    pub seconds: Option<u64>,
    /// The seed.
    pub seed: u64,
    /// The number of the first case.
    pub start: u64,
    /// Where differences are kept.
    pub keep: Option<PathBuf>,
    /// Where counts are kept, to which a run adds its own.
    pub tally: Option<PathBuf>,
    /// Whether to plant faults instead.
    pub faults: bool,
    /// Whether to print cases and run none.
    pub show: bool,
    /// Whether to print what OPA refuses.
    pub refused: bool,
    /// Whether coverage that is missed fails the run.
    pub full: bool,
    /// What is not compared yet.
    pub allowed: Allowances,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            peer: String::new(),
            count: 10_000,
            seconds: None,
            seed: 1,
            start: 0,
            keep: None,
            tally: None,
            faults: false,
            show: false,
            refused: false,
            full: false,
            allowed: Allowances::default(),
        }
    }
}

/// Both engines.
#[derive(Debug)]
pub struct Engines {
    own: Own,
    peer: Peer,
    allowed: Allowances,
}

impl Engines {
    /// Returns both.
    #[must_use]
    pub fn new(peer: &str, allowed: Allowances) -> Self {
        Self { own: Own::default(), peer: Peer::new(peer), allowed }
    }

    /// Returns OPA's answer, and how ours differ from it: with all passes, and without if `plain`.
    fn ask(&mut self, case: &Case, plain: bool) -> Result<(Answer, Option<Vec<Difference>>), String> {
        let mut request = Request::of(case);
        let mut own = self.own.ask(&request, Passes::ALL);
        let peer = match self.peer.ask(&request) {
            Ok(peer) => peer,
            Err(err) => return self.ask_survivor(&request, &own).map_err(|_| err),
        };
        let mut found = compare::compare(&own, &peer, self.allowed);
        if plain && found.as_ref().is_none_or(Vec::is_empty) {
            own = self.own.ask(&request, plain_passes());
            found = compare::compare(&own, &peer, self.allowed);
        }
        let found = match found {
            Some(found) if !found.is_empty() => found,
            same => return Ok((peer, same)),
        };
        let (peer, mut found) = self.accepted(&mut request, &own, peer, found)?;
        self.explain(&request, &own, &peer, &mut found)?;
        Ok((peer, Some(found)))
    }

    /// Returns the same if OPA does not survive a case but for what is known to be wrong with it.
    fn ask_survivor(
        &mut self,
        request: &Request,
        own: &Answer,
    ) -> Result<(Answer, Option<Vec<Difference>>), String> {
        let request = Request { mended: ROWS_MENDED.to_vec(), indexing: false, ..request.clone() };
        let peer = self.peer.ask(&request)?;
        let found = compare::compare(own, &peer, self.allowed).map(|mut found| {
            if found.is_empty() {
                found.push(compare::survived());
            }
            found
        });
        Ok((peer, found))
    }

    /// Has OPA take templates that it refuses without reason, from here on, and then compares what is decided.
    fn accepted(
        &mut self,
        request: &mut Request,
        own: &Answer,
        peer: Answer,
        mut found: Vec<Difference>,
    ) -> Result<(Answer, Vec<Difference>), String> {
        if let (Answer::Decided(_), Answer::Refused(_), [refusal]) = (own, &peer, found.as_mut_slice()) {
            let mended = Request { mended: vec![ROW_TEMPLATES], ..request.clone() };
            let decided = self.peer.ask(&mended)?;
            if let Answer::Decided(_) = decided {
                refusal.level = Level::Known(ROW_TEMPLATES);
                found.extend(compare::compare(own, &decided, self.allowed).unwrap_or_default());
                *request = mended;
                return Ok((decided, found));
            }
        }
        Ok((peer, found))
    }

    /// Marks the differences that are known: OPA is asked again without what is wrong with it.
    fn explain(
        &mut self,
        request: &Request,
        own: &Answer,
        peer: &Answer,
        found: &mut [Difference],
    ) -> Result<(), String> {
        let inputs = request.queries.first().map_or(1, |it| it.inputs.len());
        for _ in 0..ASKED_AGAIN {
            compare::note_unsettled(found, peer, &self.peer.ask(request)?);
        }
        // What OPA answers with its rule index and what it answers without should be the same.
        let plain = Request { indexing: false, ..request.clone() };
        self.note_gone(&plain, own, found, ROW_INDEX)?;
        for (reversed, apart) in [(false, false), (true, false), (false, true)] {
            if found.iter().any(|it| it.is_open() && it.outcome.is_some()) {
                let survey = self.peer.survey(&Request { reversed, apart, ..plain.clone() })?;
                compare::note_unseen(found, own, peer, &survey, inputs);
            }
        }
        for row in ROWS_MENDED {
            let mended = request.mended.iter().chain([row]).copied().collect();
            self.note_gone(&Request { mended, ..plain.clone() }, own, found, *row)?;
        }
        self.note_gone(&Request { mended: ROWS_MENDED.to_vec(), ..plain }, own, found, 0)
    }

    /// Notes the row of the differences that are gone if OPA is asked otherwise.
    fn note_gone(
        &mut self,
        request: &Request,
        own: &Answer,
        found: &mut [Difference],
        row: u8,
    ) -> Result<(), String> {
        if !found.iter().any(Difference::is_open) {
            return Ok(());
        }
        let peer = self.peer.ask(request)?;
        if let Some(left) = compare::compare(own, &peer, self.allowed) {
            compare::note_gone(found, &left, &peer, row);
        }
        Ok(())
    }
}

/// Returns as few passes as there can be: what OPA does not look at, since a question is settled, is not looked at.
fn plain_passes() -> Passes {
    Passes::only("exit-early").unwrap_or(Passes::NONE)
}

/// Runs and reports; says whether nothing differed and, in a full run, whether enough was tried.
///
/// # Errors
/// When the peer cannot be run or a file cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<bool, String> {
    let callables = Callable::table();
    let mut engines = Engines::new(&options.peer, options.allowed);
    let mut tally = Tally::default();
    let began = Instant::now();
    let limit = options.seconds.map(Duration::from_secs);
    let mut number = options.start;
    while tally.coverage.decisions() < options.count && limit.is_none_or(|it| began.elapsed() < it) {
        let case = Generator::new(options.seed, number, callables.clone()).case();
        match engines.ask(&case, number.is_multiple_of(4)) {
            Ok((answer, found)) => {
                if options.refused {
                    say(out, &refusal(&case, &answer))?;
                }
                tally.coverage.note(&case, &answer, found.is_some());
                for difference in tally.note(found.unwrap_or_default()) {
                    report(options, &mut engines, number, &case, &difference, out)?;
                }
            }
            Err(err) => {
                say(out, &format!("case {number}: {err}\n{}", case_text(&case)))?;
                keep(options, number, &err)?;
                tally.broken();
            }
        }
        number += 1;
        // Counts are lost with a peer that dies.
        if number.is_multiple_of(COUNTED_EVERY) {
            tally.coverage.add_results(engines.peer.results()?);
        }
    }
    tally.coverage.add_results(engines.peer.results()?);
    tally.seconds = began.elapsed().as_secs();
    say(out, &format!("seed {}, cases {}..{number}: {}", options.seed, options.start, tally.line()))?;
    let Some(path) = &options.tally else { return close(&tally, options, out) };
    let total = tally.merged(path)?;
    close(&total, options, out)
}

/// Prints the table, and says whether nothing differed and enough was tried.
fn close(tally: &Tally, options: &Options, out: &mut dyn Write) -> Result<bool, String> {
    for (kind, count) in &tally.kinds {
        say(out, &format!("{count:>8}  {kind}"))?;
    }
    let missed = tally.coverage.report(out).map_err(|err| err.to_string())?;
    say(out, &format!("{}, {missed} figures missed", tally.total()))?;
    Ok(tally.is_clean() && (!options.full || missed == 0))
}

/// Prints cases and runs none.
///
/// # Errors
/// When they cannot be printed.
pub fn show(options: &Options, out: &mut dyn Write) -> Result<bool, String> {
    let callables = Callable::table();
    for number in options.start..options.start + options.count {
        let case = Generator::new(options.seed, number, callables.clone()).case();
        say(out, &format!("case {number}\n{}", case_text(&case)))?;
    }
    Ok(true)
}

fn say(out: &mut dyn Write, line: &str) -> Result<(), String> {
    writeln!(out, "{line}").map_err(|err| err.to_string())
}

/// Shrinks a difference and keeps it.
fn report(
    options: &Options,
    engines: &mut Engines,
    number: u64,
    case: &Case,
    difference: &Difference,
    out: &mut dyn Write,
) -> Result<(), String> {
    let plain = number.is_multiple_of(4);
    let (mut last, began) = (difference.clone(), Instant::now());
    let small = shrink(case.clone(), &mut |it| {
        if began.elapsed() > SHRUNK_FOR {
            return false;
        }
        let Ok((_, Some(found))) = engines.ask(it, plain) else { return false };
        let same = found.into_iter().find(|it| it.kind == difference.kind && it.level == difference.level);
        if let Some(same) = same {
            last = same;
            return true;
        }
        false
    });
    let text = describe(&small, &last);
    say(out, &format!("case {number}: {}\n{text}", last.kind))?;
    keep(options, number, &format!("{}\n{text}", last.kind))
}

/// Returns the faults that OPA found, each with its line.
fn refusal(case: &Case, answer: &Answer) -> String {
    let Answer::Refused(faults) = answer else { return String::new() };
    let mut out = String::new();
    for fault in faults {
        let module = case.modules.iter().find(|it| it.name == fault.file).map(|it| it.tree.print());
        let row = usize::try_from(fault.row).unwrap_or(1).saturating_sub(1);
        let line = module.as_deref().and_then(|it| it.lines().nth(row)).unwrap_or("");
        out += &format!("{}: {}\n    {line}\n", fault.code, fault.message);
    }
    out
}

/// Appends to what is kept of a case.
fn keep(options: &Options, number: u64, text: &str) -> Result<(), String> {
    let Some(folder) = &options.keep else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|err| format!("{}: {err}", folder.display()))?;
    let path: &Path = &folder.join(format!("{}-{number}.txt", options.seed));
    let known = fs::read_to_string(path).unwrap_or_default();
    fs::write(path, known + text + "\n").map_err(|err| format!("{}: {err}", path.display()))
}

fn describe(case: &Case, difference: &Difference) -> String {
    case_text(case) + &format!("    own: {}\n    opa: {}\n", difference.own, difference.peer)
}

fn case_text(case: &Case) -> String {
    let request = Request::of(case);
    let mut out = String::new();
    for module in &request.modules {
        out += &format!(
            "--- {}{}\n{}\n",
            module.name,
            if module.v0 { " (v0)" } else { "" },
            module.text.trim_end()
        );
    }
    out += &format!("--- data {}{}\n", request.data, if request.strict { " (strict)" } else { "" });
    for query in &request.queries {
        for input in &query.inputs {
            out += &format!("--- {} with {}\n", query.text, input.as_deref().unwrap_or("no input"));
        }
    }
    out
}
