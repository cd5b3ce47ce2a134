//! Planted faults: each spoils the product in one small way, and a run must notice.
//!
//! What would be a slip in a built-in, in lowering or a pass, or in what is made of an answer is done on purpose
//! here, behind the engine's adapter. A comparison that misses one of them proves little when it finds nothing.

pub(crate) mod builtins;
pub(crate) mod plans;

use std::io::Write;

use lictor::{BuiltinFn, Passes};
use lictor_plan::Plan;

use super::compare::{self, Allowances, Level};
use super::generate::{Callable, Generator};
use super::own::Own;
use super::peer::{Answer, Outcome, Peer, Request};

/// So many decisions are compared before a fault counts as missed.
const DECISIONS_MAX: usize = 200_000;

/// Where a fault sits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// In a built-in of this name, whose function this replaces.
    Builtin(&'static str, BuiltinFn),
    /// In the plan, after the passes.
    Plan(fn(&mut Plan)),
    /// In what is made of an answer.
    Answer(fn(&mut Outcome)),
    /// In what the engine is asked.
    Request(fn(&mut Request)),
}

/// A fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// What goes wrong.
    pub name: &'static str,
    pub(crate) place: Place,
}

const fn builtin(name: &'static str, of: &'static str, function: BuiltinFn) -> Fault {
    Fault { name, place: Place::Builtin(of, function) }
}

const fn plan(name: &'static str, change: fn(&mut Plan)) -> Fault {
    Fault { name, place: Place::Plan(change) }
}

/// All faults.
pub const FAULTS: &[Fault] = &[
    builtin("round takes halves to even", "round", builtins::round_to_even),
    builtin("upper knows ASCII alone", "upper", builtins::upper_ascii),
    builtin("strings.count counts what overlaps", "strings.count", builtins::count_overlapping),
    builtin("object.union is shallow", "object.union", builtins::union_shallow),
    builtin("json.marshal escapes no markup", "json.marshal", builtins::marshal_plain),
    builtin("numbers.range forgets its end", "numbers.range", builtins::range_short),
    builtin("substring counts bytes", "substring", builtins::substring_bytes),
    builtin("array.slice is off by one", "array.slice", builtins::slice_off),
    plan("not is forgotten", plans::forget_not),
    plan("equality is not tested", plans::forget_equal),
    plan("unequal is equal", plans::swap_unequal),
    plan("less admits equal", plans::loosen_less),
    plan("conflicts of complete rules pass", plans::forget_conflicts),
    plan("conflicts of keys pass", plans::forget_key_conflicts),
    plan("with replaces nothing", plans::forget_with),
    plan("searches stop at the first item", plans::stop_scans),
    plan("defaults are forgotten", plans::forget_defaults),
    plan("membership is not tested", plans::forget_member),
    plan("objects are merged the wrong way round", plans::swap_merge),
    plan("sets lose a member", plans::lose_member),
    Fault { name: "numbers are printed anew", place: Place::Answer(renumber) },
    Fault { name: "undefined is false", place: Place::Answer(undefined_is_false) },
    Fault { name: "error codes are one", place: Place::Answer(one_code) },
    Fault { name: "strict errors are undefined", place: Place::Request(|it| it.strict = false) },
];

/// Takes trailing zeros off fractions, as a reader of floats would.
fn renumber(outcome: &mut Outcome) {
    if let Outcome::Value { term, .. } = outcome
        && term.parse::<f64>().is_ok()
        && term.contains('.')
        && term.ends_with('0')
    {
        *term = term.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
}

fn undefined_is_false(outcome: &mut Outcome) {
    if *outcome == Outcome::Undefined {
        *outcome = Outcome::Value { term: "false".to_owned(), json: Some("false".to_owned()) };
    }
}

fn one_code(outcome: &mut Outcome) {
    if let Outcome::Error(fault) = outcome {
        fault.code = "eval_internal_error".to_owned();
    }
}

/// Tries every fault; says whether each was found.
///
/// # Errors
/// When the peer cannot be run or the report cannot be written.
pub fn run(peer: &str, seed: u64, out: &mut dyn Write) -> Result<bool, String> {
    let mut peer = Peer::new(peer);
    peer.results()?;
    let mut found = 0;
    for fault in FAULTS {
        let outcome = find(fault, &mut peer, seed);
        let line = match outcome {
            Some(decisions) => {
                found += 1;
                format!("found after {decisions:>6} decisions: {}", fault.name)
            }
            None => format!("MISSED in {DECISIONS_MAX} decisions:  {}", fault.name),
        };
        writeln!(out, "{line}").map_err(|err| err.to_string())?;
    }
    writeln!(out, "faults: {found} of {} found from seed {seed}", FAULTS.len())
        .map_err(|err| err.to_string())?;
    Ok(found == FAULTS.len())
}

/// Returns after how many decisions a fault shows where the product without it is right.
fn find(fault: &Fault, peer: &mut Peer, seed: u64) -> Option<usize> {
    let callables = Callable::table();
    let allowed = Allowances::default();
    let (mut sound, mut spoiled) = (Own::default(), Own::spoiled(*fault));
    let mut decisions = 0;
    let mut number = 0;
    while decisions < DECISIONS_MAX {
        let case = Generator::new(seed, number, callables.clone()).case();
        number += 1;
        let request = Request::of(&case);
        let ours = spoiled.ask(&request, Passes::ALL);
        if matches!(ours, Answer::Refused(_)) {
            continue;
        }
        // What OPA does not survive shows no fault of the product.
        let Ok(theirs) = peer.ask(&request) else {
            decisions += request.decisions();
            continue;
        };
        let differences = compare::compare(&ours, &theirs, allowed).unwrap_or_default();
        let grave: Vec<_> = differences.iter().filter(|it| it.level == Level::Decision).collect();
        if !grave.is_empty() {
            let expected =
                compare::compare(&sound.ask(&request, Passes::ALL), &theirs, allowed).unwrap_or_default();
            if let Some(first) =
                grave.iter().find(|it| !expected.iter().any(|other| other.outcome == it.outcome))
            {
                return Some(decisions + first.outcome.unwrap_or(0) + 1);
            }
        }
        decisions += request.decisions();
    }
    None
}
