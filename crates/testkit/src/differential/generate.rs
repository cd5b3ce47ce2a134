//! Makes up policies with data and inputs, always the same from one seed.
//!
//! Typed, so that most of what comes out compiles and decides something: the generator knows the shapes of documents
//! and the types of locals, rules and functions, and asks for terms of a type. It writes source and knows no engine.

mod calls;
pub(crate) mod literals;
mod modifiers;
mod modules;
pub(crate) mod operands;
pub(crate) mod patterns;
mod requests;
mod rules;
mod secrets;
mod shapes;
mod statements;
mod terms;
pub(crate) mod texts;
mod world;

use std::rc::Rc;

use crate::differential::kinds::Ty;
use crate::differential::tree::Node;
use crate::mutate::Random;

pub use calls::Callable;
pub use modules::PRODUCTIONS;

/// The language that a module is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Rego v0 with the keywords of v1 imported where they are used.
    V0,
    /// Rego v1.
    V1,
    /// Rego v1 with `import rego.v2`.
    V2,
}

/// One policy with the questions to ask.
#[derive(Clone, Debug)]
pub struct Case {
    /// The modules.
    pub modules: Vec<Module>,
    /// The base data, a JSON object.
    pub data: Node,
    /// The inputs, JSON documents; none stands for no input.
    pub inputs: Vec<Option<Node>>,
    /// What is asked, with each input.
    pub queries: Vec<Question>,
    /// Whether errors of built-ins end the evaluation.
    pub strict: bool,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The name of its file.
    pub name: String,
    /// The language.
    pub version: Version,
    /// The source.
    pub tree: Node,
}

/// A query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// A reference, or a query.
    pub text: String,
    /// Whether all bindings of a query are asked for instead of the value of a reference.
    pub bindings: bool,
}

/// Something with a name and a type that terms may use.
#[derive(Clone, Debug)]
struct Known {
    text: String,
    ty: Ty,
}

/// A function of the policy that terms may call.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    params: Vec<Ty>,
    result: Ty,
}

/// Makes one case.
#[derive(Debug)]
pub struct Generator {
    random: Random,
    version: Version,
    builtins: Rc<[Callable]>,
    documents: Vec<Known>,
    rules: Vec<Known>,
    functions: Vec<Function>,
    locals: Vec<Known>,
    /// How many more nodes may be made of the rule at hand.
    fuel: i32,
    names: usize,
    /// The package of the module at hand.
    package: String,
    /// What the module at hand imports, and as what.
    imports: Vec<(String, String)>,
    /// Whether errors of built-ins end evaluations.
    strict: bool,
    /// Whether a term may have several values.
    many: bool,
    input_shape: Vec<(&'static str, Ty)>,
}

impl Generator {
    /// Returns the generator of the case of a seed and a number; it calls these built-ins.
    #[must_use]
    pub fn new(seed: u64, number: u64, builtins: Rc<[Callable]>) -> Self {
        let mut random = Random::new(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        random.word();
        Self {
            random,
            version: Version::V1,
            builtins,
            documents: Vec::new(),
            rules: Vec::new(),
            functions: Vec::new(),
            locals: Vec::new(),
            fuel: 0,
            names: 0,
            package: String::new(),
            imports: Vec::new(),
            strict: false,
            many: false,
            input_shape: Vec::new(),
        }
    }

    /// Says yes so many times in a hundred.
    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// Returns a number from `from` up to and with `to`.
    fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.random.below(to - from + 1)
    }

    /// Returns one of the choices, each as often as its weight says.
    fn weighted<T: Copy>(&mut self, choices: &[(usize, T)]) -> T {
        let total: usize = choices.iter().map(|it| it.0).sum();
        let mut left = self.random.below(total);
        for (weight, choice) in choices {
            if left < *weight {
                return *choice;
            }
            left -= weight;
        }
        choices[0].1
    }

    /// Returns a name that stands nowhere else in the policy.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Calls the function and forgets the locals that it made.
    fn scoped<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.locals.len();
        let made = make(self);
        self.locals.truncate(mark);
        made
    }
}
