//! Running a folder of cases in the conformance format on any engine.
//!
//! `case` reads the files, `compare` says whether an answer is the wanted one, `run` drives an engine
//! over the cases with a guard against panics and endless loops, `report` writes what fails and why.
//! An engine is whatever implements [`Engine`]; none of these parts knows which one it is.

pub mod case;
pub mod compare;
mod corpus;
pub mod format;
pub mod report;
pub mod run;

use crate::json::Json;
use case::{CompileCase, EvalCase, Fault, ParseCase};
use format::FormatCase;

/// What an engine makes of an evaluation case.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// One object of bindings for each solution; none if the query is undefined.
    Results(Vec<Json>),
    /// Evaluation ended with an error: its code and its full text, position and code included.
    Error {
        /// The code, as `eval_conflict_error`.
        code: String,
        /// The text as a user sees it: `file:row: code: message`.
        text: String,
    },
    /// The case did not get as far as evaluation: a module or the query was refused.
    Refused(String),
}

/// What an engine makes of a statement to parse.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The faults found; a text without any was accepted.
    pub faults: Vec<Fault>,
    /// How many statements there are, if the engine says so.
    pub statements: Option<usize>,
    /// The canonical text of each statement, if the engine can print it.
    pub printed: Option<Vec<String>>,
}

/// An engine under test. One is made for each worker thread and sees many cases.
pub trait Engine {
    /// Evaluates the query of a case.
    fn eval(&mut self, case: &EvalCase) -> Outcome;

    /// Compiles the modules of a case and returns the faults found.
    fn compile(&mut self, case: &CompileCase) -> Vec<Fault>;

    /// Parses the source of a case, as the Rego version that is asked for.
    fn parse(&mut self, case: &ParseCase, version: case::Version) -> Parsed;

    /// Formats the source of a case; the error is the text that a user sees.
    ///
    /// # Errors
    ///
    /// If the source is refused, or the engine has no formatter.
    fn format(&mut self, _: &FormatCase) -> Result<String, String> {
        Err("the engine has no formatter".to_owned())
    }

    /// Names the built-ins that the engine has, if it can tell; a report is checked against it.
    fn builtins(&self) -> Option<Vec<String>> {
        None
    }
}
