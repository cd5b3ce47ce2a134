//! JSON text: `json.marshal*`, `json.unmarshal`, `json.is_valid`.
//!
//! Reading and compact writing are the value crate's; here are options, layout and OPA's error texts. Paths and
//! patches, which share the prefix of the name, stand in `paths` and `patch`.

use std::fmt::Display;

use lictor_value::number::check_json_number;
use lictor_value::{Value, json};

use crate::builtin::Builtin;
use crate::builtins::graphs::walk_with;
use crate::builtins::operands::{Answer, answer, answer_bool, any, object, string};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("json.marshal", "any -> str", marshal),
    Builtin::pure(
        "json.marshal_with_options",
        "any, {indent:str,prefix:str,pretty:bool,str:any} -> str",
        marshal_with_options,
    ),
    Builtin::pure("json.unmarshal", "str -> any", |ctx, args| answer(read(ctx, string(args, 0)?)?)),
    Builtin::pure("json.is_valid", "str -> bool", |_, args| {
        answer_bool(any(args, 0).as_str().is_some_and(|it| json::is_valid(it.as_bytes())))
    }),
];

/// Reads JSON text; numbers of absurd magnitude are refused.
pub(crate) fn read<'e>(ctx: Context<'e>, text: &str) -> Result<Value<'e>, BuiltinError> {
    let value = json::read(text.as_bytes(), ctx.arena).map_err(|it| BuiltinError::value(it.to_string()))?;
    check_numbers(ctx, text, value)?;
    Ok(value)
}

/// Refuses a value that was read from the text if a number in it has an absurd magnitude.
pub(crate) fn check_numbers<'e>(ctx: Context<'e>, text: &str, value: Value<'e>) -> Result<(), BuiltinError> {
    // Only an exponent makes a magnitude absurd.
    if !text.contains(['e', 'E']) {
        return Ok(());
    }
    let mut fault = None;
    walk_with(ctx, value, |_, it| {
        let number = it.number_text();
        fault = fault.or_else(|| number.and_then(|it| check_json_number(&it).err()));
    })?;
    match fault {
        Some(fault) => Err(BuiltinError::value(format!("invalid number: {fault}"))),
        None => Ok(()),
    }
}

fn marshal<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    answer(ctx.arena.string(&ctx.json_text(any(args, 0))))
}

struct Options {
    indent: String,
    prefix: String,
    pretty: bool,
}

/// Either of `indent` and `prefix` makes the text pretty unless `pretty` says otherwise.
fn options<'e>(args: &[Value<'e>]) -> Result<Options, BuiltinError> {
    let mut options = Options { indent: "\t".to_owned(), prefix: String::new(), pretty: false };
    let mut explicit = None;
    for (index, (key, value)) in object(args, 1)?.iter().enumerate() {
        // OPA counts operands of its inner messages from the position of the key.
        let cast = |it: Value<'_>| format!("operand {index} must be string but got {}", it.kind().name());
        let Some(name) = key.as_str() else {
            return fail(format!("failed to stringify key {key} at index {index}: {}", cast(key)));
        };
        match name {
            "prefix" | "indent" => {
                let Some(text) = value.as_str() else {
                    return fail(format!("key {key} failed cast to string: {}", cast(value)));
                };
                let slot = if name == "prefix" { &mut options.prefix } else { &mut options.indent };
                text.clone_into(slot);
                options.pretty = true;
            }
            "pretty" => match value.as_bool() {
                Some(pretty) => explicit = Some(pretty),
                None => return fail(format!("key {key} failed cast to bool")),
            },
            _ => return fail(format!("object contained unknown key {key}")),
        }
    }
    options.pretty = explicit.unwrap_or(options.pretty);
    Ok(options)
}

fn fail<T>(message: impl Display) -> Result<T, BuiltinError> {
    Err(BuiltinError::new(ErrorKind::Type, format!("operand 2 {message}")))
}

fn marshal_with_options<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let options = options(args)?;
    let text = ctx.json_text(any(args, 0));
    if !options.pretty {
        return answer(ctx.arena.string(&text));
    }
    answer(ctx.arena.string(&indented(&text, &options)))
}

/// Lays out JSON text as Go's encoder does; the first line too gets the prefix.
fn indented(compact: &str, options: &Options) -> String {
    let mut out = options.prefix.clone();
    let mut depth = 0_usize;
    let (mut in_string, mut escaped, mut just_opened) = (false, false, false);
    let new_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&options.prefix);
        (0..depth).for_each(|_| out.push_str(&options.indent));
    };
    for it in compact.chars() {
        if in_string {
            out.push(it);
            in_string = escaped || it != '"';
            escaped = !escaped && it == '\\';
            continue;
        }
        if matches!(it, ']' | '}') {
            depth = depth.saturating_sub(1);
            if !just_opened {
                new_line(&mut out, depth);
            }
            just_opened = false;
            out.push(it);
            continue;
        }
        if just_opened {
            new_line(&mut out, depth);
            just_opened = false;
        }
        out.push(it);
        match it {
            '"' => in_string = true,
            '[' | '{' => {
                depth += 1;
                just_opened = true;
            }
            ',' => new_line(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out
}
