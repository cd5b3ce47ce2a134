//! Comparison in templates: `eq`, `lt` and what follows from them.
//!
//! Apart because Go compares by kinds: integers among each other, floats among each other, and a number of the
//! input, which is a text, with texts.

use std::cmp::Ordering;

use super::data::{Data, Val};
use crate::go::fmt::sprintf;

const BAD_TYPE: &str = "invalid type for comparison";

/// What can be compared with what.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Other,
    Bool,
    Complex,
    Int,
    Float,
    Text,
    Byte,
}

fn kind(value: &Val) -> Kind {
    match value.data() {
        None | Some(Data::Nil | Data::List(_) | Data::Map(_)) => Kind::Other,
        Some(Data::Bool(_)) => Kind::Bool,
        Some(Data::Complex(..)) => Kind::Complex,
        Some(Data::Int(_)) => Kind::Int,
        Some(Data::Float(_)) => Kind::Float,
        Some(Data::Str(_) | Data::Number(_)) => Kind::Text,
        Some(Data::Byte(_)) => Kind::Byte,
    }
}

fn integer(value: &Val) -> Option<i64> {
    match value.data() {
        Some(Data::Int(it)) => Some(*it),
        Some(Data::Byte(it)) => Some(i64::from(*it)),
        _ => None,
    }
}

/// Orders two values of one kind; nothing if they are of different kinds or have no order.
fn order(a: &Val, b: &Val) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (integer(a), integer(b)) {
        return Some(a.cmp(&b));
    }
    match (a.data()?, b.data()?) {
        (Data::Bool(a), Data::Bool(b)) => Some(a.cmp(b)),
        (Data::Float(a), Data::Float(b)) => a.partial_cmp(b),
        (Data::Complex(a, b), Data::Complex(c, d)) => (a == c && b == d).then_some(Ordering::Equal),
        (Data::Str(a) | Data::Number(a), Data::Str(b) | Data::Number(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn is_integer(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Byte)
}

fn incompatible(a: &Val, b: &Val) -> String {
    let name = |it: &Val| it.data().map_or("<nil>", Data::type_name);
    format!("incompatible types for comparison: {} and {}", name(a), name(b))
}

/// Says whether the first equals any of the others.
pub(super) fn equal(first: &Val, others: &[Val]) -> Result<bool, String> {
    if others.is_empty() {
        return Err("missing argument for comparison".to_owned());
    }
    for other in others {
        let (a, b) = (kind(first), kind(other));
        let same = if a == b && a == Kind::Other {
            equal_others(first, other)?
        } else if a == b || (is_integer(a) && is_integer(b)) {
            order(first, other) == Some(Ordering::Equal)
        } else if first.data().is_some() && other.data().is_some() {
            return Err(incompatible(first, other));
        } else {
            false
        };
        if same {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Compares lists, maps and nil, of which only nil can be equal to anything.
fn equal_others(a: &Val, b: &Val) -> Result<bool, String> {
    let (Some(first), Some(second)) = (a.data(), b.data()) else {
        return Ok(a.data().is_none() == b.data().is_none());
    };
    let shown = |it: &Data| sprintf("%s", &[it.as_arg()], usize::MAX).unwrap_or_default();
    let plain = |it: &Data| sprintf("%v", &[it.as_arg()], usize::MAX).unwrap_or_default();
    if first.type_name() == second.type_name() {
        return Err(format!("non-comparable type {}: {}", shown(second), second.type_name()));
    }
    Err(format!(
        "non-comparable types {}: {}, {}: {}",
        shown(first),
        first.type_name(),
        second.type_name(),
        plain(second)
    ))
}

/// Says whether the first comes before the second.
pub(super) fn less(a: &Val, b: &Val) -> Result<bool, String> {
    let (first, second) = (kind(a), kind(b));
    if first == Kind::Other || second == Kind::Other {
        return Err(BAD_TYPE.to_owned());
    }
    if first != second && !(is_integer(first) && is_integer(second)) {
        return Err(incompatible(a, b));
    }
    if matches!(first, Kind::Bool | Kind::Complex) {
        return Err(BAD_TYPE.to_owned());
    }
    Ok(order(a, b) == Some(Ordering::Less))
}

/// Says whether the first comes before the second or equals it.
pub(super) fn less_or_equal(a: &Val, b: &Val) -> Result<bool, String> {
    if less(a, b)? {
        return Ok(true);
    }
    equal(a, std::slice::from_ref(b))
}
