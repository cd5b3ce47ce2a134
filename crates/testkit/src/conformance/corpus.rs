//! Our own evaluation cases, run on every engine as a test, and our own formatter cases.
//!
//! All engines run all cases; a case may not say for whom it is. What fails is listed with a reason in
//! `corpus/known-failures.toml`, and an entry that passes again fails the test, so that the list tells
//! the truth.

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path, sync::Arc};

    use crate::conformance::case::{EvalCase, eval_cases};
    use crate::conformance::{compare, format, run::run};
    use crate::engines;

    const ENGINES: [&str; 3] = ["lictor", "lictor-plain", "roundtrip"];

    #[derive(serde::Deserialize)]
    struct Known {
        failures: Vec<Failure>,
    }

    #[derive(serde::Deserialize)]
    struct Failure {
        case: String,
        reason: String,
    }

    #[test]
    fn every_engine_answers_every_case() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let known = std::fs::read_to_string(corpus.join("known-failures.toml")).expect("the list is there");
        let known: Known = toml::from_str(&known).expect("the list is well formed");
        assert!(known.failures.iter().all(|it| !it.reason.is_empty()), "a failure needs its reason");
        let known: BTreeSet<String> = known.failures.into_iter().map(|it| it.case).collect();
        let mut cases = Vec::new();
        for folder in ["language", "builtins", "regressions"] {
            cases.extend(eval_cases(&corpus.join(folder)).expect("the corpus is well formed"));
        }
        let cases: Arc<[EvalCase]> = cases.into();
        for engine in ENGINES {
            let make = engines::maker(engine).expect("the engine is there");
            let verdicts = run(&cases, &make, |engine, case| compare::eval(case, &engine.eval(case)));
            let mut faults = Vec::new();
            for (case, verdict) in cases.iter().zip(verdicts) {
                match (verdict, known.contains(&case.id)) {
                    (Ok(()), true) => faults.push(format!("{}: passes, but is listed as failing", case.id)),
                    (Err(why), false) => faults.push(format!("{} ({}): {why}", case.id, case.note)),
                    _ => (),
                }
            }
            assert!(faults.is_empty(), "{engine}:\n{}", faults.join("\n"));
        }
    }

    #[test]
    fn sources_are_formatted_as_wanted() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/format");
        let mut engine = engines::maker("lictor").expect("the engine is there")();
        let cases = format::cases(&corpus).expect("the corpus is well formed");
        assert!(!cases.is_empty(), "there are cases");
        for case in cases {
            let got = engine.format(&case);
            let again =
                |text: &str| engine.format(&format::FormatCase { source: text.into(), ..case.clone() });
            format::judge(&case, &got, again).unwrap_or_else(|why| panic!("{}: {why}", case.id));
        }
    }
}
