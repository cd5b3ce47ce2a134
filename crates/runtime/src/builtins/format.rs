//! `sprintf`, over the formatter in `go::fmt`.
//!
//! Formats of plain `%s`, `%d` and `%v` are written straight into the result; all else, wrong verbs included, is
//! left to the formatter.

use lictor_value::{Array, Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, array, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::fmt::{self, Arg};
use crate::scratch::Text;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[Builtin::pure("sprintf", "str, [any*] -> str", sprintf)];

/// No result is longer.
const BYTES_MAX: usize = 1 << 28;

fn sprintf<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (format, items) = (string(args, 0)?, array(args, 1)?);
    if let Some(text) = plain(ctx, format, items) {
        return answer(ctx.arena.string(&text));
    }
    let mut values = ctx.list();
    values.extend(items.iter());
    let texts: Vec<Option<Text<'e>>> = values.iter().map(|it| composite_text(ctx, *it)).collect();
    let numbers: Vec<_> = values.iter().map(Value::number_text).collect();
    let printed: Vec<Arg<'_>> = values
        .iter()
        .zip(&texts)
        .zip(&numbers)
        .map(|((value, text), number)| match (number, text) {
            (Some(number), _) => Arg::number(number),
            (None, Some(text)) => Arg::Str(text),
            (None, None) => Arg::Str(value.as_str().unwrap_or("")),
        })
        .collect();
    match fmt::sprintf(format, &printed, BYTES_MAX) {
        Ok(text) => answer(ctx.arena.string(&text)),
        Err(error) => Err(BuiltinError::value(error.to_string())),
    }
}

/// Returns the Rego text of what is neither string nor number.
fn composite_text<'e>(ctx: Context<'e>, value: Value<'e>) -> Option<Text<'e>> {
    if matches!(value.kind(), Kind::String | Kind::Number) {
        return None;
    }
    let mut text = ctx.text();
    ctx.push_rego(&mut text, value);
    Some(text)
}

/// Formats if every verb is plain, fits its argument, and every argument is used once.
fn plain<'e>(ctx: Context<'e>, format: &str, items: Array<'e>) -> Option<Text<'e>> {
    let mut out = ctx.text();
    let mut rest = format;
    let mut used = 0;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let verb = after.chars().next()?;
        rest = after.get(1..).filter(|_| verb.is_ascii())?;
        if verb == '%' {
            out.push('%');
            continue;
        }
        push_plain(ctx, &mut out, verb, items.get(used)?)?;
        used += 1;
    }
    out.push_str(rest);
    (used == items.len()).then_some(out)
}

fn push_plain<'e>(ctx: Context<'e>, out: &mut Text<'e>, verb: char, value: Value<'e>) -> Option<()> {
    match (verb, value.kind()) {
        ('s' | 'v', Kind::String) => out.push_str(value.as_str()?),
        ('d' | 'v', Kind::Number) => {
            let int = value.as_i64()?;
            // `-0` prints as 0.
            match value.number_text() {
                Some(text) if int != 0 => out.push_str(&text),
                _ => out.push('0'),
            }
        }
        ('s' | 'v', Kind::Null | Kind::Boolean | Kind::Array | Kind::Object | Kind::Set) => {
            ctx.push_rego(out, value);
        }
        _ => return None,
    }
    Some(())
}
