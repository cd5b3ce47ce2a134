//! Arrays: `array.*`.
//!
//! An answer that equals an operand is that operand's handle, so nothing is copied. It knows nothing of what the
//! items are.

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, any, array, int};
use crate::context::Context;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("array.concat", "[any*], [any*] -> [any*]", concat),
    Builtin::pure("array.flatten", "[any*] -> [any*]", flatten),
    Builtin::pure("array.reverse", "[any*] -> [any*]", reverse),
    Builtin::pure("array.slice", "[any*], num, num -> [any*]", slice),
];

fn concat<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (left, right) = (array(args, 0)?, array(args, 1)?);
    if left.is_empty() {
        return answer(any(args, 1));
    }
    if right.is_empty() {
        return answer(any(args, 0));
    }
    let mut list = ctx.list();
    list.extend(left.iter().chain(right.iter()));
    answer(ctx.arena.array(&list))
}

/// Takes one level of arrays out.
fn flatten<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let outer = array(args, 0)?;
    let mut list = ctx.list();
    for item in outer.iter() {
        match item.as_array() {
            Some(inner) => list.extend(inner.iter()),
            None => list.push(item),
        }
    }
    answer(ctx.arena.array(&list))
}

fn reverse<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut list = ctx.list();
    list.extend(array(args, 0)?.iter().rev());
    answer(ctx.arena.array(&list))
}

fn slice<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let whole = array(args, 0)?;
    let (start, stop) = (int(args, 1)?, int(args, 2)?);
    let stop = clamp(stop, whole.len());
    let start = clamp(start, stop);
    if start == 0 && stop == whole.len() {
        return answer(any(args, 0));
    }
    let mut list = ctx.list();
    list.extend((start..stop).filter_map(|it| whole.get(it)));
    answer(ctx.arena.array(&list))
}

fn clamp(index: i64, max: usize) -> usize {
    usize::try_from(index.max(0)).unwrap_or(usize::MAX).min(max)
}
