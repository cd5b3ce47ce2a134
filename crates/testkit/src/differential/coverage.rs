//! What was tried: how often each production and each built-in, and how many decisions were worth comparing.
//!
//! A run that finds nothing says little unless it tried much; the figures to reach are here.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::generate::{Callable, Case, PRODUCTIONS};
use super::peer::{Answer, Outcome};

/// Each production must come so often in policies that both engines accept.
const PRODUCTION_LEAST: u64 = 1_000;
/// Each built-in must give a result so often.
const BUILTIN_LEAST: u64 = 100;
/// So many decisions in a hundred must be defined and differ from input to input.
const VARIED_LEAST: u64 = 30;
/// So many reasons for refusals are printed.
const FAULTS_SHOWN: usize = 12;

/// The counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    productions: BTreeMap<&'static str, u64>,
    builtins: BTreeMap<String, u64>,
    cases: u64,
    refused: u64,
    not_compared: u64,
    decisions: u64,
    defined: u64,
    varied: u64,
    errors: u64,
    faults: BTreeMap<String, u64>,
}

impl Coverage {
    /// Returns how many decisions were compared.
    #[must_use]
    pub fn decisions(&self) -> u64 {
        self.decisions
    }

    /// Counts a case and OPA's answer to it.
    pub fn note(&mut self, case: &Case, answer: &Answer, compared: bool) {
        self.cases += 1;
        let outcomes = match answer {
            Answer::Decided(outcomes) if compared => outcomes,
            Answer::Decided(_) | Answer::Refused(_) => {
                self.note_faults(answer);
                self.refused += u64::from(compared);
                self.not_compared += u64::from(!compared);
                return;
            }
        };
        for module in &case.modules {
            module.tree.count(&mut self.productions);
        }
        for outcomes in outcomes.chunks(case.inputs.len().max(1)) {
            let is_value = |it: &&Outcome| matches!(it, Outcome::Value { .. });
            let count = |it: usize| u64::try_from(it).unwrap_or(0);
            let defined = count(outcomes.iter().filter(is_value).count());
            let is_error = |it: &&Outcome| matches!(it, Outcome::Error(_));
            self.errors += count(outcomes.iter().filter(is_error).count());
            self.decisions += count(outcomes.len());
            self.defined += defined;
            if outcomes.windows(2).any(|it| it.first() != it.get(1)) {
                self.varied += defined;
            }
        }
    }

    fn note_faults(&mut self, answer: &Answer) {
        let Answer::Refused(faults) = answer else { return };
        for fault in faults {
            // Names that are made up say nothing.
            let text: String = fault.message.chars().filter(|it| !it.is_ascii_digit()).take(80).collect();
            *self.faults.entry(format!("{}: {text}", fault.code)).or_default() += 1;
        }
    }

    /// Adds how often built-ins gave results.
    pub fn add_results(&mut self, results: BTreeMap<String, u64>) {
        for (name, count) in results {
            *self.builtins.entry(name).or_default() += count;
        }
    }

    /// Returns all counts by name.
    #[must_use]
    pub fn counts(&self) -> Vec<(String, u64)> {
        let productions = self.productions.iter().map(|it| (format!("production {}", it.0), *it.1));
        let builtins = self.builtins.iter().map(|it| (format!("builtin {}", it.0), *it.1));
        let faults = self.faults.iter().map(|it| (format!("fault {}", it.0.replace('\n', " ")), *it.1));
        let whole = [
            ("cases", self.cases),
            ("refused", self.refused),
            ("not_compared", self.not_compared),
            ("decisions", self.decisions),
            ("defined", self.defined),
            ("varied", self.varied),
            ("errors", self.errors),
        ];
        let whole = whole.into_iter().map(|it| (it.0.to_owned(), it.1));
        whole.chain(productions).chain(builtins).chain(faults).collect()
    }

    /// Adds to the count of a name; other names are of an older run and say nothing.
    pub fn add(&mut self, name: &str, count: u64) {
        match name.split_once(' ') {
            Some(("production", name)) => {
                if let Some(name) = PRODUCTIONS.iter().find(|it| **it == name) {
                    *self.productions.entry(name).or_default() += count;
                }
            }
            Some(("builtin", name)) => *self.builtins.entry(name.to_owned()).or_default() += count,
            Some(("fault", text)) => *self.faults.entry(text.to_owned()).or_default() += count,
            _ => {
                let whole = match name {
                    "cases" => &mut self.cases,
                    "refused" => &mut self.refused,
                    "not_compared" => &mut self.not_compared,
                    "decisions" => &mut self.decisions,
                    "defined" => &mut self.defined,
                    "varied" => &mut self.varied,
                    "errors" => &mut self.errors,
                    _ => return,
                };
                *whole += count;
            }
        }
    }

    /// Prints the table and returns how many figures are missed.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub fn report(&self, out: &mut dyn Write) -> io::Result<usize> {
        let mut missed = 0;
        writeln!(out, "productions (least {PRODUCTION_LEAST}):")?;
        for name in PRODUCTIONS {
            let count = self.productions.get(name).copied().unwrap_or(0);
            missed += usize::from(count < PRODUCTION_LEAST);
            writeln!(out, "{count:>9}{} {name}", if count < PRODUCTION_LEAST { '!' } else { ' ' })?;
        }
        writeln!(out, "built-ins (least {BUILTIN_LEAST}):")?;
        for row in lictor_runtime::builtins::table() {
            if let Some(reason) = Callable::uncounted(row.name) {
                writeln!(out, "        –  {} ({reason})", row.name)?;
                continue;
            }
            let count = self.builtins.get(row.name).copied().unwrap_or(0);
            missed += usize::from(count < BUILTIN_LEAST);
            writeln!(out, "{count:>9}{} {}", if count < BUILTIN_LEAST { '!' } else { ' ' }, row.name)?;
        }
        let mut faults: Vec<(&String, &u64)> = self.faults.iter().collect();
        faults.sort_by_key(|it| std::cmp::Reverse(it.1));
        writeln!(out, "why OPA refuses most often:")?;
        for (text, count) in faults.into_iter().take(FAULTS_SHOWN) {
            writeln!(out, "{count:>9}  {text}")?;
        }
        let percent = |part: u64, whole: u64| part * 100 / whole.max(1);
        writeln!(
            out,
            "{} cases: {} refused by both or one, {} not compared; of the decisions {} % defined, {} % errors",
            self.cases,
            self.refused,
            self.not_compared,
            percent(self.defined, self.decisions),
            percent(self.errors, self.decisions),
        )?;
        let varied = percent(self.varied, self.decisions);
        missed += usize::from(varied < VARIED_LEAST);
        writeln!(
            out,
            "{varied} % of the decisions are defined and vary with the input (least {VARIED_LEAST} %)"
        )?;
        Ok(missed)
    }
}
