//! JSON text: `json.marshal*`, `json.unmarshal`, `json.is_valid`.

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, any, object};
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
];

fn compact<'e>(ctx: Context<'e>, value: Value<'e>) -> String {
    let mut bytes = std::mem::take(&mut *ctx.text()).into_bytes();
    value.write_json(&mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

fn marshal<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut text = ctx.text();
    *text = compact(ctx, any(args, 0));
    answer(ctx.arena.string(&text))
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

fn fail<T>(message: String) -> Result<T, BuiltinError> {
    Err(BuiltinError::new(ErrorKind::Type, format!("operand 2 {message}")))
}

fn marshal_with_options<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let options = options(args)?;
    let text = compact(ctx, any(args, 0));
    answer(ctx.arena.string(&if options.pretty { indented(&text, &options) } else { text }))
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
