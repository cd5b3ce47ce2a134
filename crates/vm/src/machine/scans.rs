//! Instructions that go through a collection, or to one entry of it.
//!
//! Apart because they alone know iterators. An iterator stands in the frame of its function; a scan that tests a field
//! first passes over what fails in one instruction, and counts the same steps as if it had gone one by one.

use lictor_value::{Array, Probe, Value};

use crate::error::{ErrorCode, EvalError};
use crate::events::Hook;
use crate::machine::Machine;
use crate::memory::Iter;
use crate::op::{Arg, Reg, Target};

impl<'e, H: Hook> Machine<'e, '_, H> {
    /// Begins a scan, if there is anything to scan.
    #[inline]
    pub(super) fn scan_begin(&mut self, source: Arg, iterator: u32) -> bool {
        let Some(value) = self.get(source) else { return false };
        if let Some(place) = self.memory.iterators.get_mut(self.iterator_base + iterator as usize) {
            *place = Iter::of(value);
        }
        true
    }

    /// Stores the next entry of a scan, if there is one.
    #[inline]
    pub(super) fn scan_next(&mut self, iterator: u32, entry: (Reg, Reg)) -> bool {
        let next = self.memory.iterators.get_mut(self.iterator_base + iterator as usize).and_then(Iter::next);
        let Some((key, value)) = next else { return false };
        self.set(entry.0, Some(key));
        self.set(entry.1, Some(value));
        true
    }

    /// Goes on with a scan to the next entry whose field is as wanted; returns where to go then.
    pub(super) fn seek(&mut self, seek: u32) -> Result<Target, EvalError> {
        let Some(seek) = self.program.seeks.get(seek as usize).copied() else {
            return Err(EvalError::new(ErrorCode::Internal, "a scan without its test"));
        };
        let place = self.iterator_base + seek.iterator as usize;
        let taken = self.memory.iterators.get_mut(place).map(|it| std::mem::replace(it, Iter::Empty));
        let (Some(mut entries), Some(field)) = (taken, self.get(seek.field)) else { return Ok(seek.end) };
        let wanted = self.get(seek.wanted);
        let mut probe = Probe::new(field);
        loop {
            self.step()?;
            let Some((key, value)) = entries.next() else { return Ok(seek.end) };
            let Some(found) = probe.dot(value) else { continue };
            if wanted.is_some_and(|it| found == it) {
                self.set(seek.key, Some(key));
                self.set(seek.value, Some(value));
                self.set(seek.found, Some(found));
                break;
            }
        }
        if let Some(it) = self.memory.iterators.get_mut(place) {
            *it = entries;
        }
        Ok(seek.body)
    }

    /// Stores what a scan would give for one key, if the collection has it.
    pub(super) fn entry(&mut self, source: Reg, wanted: Arg, entry: (Reg, Reg)) -> bool {
        let (Some(source), Some(wanted)) = (self.register(source), self.get(wanted)) else { return false };
        let found = match (source.as_object(), source.as_set()) {
            (Some(object), _) => object.entry(wanted),
            (_, Some(set)) => set.get(wanted).map(|it| (it, it)),
            (None, None) => source.as_array().and_then(|it| entry_of(it, wanted)),
        };
        let Some((key, value)) = found else { return false };
        self.set(entry.0, Some(key));
        self.set(entry.1, Some(value));
        true
    }
}

/// Returns the index that is equal to a number, written in whatever way, and the item there.
fn entry_of<'e>(array: Array<'e>, wanted: Value<'_>) -> Option<(Value<'e>, Value<'e>)> {
    let index = wanted.as_number()?.to_i64()?;
    let item = array.get(usize::try_from(index).ok()?)?;
    Some((Value::small_int(index)?, item))
}
