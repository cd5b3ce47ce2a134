//! The functions of templates: names, parameters, and what they do with values.
//!
//! Apart from evaluation, which decides when arguments are evaluated. Errors have the texts of Go's functions; where
//! Go's reflection would panic, its text is the error.

use std::rc::Rc;

use super::compare;
use super::data::{Data, List, Val};
use super::escape;
use crate::go::fmt::{Arg, sprint, sprintf, sprintln};
use crate::go::url::{Part, escaped};
use crate::go_text::lossy;

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    /// Whatever it is, even no value.
    Value,
    /// An interface: no value becomes nil.
    Any,
    /// A `string`.
    Text,
}

/// A function by its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    /// How many parameters there are before those that repeat.
    pub(super) fixed: usize,
    /// Whether the last one repeats.
    pub(super) variadic: bool,
    first: Want,
    others: Want,
}

impl Signature {
    pub(super) fn want(&self, index: usize) -> Want {
        if index == 0 { self.first } else { self.others }
    }
}

/// Says whether there is a function of the name.
pub(super) fn exists(name: &str) -> bool {
    signature(name).is_some()
}

/// Returns the parameters of a function.
pub(super) fn signature(name: &str) -> Option<Signature> {
    let (fixed, variadic, first, others) = match name {
        "and" | "or" | "call" | "index" | "slice" | "eq" => (1, true, Want::Value, Want::Value),
        "html" | "js" | "print" | "println" | "urlquery" => (0, true, Want::Any, Want::Any),
        "printf" => (1, true, Want::Text, Want::Any),
        "len" | "not" => (1, false, Want::Value, Want::Value),
        "ge" | "gt" | "le" | "lt" | "ne" => (2, false, Want::Value, Want::Value),
        _ => return None,
    };
    Some(Signature { fixed, variadic, first, others })
}

/// Calls a function; `callee` is how a function that is called by `call` is written.
pub(super) fn call(name: &str, args: &[Val], callee: &str, bytes_max: usize) -> Result<Val, String> {
    let first = args.first().unwrap_or(&Val::Invalid);
    let second = args.get(1).unwrap_or(&Val::Invalid);
    let rest = args.get(1..).unwrap_or(&[]);
    let truth = |it: bool| Val::Plain(Data::Bool(it));
    match name {
        "html" => Ok(Val::text(escape::html(&joined(args)))),
        "js" => Ok(Val::text(escape::js(&joined(args)))),
        "urlquery" => Ok(Val::text(escaped(joined(args).as_bytes(), Part::Query))),
        "print" => Ok(Val::text(sprint(&as_args(args)))),
        "println" => Ok(Val::text(sprintln(&as_args(args)))),
        "printf" => {
            let format = if let Some(Data::Str(format)) = first.data() { format } else { "" };
            let text = sprintf(format, &as_args(rest), bytes_max);
            text.map(Val::text).map_err(|it| it.to_string())
        }
        "index" => index(first.clone(), rest),
        "slice" => slice(first, rest),
        "len" => length(first).map(Val::Plain),
        "not" => Ok(truth(!first.truth())),
        "eq" => compare::equal(first, rest).map(truth),
        "ne" => compare::equal(first, rest).map(|it| truth(!it)),
        "lt" => compare::less(first, second).map(truth),
        "le" => compare::less_or_equal(first, second).map(truth),
        "gt" => compare::less_or_equal(first, second).map(|it| truth(!it)),
        "ge" => compare::less(first, second).map(|it| truth(!it)),
        "call" => Err(match first.data() {
            None => "call of nil".to_owned(),
            Some(data) => format!("non-function {callee} of type {}", data.type_name()),
        }),
        _ => Err("there is no such function".to_owned()),
    }
}

fn as_args(args: &[Val]) -> Vec<Arg<'_>> {
    args.iter().map(Val::as_arg).collect()
}

/// Prints arguments for escaping, where nil shows as no value.
fn joined(args: &[Val]) -> String {
    let shown: Vec<Arg<'_>> =
        args.iter().map(|it| it.data().map_or(Arg::Str("<no value>"), Data::as_arg)).collect();
    sprint(&shown)
}

fn index(item: Val, indexes: &[Val]) -> Result<Val, String> {
    let mut item = item.unboxed();
    if matches!(item, Val::Invalid) {
        return Err("index of untyped nil".to_owned());
    }
    for index in indexes {
        let Some(data) = item.data() else { return Err("index of nil pointer".to_owned()) };
        item = match data {
            Data::List(list) => {
                let at = index_arg(index, list.items.len())?;
                let out_of_range = || "reflect: slice index out of range".to_owned();
                Val::Boxed(list.items.get(at).cloned().ok_or_else(out_of_range)?)
            }
            Data::Str(text) | Data::Number(text) => {
                let at = index_arg(index, text.len())?;
                let out_of_range = || "reflect: string index out of range".to_owned();
                Val::Plain(Data::Byte(text.as_bytes().get(at).copied().ok_or_else(out_of_range)?))
            }
            Data::Map(map) => match index.data() {
                None => return Err("value is nil; should be of type string".to_owned()),
                Some(Data::Str(key)) => Val::Boxed(map.get(&**key).cloned().unwrap_or(Data::Nil)),
                Some(other) => {
                    return Err(format!("value has type {}; should be string", other.type_name()));
                }
            },
            other => return Err(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(item)
}

fn index_arg(index: &Val, end: usize) -> Result<usize, String> {
    let number = match index.data() {
        None => return Err("cannot index slice/array with nil".to_owned()),
        Some(Data::Int(it)) => *it,
        Some(Data::Byte(it)) => i64::from(*it),
        Some(other) => return Err(format!("cannot index slice/array with type {}", other.type_name())),
    };
    let fits = usize::try_from(number).ok().filter(|it| *it <= end);
    fits.ok_or_else(|| format!("index out of range: {number}"))
}

fn slice(item: &Val, indexes: &[Val]) -> Result<Val, String> {
    let Some(data) = item.data() else { return Err("slice of untyped nil".to_owned()) };
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()));
    }
    let (len, capacity) = match data {
        Data::Str(_) | Data::Number(_) if indexes.len() == 3 => {
            return Err("cannot 3-index slice a string".to_owned());
        }
        Data::Str(text) | Data::Number(text) => (text.len(), text.len()),
        Data::List(list) => (list.items.len(), list.capacity),
        other => return Err(format!("can't slice item of type {}", other.type_name())),
    };
    let mut bounds = [0, len, capacity];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        // Unlike `index`, Go does not look into interfaces here.
        if matches!(index, Val::Boxed(_)) {
            return Err("cannot index slice/array with type interface {}".to_owned());
        }
        *bound = index_arg(index, capacity)?;
    }
    let [start, end, room] = bounds;
    if start > end {
        return Err(format!("invalid slice index: {start} > {end}"));
    }
    if end > room {
        return Err(format!("invalid slice index: {end} > {room}"));
    }
    let cut = |text: &str| -> Rc<str> { lossy(text.as_bytes().get(start..end).unwrap_or(&[])).into() };
    Ok(Val::Plain(match data {
        Data::Str(text) => Data::Str(cut(text)),
        Data::Number(text) => Data::Number(cut(text)),
        Data::List(list) => {
            let beyond = std::iter::repeat(Data::Nil);
            let items = list.items.iter().cloned().chain(beyond).take(end).skip(start).collect();
            Data::List(List { items, capacity: room - start })
        }
        other => other.clone(),
    }))
}

fn length(item: &Val) -> Result<Data, String> {
    let len = match item {
        Val::Missing | Val::Invalid => {
            return Err("reflect: call of reflect.Value.Type on zero Value".to_owned());
        }
        Val::Boxed(Data::Nil) => return Err("len of nil pointer".to_owned()),
        Val::Boxed(data) | Val::Plain(data) => match data {
            Data::Str(text) | Data::Number(text) => text.len(),
            Data::List(list) => list.items.len(),
            Data::Map(map) => map.len(),
            other => return Err(format!("len of type {}", other.type_name())),
        },
    };
    Ok(Data::Int(i64::try_from(len).unwrap_or(i64::MAX)))
}
