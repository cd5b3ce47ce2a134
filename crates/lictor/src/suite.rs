//! The tests of a policy: rules named `test_…`, found, compiled together and run one by one.
//!
//! Many tests are entrypoints of one program, so that what they share is lowered and compiled once and rules that read
//! no input are evaluated once for all of them; several such parts can be compiled and run at a time. Apart from `policy` because its modules are changed
//! first: of rules with one name each is a test of its own, and parametrised tests tell their cases. Threads, clock and
//! output are the caller's.

mod discover;
mod sub_results;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use lictor_runtime::{Host, NullHost};
use lictor_value::{Document, Value};
use lictor_vm::{Decision, Derived, EntrypointId, EvalError, Limits, Program, Request};

use crate::build;
use crate::engine::Engine;
use crate::external;
use crate::faults::Faults;
use crate::policy::{Policy, QueryOptions};
use crate::session::Session;

pub use sub_results::{SubResult, SubResults};

/// Passes that cost more than they save where each function is evaluated once or a few times. What changes how much
/// work there is stays.
const LEFT_OUT: [&str; 6] = [
    "separate-registers",
    "fold-constants",
    "propagate-constants",
    "propagate-copies",
    "split-equality",
    "drop-dead",
];

/// One test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Path of its package, `data.authz_test`.
    pub package: String,
    /// Name in the package, `test_allow`; of several rules of a name all but the first have a number behind.
    pub name: String,
    /// File that it stands in.
    pub file: String,
    /// Row from 1.
    pub row: u32,
    /// Column from 1.
    pub col: u32,
    kind: TestKind,
    path: Vec<String>,
}

/// Says what makes a test pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TestKind {
    /// Nothing: it is not run.
    Skipped,
    /// Its value is true.
    Single,
    /// All its cases are true.
    Cases,
    /// Nothing: a function cannot be asked for.
    Function,
}

/// How a test ended.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// It is still to be done.
    Skipped,
    /// The evaluation ended with an error.
    Ended(EvalError),
    /// It cannot be asked for.
    Refused(Faults),
}

/// What running a test gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub verdict: Verdict,
    /// The cases of a parametrised test.
    pub cases: SubResults,
}

/// The tests of a policy.
#[derive(Debug)]
pub struct Suite {
    policy: Policy,
    tests: Vec<Test>,
}

/// Some of the tests, compiled together. Threads may share it.
#[derive(Debug)]
pub struct Part<'s> {
    suite: &'s Suite,
    tests: Range<usize>,
    /// For each test its entrypoint, if it has one.
    entrypoints: Vec<Option<EntrypointId>>,
    program: Program,
    derived: Derived,
    data: Document,
    limits: Limits,
    allow_net: Option<Arc<[String]>>,
}

impl Engine {
    /// Checks everything and finds the tests whose full names (`data.authz_test.test_allow`) are wanted.
    ///
    /// Base data that stands where rules stand is refused, as by [`Policy::check_data`].
    ///
    /// # Errors
    /// The faults of the modules.
    pub fn compile_tests(&self, wanted: &dyn Fn(&str) -> bool) -> Result<Suite, Faults> {
        self.check_parsed()?;
        let modules = discover::with_own_names(self.shared_modules());
        let checked = build::check_tests(&modules, self.capabilities(), self.options());
        let checked = checked.map_err(Faults::new)?;
        let tests = discover::tests(&modules, wanted);
        let policy = self.policy_of(checked, modules)?;
        policy.check_data()?;
        Ok(Suite { policy, tests })
    }
}

impl Suite {
    /// The tests, in the order of modules and rules.
    #[must_use]
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Compiles some of the tests, by their positions. What they share is compiled once, so that a part should have
    /// as many tests as its thread is going to run.
    ///
    /// # Errors
    /// When a test needs a built-in that is not there.
    pub fn part(&self, tests: Range<usize>) -> Result<Part<'_>, Faults> {
        let own = self.tests.get(tests.clone()).unwrap_or_default();
        let mut lowering = self.policy.lowering();
        for test in own.iter().filter(|it| it.is_run()) {
            lowering.entrypoint(&test.path.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let mut plan = external::into_plan(lowering)?;
        let (options, capabilities) = self.policy.settings();
        let passes = LEFT_OUT.iter().fold(options.passes, |passes, name| passes.without(name));
        build::optimize(&mut plan, &crate::Options { passes, ..options.clone() }, capabilities);
        let program = build::compile(&plan, capabilities)?;
        let named: HashMap<&str, usize> =
            (0..).zip(&plan.entrypoints).map(|(at, it)| (&*it.name, at)).collect();
        let entrypoint = |test: &Test| {
            let at = named.get(test.path.join("/").as_str())?;
            test.is_run().then(|| program.entrypoint_at(*at)).flatten()
        };
        let entrypoints = own.iter().map(entrypoint).collect();
        let derived = Derived::new(program.functions());
        let (data, limits) = (self.policy.document(), options.limits);
        let allow_net = options.allow_net.clone();
        Ok(Part { suite: self, tests, entrypoints, program, derived, data, limits, allow_net })
    }

    /// Says why a test that is no document cannot be asked for.
    fn refuse(&self, test: &Test) -> Outcome {
        let text = format!("{}.{}", test.package, test.name);
        Outcome::of(match self.policy.query(&text, &QueryOptions::default()) {
            Ok(_) => Verdict::Failed,
            Err(faults) => Verdict::Refused(faults),
        })
    }
}

impl Outcome {
    /// Returns the outcome of a test without cases.
    fn of(verdict: Verdict) -> Self {
        Self { verdict, cases: SubResults::default() }
    }
}

impl Part<'_> {
    /// Runs a test, by its position in the suite; a test of another part is skipped. Results depend neither on the
    /// order nor on how many threads run tests.
    pub fn run(&self, test: usize, session: &mut Session) -> Outcome {
        let at = test.checked_sub(self.tests.start);
        let (Some(own), Some(at)) = (self.suite.tests.get(test), at) else {
            return Outcome::of(Verdict::Skipped);
        };
        match (own.kind, self.entrypoints.get(at).copied().flatten()) {
            (TestKind::Function, _) => self.suite.refuse(own),
            (TestKind::Skipped, _) | (_, None) => Outcome::of(Verdict::Skipped),
            (TestKind::Single, Some(entrypoint)) => self.evaluate(entrypoint, session),
            (TestKind::Cases, Some(entrypoint)) => self.evaluate_cases(entrypoint, session),
        }
    }

    fn evaluate(&self, entrypoint: EntrypointId, session: &mut Session) -> Outcome {
        let Session { scratch, host } = session;
        let request = self.request(entrypoint, &**host);
        let holds = scratch.eval(&self.program, request, |answer| value_of(answer).and_then(Value::as_bool));
        Outcome::of(match holds {
            Ok(Some(true)) => Verdict::Passed,
            Ok(_) => Verdict::Failed,
            Err(error) => Verdict::Ended(error),
        })
    }

    fn evaluate_cases(&self, entrypoint: EntrypointId, session: &mut Session) -> Outcome {
        let Session { scratch, host } = session;
        let request = self.request(entrypoint, &**host);
        scratch.collect_cases();
        let found = scratch.eval(&self.program, request, |answer| value_of(answer).map(SubResults::of));
        let tried = scratch.take_cases();
        match found {
            Err(error) => Outcome::of(Verdict::Ended(error)),
            Ok(None) => Outcome::of(Verdict::Failed),
            Ok(Some(mut cases)) => {
                tried.iter().for_each(|path| cases.try_case(path));
                let verdict = if cases.has_failed() { Verdict::Failed } else { Verdict::Passed };
                Outcome { verdict, cases }
            }
        }
    }

    fn request<'r>(&'r self, entrypoint: EntrypointId, host: &'r dyn Host) -> Request<'r> {
        Request {
            entrypoint,
            input: lictor_vm::Input::Undefined,
            data: self.data.root(),
            derived: Some(&self.derived),
            host,
            limits: self.limits,
            strict: false,
            allow_net: self.allow_net.as_deref(),
        }
    }
}

fn value_of<'e>(answer: Decision<'_, 'e>) -> Option<Value<'e>> {
    match answer {
        Decision::Value(value) => value,
        Decision::Bindings(_) => None,
    }
}

impl Test {
    fn is_run(&self) -> bool {
        matches!(self.kind, TestKind::Single | TestKind::Cases)
    }
}

/// Runs all tests one after another, for those who need neither threads nor a clock.
///
/// # Errors
/// As [`Engine::compile_tests`].
pub fn run_tests(engine: &Engine) -> Result<Vec<(Test, Outcome)>, Faults> {
    let suite = engine.compile_tests(&|_| true)?;
    let part = suite.part(0..suite.tests.len())?;
    let mut session = Session::new(Arc::new(NullHost));
    let outcome = |(at, test): (usize, &Test)| (test.clone(), part.run(at, &mut session));
    Ok(suite.tests.iter().enumerate().map(outcome).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Vec<String> {
        let mut engine = Engine::new(crate::Options::default());
        engine.add_data_json(&[], "d.json", br#"{"limit": 3}"#).expect("data");
        engine.add_module("a_test.rego", text.as_bytes(), None);
        let results = run_tests(&engine).expect("modules");
        let line = |(test, outcome): (Test, Outcome)| {
            let word = match outcome.verdict {
                Verdict::Passed => "pass",
                Verdict::Failed => "fail",
                Verdict::Skipped => "skip",
                Verdict::Ended(_) => "error",
                Verdict::Refused(_) => "refused",
            };
            let mut line = format!("{}.{} {word}", test.package, test.name);
            outcome.cases.for_each(&mut |path, case| {
                let sign = if case.fail { "-" } else { "+" };
                line.push_str(&format!(" {sign}{}", path.join("/")));
            });
            line
        };
        results.into_iter().map(line).collect()
    }

    #[test]
    fn rules_of_one_name_are_tests_of_their_own() {
        let got = run("package a_test\ntest_a if data.limit == 3\ntest_a if false\ntodo_test_b if true\n\
            x.test_c := 1\ntest_d contains 1\ntest_e(x) if x\nhelp_test_f if true\n");
        let wanted = [
            "data.a_test.test_a pass",
            "data.a_test.test_a#01 fail",
            "data.a_test.todo_test_b skip",
            "data.a_test.x.test_c fail",
            "data.a_test.test_d fail",
            "data.a_test.test_e refused",
        ];
        assert_eq!(got, wanted);
    }

    #[test]
    fn cases_that_were_tried_are_told() {
        let got = run(
            "package a_test\ntest_a[c.note] if {\n\tsome c in [{\"note\": \"x\", \"v\": 1}, {\"note\": \
            \"y\", \"v\": 9}]\n\tc.v < data.limit\n}\ntest_b[k][n] if {\n\tsome k, v in {\"p\": 1, \"q\": 2}\n\t\
            some n in [1, 2]\n\tn == v\n}\ntest_c[k] := k > 1 if some k in [1, 2]\n",
        );
        let wanted = [
            "data.a_test.test_a fail +x -y",
            "data.a_test.test_b fail -p +p/1 -p/2 -q -q/1 +q/2",
            "data.a_test.test_c fail -1 +2",
        ];
        assert_eq!(got, wanted);
    }

    #[test]
    fn documents_functions_and_built_ins_are_replaced() {
        let got = run("package a_test\nf(x) := x + data.limit\n\
            test_a if f(1) == 10 with data.limit as 9\n\
            test_b if f(1) == 7 with f as 7\n\
            test_c if count([]) == 5 with count as 5\n\
            test_d if f(1) == 4\n\
            test_e if input.x == 1 with input.x as 1\n");
        assert_eq!(got.iter().filter(|it| it.ends_with(" pass")).count(), 5, "{got:?}");
    }
}
