//! Sets: `&`, `|`, `union`, `intersection`, `set_diff`. The difference by `-` stands with `numbers`.
//!
//! Members are sorted, so results come out sorted without sorting. Of equal members that are written otherwise
//! (`1`, `1.0`) the choice is OPA's.

use std::cmp::Ordering;

use lictor_value::{Set, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, any, set};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("and", "set[any], set[any] -> set[any]", and),
    Builtin::pure("or", "set[any], set[any] -> set[any]", or),
    Builtin::pure("set_diff", "set[any], set[any] -> set[any]", |ctx, args| {
        answer(difference(ctx, set(args, 0)?, set(args, 1)?))
    }),
    Builtin::pure("intersection", "set[set[any]] -> set[any]", intersection),
    Builtin::pure("union", "set[set[any]] -> set[any]", union),
];

fn and<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (left, right) = (set(args, 0)?, set(args, 1)?);
    let mut list = ctx.list();
    list.extend(common(left, right));
    answer(ctx.arena.set_sorted(&list))
}

/// Returns the members of both sets, in the form of the smaller one.
fn common<'e>(left: Set<'e>, right: Set<'e>) -> impl Iterator<Item = Value<'e>> {
    let (small, large) = if right.len() < left.len() { (right, left) } else { (left, right) };
    small.iter().filter(move |it| large.get(*it).is_some())
}

fn or<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (left, right) = (set(args, 0)?, set(args, 1)?);
    if left.is_empty() {
        return answer(any(args, 1));
    }
    if right.is_empty() {
        return answer(any(args, 0));
    }
    let mut list = ctx.list();
    merge(left, right, &mut list);
    answer(ctx.arena.set_sorted(&list))
}

/// Appends the members of both sets in order; of equal ones the first set's.
fn merge<'e>(left: Set<'e>, right: Set<'e>, list: &mut Vec<Value<'e>>) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek().copied(), right.peek().copied()) {
        match a.cmp(&b) {
            Ordering::Less | Ordering::Equal => {
                list.push(a);
                left.next();
            }
            Ordering::Greater => {
                list.push(b);
                right.next();
            }
        }
    }
    list.extend(left);
    list.extend(right);
    list.dedup_by(|later, first| first.same_member(*later));
}

/// Returns the members of the first set that are not in the second.
pub(crate) fn difference<'e>(ctx: Context<'e>, left: Set<'e>, right: Set<'e>) -> Value<'e> {
    let mut list = ctx.list();
    list.extend(left.iter().filter(|it| right.get(*it).is_none()));
    ctx.arena.set_sorted(&list)
}

fn intersection<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut result: Option<Value<'e>> = None;
    for member in set(args, 0)?.iter() {
        let next = inner_set(member)?;
        result = Some(match result.and_then(Value::as_set) {
            None => member,
            Some(so_far) => {
                let mut list = ctx.list();
                list.extend(common(so_far, next));
                ctx.arena.set_sorted(&list)
            }
        });
    }
    answer(result.unwrap_or(Value::empty_set()))
}

fn union<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let outer = set(args, 0)?;
    let mut list = ctx.list();
    for member in outer.iter() {
        list.extend(inner_set(member)?.iter());
    }
    answer(ctx.arena.set(&mut list))
}

fn inner_set(member: Value<'_>) -> Result<Set<'_>, BuiltinError> {
    member.as_set().ok_or_else(|| BuiltinError::operand(1, &["set"], member))
}
