//! The passes, in the order in which they run. Each is one file and can be switched off.
//!
//! A pass keeps the answers, the errors and the conflicts; under strict built-in errors too, as none drops or moves a
//! call of a built-in that may fail. Passes run after the export of OPA's plan and never before tracing.

mod dispatch_rules;
mod drop_dead;
mod exit_early;
mod failing;
mod fold_constants;
mod fuse_tests;
mod hoist_lookups;
mod inline_generators;
mod leave_unordered;
mod look_up_keys;
mod order;
mod propagate_constants;
mod propagate_copies;
mod separate_registers;
mod split_equality;
mod test_existence;
mod uses;

use std::cell::{Ref, RefCell};

use lictor_value::Document;

use crate::facts::find_facts;
use crate::ir::Plan;
use crate::passes::failing::Failing;

/// What a function without arguments gave when it was evaluated ahead.
#[derive(Clone, Debug)]
pub enum Folded {
    /// The value.
    Value(Document),
    /// It is undefined.
    Undefined,
    /// It failed or took too long: the rule stays as it is.
    Unknown,
}

/// Evaluates every entrypoint of a plan that reads neither input nor data, strictly and under a small budget.
pub type Evaluate<'a> = &'a dyn Fn(&Plan) -> Vec<Folded>;

/// Which passes run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passes(u32);

impl Passes {
    /// All of them.
    pub const ALL: Self = Self(u32::MAX);
    /// None: the plan stays as it was lowered.
    pub const NONE: Self = Self(0);

    /// Returns these passes without the one of a name.
    #[must_use]
    pub fn without(self, name: &str) -> Self {
        let found = PASSES.iter().position(|it| it.name == name);
        found.map_or(self, |it| Self(self.0 & !(1 << it)))
    }

    /// Returns the pass of a name alone; none of it if there is no such pass.
    #[must_use]
    pub fn only(name: &str) -> Option<Self> {
        PASSES.iter().position(|it| it.name == name).map(|it| Self(1 << it))
    }

    /// Returns the names in the order in which they run.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PASSES.iter().map(|it| it.name)
    }
}

struct Pass {
    name: &'static str,
    run: fn(&mut Plan, &Surroundings<'_>),
}

/// What passes may ask.
struct Surroundings<'a> {
    evaluate: Evaluate<'a>,
    strict: bool,
    /// Which functions are rules of one constant value as they are written.
    constant: Vec<bool>,
    failing: RefCell<Option<Failing>>,
}

impl Surroundings<'_> {
    /// Returns what can fail. It is found out once: passes let nothing fail that did not.
    fn failing(&self, plan: &Plan) -> Ref<'_, Failing> {
        self.failing.borrow_mut().get_or_insert_with(|| Failing::of(plan, self.strict)).add(plan);
        Ref::map(self.failing.borrow(), |it| it.as_ref().expect("it was found out above"))
    }
}

const PASSES: &[Pass] = &[
    Pass { name: "separate-registers", run: |plan, _| separate_registers::run(plan) },
    Pass { name: "fuse-tests", run: |plan, about| fuse_tests::run(plan, about.strict) },
    Pass { name: "fold-constants", run: fold_constants::run },
    Pass { name: "propagate-constants", run: |plan, _| propagate_constants::run(plan) },
    Pass { name: "propagate-copies", run: |plan, _| propagate_copies::run(plan) },
    Pass { name: "split-equality", run: |plan, _| split_equality::run(plan) },
    Pass { name: "test-existence", run: test_existence::run },
    Pass { name: "look-up-keys", run: look_up_keys::run },
    Pass { name: "inline-generators", run: inline_generators::run },
    Pass { name: "leave-unordered", run: leave_unordered::run },
    Pass { name: "dispatch-rules", run: |plan, _| dispatch_rules::run(plan) },
    Pass { name: "hoist-lookups", run: |plan, _| hoist_lookups::run(plan) },
    Pass { name: "exit-early", run: exit_early::run },
    Pass { name: "drop-dead", run: |plan, _| drop_dead::run(plan) },
];

/// What the passes are run for.
#[derive(Clone, Copy)]
pub struct Optimize<'a> {
    /// Which passes run.
    pub passes: Passes,
    /// Whether an error of a built-in ends the evaluation; then no call of one is left out.
    pub strict: bool,
    /// Evaluates constant rules.
    pub evaluate: Evaluate<'a>,
    /// Says which built-ins depend on the world or have effects.
    pub impure: &'a dyn Fn(&str) -> bool,
}

impl std::fmt::Debug for Optimize<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Optimize").field("passes", &self.passes).finish_non_exhaustive()
    }
}

/// Runs the passes on a plan.
pub fn optimize(plan: &mut Plan, options: Optimize<'_>) {
    let Optimize { passes, strict, evaluate, impure } = options;
    let surroundings =
        Surroundings { evaluate, strict, constant: exit_early::constant(plan), failing: RefCell::default() };
    find_facts(plan, impure);
    for (index, pass) in PASSES.iter().enumerate() {
        if passes.0 & (1 << index) != 0 {
            (pass.run)(plan, &surroundings);
        }
    }
    find_facts(plan, impure);
}
