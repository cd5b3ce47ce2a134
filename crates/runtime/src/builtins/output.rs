//! What policies say: `print`, `trace`, and template strings.
//!
//! The compiler turns `print` and template strings into calls with each argument as a set: empty where undefined.

use lictor_value::{Array, Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, array, string};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::impure("print", "any... -> -", |_, _| answer(Value::TRUE)),
    Builtin::impure("internal.print", "[set[any]*] -> -", print),
    Builtin::impure("internal.test_case", "[any*] -> -", test_case),
    Builtin::pure("internal.template_string", "[any*] -> str", template_string),
    Builtin::impure("trace", "str -> bool", trace),
];

fn trace<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    ctx.host.note(string(args, 0)?);
    answer(Value::TRUE)
}

/// Notes the case that a parametrised test is about to try.
fn test_case<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    ctx.caches.note_case(|| {
        let text = |it: Value<'e>| match it.as_str() {
            Some(text) => text.to_owned(),
            None => it.to_json(),
        };
        Ok(array(args, 0)?.iter().map(text).collect())
    })?;
    answer(Value::TRUE)
}

/// Prints a line for each combination of the arguments' values.
fn print<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    if !ctx.host.wants_print() {
        return answer(Value::TRUE);
    }
    let parts = array(args, 0)?;
    // The position of each part's value; the last part counts fastest.
    let mut chosen = vec![0; parts.len()];
    loop {
        let mut line = ctx.text();
        for (index, (part, choice)) in parts.iter().zip(&chosen).enumerate() {
            if index > 0 {
                line.push(' ');
            }
            push_part(ctx, &mut line, part, *choice)?;
        }
        ctx.caches.with_position(|position| ctx.host.print(position, &line));
        if ctx.host.cancelled() {
            return Err(BuiltinError::new(ErrorKind::HaltCancel, "caller cancelled query execution"));
        }
        if !advance(&mut chosen, parts) {
            return answer(Value::TRUE);
        }
    }
}

/// Goes on to the next combination; false after the last.
fn advance(chosen: &mut [usize], parts: Array<'_>) -> bool {
    for (index, choice) in chosen.iter_mut().enumerate().rev() {
        *choice += 1;
        if parts.get(index).and_then(Value::as_set).is_some_and(|it| *choice < it.len()) {
            return true;
        }
        *choice = 0;
    }
    false
}

fn template_string<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let parts = array(args, 0)?;
    if parts.iter().any(|it| it.as_set().is_some_and(|it| it.len() > 1)) {
        let message = "template-strings must not produce multiple outputs";
        return Err(BuiltinError::new(ErrorKind::HaltConflict, message));
    }
    let mut text = ctx.text();
    for part in parts.iter() {
        push_part(ctx, &mut text, part, 0)?;
    }
    answer(ctx.arena.string(&text))
}

/// Appends a scalar, or the chosen member of a set.
fn push_part<'e>(
    ctx: Context<'e>,
    out: &mut String,
    part: Value<'e>,
    choice: usize,
) -> Result<(), BuiltinError> {
    match part.kind() {
        Kind::Set => match part.as_set().and_then(|it| it.nth(choice)) {
            Some(member) => push_text(ctx, out, member),
            None => out.push_str("<undefined>"),
        },
        Kind::Array | Kind::Object => {
            let message = format!("illegal argument type: {}", part.kind().name());
            return Err(BuiltinError::new(ErrorKind::HaltInternal, message));
        }
        Kind::Null | Kind::Boolean | Kind::Number | Kind::String => push_text(ctx, out, part),
    }
    Ok(())
}

/// Appends a string as it is, anything else as a Rego term.
fn push_text<'e>(ctx: Context<'e>, out: &mut String, value: Value<'e>) {
    match value.as_str() {
        Some(text) => out.push_str(text),
        None => ctx.push_rego(out, value),
    }
}
