//! The check of a value against the parts of a schema.
//!
//! Here is the order of the families, which decides the order of failures; each family checks itself. Depth and work
//! are bounded: a schema may refer to itself, or take exponential time.

use std::fmt::Display;

use lictor_value::{Kind, Value};

use super::decimal::Decimal;
use super::outcome::{Failure, Outcome};
use super::read::{Part, PartId};
use super::{Schema, number, text};

/// Values and references nest no deeper.
const DEPTH_MAX: usize = 300;
/// No check looks at more parts.
const STEPS_MAX: usize = 5_000_000;
/// So many parts are looked at between two questions whether to go on.
const STEPS_PER_QUESTION: usize = 1024;

/// Why a check came to no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The value nests too deeply, or a reference leads back to itself.
    TooDeep,
    /// There is too much to look at.
    TooLong,
    /// The caller ended it.
    Stopped,
}

/// A step on the way into a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'s, 'v> {
    /// A key as the schema names it.
    Name(&'s str),
    /// A key as the value has it.
    Key(Value<'v>),
    Index(usize),
}

pub(super) struct Checker<'s, 'v> {
    schema: &'s Schema,
    path: Vec<Step<'s, 'v>>,
    depth: usize,
    steps: usize,
    go_on: &'s dyn Fn() -> bool,
}

type Checked<T> = Result<T, Halt>;

pub(super) fn check(schema: &Schema, value: Value<'_>, go_on: &dyn Fn() -> bool) -> Checked<Vec<Failure>> {
    let mut checker = Checker { schema, path: Vec::new(), depth: 0, steps: 0, go_on };
    Ok(checker.outcome(schema.root, value)?.failures)
}

impl<'s, 'v> Checker<'s, 'v> {
    /// Checks a value against a part by itself.
    pub(super) fn outcome(&mut self, part: PartId, value: Value<'v>) -> Checked<Outcome> {
        let mut outcome = Outcome::default();
        self.check(part, value, &mut outcome)?;
        Ok(outcome)
    }

    /// Checks a value inside the one that is being checked.
    pub(super) fn inner(&mut self, part: PartId, step: Step<'s, 'v>, value: Value<'v>) -> Checked<Outcome> {
        self.path.push(step);
        let outcome = self.outcome(part, value);
        self.path.pop();
        outcome
    }

    /// Checks a value and adds to an outcome.
    pub(super) fn check(&mut self, id: PartId, value: Value<'v>, out: &mut Outcome) -> Checked<()> {
        let schema = self.schema;
        let Some(part) = schema.parts.get(id) else { return Ok(()) };
        self.step()?;
        if self.depth >= DEPTH_MAX {
            return Err(Halt::TooDeep);
        }
        self.depth += 1;
        if let Some(pass) = part.pass {
            if !pass {
                self.fail(out, "false", "False always fails validation");
            }
        } else if let Some(target) = part.target {
            self.check(target, value, out)?;
        } else {
            self.part(part, value, out)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn step(&mut self) -> Checked<()> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(Halt::TooLong);
        }
        if self.steps.is_multiple_of(STEPS_PER_QUESTION) && !(self.go_on)() {
            return Err(Halt::Stopped);
        }
        Ok(())
    }

    fn part(&mut self, part: &'s Part, value: Value<'v>, out: &mut Outcome) -> Checked<()> {
        let number = if value.kind() == Kind::Number { Some(number::read(value)) } else { None };
        let given = match value.kind() {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Number if number.as_ref().is_some_and(|it| it.as_ref().is_some_and(Decimal::is_whole)) => {
                "integer"
            }
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array | Kind::Set => "array",
            Kind::Object => "object",
        };
        let fits = part.types.contains(&given) || (given == "integer" && part.types.contains(&"number"));
        if !part.types.is_empty() && !fits {
            let expected = match part.types.as_slice() {
                [one] => (*one).to_owned(),
                several => format!("[{}]", several.join(",")),
            };
            self.fail(out, "invalid_type", format!("Invalid type. Expected: {expected}, given: {given}"));
            return Ok(());
        }
        match &part.branch {
            Some(rules) => rules.check(self, value, out)?,
            None => out.count(),
        }
        match value.kind() {
            Kind::Null | Kind::Boolean => self.shared(part, value, out),
            Kind::Number => {
                match (&part.number, &number) {
                    (Some(rules), Some(Some(number))) => rules.check(self, number, out),
                    _ => out.count(),
                }
                self.shared(part, value, out);
            }
            Kind::String => {
                self.shared(part, value, out);
                match &part.text {
                    Some(rules) => text::Rules::check(rules, self, value, out),
                    None => out.count(),
                }
            }
            Kind::Array | Kind::Set => {
                match &part.array {
                    Some(rules) => rules.check(self, value, out)?,
                    None => out.count(),
                }
                self.shared(part, value, out);
            }
            Kind::Object => self.object(part, value, out)?,
        }
        out.count();
        Ok(())
    }

    fn object(&mut self, part: &'s Part, value: Value<'v>, out: &mut Outcome) -> Checked<()> {
        match &part.object {
            Some(rules) => rules.check(self, value, out)?,
            None => out.count(),
        }
        self.shared(part, value, out);
        match &part.object {
            Some(rules) => rules.check_properties(self, value, out),
            None => Ok(()),
        }
    }

    fn shared(&self, part: &Part, value: Value<'v>, out: &mut Outcome) {
        if let Some(rules) = &part.shared {
            rules.check(self, value, out);
        }
        out.count();
    }

    pub(super) fn with_step<T>(&mut self, step: Step<'s, 'v>, check: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let result = check(self);
        self.path.pop();
        result
    }

    /// Returns where the value stands.
    pub(super) fn field(&self) -> String {
        if self.path.is_empty() {
            return "(Root)".to_owned();
        }
        let steps = self.path.iter().map(|it| match it {
            Step::Name(name) => (*name).to_owned(),
            Step::Key(key) => key.as_str().unwrap_or("").to_owned(),
            Step::Index(index) => index.to_string(),
        });
        steps.collect::<Vec<_>>().join(".")
    }

    /// Adds a failure of the value that is being checked.
    pub(super) fn fail(&self, out: &mut Outcome, kind: &'static str, description: impl Display) {
        out.failures.push(Failure { kind, field: self.field(), description: description.to_string() });
        out.score -= 2;
    }
}
