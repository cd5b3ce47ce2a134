//! Says whether an answer is the one that a case wants.
//!
//! Solutions are compared as sets: order and repetition do not count, and numbers are equal by value.
//! Faults are compared as sets too, and a wanted one must come exactly once. Each function returns the
//! difference in words, for whoever has to find it.

use std::collections::BTreeSet;

use super::case::{CompileCase, EvalCase, Fault, WantParsed};
use super::{Outcome, Parsed};
use crate::json::Json;

/// What differs, in words.
pub type Judged = Result<(), String>;

/// Judges an evaluation.
///
/// # Errors
///
/// Says what was wanted and what came.
pub fn eval(case: &EvalCase, outcome: &Outcome) -> Judged {
    match outcome {
        Outcome::Refused(why) => Err(format!("refused: {why}")),
        Outcome::Error { code, text } => eval_error(case, code, text),
        Outcome::Results(results) => eval_results(case, results),
    }
}

fn eval_error(case: &EvalCase, code: &str, text: &str) -> Judged {
    let want = &case.want;
    if want.error_code.is_none() && want.error_part.is_none() {
        return Err(format!("unexpected error: {text}"));
    }
    if want.error_code.as_deref().is_some_and(|it| it != code) {
        return Err(format!("error code {code}, wanted {:?}: {text}", want.error_code));
    }
    match &want.error_part {
        Some(part) if !text.contains(part.as_str()) => Err(format!("error `{text}` does not hold `{part}`")),
        _ => Ok(()),
    }
}

fn eval_results(case: &EvalCase, results: &[Json]) -> Judged {
    let Some(want) = &case.want.results else {
        // Plans have no strict mode: there an error of a built-in is undefined.
        let is_soft = case.want.error_code.as_deref() != Some("eval_conflict_error");
        if case.plan.is_some() && case.strict_errors && is_soft && results.is_empty() {
            return Ok(());
        }
        return Err(format!("{} solutions, wanted {:?}", results.len(), case.want.error_code));
    };
    let ours = solutions(case, results);
    let wanted = solutions(case, want);
    if ours == wanted {
        return Ok(());
    }
    Err(format!("got {}, wanted {}", print(&ours), print(&wanted)))
}

/// Makes the set of solutions, each as the case asks for it.
fn solutions(case: &EvalCase, results: &[Json]) -> BTreeSet<Json> {
    results.iter().map(|it| solution(case, it)).collect()
}

fn solution(case: &EvalCase, result: &Json) -> Json {
    let Json::Object(bindings) = result else {
        return result.clone();
    };
    let mut bindings = bindings.clone();
    if case.want.ignore_generated_vars {
        bindings.retain(|name, _| !name.starts_with("__localq"));
    }
    if case.want.sort_bindings {
        for value in bindings.values_mut() {
            if let Json::Array(items) = value {
                items.sort();
            }
        }
    }
    Json::Object(bindings)
}

fn print(solutions: &BTreeSet<Json>) -> String {
    let all: Vec<String> = solutions.iter().map(ToString::to_string).collect();
    let mut text = format!("[{}]", all.join(", "));
    if text.len() > 2_000 {
        let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= 2_000).last();
        text.truncate(end.unwrap_or(0));
        text.push_str(" …");
    }
    text
}

/// Judges the faults that compiling found.
///
/// # Errors
///
/// Names each wanted fault that did not come once, and each that came unasked where that counts.
pub fn compile(case: &CompileCase, faults: &[Fault]) -> Judged {
    let mut wrong = Vec::new();
    for want in &case.want {
        let times = faults.iter().filter(|it| fits(want, it)).count();
        if times != 1 {
            wrong.push(format!("reported {times} times: {}", line(want)));
        }
    }
    for fault in faults {
        if case.exhaustive && !case.want.iter().any(|it| fits(it, fault)) {
            wrong.push(format!("not wanted: {}", line(fault)));
        }
    }
    if faults.is_empty() {
        wrong.push("compiled without a fault".to_owned());
    } else if !wrong.is_empty() && !case.exhaustive {
        wrong.extend(faults.iter().map(|it| format!("reported: {}", line(it))));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn fits(want: &Fault, fault: &Fault) -> bool {
    want.module == fault.module
        && want.code == fault.code
        && want.message == fault.message
        && (want.row == 0 || want.row == fault.row)
        && (want.col == 0 || want.col == fault.col)
}

fn line(fault: &Fault) -> String {
    let Fault { module, code, row, col, message } = fault;
    format!("{module}:{row}:{col}: {code}: {message}")
}

/// Judges what parsing a source gave in one version.
///
/// # Errors
///
/// Says whether the verdict, the faults, the count of statements or their text differ.
pub fn parse(want: &WantParsed, parsed: &Parsed) -> Judged {
    if want.faults.is_empty() != parsed.faults.is_empty() {
        let word = if parsed.faults.is_empty() { "accepted" } else { "refused" };
        let faults: Vec<String> = parsed.faults.iter().chain(&want.faults).map(line).collect();
        return Err(format!("{word}: {}", faults.join("; ")));
    }
    let place = |it: &Fault| (it.code.clone(), it.row, it.col, it.message.clone());
    let ours: BTreeSet<_> = parsed.faults.iter().map(place).collect();
    let wanted: BTreeSet<_> = want.faults.iter().map(place).collect();
    if ours != wanted {
        return Err(format!("faults {ours:?}, wanted {wanted:?}"));
    }
    if !want.faults.is_empty() {
        return Ok(());
    }
    if parsed.statements.is_some_and(|it| it != want.statements) {
        return Err(format!("{:?} statements, wanted {}", parsed.statements, want.statements));
    }
    match &parsed.printed {
        Some(printed) if *printed != want.printed => {
            Err(format!("printed {printed:?}, wanted {:?}", want.printed))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::case::{Version, Want};
    use crate::json::parse as json;

    fn case(results: Option<&str>) -> EvalCase {
        let results = results.map(|it| json(it).unwrap().as_array().unwrap().to_vec());
        EvalCase {
            version: Version::V1,
            note: "a/b".to_owned(),
            id: "v1/a/0".to_owned(),
            modules: Vec::new(),
            query: "x".to_owned(),
            data: None,
            input: None,
            input_term: None,
            strict_errors: false,
            want: Want { results, ..Want::default() },
            plan: None,
        }
    }

    fn results(text: &str) -> Outcome {
        Outcome::Results(json(text).unwrap().as_array().unwrap().to_vec())
    }

    #[test]
    fn solutions_are_sets_and_numbers_are_values() {
        let case = case(Some(r#"[{"x":1},{"x":2}]"#));
        assert_eq!(eval(&case, &results(r#"[{"x":2.0},{"x":1},{"x":2}]"#)), Ok(()));
        assert!(eval(&case, &results(r#"[{"x":2}]"#)).is_err());
        assert!(eval(&case, &results(r#"[{"x":2},{"x":1},{"y":1}]"#)).is_err());
        assert!(eval(&case, &results("[]")).is_err());
    }

    #[test]
    fn bindings_are_sorted_and_dropped_on_demand() {
        let mut case = case(Some(r#"[{"x":[3,1,"a"]}]"#));
        let ours = results(r#"[{"x":["a",1,3],"__localq0__":true}]"#);
        assert!(eval(&case, &ours).is_err());
        case.want.sort_bindings = true;
        case.want.ignore_generated_vars = true;
        assert_eq!(eval(&case, &ours), Ok(()));
    }

    #[test]
    fn errors_need_both_code_and_part() {
        let mut case = case(None);
        case.want.error_code = Some("eval_conflict_error".to_owned());
        case.want.error_part = Some("multiple".to_owned());
        let error = |code: &str, text: &str| Outcome::Error { code: code.into(), text: text.into() };
        assert_eq!(eval(&case, &error("eval_conflict_error", "a multiple b")), Ok(()));
        assert!(eval(&case, &error("eval_type_error", "a multiple b")).is_err());
        assert!(eval(&case, &error("eval_conflict_error", "else")).is_err());
        assert!(eval(&case, &results("[]")).is_err());
        assert!(eval(&case, &Outcome::Refused("no".into())).is_err());
    }

    #[test]
    fn wanted_faults_come_once() {
        let fault = |row: i64, message: &str| Fault {
            module: "test-0.rego".to_owned(),
            code: "rego_type_error".to_owned(),
            row,
            col: 3,
            message: message.to_owned(),
        };
        let mut case = CompileCase {
            version: Version::V1,
            note: String::new(),
            id: String::new(),
            modules: Vec::new(),
            strict: false,
            keep_print: false,
            keywords: Vec::new(),
            want: vec![fault(0, "a"), fault(4, "b")],
            exhaustive: false,
        };
        let ours = [fault(2, "a"), fault(4, "b"), fault(9, "c")];
        assert_eq!(compile(&case, &ours), Ok(()));
        assert!(compile(&case, &[fault(2, "a"), fault(5, "b")]).is_err());
        assert!(compile(&case, &[fault(2, "a"), fault(2, "a"), fault(4, "b")]).is_err());
        case.exhaustive = true;
        assert!(compile(&case, &ours).is_err());
    }
}
