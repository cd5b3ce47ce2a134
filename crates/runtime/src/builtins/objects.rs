//! Objects: `object.*`.
//!
//! Merging and comparing parts recurse, so their depth is bounded. Keys match as members of sets do: by value and
//! OPA's hash. `json.filter` and its relatives stand in `paths`.

use std::cmp::Ordering;

use lictor_value::{Array, Kind, Object, Set, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, array, object};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("object.get", "{any:any}, any, any -> any", get),
    Builtin::pure("object.keys", "{any:any} -> set[any]", keys),
    Builtin::pure("object.remove", "{any:any}, [any*]/{any:any}/set[any] -> {any:any}", remove),
    Builtin::pure("object.filter", "{any:any}, [any*]/{any:any}/set[any] -> {any:any}", filter),
    Builtin::pure("object.union", "{any:any}, {any:any} -> {any:any}", union),
    Builtin::pure("object.union_n", "[{any:any}*] -> {any:any}", union_n),
    Builtin::pure("object.subset", "[any*]/{any:any}/set[any], [any*]/{any:any}/set[any] -> bool", subset),
];

/// An array as key is a path.
fn get<'e>(_: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (whole, key, default) = (object(args, 0)?, any(args, 1), any(args, 2));
    let found = match key.as_array() {
        None => whole.get(key),
        Some(path) => path.iter().try_fold(any(args, 0), Value::dot),
    };
    answer(found.unwrap_or(default))
}

fn keys<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut list = ctx.list();
    list.extend(object(args, 0)?.iter().map(|it| it.0));
    answer(ctx.arena.set_sorted(&list))
}

/// Says whether a key is among the items of an array, the members of a set, or the keys of an object.
fn names(keys: Value<'_>, key: Value<'_>) -> bool {
    match keys.kind() {
        Kind::Set => keys.as_set().is_some_and(|it| it.get(key).is_some()),
        Kind::Object => keys.as_object().is_some_and(|it| it.get(key).is_some()),
        Kind::Array => keys.as_array().is_some_and(|it| it.iter().any(|item| item.same_member(key))),
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String => false,
    }
}

/// Above so many items an array of keys is made a set first.
const ARRAY_KEYS_MAX: usize = 16;

/// Returns the operand that names keys, in a form that is quick to ask.
fn key_operand<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Result<Value<'e>, BuiltinError> {
    let keys = any(args, 1);
    match keys.kind() {
        Kind::Array => {
            let Some(array) = keys.as_array().filter(|it| it.len() > ARRAY_KEYS_MAX) else {
                return Ok(keys);
            };
            let mut list = ctx.list();
            list.extend(array.iter());
            Ok(ctx.arena.set(&mut list))
        }
        Kind::Set | Kind::Object => Ok(keys),
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String => {
            Err(BuiltinError::operand(2, &["object", "set", "array"], keys))
        }
    }
}

fn select<'e>(ctx: Context<'e>, args: &[Value<'e>], wanted: bool) -> Answer<'e> {
    let whole = object(args, 0)?;
    let keys = key_operand(ctx, args)?;
    let mut pairs = ctx.pairs();
    pairs.extend(whole.iter().filter(|it| names(keys, it.0) == wanted));
    answer(if pairs.len() == whole.len() { any(args, 0) } else { ctx.arena.object_sorted(&pairs) })
}

fn remove<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    select(ctx, args, false)
}

fn filter<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    select(ctx, args, true)
}

/// Merges objects at all depths; else the right side wins.
fn union<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (left, right) = (object(args, 0)?, object(args, 1)?);
    if left.is_empty() {
        return answer(any(args, 1));
    }
    if right.is_empty() {
        return answer(any(args, 0));
    }
    merge(ctx, left, right, 0).map(Some)
}

/// Merging and comparing parts goes down so far; no real document nests deeper.
const DEPTH_MAX: u32 = 250;

fn too_deep() -> BuiltinError {
    BuiltinError::value("document is nested too deeply")
}

fn merge<'e>(
    ctx: Context<'e>,
    left: Object<'e>,
    right: Object<'e>,
    depth: u32,
) -> Result<Value<'e>, BuiltinError> {
    let mut pairs = ctx.pairs();
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek().copied(), right.peek().copied()) {
        let order = if a.0.same_member(b.0) { Ordering::Equal } else { a.0.cmp(&b.0) };
        match order {
            Ordering::Equal if a.0.same_member(b.0) => {
                pairs.push((a.0, merge_values(ctx, a.1, b.1, depth)?));
                left.next();
                right.next();
            }
            Ordering::Less | Ordering::Equal => {
                pairs.push(a);
                left.next();
            }
            Ordering::Greater => {
                pairs.push(b);
                right.next();
            }
        }
    }
    pairs.extend(left);
    pairs.extend(right);
    Ok(ctx.arena.object_sorted(&pairs))
}

fn merge_values<'e>(
    ctx: Context<'e>,
    old: Value<'e>,
    new: Value<'e>,
    depth: u32,
) -> Result<Value<'e>, BuiltinError> {
    match (old.as_object(), new.as_object()) {
        (Some(_), Some(_)) if depth >= DEPTH_MAX => Err(too_deep()),
        (Some(old), Some(new)) => merge(ctx, old, new, depth + 1),
        _ => Ok(new),
    }
}

fn union_n<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let list = array(args, 0)?;
    for item in list.iter() {
        if item.as_object().is_none() {
            return Err(BuiltinError::element(1, Kind::Array, &["object"], item.kind()));
        }
    }
    let start = list.get(0).unwrap_or(Value::empty_object());
    list.iter().skip(1).try_fold(start, |so_far, next| merge_values(ctx, so_far, next, 0)).map(Some)
}

fn subset<'e>(_: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (whole, part) = (any(args, 0), any(args, 1));
    if let (Some(array), Some(set)) = (whole.as_array(), part.as_set()) {
        return answer_bool(array_holds_set(array, set));
    }
    match subset_of(whole, part, 0)? {
        Some(is) => answer_bool(is),
        None => Err(BuiltinError::new(
            ErrorKind::Type,
            "both arguments object.subset must be of the same type or array and set",
        )),
    }
}

/// None unless both are collections of one type.
fn subset_of(whole: Value<'_>, part: Value<'_>, depth: u32) -> Result<Option<bool>, BuiltinError> {
    if depth > DEPTH_MAX {
        return Err(too_deep());
    }
    if let (Some(whole), Some(part)) = (whole.as_object(), part.as_object()) {
        for (key, value) in part.iter() {
            let Some(found) = whole.get(key) else { return Ok(Some(false)) };
            if found != value && subset_of(found, value, depth + 1)? != Some(true) {
                return Ok(Some(false));
            }
        }
        return Ok(Some(true));
    }
    if let (Some(whole), Some(part)) = (whole.as_set(), part.as_set()) {
        return Ok(Some(part.iter().all(|it| whole.get(it).is_some())));
    }
    Ok(whole.as_array().zip(part.as_array()).map(|(whole, part)| array_holds_run(whole, part)))
}

/// Says whether the part's items stand one after another in the whole.
///
/// After a failed try OPA goes on at the next start only, with the run counted anew, so this is plain search.
fn array_holds_run(whole: Array<'_>, part: Array<'_>) -> bool {
    if part.len() > whole.len() {
        return false;
    }
    (0..=whole.len() - part.len())
        .any(|start| (0..part.len()).all(|it| whole.get(start + it) == part.get(it)))
}

/// Says whether every member is found in the array. As OPA, an empty array holds nothing, and repeated items count.
fn array_holds_set(whole: Array<'_>, part: Set<'_>) -> bool {
    let mut unmatched = part.len();
    for item in whole.iter() {
        if part.get(item).is_some() {
            unmatched = unmatched.wrapping_sub(1);
        }
        if unmatched == 0 {
            return true;
        }
    }
    false
}
