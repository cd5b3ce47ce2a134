//! What counts as a difference.
//!
//! First level: accepted or refused, value (with the text of its numbers), undefined, error with its code. Second
//! level: the texts of errors. What OPA gives up on for lack of time is not compared.

use super::peer::{Answer, Fault, Outcome};

/// How grave a difference is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The engines decide differently.
    Decision,
    /// It is this row of `docs/compatibility/opa.md`, which was checked; 0 stands for several at once.
    Known(u8),
    /// They decide alike and word an error differently.
    Wording,
}

/// The rule index and what it leaves out.
pub const ROW_INDEX: u8 = 2;
/// Rows of undefined references.
const ROW_PLACE: u8 = 3;
/// What is not looked at, as the question is answered or ended before.
pub const ROW_ASKED: u8 = 4;
/// The process ends.
const ROW_ENDED: u8 = 6;
/// Template strings that OPA refuses.
pub const ROW_TEMPLATES: u8 = 8;
/// No row: OPA answers otherwise each time, as where it goes through a map of Go's.
pub const UNSETTLED: u8 = u8::MAX;
/// The rows that the peer can put right; see `crates/testkit/peers/opa/mend.go`.
pub const ROWS_MENDED: &[u8] = &[1, ROW_INDEX, ROW_ASKED, 5, ROW_ENDED, 7, ROW_TEMPLATES, 10];

/// A difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// How grave it is.
    pub level: Level,
    /// The number of the outcome, if the modules were accepted by both.
    pub outcome: Option<usize>,
    /// What both say, without what varies from case to case; shrinking keeps it.
    pub kind: String,
    /// What the product says.
    pub own: String,
    /// What OPA says.
    pub peer: String,
}

/// What is known to be missing and would hide all else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowances {
    /// Types are not checked yet: what OPA refuses for them alone is not compared.
    pub types: bool,
}

/// Returns the differences; `None` if the case says nothing, since OPA refuses it for what is allowed.
#[must_use]
pub fn compare(own: &Answer, peer: &Answer, allowed: Allowances) -> Option<Vec<Difference>> {
    match (own, peer) {
        (_, Answer::Refused(faults))
            if allowed.types && faults.iter().all(|it| it.code == "rego_type_error") =>
        {
            None
        }
        // Its compiler may end with a panic, which says nothing of the policy.
        (_, Answer::Refused(faults)) if faults.iter().any(|it| it.code == "panic") => None,
        (Answer::Decided(own), Answer::Decided(peer)) => Some(outcomes(own, peer, allowed)),
        (Answer::Refused(own), Answer::Refused(peer)) => Some(refusals(own, peer).into_iter().collect()),
        (Answer::Refused(own), Answer::Decided(_)) => {
            Some(vec![refusal(format!("refused {}", first(own).code), texts(own), "accepted".to_owned())])
        }
        (Answer::Decided(_), Answer::Refused(peer)) => {
            Some(vec![refusal(format!("accepted {}", first(peer).code), "accepted".to_owned(), texts(peer))])
        }
    }
}

/// Returns what stands for a case that OPA survives only when it is mended.
#[must_use]
pub fn survived() -> Difference {
    let (own, peer) = ("an answer".to_owned(), "none".to_owned());
    Difference {
        level: Level::Known(ROW_ENDED),
        outcome: None,
        kind: "the process ended".to_owned(),
        own,
        peer,
    }
}

fn first(faults: &[Fault]) -> Fault {
    let none = || Fault { code: String::new(), message: String::new(), file: String::new(), row: 0 };
    faults.first().cloned().unwrap_or_else(none)
}

fn refusal(kind: String, own: String, peer: String) -> Difference {
    Difference { level: Level::Decision, outcome: None, kind, own, peer }
}

fn texts(faults: &[Fault]) -> String {
    faults.iter().map(fault_text).collect::<Vec<_>>().join("; ")
}

fn fault_text(fault: &Fault) -> String {
    format!("{}:{}: {}: {}", fault.file, fault.row, fault.code, fault.message)
}

/// Both refuse; the codes of the faults must be the same.
fn refusals(own: &[Fault], peer: &[Fault]) -> Option<Difference> {
    let codes = |faults: &[Fault]| {
        let mut codes: Vec<String> = faults.iter().map(|it| it.code.clone()).collect();
        codes.sort();
        codes.dedup();
        codes
    };
    let (own_codes, peer_codes) = (codes(own), codes(peer));
    let level = if own_codes == peer_codes { Level::Wording } else { Level::Decision };
    let (own_lines, peer_lines) = (lines(own), lines(peer));
    let alike = |(own, peer): (&(String, u32), &(String, u32))| own.1 == peer.1 && fits(&own.0, &peer.0);
    let is_same = own_lines.len() == peer_lines.len() && own_lines.iter().zip(&peer_lines).all(alike);
    if level == Level::Wording && is_same {
        return None;
    }
    let level = if is_place(&own_lines, &peer_lines) { Level::Known(ROW_PLACE) } else { level };
    let kind = format!("refused {} as {}", peer_codes.join(" "), own_codes.join(" "));
    Some(Difference { level, outcome: None, kind, own: texts(own), peer: texts(peer) })
}

/// Returns texts with rows, without what is in the names of variables that compilers make.
fn lines(faults: &[Fault]) -> Vec<(String, u32)> {
    // Of several ways round OPA shows any, another each time.
    let message = |it: &Fault| match it.message.split_once(" is recursive: ") {
        Some((rule, _)) if it.code == "rego_recursion_error" => unnumbered(rule),
        _ => unnumbered(&it.message),
    };
    let mut lines: Vec<(String, u32)> = faults.iter().map(|it| (message(it), it.row)).collect();
    lines.sort();
    lines
}

/// Takes the numbers out of `__local3__`, which say how a compiler works.
fn unnumbered(text: &str) -> String {
    let mut parts = text.split("__local");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out.push_str("__local");
        out.push_str(part.trim_start_matches('q').trim_start_matches(|it: char| it.is_ascii_digit()));
    }
    out
}

/// Says whether a text is OPA's, with anything in the place of the names that OPA's compiler made.
fn fits(own: &str, peer: &str) -> bool {
    let Some((before, last)) = peer.rsplit_once("__local__") else { return own == peer };
    let mut pieces = before.split("__local__");
    let rest = own.strip_prefix(pieces.next().unwrap_or(""));
    let rest = pieces.try_fold(rest, |rest, piece| Some(rest?.split_once(piece).map(|it| it.1)));
    rest.flatten().is_some_and(|rest| rest.ends_with(last))
}

/// Says whether only the rows of undefined references differ, which OPA takes from another reference of the module.
fn is_place(own: &[(String, u32)], peer: &[(String, u32)]) -> bool {
    let same = |(own, peer): (&(String, u32), &(String, u32))| {
        own == peer || own.0 == peer.0 && own.0.starts_with("undefined ref: data.")
    };
    own.len() == peer.len() && own.iter().zip(peer).all(same)
}

fn outcomes(own: &[Outcome], peer: &[Outcome], allowed: Allowances) -> Vec<Difference> {
    let is_type_fault = |it: &Outcome| matches!(it, Outcome::Error(fault) if fault.code == "rego_type_error");
    let pairs = own.iter().zip(peer).enumerate().filter(|it| !(allowed.types && is_type_fault(it.1.1)));
    pairs.filter_map(|(index, (own, peer))| outcome(index, own, peer)).collect()
}

fn outcome(index: usize, own: &Outcome, peer: &Outcome) -> Option<Difference> {
    if own == peer || gave_up(own) || gave_up(peer) || crashed(peer) {
        return None;
    }
    let level = match (own, peer) {
        (Outcome::Error(own), Outcome::Error(peer)) if own.code == peer.code => {
            if unnumbered(&own.message) == unnumbered(&peer.message) {
                return None;
            }
            Level::Wording
        }
        (Outcome::Value { term: own, json: own_json }, Outcome::Value { term: peer, json: peer_json })
            if (own == peer || *own == lossy(peer))
                && same_json(own_json.as_deref(), peer_json.as_deref()) =>
        {
            return None;
        }
        _ => Level::Decision,
    };
    let kind = match (own, peer) {
        (Outcome::Value { term: a, .. }, Outcome::Value { term: b, .. }) if a == b => "other JSON".to_owned(),
        _ => format!("{} not {}", shape(own), shape(peer)),
    };
    Some(Difference { level, outcome: Some(index), kind, own: outcome_text(own), peer: outcome_text(peer) })
}

impl Difference {
    /// Says whether it is none that is known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !matches!(self.level, Level::Known(_))
    }
}

/// Notes the row of the differences that are no longer among those that are `left` when OPA answers so, if it answers at
/// all what they are about.
pub fn note_gone(found: &mut [Difference], left: &[Difference], peer: &Answer, row: u8) {
    for difference in found.iter_mut().filter(|it| it.is_open()) {
        let is_answered = match (peer, difference.outcome) {
            (Answer::Decided(outcomes), Some(number)) => {
                outcomes.get(number).is_some_and(|it| !gave_up(it) && !crashed(it))
            }
            (Answer::Refused(_), Some(_)) => false,
            (_, None) => true,
        };
        let is_same = |it: &Difference| match difference.outcome {
            Some(number) => it.outcome == Some(number) && it.level <= difference.level,
            None => true,
        };
        if is_answered && !left.iter().any(|it| it.is_open() && is_same(it)) {
            difference.level = Level::Known(row);
        }
    }
}

/// Marks the differences about which OPA says something else when it is asked the same again.
pub fn note_unsettled(found: &mut [Difference], peer: &Answer, again: &Answer) {
    let (Answer::Decided(peer), Answer::Decided(again)) = (peer, again) else { return };
    for difference in found.iter_mut().filter(|it| it.is_open()) {
        let Some((once, twice)) = difference.outcome.and_then(|it| peer.get(it).zip(again.get(it))) else {
            continue;
        };
        if once != twice && ![once, twice].into_iter().any(|it| gave_up(it) || crashed(it)) {
            difference.level = Level::Known(UNSETTLED);
        }
    }
}

/// Marks what differs by an error that OPA meets too if it looks further: in another query with the same input, or
/// in a `survey`, in which it goes on behind errors, takes rules in another order or is asked for each rule by itself.
pub fn note_unseen(
    found: &mut [Difference],
    own: &Answer,
    peer: &Answer,
    survey: &[Vec<Fault>],
    inputs: usize,
) {
    let (Answer::Decided(own), Answer::Decided(peer)) = (own, peer) else { return };
    // In what OPA makes of template strings an error has no place.
    let at = |peer: &Fault, own: &Fault| match peer.row {
        0 => peer.message == own.message,
        row => row == own.row && peer.file == own.file,
    };
    let same = |peer: &Fault, own: &Fault| peer.code == own.code && at(peer, own);
    for difference in found.iter_mut().filter(|it| it.is_open()) {
        let Some(number) = difference.outcome else { continue };
        let Some(Outcome::Error(fault)) = own.get(number) else { continue };
        let same_input = peer.iter().skip(number % inputs.max(1)).step_by(inputs.max(1));
        let mut known = same_input.filter_map(|it| if let Outcome::Error(it) = it { Some(it) } else { None });
        let met = survey.iter().skip(number % inputs.max(1)).step_by(inputs.max(1)).flatten();
        // Which of two conflicts is told depends on what OPA comes to first; it keeps values that it has seen one of.
        let is_other_conflict = difference.level == Level::Wording && is_conflict(fault);
        if is_other_conflict || known.any(|it| same(it, fault)) || met.into_iter().any(|it| same(it, fault)) {
            difference.level = Level::Known(ROW_ASKED);
        }
    }
}

/// Says whether an error tells of a conflict as OPA words it, with the places of the values.
fn is_conflict(fault: &Fault) -> bool {
    let places = |text: &str| text.lines().skip(1).filter(|it| it.contains(" at ")).count() >= 2;
    fault.code == "eval_conflict_error"
        && match fault.message.split_once(" data.") {
            Some(("rule" | "function", rest)) => {
                rest.contains(" produced conflicting values") && places(rest)
            }
            _ => fault.message == "object keys must be unique",
        }
}

/// Says whether both texts are the same document; one that OPA cannot write is not compared.
fn same_json(own: Option<&str>, peer: Option<&str>) -> bool {
    let (Some(own), Some(peer)) = (own, peer) else { return peer.is_none() };
    let read = |text: &str| crate::json::parse(text).map(|it| it.to_string());
    own == peer || read(own).is_ok_and(|own| read(peer).is_ok_and(|peer| own == peer))
}

fn gave_up(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Error(fault) if fault.code == "eval_cancel_error")
}

/// Returns a term with U+FFFD for each byte that is no text; only OPA has such strings.
fn lossy(term: &str) -> String {
    let mut parts = term.split("\\x");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        match (part.get(..2), part.get(2..)) {
            (Some(byte), Some(rest)) if byte >= "80" && !out.ends_with('\\') => {
                out.push(char::REPLACEMENT_CHARACTER);
                out.push_str(rest);
            }
            _ => {
                out.push_str("\\x");
                out.push_str(part);
            }
        }
    }
    out
}

/// OPA's own faults are not followed: panics, and what it calls a bug itself.
fn crashed(outcome: &Outcome) -> bool {
    let Outcome::Error(fault) = outcome else { return false };
    fault.code == "panic"
        || fault.code == "eval_internal_error"
            && ["requires evaluation", "unsupported built-in: print"]
                .iter()
                .any(|it| fault.message.contains(it))
}

fn shape(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value { .. } => "value".to_owned(),
        Outcome::Undefined => "undefined".to_owned(),
        Outcome::Error(fault) => fault.code.clone(),
    }
}

fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value { term, json } => match json {
            Some(json) if json != term => format!("{term}   JSON {json}"),
            _ => term.clone(),
        },
        Outcome::Undefined => "undefined".to_owned(),
        Outcome::Error(fault) => fault_text(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(term: &str, json: &str) -> Outcome {
        Outcome::Value { term: term.to_owned(), json: Some(json.to_owned()) }
    }

    fn error(code: &str, message: &str) -> Outcome {
        Outcome::Error(Fault {
            code: code.to_owned(),
            message: message.to_owned(),
            file: String::new(),
            row: 1,
        })
    }

    fn level(own: &Outcome, peer: &Outcome) -> Option<Level> {
        outcome(0, own, peer).map(|it| it.level)
    }

    #[test]
    fn names_and_places_of_compilers_do_not_count() {
        let fault = |row, message: &str| Fault {
            code: "rego_type_error".to_owned(),
            message: message.to_owned(),
            file: String::new(),
            row,
        };
        for (own, peer, want) in [
            ((4, "undefined ref: data.p[__local1__]"), (4, "undefined ref: data.p[__localq22__]"), None),
            ((4, "rule data.p[[1]].a is recursive"), (4, "rule data.p[__local0__].a is recursive"), None),
            ((4, "rule p[[1]] is it"), (4, "rule q[__local0__] is it"), Some(Level::Wording)),
            ((4, "undefined ref: data.p[_]"), (6, "undefined ref: data.p[_]"), Some(Level::Known(3))),
            ((4, "undefined ref: x[_]"), (6, "undefined ref: x[_]"), Some(Level::Wording)),
            ((4, "match error"), (6, "match error"), Some(Level::Wording)),
        ] {
            let found = refusals(&[fault(own.0, own.1)], &[fault(peer.0, peer.1)]);
            assert_eq!(found.map(|it| it.level), want, "{own:?} {peer:?}");
        }
    }

    #[test]
    fn a_difference_is_known_only_if_the_answer_is_there_and_the_same() {
        let one = Answer::Decided(vec![value("1", "1"), value("1", "1")]);
        let other = |outcome| Answer::Decided(vec![value("2", "2"), outcome]);
        let refused = Answer::Refused(Vec::new());
        for (again, want) in [
            (other(value("1", "1")), Level::Known(4)),
            (other(value("2", "2")), Level::Decision),
            (other(error("eval_cancel_error", "")), Level::Decision),
            (other(error("panic", "")), Level::Decision),
            (refused, Level::Decision),
        ] {
            let allowed = Allowances::default();
            let mut found = vec![outcome(1, &value("1", "1"), &Outcome::Undefined).unwrap()];
            note_gone(&mut found, &compare(&one, &again, allowed).unwrap(), &again, 4);
            assert_eq!(found[0].level, want, "{again:?}");
        }
    }

    #[test]
    fn an_error_that_opa_meets_elsewhere_is_known() {
        let met = |code: &str, row| Fault { row, ..fault_of(error(code, "x")) };
        let own = Answer::Decided(vec![error("eval_type_error", "x")]);
        let peer = Answer::Decided(vec![error("eval_conflict_error", "y")]);
        for (met, want) in [
            (met("eval_type_error", 1), Level::Known(4)),
            (met("eval_type_error", 0), Level::Known(4)),
            (met("eval_type_error", 2), Level::Decision),
            (met("eval_builtin_error", 1), Level::Decision),
        ] {
            let mut found = compare(&own, &peer, Allowances::default()).unwrap();
            note_unseen(&mut found, &own, &peer, &[vec![met.clone()]], 1);
            assert_eq!(found[0].level, want, "{met:?}");
        }
    }

    fn fault_of(outcome: Outcome) -> Fault {
        let Outcome::Error(fault) = outcome else { return first(&[]) };
        fault
    }

    #[test]
    fn outcomes_differ_by_value_code_and_text() {
        let one = value("{1}", "[1]");
        for (own, peer, want) in [
            (one.clone(), one.clone(), None),
            (one.clone(), value("[1]", "[1]"), Some(Level::Decision)),
            (value("1", "1"), value("1.0", "1.0"), Some(Level::Decision)),
            (value("\"<\"", "\"<\""), value("\"<\"", "\"\\u003c\""), None),
            (value("[\"\u{fffd}\"]", "[\"\u{fffd}\"]"), value("[\"\\xaa\"]", "[\"\u{fffd}\"]"), None),
            (one.clone(), Outcome::Undefined, Some(Level::Decision)),
            (error("a", "x"), error("b", "x"), Some(Level::Decision)),
            (error("a", "x"), error("a", "y"), Some(Level::Wording)),
            (error("eval_cancel_error", ""), one, None),
        ] {
            assert_eq!(level(&own, &peer), want, "{own:?} {peer:?}");
        }
    }
}
