//! YAML text: `yaml.*`, over the reader and writer in `go::yaml`.
//!
//! Their tree knows no values, so this file converts both ways: what JSON cannot say (sets, keys that are no
//! strings) is written as JSON would write it.

use std::collections::BTreeMap;

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::json::check_numbers;
use crate::builtins::operands::{answer, answer_bool, any, items, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::yaml::{Yaml, YamlError, parse, write};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("yaml.marshal", "any -> str", |ctx, args| {
        let fault = |it: YamlError| BuiltinError::value(it.to_string());
        let json = ctx.json_text(any(args, 0));
        // OPA reads the JSON as YAML first, which takes some characters for something else.
        let value = if json.contains(is_odd) { parse(&json).map_err(fault)? } else { yaml(any(args, 0), 0)? };
        answer(ctx.arena.string(&write(&value).map_err(fault)?))
    }),
    Builtin::pure("yaml.unmarshal", "str -> any", |ctx, args| answer(read(ctx, string(args, 0)?)?)),
    Builtin::pure("yaml.is_valid", "str -> bool", |_, args| {
        answer_bool(any(args, 0).as_str().is_some_and(|it| parse(it).is_ok()))
    }),
];

/// Reads YAML text; numbers of absurd magnitude are refused.
pub(crate) fn read<'e>(ctx: Context<'e>, text: &str) -> Result<Value<'e>, BuiltinError> {
    let parsed = parse(text).map_err(|it| BuiltinError::value(it.to_string()))?;
    let value = value(ctx, &parsed);
    check_numbers(ctx, text, value)?;
    Ok(value)
}

/// Says whether a character inside JSON is no plain character to YAML.
fn is_odd(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Values are written down to this depth.
const DEPTH_MAX: u32 = 500;

/// Returns what a value is as JSON: keys that are no strings become their JSON text.
fn yaml(value: Value<'_>, depth: u32) -> Result<Yaml, BuiltinError> {
    if depth > DEPTH_MAX {
        return Err(BuiltinError::value("document is nested too deeply"));
    }
    Ok(match value.kind() {
        Kind::Null => Yaml::Null,
        Kind::Boolean => Yaml::Bool(value.is_true()),
        Kind::Number => Yaml::Number(value.number_text().map_or_else(String::new, |it| it.to_string())),
        Kind::String => Yaml::String(value.as_str().unwrap_or("").to_owned()),
        Kind::Array | Kind::Set => {
            let children = items(value).into_iter().flat_map(|it| it.iter());
            Yaml::Array(children.map(|it| yaml(it, depth + 1)).collect::<Result<_, _>>()?)
        }
        Kind::Object => {
            let mut entries = BTreeMap::new();
            for (key, child) in value.as_object().into_iter().flat_map(|it| it.iter()) {
                let key = key.as_str().map_or_else(|| key.to_json(), str::to_owned);
                entries.insert(key, yaml(child, depth + 1)?);
            }
            Yaml::Object(entries.into_iter().collect())
        }
    })
}

fn value<'e>(ctx: Context<'e>, yaml: &Yaml) -> Value<'e> {
    match yaml {
        Yaml::Null => Value::NULL,
        Yaml::Bool(value) => Value::bool(*value),
        Yaml::Number(text) => ctx.arena.number_text(text),
        Yaml::String(text) => ctx.arena.string(text),
        Yaml::Array(children) => {
            let mut list = ctx.list();
            list.extend(children.iter().map(|it| value(ctx, it)));
            ctx.arena.array(&list)
        }
        Yaml::Object(entries) => {
            let mut pairs = ctx.pairs();
            pairs.extend(entries.iter().map(|(key, it)| (ctx.arena.string(key), value(ctx, it))));
            ctx.arena.object(&mut pairs)
        }
    }
}
