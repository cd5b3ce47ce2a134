//! What an evaluation works on, kept between evaluations so that a warm one allocates nothing.
//!
//! Apart so that lifetimes of values end in one place: recycling keeps the memory and forgets the contents. It runs
//! nothing.

use lictor_value::{Array, ObjectIter, Set, Value, recycle};
use rustc_hash::FxHashMap;

use crate::builder::Builders;
use crate::error::EvalError;

/// The machine's working memory for one evaluation.
#[derive(Debug, Default)]
pub(crate) struct Memory<'e> {
    pub(crate) registers: Vec<Option<Value<'e>>>,
    pub(crate) iterators: Vec<Iter<'e>>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) builders: Builders<'e>,
    pub(crate) withs: Vec<Saved<'e>>,
    pub(crate) args: Vec<Value<'e>>,
    pub(crate) results: Vec<Value<'e>>,
    pub(crate) memo: Memo<'e>,
    /// Errors of built-ins that ended no evaluation; none if nobody asks.
    pub(crate) passed_over: Option<Vec<EvalError>>,
}

/// A call that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    /// Where the caller goes on.
    pub(crate) resume: u32,
    /// Where the caller goes if the result is undefined.
    pub(crate) fail: u32,
    /// The caller's register for the result.
    pub(crate) target: u32,
    pub(crate) base: u32,
    pub(crate) iterator_base: u32,
    pub(crate) withs: u32,
    pub(crate) builders: u32,
    /// Whether the result is remembered.
    pub(crate) memo: bool,
}

/// The documents before a `with`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Saved<'e> {
    pub(crate) input: Option<Value<'e>>,
    pub(crate) data: Option<Value<'e>>,
    pub(crate) context: u32,
}

/// What is left of a scan.
#[derive(Clone, Debug, Default)]
pub(crate) enum Iter<'e> {
    #[default]
    Empty,
    Array(Array<'e>, usize),
    Set(Set<'e>, usize),
    Object(ObjectIter<'e>),
}

impl<'e> Iter<'e> {
    #[inline]
    pub(crate) fn of(value: Value<'e>) -> Self {
        if let Some(array) = value.as_array() {
            return Self::Array(array, 0);
        }
        if let Some(object) = value.as_object() {
            return Self::Object(object.iter());
        }
        value.as_set().map_or(Self::Empty, |it| Self::Set(it, 0))
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Value<'e>, Value<'e>)> {
        match self {
            Self::Empty => None,
            Self::Array(array, position) => {
                let item = array.get(*position)?;
                let index = Value::small_int(i64::try_from(*position).ok()?)?;
                *position += 1;
                Some((index, item))
            }
            Self::Set(set, position) => {
                let member = set.nth(*position)?;
                *position += 1;
                Some((member, member))
            }
            Self::Object(entries) => entries.next(),
        }
    }
}

/// The results of functions without arguments, and of those with, by the documents they saw.
#[derive(Debug, Default)]
pub(crate) struct Memo<'e> {
    /// By function: the evaluation's number and the position in `values`.
    root: Vec<(u64, u32)>,
    /// By context (above 0) and function.
    inner: FxHashMap<(u32, u32), u32>,
    values: Vec<Option<Value<'e>>>,
    evaluation: u64,
}

impl<'e> Memo<'e> {
    #[inline]
    fn begin(&mut self, functions: usize) {
        self.evaluation += 1;
        if self.root.len() < functions {
            self.root.resize(functions, (0, 0));
        }
    }

    #[inline]
    pub(crate) fn get(&self, context: u32, function: u32) -> Option<Option<Value<'e>>> {
        let position = if context == 0 {
            let (evaluation, position) = *self.root.get(function as usize)?;
            if evaluation != self.evaluation {
                return None;
            }
            position
        } else {
            *self.inner.get(&(context, function))?
        };
        self.values.get(position as usize).copied()
    }

    pub(crate) fn put(&mut self, context: u32, function: u32, value: Option<Value<'e>>) {
        let Ok(position) = u32::try_from(self.values.len()) else { return };
        self.values.push(value);
        if context != 0 {
            self.inner.insert((context, function), position);
        } else if let Some(entry) = self.root.get_mut(function as usize) {
            *entry = (self.evaluation, position);
        }
    }
}

impl<'e> Memory<'e> {
    /// Gives the allocations back to where they are kept and forgets everything else. Field by field, so that nothing is
    /// moved twice.
    #[inline]
    pub(crate) fn give_back(self, home: &mut Memory<'static>) {
        home.registers = recycle(self.registers);
        home.iterators = recycle(self.iterators);
        home.frames = recycle(self.frames);
        self.builders.give_back(&mut home.builders);
        home.withs = recycle(self.withs);
        home.args = recycle(self.args);
        home.results = recycle(self.results);
        home.memo.root = self.memo.root;
        home.memo.inner = self.memo.inner;
        if !home.memo.inner.is_empty() {
            home.memo.inner.clear();
        }
        home.memo.values = recycle(self.memo.values);
        home.memo.evaluation = self.memo.evaluation;
        home.passed_over = self.passed_over;
    }

    #[inline]
    pub(crate) fn begin(&mut self, functions: usize) {
        self.memo.begin(functions);
    }
}
