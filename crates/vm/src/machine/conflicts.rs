//! Conflicts of complete rules and functions: the error that lists every value.
//!
//! Apart because nothing of it runs unless an evaluation is lost already. An evaluation stops at the first conflict, which
//! knows two of the values at most; so the function is then run once more from its start, and what its rules give is
//! noted instead of refused, as OPA does.

use lictor_plan::Location;
use lictor_value::Value;

use crate::error::{ErrorCode, EvalError};
use crate::events::Hook;
use crate::machine::Machine;
use crate::op::{Arg, Reg};

/// So many values are listed.
const VALUES_MAX: usize = 10;
/// So many characters of a value are shown.
const VALUE_CHARS_MAX: usize = 80;
/// Listing may take so many steps.
const STEPS_MAX: u64 = 1 << 20;

/// A conflict whose values are being collected.
#[derive(Debug)]
pub(crate) struct Conflict {
    error: EvalError,
    /// The frame and the register that conflict.
    depth: usize,
    target: Reg,
    rules: Vec<(u32, u32)>,
    /// Where the value of an `else` chain was chosen, and into which register.
    chosen: Option<(Reg, Location)>,
    lines: String,
    more: bool,
    pub(super) steps_max: u64,
}

impl Conflict {
    /// Notes a value, unless its rule has given one that conflicts before.
    fn note(&mut self, at: (&str, Location), value: Value<'_>) {
        let rule = (at.1.file, at.1.row);
        if self.rules.get(1..).unwrap_or_default().contains(&rule) {
            return;
        }
        if self.rules.len() == VALUES_MAX {
            self.more = true;
            return;
        }
        self.rules.push(rule);
        let mut text = Vec::new();
        value.write_shown(&mut text, lictor_runtime::go::unicode::is_print);
        let text = String::from_utf8_lossy(&text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = text.chars().take(VALUE_CHARS_MAX).collect();
        let dots = if shown.len() < text.len() { "..." } else { "" };
        self.lines.push_str(&format!("\n  {shown}{dots} at {}:{}", at.0, at.1.row));
    }

    fn into_error(self) -> EvalError {
        let more = if self.more { "\n  ..." } else { "" };
        let text = format!("{}:{}{more}", self.error.message(), self.lines);
        EvalError::new(ErrorCode::Conflict, text).at(self.error.position().cloned())
    }
}

impl<'e, H: Hook> Machine<'e, '_, H> {
    /// Goes on after a second value: notes it, or begins to collect all of them.
    #[cold]
    pub(super) fn conflicting(
        &mut self,
        source: Arg,
        target: Reg,
        value: Value<'e>,
    ) -> Result<(), EvalError> {
        let depth = self.memory.frames.len();
        let error = self.rule_conflict();
        let location = self.rule_location(source);
        match &mut self.conflict {
            Some(conflict) if conflict.depth == depth && conflict.target == target => {
                let file = self.program.files.get(location.file as usize).map_or("", |it| it);
                conflict.note((file, location), value);
                Ok(())
            }
            Some(_) => Err(error),
            None => {
                let error = error.at(self.position());
                let conflict = Conflict {
                    error,
                    depth,
                    target,
                    rules: Vec::new(),
                    chosen: None,
                    lines: String::new(),
                    more: false,
                    steps_max: self.steps + STEPS_MAX,
                };
                self.conflict = Some(Box::new(conflict));
                self.begin_again();
                Ok(())
            }
        }
    }

    /// Notes the first value of a function that is run once more, or what an `else` chain chose.
    #[cold]
    pub(super) fn note_first(&mut self, source: Arg, target: Reg, value: Value<'e>) {
        let (depth, location) = (self.memory.frames.len(), self.rule_location(source));
        let Some(conflict) = self.conflict.as_mut().filter(|it| it.depth == depth) else { return };
        if conflict.target == target {
            let file = self.program.files.get(location.file as usize).map_or("", |it| it);
            conflict.note((file, location), value);
        } else {
            conflict.chosen = Some((target, location));
        }
    }

    /// Ends the evaluation when the function that conflicts returns.
    #[cold]
    pub(super) fn end_conflict(&mut self) -> Result<(), EvalError> {
        let depth = self.memory.frames.len();
        match self.conflict.take_if(|it| it.depth == depth) {
            Some(conflict) => Err(conflict.into_error()),
            None => Ok(()),
        }
    }

    /// Returns the conflict in the place of what ended its collection; a limit stays what it is.
    pub(super) fn first_error(&mut self, error: EvalError) -> EvalError {
        match self.conflict.take() {
            Some(conflict) if error.code() != ErrorCode::Cancel || self.steps > conflict.steps_max => {
                conflict.into_error()
            }
            _ => error,
        }
    }

    /// Where the rule, or the branch of its `else` chain, stands that gave the operand.
    fn rule_location(&self, source: Arg) -> Location {
        let chosen = self.conflict.as_ref().and_then(|it| it.chosen);
        if let Some((register, location)) = chosen
            && source == Arg::register(register.0)
        {
            return location;
        }
        let at = (self.pc as usize).checked_sub(1);
        at.and_then(|it| self.program.locations.get(it)).copied().unwrap_or_default()
    }

    /// Goes back to the start of the function with its arguments.
    fn begin_again(&mut self) {
        let Some(frame) = self.memory.frames.last().copied() else { return };
        let Some(code) = self.program.functions.get(frame.function as usize) else { return };
        while self.memory.withs.len() > frame.withs as usize {
            self.with_pop();
        }
        let args: Vec<_> = code.params.iter().map(|it| self.register(Reg(*it))).collect();
        if let Some(cleared) = self.memory.registers.get_mut(self.base..self.base + code.cleared as usize) {
            cleared.fill(None);
        }
        self.show_documents();
        for (register, value) in code.params.iter().zip(args) {
            self.set(Reg(*register), value);
        }
        self.pc = code.start;
    }
}
