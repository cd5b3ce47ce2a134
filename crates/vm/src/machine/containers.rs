//! Containers that are being made, and merges.
//!
//! Apart from the loop because insertions can conflict and merges recurse. How containers grow is `builder`'s.

use lictor_value::Value;

use crate::builder::Inserted;
use crate::error::{ErrorCode, EvalError};
use crate::events::Hook;
use crate::machine::Machine;
use crate::op::{Arg, Reg, Target};

impl<'e, H: Hook> Machine<'e, '_, H> {
    fn inserted(outcome: Inserted) -> Result<(), EvalError> {
        match outcome {
            Inserted::Done => Ok(()),
            // What is no container was given by another rule as a value.
            Inserted::Conflict | Inserted::NoContainer => {
                Err(EvalError::new(ErrorCode::Conflict, "object keys must be unique"))
            }
        }
    }

    pub(super) fn append(&mut self, array: Reg, value: Arg, fail: Target) -> Result<(), EvalError> {
        self.step()?;
        let Some(value) = self.get(value) else {
            self.jump(fail);
            return Ok(());
        };
        let array = self.register(array);
        Self::inserted(self.memory.builders.append(array, value))
    }

    pub(super) fn add(&mut self, set: Reg, value: Arg, fail: Target) -> Result<(), EvalError> {
        self.step()?;
        let Some(value) = self.get(value) else {
            self.jump(fail);
            return Ok(());
        };
        let set = self.register(set);
        Self::inserted(self.memory.builders.add(set, value))
    }

    pub(super) fn insert(
        &mut self,
        object: Reg,
        key: Arg,
        value: Arg,
        fail: Target,
    ) -> Result<(), EvalError> {
        self.step()?;
        let (Some(key), Some(value)) = (self.get(key), self.get(value)) else {
            self.jump(fail);
            return Ok(());
        };
        let object = self.register(object);
        Self::inserted(self.memory.builders.insert(object, key, value))
    }

    pub(super) fn insert_once(
        &mut self,
        object: Reg,
        entry: (Arg, Arg),
        fail: Target,
    ) -> Result<(), EvalError> {
        self.step()?;
        let (Some(key), Some(value)) = (self.get(entry.0), self.get(entry.1)) else {
            self.jump(fail);
            return Ok(());
        };
        let object = self.register(object);
        let arena = self.context.arena;
        Self::inserted(self.memory.builders.insert_once(arena, object, (key, value)))
    }

    #[inline]
    pub(super) fn freeze(&mut self, register: Reg) {
        if let Some(value) = self.register(register)
            && value.as_handle().is_some()
        {
            let frozen = self.memory.builders.freeze(self.context.arena, value);
            self.set(register, Some(frozen));
        }
    }

    /// Merges two documents; says whether both are defined.
    pub(super) fn merge(&mut self, a: Reg, b: Reg, target: Reg) -> bool {
        let merged = match (self.register(a), self.register(b)) {
            (Some(a), Some(b)) => Some(self.merged(a, b)),
            _ => None,
        };
        self.stored(target, merged)
    }

    /// Returns `a` with what only `b` has, below equal keys too.
    fn merged(&self, a: Value<'e>, b: Value<'e>) -> Value<'e> {
        let (Some(left), Some(right)) = (a.as_object(), b.as_object()) else { return a };
        // The larger side stays as it is; the other one is laid over it.
        if left.len() <= right.len() {
            let changes: Vec<_> = left
                .iter()
                .map(|(key, value)| (key, Some(right.get(key).map_or(value, |it| self.merged(value, it)))))
                .collect();
            return self.context.arena.object_with(b, &changes);
        }
        let changes: Vec<_> = right
            .iter()
            .map(|(key, value)| (key, Some(left.get(key).map_or(value, |it| self.merged(it, value)))))
            .collect();
        self.context.arena.object_with(a, &changes)
    }
}
