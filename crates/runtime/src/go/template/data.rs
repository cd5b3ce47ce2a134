//! The values of templates, with the Go types that OPA's decoding gives them.
//!
//! Apart from evaluation because what is printed, true or comparable follows from the types alone. A number of the
//! input is a text here (`json.Number`), which policies can observe.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::go::fmt::{Arg, Native};

/// A value by its Go type.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A nil of type `interface {}`.
    Nil,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `uint8`.
    Byte(u8),
    /// `float64`.
    Float(f64),
    /// `complex128`.
    Complex(f64, f64),
    /// `string`.
    Str(Rc<str>),
    /// `json.Number`.
    Number(Rc<str>),
    /// `[]interface {}`.
    List(List),
    /// `map[string]interface {}`.
    Map(Rc<BTreeMap<String, Data>>),
}

/// A list with the room that Go would have allocated for it, which slicing can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    pub(super) items: Rc<[Data]>,
    pub(super) capacity: usize,
}

impl List {
    /// Makes a list as the JSON decoder does, whose room doubles as it grows.
    #[must_use]
    pub fn new(items: Vec<Data>) -> Self {
        let len = items.len();
        let capacity = if len <= 512 { len.next_power_of_two() } else { len };
        Self { capacity: if len == 0 { 0 } else { capacity }, items: items.into() }
    }
}

impl Data {
    /// Returns the name of the Go type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "interface {}",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Complex(..) => "complex128",
            Self::Str(_) => "string",
            Self::Number(_) => "json.Number",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
        }
    }

    /// Says whether `if` takes the value for true.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(it) => *it,
            Self::Int(it) => *it != 0,
            Self::Byte(it) => *it != 0,
            Self::Float(it) => *it != 0.0,
            Self::Complex(real, imaginary) => *real != 0.0 || *imaginary != 0.0,
            Self::Str(it) | Self::Number(it) => !it.is_empty(),
            Self::List(it) => !it.items.is_empty(),
            Self::Map(it) => !it.is_empty(),
        }
    }

    /// Returns the value as an argument to print.
    pub(super) fn as_arg(&self) -> Arg<'_> {
        Arg::Native(match self {
            Self::Nil => Native::Nil,
            Self::Bool(it) => Native::Bool(*it),
            Self::Int(it) => Native::Int(*it),
            Self::Byte(it) => Native::Byte(*it),
            Self::Float(it) => return Arg::Float(*it),
            Self::Complex(real, imaginary) => Native::Complex(*real, *imaginary),
            Self::Str(it) => return Arg::Str(it),
            Self::Number(it) => Native::Number(it),
            Self::List(it) => Native::List(it.items.iter().map(Self::as_arg).collect()),
            Self::Map(it) => {
                Native::Map(it.iter().map(|(key, value)| (key.as_str(), value.as_arg())).collect())
            }
        })
    }
}

/// What an expression gives, as Go's reflection sees it.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// No argument from an earlier stage of the pipeline.
    Missing,
    /// No value: a key that is not there.
    Invalid,
    /// A value of type `interface {}`, as lists and maps hold them; may be nil.
    Boxed(Data),
    /// A value of its own type; never nil.
    Plain(Data),
}

impl Val {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Plain(Data::Str(text.into()))
    }

    /// Returns what an interface holds; a nil one holds nothing.
    pub(super) fn unboxed(self) -> Self {
        match self {
            Self::Boxed(Data::Nil) => Self::Invalid,
            Self::Boxed(data) => Self::Plain(data),
            other => other,
        }
    }

    /// Returns the value; nothing for nil and what is not there.
    pub(super) fn data(&self) -> Option<&Data> {
        match self {
            Self::Missing | Self::Invalid | Self::Boxed(Data::Nil) => None,
            Self::Boxed(data) | Self::Plain(data) => Some(data),
        }
    }

    pub(super) fn truth(&self) -> bool {
        self.data().is_some_and(Data::truth)
    }

    /// Returns the value as an argument of type `interface {}`.
    pub(super) fn as_arg(&self) -> Arg<'_> {
        self.data().map_or(Arg::Native(Native::Nil), Data::as_arg)
    }

    /// Returns the name of the static type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Missing | Self::Invalid => "<nil>",
            Self::Boxed(_) => Data::Nil.type_name(),
            Self::Plain(data) => data.type_name(),
        }
    }
}
