//! Reading operands with OPA's type errors; shared by all families.
//!
//! Positions count from 0 here and from 1 in the texts. A missing operand reads as null: the compiler checks how
//! many there are.

use lictor_value::number::int_value;
use lictor_value::{Array, Kind, Number, Object, Set, Value};

use crate::error::BuiltinError;

/// What a built-in returns; `Ok(None)` is undefined.
pub(crate) type Answer<'e> = Result<Option<Value<'e>>, BuiltinError>;

/// Returns an answer that is defined.
#[expect(clippy::unnecessary_wraps, reason = "the shape of every built-in's answer")]
pub(crate) fn answer(value: Value<'_>) -> Answer<'_> {
    Ok(Some(value))
}

/// Returns `true` or `false` as an answer.
#[expect(clippy::unnecessary_wraps, reason = "the shape of every built-in's answer")]
pub(crate) fn answer_bool<'e>(value: bool) -> Answer<'e> {
    Ok(Some(Value::bool(value)))
}

/// Returns an operand of any type.
#[inline]
pub(crate) fn any<'e>(args: &[Value<'e>], index: usize) -> Value<'e> {
    args.get(index).copied().unwrap_or(Value::NULL)
}

/// Returns a string operand.
#[inline]
pub(crate) fn string<'a>(args: &'a [Value<'_>], index: usize) -> Result<&'a str, BuiltinError> {
    match args.get(index).and_then(|it| it.as_str()) {
        Some(text) => Ok(text),
        None => Err(BuiltinError::operand(index + 1, &["string"], any(args, index))),
    }
}

/// Returns an array operand.
#[inline]
pub(crate) fn array<'e>(args: &[Value<'e>], index: usize) -> Result<Array<'e>, BuiltinError> {
    let value = any(args, index);
    value.as_array().ok_or_else(|| BuiltinError::operand(index + 1, &["array"], value))
}

/// Returns a set operand.
#[inline]
pub(crate) fn set<'e>(args: &[Value<'e>], index: usize) -> Result<Set<'e>, BuiltinError> {
    let value = any(args, index);
    value.as_set().ok_or_else(|| BuiltinError::operand(index + 1, &["set"], value))
}

/// Returns an object operand.
#[inline]
pub(crate) fn object<'e>(args: &[Value<'e>], index: usize) -> Result<Object<'e>, BuiltinError> {
    let value = any(args, index);
    value.as_object().ok_or_else(|| BuiltinError::operand(index + 1, &["object"], value))
}

/// Returns an integer operand of 64 bits, written without an exponent.
pub(crate) fn int(args: &[Value<'_>], index: usize) -> Result<i64, BuiltinError> {
    let value = any(args, index);
    if value.kind() != Kind::Number {
        return Err(BuiltinError::operand(index + 1, &["number"], value));
    }
    written_int(value).ok_or_else(|| {
        BuiltinError::operand_text(index + 1, "must be integer number but got floating-point number")
    })
}

/// Returns the integer that a number is written as: digits, perhaps a fraction of zeros, 19 characters in all.
pub(crate) fn written_int(value: Value<'_>) -> Option<i64> {
    value.as_i64().or_else(|| int_value(&value.number_text()?))
}

/// Returns a number operand for arithmetic.
#[inline]
pub(crate) fn number(args: &[Value<'_>], index: usize) -> Result<Number, BuiltinError> {
    let value = any(args, index);
    match value.as_number() {
        Some(number) => Ok(number),
        None if value.kind() == Kind::Number => Err(BuiltinError::value("number too big")),
        None => Err(BuiltinError::operand(index + 1, &["number"], value)),
    }
}

/// Returns the items of an array or the members of a set.
pub(crate) fn items<'e>(value: Value<'e>) -> Option<Items<'e>> {
    match value.kind() {
        Kind::Array => value.as_array().map(Items::Array),
        Kind::Set => value.as_set().map(Items::Set),
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String | Kind::Object => None,
    }
}

/// An array or a set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Items<'e> {
    /// An array.
    Array(Array<'e>),
    /// A set.
    Set(Set<'e>),
}

impl<'e> Items<'e> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Array(array) => array.len(),
            Self::Set(set) => set.len(),
        }
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Array(_) => Kind::Array,
            Self::Set(_) => Kind::Set,
        }
    }

    pub(crate) fn get(self, index: usize) -> Option<Value<'e>> {
        match self {
            Self::Array(array) => array.get(index),
            Self::Set(set) => set.nth(index),
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Value<'e>> {
        (0..self.len()).filter_map(move |it| self.get(it))
    }
}

/// Returns the items of an array or a set operand; the error names the types in the order given.
pub(crate) fn collection<'e>(
    args: &[Value<'e>],
    index: usize,
    expected: &[&str],
) -> Result<Items<'e>, BuiltinError> {
    let value = any(args, index);
    items(value).ok_or_else(|| BuiltinError::operand(index + 1, expected, value))
}
