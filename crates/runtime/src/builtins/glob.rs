//! `glob.match` and `glob.quote_meta`, over the matcher in `go::glob`.
//!
//! This file reads the operands and keeps compiled patterns; how a pattern matches is the matcher's alone.

use std::sync::Arc;

use lictor_value::{Kind, Value};
use smallvec::SmallVec;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::glob::{Glob, is_plain_match, quote_meta};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("glob.match", "str, null/[str*], str -> bool", is_match),
    Builtin::pure("glob.quote_meta", "str -> str", |ctx, args| {
        answer(ctx.arena.string(&quote_meta(string(args, 0)?)))
    }),
];

type Delimiters = SmallVec<[char; 8]>;

fn is_match<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let pattern = string(args, 0)?;
    let delimiters = delimiters(any(args, 1))?;
    let text = string(args, 2)?;
    if let Some(matches) = is_plain_match(pattern, &delimiters, text) {
        return answer_bool(matches);
    }
    answer_bool(compiled(ctx, pattern, &delimiters)?.is_match(text))
}

/// Null means none, an empty array the dot.
fn delimiters(value: Value<'_>) -> Result<Delimiters, BuiltinError> {
    if value.is_null() {
        return Ok(Delimiters::new());
    }
    let Some(array) = value.as_array() else {
        return Err(BuiltinError::operand(2, &["array", "null"], value));
    };
    if array.is_empty() {
        return Ok(Delimiters::from_slice(&['.']));
    }
    array.iter().map(delimiter).collect()
}

fn delimiter(value: Value<'_>) -> Result<char, BuiltinError> {
    let Some(text) = value.as_str() else {
        return Err(BuiltinError::element(2, Kind::Array, &["string"], value.kind()));
    };
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(BuiltinError::element(2, Kind::Array, &["rune"], value.kind())),
    }
}

/// The key in the cache is the delimiters, a zero, and the pattern.
fn compiled(ctx: Context<'_>, pattern: &str, delimiters: &[char]) -> Result<Arc<Glob>, BuiltinError> {
    let mut key = ctx.text();
    key.extend(delimiters);
    key.push('\0');
    key.push_str(pattern);
    ctx.caches
        .globs
        .borrow_mut()
        .get_or_insert(&key, || Glob::new(pattern, delimiters))
        .map_err(|it| BuiltinError::value(it.to_string()))
}
