//! Comparison over Rego's total order, and membership (`in`).
//!
//! Engines may do the same with instructions of their own; these rows are what they must agree with. Order and
//! equality themselves are the value crate's.

use lictor_value::{Kind, Value, compare};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer_bool, any};

/// The rows of this family. `eq` and `assign` are declared for the compiler, which turns them into unification.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("eq", "any, any -> bool", |_, args| test(args, |a, b| a == b)),
    Builtin::pure("assign", "any, any -> bool", |_, args| test(args, |a, b| a == b)),
    Builtin::pure("equal", "any, any -> bool", |_, args| test(args, |a, b| a == b)),
    Builtin::pure("neq", "any, any -> bool", |_, args| test(args, |a, b| a != b)),
    Builtin::pure("lt", "any, any -> bool", |_, args| test(args, |a, b| compare(a, b).is_lt())),
    Builtin::pure("lte", "any, any -> bool", |_, args| test(args, |a, b| compare(a, b).is_le())),
    Builtin::pure("gt", "any, any -> bool", |_, args| test(args, |a, b| compare(a, b).is_gt())),
    Builtin::pure("gte", "any, any -> bool", |_, args| test(args, |a, b| compare(a, b).is_ge())),
    Builtin::pure("internal.member_2", "any, any -> bool", |_, args| {
        answer_bool(member(any(args, 0), any(args, 1)))
    }),
    Builtin::pure("internal.member_3", "any, any, any -> bool", |_, args| {
        answer_bool(member_at(any(args, 0), any(args, 1), any(args, 2)))
    }),
];

#[inline]
fn test<'e>(args: &[Value<'e>], holds: impl Fn(Value<'e>, Value<'e>) -> bool) -> Answer<'e> {
    let [a, b] = args else { return Ok(None) };
    Ok(Some(Value::bool(holds(*a, *b))))
}

/// Says whether a value is an item, a member or an object's value; false for what is no collection.
fn member(value: Value<'_>, collection: Value<'_>) -> bool {
    match collection.kind() {
        Kind::Set => collection.as_set().is_some_and(|it| it.get(value).is_some()),
        Kind::Array => collection.as_array().is_some_and(|it| it.iter().any(|item| item == value)),
        Kind::Object => collection.as_object().is_some_and(|it| it.iter().any(|(_, item)| item == value)),
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String => false,
    }
}

/// Says whether a collection holds the value at the key; a set holds each member at itself.
fn member_at(key: Value<'_>, value: Value<'_>, collection: Value<'_>) -> bool {
    if let Some(set) = collection.as_set() {
        return key == value && set.get(key).is_some();
    }
    collection.dot(key).is_some_and(|it| it == value)
}
