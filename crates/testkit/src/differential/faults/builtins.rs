//! Built-ins with a slip in each, such as an implementation by hand might have.
//!
//! Each calls the right function where it does not slip.

use lictor::{BuiltinError, Context, Kind, Value};

type Answer<'e> = Result<Option<Value<'e>>, BuiltinError>;

/// Calls the built-in as it is.
fn right<'e>(name: &str, ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    match lictor_runtime::builtin_named(name) {
        Some((_, row)) => (row.function)(ctx, args),
        None => Ok(None),
    }
}

pub(crate) fn round_to_even<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let text = args.first().and_then(|it| it.number_text().map(|it| it.to_string()));
    match text.as_deref() {
        Some("2.5") => Ok(Some(ctx.arena.int(2))),
        Some("0.5" | "-0.5") => Ok(Some(ctx.arena.int(0))),
        _ => right("round", ctx, args),
    }
}

pub(crate) fn upper_ascii<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    match args.first().and_then(|it| it.as_str().map(str::to_ascii_uppercase)) {
        Some(text) => Ok(Some(ctx.arena.string(&text))),
        None => right("upper", ctx, args),
    }
}

pub(crate) fn count_overlapping<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    if let [text, part] = args
        && let (Some(text), Some(part)) = (text.as_str(), part.as_str())
        && !part.is_empty()
    {
        let count =
            text.char_indices().filter(|it| text.get(it.0..).is_some_and(|it| it.starts_with(part))).count();
        return Ok(Some(ctx.arena.int(i64::try_from(count).unwrap_or(0))));
    }
    right("strings.count", ctx, args)
}

pub(crate) fn union_shallow<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    if let [first, second] = args
        && let (Some(first), Some(second)) = (first.as_object(), second.as_object())
    {
        let kept = first.iter().filter(|it| second.get(it.0).is_none());
        let mut pairs: Vec<_> = kept.chain(second.iter()).collect();
        return Ok(Some(ctx.arena.object(&mut pairs)));
    }
    right("object.union", ctx, args)
}

pub(crate) fn marshal_plain<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut out = Vec::new();
    if let Some(value) = args.first() {
        value.write_json_plain(&mut out);
    }
    Ok(Some(ctx.arena.string(&String::from_utf8_lossy(&out))))
}

pub(crate) fn range_short<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let Some(range) = right("numbers.range", ctx, args)? else { return Ok(None) };
    let mut items: Vec<Value<'e>> = range.as_array().into_iter().flat_map(|it| it.iter()).collect();
    items.pop();
    Ok(Some(ctx.arena.array(&items)))
}

pub(crate) fn substring_bytes<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    if let [text, start, len] = args
        && let (Some(text), Some(start), Some(len)) = (text.as_str(), start.as_i64(), len.as_i64())
        && let (Ok(start), Ok(len)) = (usize::try_from(start), usize::try_from(len))
    {
        let bytes: Vec<u8> = text.bytes().skip(start).take(len).collect();
        return Ok(Some(ctx.arena.string(&String::from_utf8_lossy(&bytes))));
    }
    right("substring", ctx, args)
}

pub(crate) fn slice_off<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let longer = match args {
        [array, start, end] if end.kind() == Kind::Number => {
            Some([*array, *start, ctx.arena.int(end.as_i64().unwrap_or(0).saturating_add(1))])
        }
        _ => None,
    };
    right("array.slice", ctx, longer.as_ref().map_or(args, |it| it.as_slice()))
}
