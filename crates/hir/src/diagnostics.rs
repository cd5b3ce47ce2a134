//! Faults that the front end finds, by the stage that finds them, and which of them are shown.
//!
//! Apart because OPA stops behind the first stage that met a fault which later stages would trip over, and because
//! stages here run in another order than they are reported in. So every fault is filed under its stage and the choice
//! is made once, at the end. The families of messages are in the files below; each knows wording, nothing else.

use lictor_syntax::{Diagnostic, Source, Span};

pub(crate) mod calls;
pub(crate) mod conflicts;
pub(crate) mod locals;
pub(crate) mod names;
pub(crate) mod recursion;
pub(crate) mod safety;
pub(crate) mod types;
pub(crate) mod with;

/// The stages that OPA tells apart, in its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    ResolveRefs,
    UnusedImports,
    KeywordOverrides,
    DuplicateImports,
    LocalVars,
    TemplateStrings,
    VoidCalls,
    PrintCalls,
    Annotations,
    WithValues,
    RuleConflicts,
    UndefinedFunctions,
    HeadSafety,
    BodySafety,
    Recursion,
    Types,
    UnsafeBuiltins,
    DeprecatedBuiltins,
}

#[derive(Debug)]
struct Found {
    stage: Stage,
    /// Later stages run nevertheless.
    recoverable: bool,
    diagnostic: Diagnostic,
}

/// All faults found so far.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    found: Vec<Found>,
    /// The first stage behind which compilation ends.
    last: Option<Stage>,
    /// See [`crate::Options::lenient`].
    lenient: bool,
    /// A deprecated built-in is one of those that the policy needs.
    deprecated: bool,
}

impl Sink {
    /// Returns a sink without faults.
    pub(crate) fn new(lenient: bool) -> Self {
        Self { lenient, ..Self::default() }
    }

    /// Files a fault that ends the compilation behind its stage.
    pub(crate) fn stop(&mut self, stage: Stage, diagnostic: Diagnostic) {
        if self.lenient && (stage == Stage::BodySafety || diagnostic.name == calls::UNDEFINED) {
            return;
        }
        self.last = Some(self.last.map_or(stage, |it| it.min(stage)));
        self.found.push(Found { stage, recoverable: false, diagnostic });
    }

    /// Files a fault that lets later stages run.
    pub(crate) fn go_on(&mut self, stage: Stage, diagnostic: Diagnostic) {
        self.found.push(Found { stage, recoverable: true, diagnostic });
    }

    /// Files all that another one holds behind what this one holds.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.found.append(&mut other.found);
        self.last = self.last.into_iter().chain(other.last).min();
        self.deprecated |= other.deprecated;
    }

    /// Notes that the policy needs a deprecated built-in.
    pub(crate) fn needs_deprecated(&mut self) {
        self.deprecated = true;
    }

    /// Forgets calls of deprecated built-ins if they are none that the policy needs: OPA looks for such calls only
    /// then, and does not list what is called in some bodies alone.
    pub(crate) fn drop_deprecated_unless_needed(&mut self) {
        if !self.deprecated {
            self.found.retain(|it| it.stage != Stage::DeprecatedBuiltins);
        }
    }

    /// Tells whether compilation ends before a stage.
    pub(crate) fn ends_before(&self, stage: Stage) -> bool {
        self.last.is_some_and(|it| it < stage)
    }

    /// Returns what is shown of modules, in the order of places; 0 is no limit.
    pub(crate) fn finish(self, limit: usize) -> Vec<Diagnostic> {
        let mut out = self.shown();
        let reached = limit > 0 && out.len() >= limit;
        if reached {
            out.truncate(limit);
        }
        out.sort_by(|a, b| key_of(a).cmp(&key_of(b)));
        if reached {
            out.push(limit_reached());
        }
        out
    }

    /// Returns what is shown of a query, in the order in which it was found; 0 is no limit.
    pub(crate) fn finish_query(self, limit: usize) -> Vec<Diagnostic> {
        let mut out = self.shown();
        if limit > 0 && out.len() > limit {
            out.truncate(limit);
            out.push(limit_reached());
        }
        out
    }

    /// Returns the faults up to the stage behind which compilation ends.
    fn shown(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|it| it.stage);
        let last = self.found.iter().find(|it| !it.recoverable).map(|it| it.stage);
        let shown = self.found.into_iter().take_while(|it| last.is_none_or(|last| it.stage <= last));
        shown.map(|it| it.diagnostic).collect()
    }
}

fn limit_reached() -> Diagnostic {
    let code = lictor_syntax::diagnostics::codes::COMPILE;
    Diagnostic::unplaced(code, "error-limit-reached", "error limit reached")
}

/// Returns what faults are ordered by: file, row, column, code, message; those without a place come last.
fn key_of(diagnostic: &Diagnostic) -> (bool, &str, u32, u32, &str, &str) {
    let file = diagnostic.location.as_ref().map_or("", |it| &it.file);
    let (row, col) = (diagnostic.row(), diagnostic.col());
    (diagnostic.location.is_none(), file, row, col, diagnostic.code, &diagnostic.message)
}

/// Makes a diagnostic of OPA's compiler.
pub(crate) fn compile_error(
    source: &Source,
    span: Span,
    name: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::new(lictor_syntax::diagnostics::codes::COMPILE, name, source, span, message)
}

/// Makes a diagnostic of OPA's type checker.
pub(crate) fn type_error(
    source: &Source,
    span: Span,
    name: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::new(lictor_syntax::diagnostics::codes::TYPE, name, source, span, message)
}
