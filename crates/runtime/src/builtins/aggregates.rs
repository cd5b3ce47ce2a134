//! Aggregates that need no arithmetic: `count`, `min`, `max`, `sort`, `all`, `any`.
//!
//! Sums and products stand with `numbers`. Order is Rego's total order; this file knows only how to pick and
//! count.

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, collection};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("count", "str/[any*]/{any:any}/set[any] -> num", count),
    Builtin::pure("max", "[any*]/set[any] -> any", max),
    Builtin::pure("min", "[any*]/set[any] -> any", min),
    Builtin::pure("sort", "[any*]/set[any] -> [any*]", sort),
    Builtin::pure("all", "[any*]/set[any] -> bool", |_, args| {
        answer_bool(collection(args, 0, &["array", "set"])?.iter().all(Value::is_true))
    }),
    Builtin::pure("any", "[any*]/set[any] -> bool", |_, args| {
        answer_bool(collection(args, 0, &["array", "set"])?.iter().any(Value::is_true))
    }),
];

fn count<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let value = any(args, 0);
    let len = match value.kind() {
        Kind::String => value.as_str().map(|it| it.chars().count()),
        Kind::Array | Kind::Object | Kind::Set => value.collection_len(),
        Kind::Null | Kind::Boolean | Kind::Number => None,
    };
    match len {
        Some(len) => answer(ctx.arena.int(i64::try_from(len).unwrap_or(i64::MAX))),
        None => Err(BuiltinError::operand(1, &["array", "object", "set", "string"], value)),
    }
}

/// Of equal items an array answers the last.
fn max<'e>(_: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    Ok(collection(args, 0, &["set", "array"])?.iter().max())
}

/// Of equal items an array answers the last.
fn min<'e>(_: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let least = collection(args, 0, &["set", "array"])?.iter().reduce(|a, b| if b <= a { b } else { a });
    Ok(least)
}

fn sort<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let items = collection(args, 0, &["set", "array"])?;
    let mut list = ctx.list();
    list.extend(items.iter());
    if items.kind() == Kind::Array && !list.is_sorted() {
        list.sort();
    }
    answer(ctx.arena.array(&list))
}
