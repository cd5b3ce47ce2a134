//! Replacement in strings: `replace` and `strings.replace_n`, with the rules of Go's replacer.
//!
//! At each byte the first of the patterns that matches is taken, and its match is not looked at again. An empty
//! pattern matches once at each byte, even inside a code point; what is torn so becomes U+FFFD.

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, any, object, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go_text::lossy;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("replace", "str, str, str -> str", replace),
    Builtin::pure("strings.replace_n", "{str:str}, str -> str", replace_n),
];

/// Matches are counted first where text and replacement could make more than this.
const UNCOUNTED_BYTES_MAX: usize = 1 << 24;

fn replace<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, old, new) = (string(args, 0)?, string(args, 1)?, string(args, 2)?);
    if old.is_empty() {
        return replace_all(ctx, text, &[(old, new)]).map(Some);
    }
    if text.len().saturating_mul(new.len()) > UNCOUNTED_BYTES_MAX {
        let matches = memchr::memmem::find_iter(text.as_bytes(), old.as_bytes()).count();
        let kept = text.len() - matches * old.len();
        ctx.check_text(kept.saturating_add(matches.saturating_mul(new.len())))?;
    }
    let mut out = ctx.text();
    let mut start = 0;
    for found in memchr::memmem::find_iter(text.as_bytes(), old.as_bytes()) {
        out.push_str(text.get(start..found).unwrap_or(""));
        out.push_str(new);
        start = found + old.len();
    }
    if start == 0 {
        return answer(any(args, 0));
    }
    out.push_str(text.get(start..).unwrap_or(""));
    answer(ctx.arena.string(&out))
}

fn replace_n<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let patterns = object(args, 0)?;
    let text = string(args, 1)?;
    let mut pairs = ctx.pairs();
    for (old, new) in patterns.iter() {
        if !old.is_string() {
            return Err(BuiltinError::operand_text(1, "non-string key found in pattern object"));
        }
        if !new.is_string() {
            return Err(BuiltinError::operand_text(1, "non-string value found in pattern object"));
        }
        pairs.push((old, new));
    }
    let pairs: Vec<(&str, &str)> =
        pairs.iter().filter_map(|it| Some((it.0.as_str()?, it.1.as_str()?))).collect();
    replace_all(ctx, text, &pairs).map(Some)
}

/// Replaces the patterns, of which the first that matches is taken.
fn replace_all<'e>(ctx: Context<'e>, text: &str, pairs: &[(&str, &str)]) -> Result<Value<'e>, BuiltinError> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut was_empty) = (0, false);
    let mut torn = false;
    while let Some(rest) = bytes.get(at..) {
        let found =
            pairs.iter().find(|it| rest.starts_with(it.0.as_bytes()) && !(was_empty && it.0.is_empty()));
        match found {
            Some((old, new)) => {
                torn |= old.is_empty() && !text.is_char_boundary(at);
                out.extend_from_slice(new.as_bytes());
                ctx.check_text(out.len())?;
                at += old.len();
                was_empty = old.is_empty();
            }
            None => {
                out.extend(rest.first());
                at += 1;
                was_empty = false;
            }
        }
    }
    if torn {
        return Ok(ctx.arena.string(&lossy(&out)));
    }
    Ok(ctx.arena.string(std::str::from_utf8(&out).unwrap_or(text)))
}
