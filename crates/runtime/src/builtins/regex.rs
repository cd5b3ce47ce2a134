//! `regex.*`, over the Go-syntax engine in `go::regex`.
//!
//! This file reads the operands, keeps compiled patterns and builds the pattern of a template; what a pattern
//! means is the engine's alone.

use std::sync::Arc;

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, int, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::regex::{Regex, quote_meta};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("regex.match", "str, str -> bool", is_match),
    Builtin::pure("re_match", "str, str -> bool", is_match),
    Builtin::pure("regex.is_valid", "str -> bool", |_, args| {
        answer_bool(any(args, 0).as_str().is_some_and(Regex::is_valid))
    }),
    Builtin::pure("regex.find_n", "str, str, num -> [str*]", find_n),
    Builtin::pure("regex.find_all_string_submatch_n", "str, str, num -> [[str*]*]", find_all_submatch_n),
    Builtin::pure("regex.split", "str, str -> [str*]", split),
    Builtin::pure("regex.replace", "str, str, str -> str", replace),
    Builtin::pure("regex.template_match", "str, str, str, str -> bool", template_match),
];

/// Matches are counted first where text and template could make more than this.
const UNCOUNTED_BYTES_MAX: usize = 1 << 24;

fn compiled(ctx: Context<'_>, pattern: &str) -> Result<Arc<Regex>, BuiltinError> {
    ctx.caches
        .regexes
        .borrow_mut()
        .get_or_insert(pattern, || Regex::new(pattern))
        .map_err(|it| BuiltinError::value(it.to_string()))
}

fn is_match<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (pattern, text) = (string(args, 0)?, string(args, 1)?);
    answer_bool(compiled(ctx, pattern)?.is_match(text))
}

fn find_n<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (pattern, text, limit) = (string(args, 0)?, string(args, 1)?, int(args, 2)?);
    let mut list = ctx.list();
    compiled(ctx, pattern)?.each_match(text, limit, |part| list.push(ctx.arena.string(part)));
    answer(ctx.arena.array(&list))
}

fn find_all_submatch_n<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (pattern, text, limit) = (string(args, 0)?, string(args, 1)?, int(args, 2)?);
    let regex = compiled(ctx, pattern)?;
    let mut list = ctx.list();
    let mut groups = ctx.list();
    regex.each_submatch(text, limit, |parts| {
        groups.clear();
        groups.extend(parts.iter().map(|it| ctx.arena.string(it)));
        list.push(ctx.arena.array(&groups));
    });
    answer(ctx.arena.array(&list))
}

fn split<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (pattern, text) = (string(args, 0)?, string(args, 1)?);
    let mut list = ctx.list();
    compiled(ctx, pattern)?.each_part(text, -1, |part| list.push(ctx.arena.string(part)));
    answer(ctx.arena.array(&list))
}

fn replace<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, pattern, template) = (string(args, 0)?, string(args, 1)?, string(args, 2)?);
    let regex = compiled(ctx, pattern)?;
    if text.len().saturating_mul(template.len()) > UNCOUNTED_BYTES_MAX {
        let matches = regex.find_all_ranges(text, -1).len();
        let groups = template.bytes().filter(|it| *it == b'$').count();
        ctx.check_text((matches * template.len()).saturating_add(text.len().saturating_mul(groups + 1)))?;
    }
    let replaced = regex.replace_all(text, template);
    answer(if replaced == text { any(args, 0) } else { ctx.arena.string(&replaced) })
}

/// Matches a text of which only the parts between delimiters are patterns.
fn template_match<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (template, text) = (string(args, 0)?, string(args, 1)?);
    let (start, end) = (string(args, 2)?, string(args, 3)?);
    let ([start_byte], [end_byte]) = (start.as_bytes(), end.as_bytes()) else {
        // OPA counts the start delimiter in both texts.
        let which = if start.len() == 1 { "end" } else { "start" };
        return Err(BuiltinError::value(format!(
            "{which} delimiter has to be exactly one character long but is {} long",
            start.len()
        )));
    };
    let pattern = template_pattern(template, *start_byte, *end_byte)?;
    answer_bool(compiled(ctx, &pattern)?.is_match(text))
}

/// Returns the pattern of a template: what stands outside of delimiters is literal.
fn template_pattern(template: &str, start: u8, end: u8) -> Result<String, BuiltinError> {
    let mut pattern = "^".to_owned();
    let mut literal_from = 0;
    for (open, after) in delimited(template, start, end)? {
        let inner = template.get(open + 1..after - 1).unwrap_or("");
        pattern.push_str(&quote_meta(template.get(literal_from..open).unwrap_or("")));
        pattern.push_str(&format!("({inner})"));
        Regex::new(&format!("^{inner}$")).map_err(|it| BuiltinError::value(it.to_string()))?;
        literal_from = after;
    }
    pattern.push_str(&quote_meta(template.get(literal_from..).unwrap_or("")));
    pattern.push('$');
    Ok(pattern)
}

/// Returns the ranges of the outermost delimited parts, delimiters included.
fn delimited(template: &str, start: u8, end: u8) -> Result<Vec<(usize, usize)>, BuiltinError> {
    let unbalanced =
        || BuiltinError::value(format!("unbalanced braces in {}", crate::go_text::quote(template)));
    let (mut level, mut open) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, byte) in template.bytes().enumerate() {
        if byte == start {
            level += 1;
            if level == 1 {
                open = at;
            }
        } else if byte == end {
            level = level.checked_sub(1).ok_or_else(unbalanced)?;
            if level == 0 {
                parts.push((open, at + 1));
            }
        }
    }
    if level == 0 { Ok(parts) } else { Err(unbalanced()) }
}
