//! Types: `is_*`, `type_name`, and the deprecated casts.
//!
//! The questions never fail; the casts fail with the type error of their one operand. Conversion of text to
//! numbers stands in `numbers`.

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, collection, items};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("is_array", "any -> bool", |_, args| is(args, Kind::Array)),
    Builtin::pure("is_boolean", "any -> bool", |_, args| is(args, Kind::Boolean)),
    Builtin::pure("is_null", "any -> bool", |_, args| is(args, Kind::Null)),
    Builtin::pure("is_number", "any -> bool", |_, args| is(args, Kind::Number)),
    Builtin::pure("is_object", "any -> bool", |_, args| is(args, Kind::Object)),
    Builtin::pure("is_set", "any -> bool", |_, args| is(args, Kind::Set)),
    Builtin::pure("is_string", "any -> bool", |_, args| is(args, Kind::String)),
    Builtin::pure("type_name", "any -> str", |ctx, args| {
        answer(ctx.arena.string(any(args, 0).kind().name()))
    }),
    Builtin::pure("cast_array", "any -> [any*]", cast_array),
    Builtin::pure("cast_set", "any -> set[any]", cast_set),
    Builtin::pure("cast_string", "any -> str", |_, args| cast(args, Kind::String)),
    Builtin::pure("cast_boolean", "any -> bool", |_, args| cast(args, Kind::Boolean)),
    Builtin::pure("cast_null", "any -> null", |_, args| cast(args, Kind::Null)),
    Builtin::pure("cast_object", "any -> {any:any}", |_, args| cast(args, Kind::Object)),
];

fn is<'e>(args: &[Value<'e>], kind: Kind) -> Answer<'e> {
    answer_bool(any(args, 0).kind() == kind)
}

fn cast<'e>(args: &[Value<'e>], kind: Kind) -> Answer<'e> {
    let value = any(args, 0);
    if value.kind() == kind { answer(value) } else { Err(BuiltinError::operand(1, &[kind.name()], value)) }
}

fn cast_array<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let value = any(args, 0);
    if value.kind() == Kind::Array {
        return answer(value);
    }
    let mut list = ctx.list();
    list.extend(collection(args, 0, &["array", "set"])?.iter());
    answer(ctx.arena.array(&list))
}

fn cast_set<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let value = any(args, 0);
    if value.kind() == Kind::Set {
        return answer(value);
    }
    let mut list = ctx.list();
    match items(value) {
        Some(items) => list.extend(items.iter()),
        None => return Err(BuiltinError::operand(1, &["array", "set"], value)),
    }
    answer(ctx.arena.set(&mut list))
}
