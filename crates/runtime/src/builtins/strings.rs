//! Strings: search, parts, trimming, case. Replacement stands in `replacement`, `sprintf` in `format`.
//!
//! Positions and lengths count code points.

use std::cmp::Ordering;

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, Items, answer, answer_bool, any, collection, int, items, string};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("concat", "str, [str*]/set[str] -> str", concat),
    Builtin::pure("contains", "str, str -> bool", |_, args| test(args, contains)),
    Builtin::pure("endswith", "str, str -> bool", |_, args| test(args, |a, b| a.ends_with(b))),
    Builtin::pure("startswith", "str, str -> bool", |_, args| test(args, |a, b| a.starts_with(b))),
    Builtin::pure("indexof", "str, str -> num", indexof),
    Builtin::pure("indexof_n", "str, str -> [num*]", indexof_n),
    Builtin::pure("lower", "str -> str", |ctx, args| convert_case(ctx, args, &LOWER)),
    Builtin::pure("upper", "str -> str", |ctx, args| convert_case(ctx, args, &UPPER)),
    Builtin::pure("split", "str, str -> [str*]", split),
    Builtin::pure("strings.split_n", "str, str, num -> [str*]", split_n),
    Builtin::pure("substring", "str, num, num -> str", substring),
    Builtin::pure("strings.any_prefix_match", AFFIX_TYPES, |ctx, args| any_affix(ctx, args, &PREFIX)),
    Builtin::pure("strings.any_suffix_match", AFFIX_TYPES, |ctx, args| any_affix(ctx, args, &SUFFIX)),
    Builtin::pure("strings.count", "str, str -> num", count),
    Builtin::pure("strings.reverse", "str -> str", reverse),
    Builtin::pure("trim", "str, str -> str", |ctx, args| {
        trim(ctx, args, |text, set| text.trim_matches(|it| set.contains(it)))
    }),
    Builtin::pure("trim_left", "str, str -> str", |ctx, args| {
        trim(ctx, args, |text, set| text.trim_start_matches(|it| set.contains(it)))
    }),
    Builtin::pure("trim_right", "str, str -> str", |ctx, args| {
        trim(ctx, args, |text, set| text.trim_end_matches(|it| set.contains(it)))
    }),
    Builtin::pure("trim_prefix", "str, str -> str", |ctx, args| {
        trim(ctx, args, |text, affix| text.strip_prefix(affix).unwrap_or(text))
    }),
    Builtin::pure("trim_suffix", "str, str -> str", |ctx, args| {
        trim(ctx, args, |text, affix| text.strip_suffix(affix).unwrap_or(text))
    }),
    Builtin::pure("trim_space", "str -> str", |ctx, args| {
        let text = string(args, 0)?;
        part(ctx, args, text.trim())
    }),
];

const AFFIX_TYPES: &str = "str/[str*]/set[str], str/[str*]/set[str] -> bool";

fn test<'e>(args: &[Value<'e>], holds: impl Fn(&str, &str) -> bool) -> Answer<'e> {
    answer_bool(holds(string(args, 0)?, string(args, 1)?))
}

fn contains(text: &str, part: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

/// Answers a part of operand 1, which itself is the answer if nothing was cut.
fn part<'e>(ctx: Context<'e>, args: &[Value<'e>], part: &str) -> Answer<'e> {
    if any(args, 0).as_str().is_some_and(|it| it.len() == part.len()) {
        return answer(any(args, 0));
    }
    answer(ctx.arena.string(part))
}

fn trim<'e>(
    ctx: Context<'e>,
    args: &[Value<'e>],
    cut: impl for<'t> Fn(&'t str, &str) -> &'t str,
) -> Answer<'e> {
    let (text, what) = (string(args, 0)?, string(args, 1)?);
    part(ctx, args, cut(text, what))
}

fn concat<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let separator = string(args, 0)?;
    let parts = collection(args, 1, &["set", "array"])?;
    if parts.len() == 1
        && let Some(only) = parts.get(0).filter(|it| it.is_string())
    {
        return answer(only);
    }
    let mut text = ctx.text();
    for (index, item) in parts.iter().enumerate() {
        if index > 0 {
            text.push_str(separator);
        }
        text.push_str(element(parts, 2, &item)?);
        ctx.check_text(text.len())?;
    }
    answer(ctx.arena.string(&text))
}

fn element<'a>(items: Items<'_>, position: usize, item: &'a Value<'_>) -> Result<&'a str, BuiltinError> {
    item.as_str().ok_or_else(|| BuiltinError::element(position, items.kind(), &["string"], item.kind()))
}

fn searched<'a>(args: &'a [Value<'_>]) -> Result<(&'a str, &'a str), BuiltinError> {
    match (string(args, 0)?, string(args, 1)?) {
        (_, "") => Err(BuiltinError::value("empty search character")),
        both => Ok(both),
    }
}

fn code_points(text: &str) -> i64 {
    let len = if text.is_ascii() { text.len() } else { text.chars().count() };
    i64::try_from(len).unwrap_or(i64::MAX)
}

fn indexof<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, part) = searched(args)?;
    let found = memchr::memmem::find(text.as_bytes(), part.as_bytes());
    answer(ctx.arena.int(found.and_then(|it| text.get(..it)).map_or(-1, code_points)))
}

/// Matches may overlap.
fn indexof_n<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, part) = searched(args)?;
    let mut list = ctx.list();
    let (mut start, mut position) = (0, 0);
    while let Some(rest) = text.get(start..)
        && let Some(found) = memchr::memmem::find(rest.as_bytes(), part.as_bytes())
    {
        position += rest.get(..found).map_or(0, code_points);
        list.push(ctx.arena.int(position));
        let width = rest.get(found..).and_then(|it| it.chars().next()).map_or(1, char::len_utf8);
        start += found + width;
        position += 1;
    }
    answer(ctx.arena.array(&list))
}

/// One direction of case conversion.
struct Case {
    map: fn(char) -> char,
    is_other: fn(&u8) -> bool,
    map_ascii: fn(&mut str),
}

const LOWER: Case =
    Case { map: lower, is_other: u8::is_ascii_uppercase, map_ascii: str::make_ascii_lowercase };
const UPPER: Case =
    Case { map: upper, is_other: u8::is_ascii_lowercase, map_ascii: str::make_ascii_uppercase };

fn convert_case<'e>(ctx: Context<'e>, args: &[Value<'e>], case: &Case) -> Answer<'e> {
    let text = string(args, 0)?;
    let mut out = ctx.text();
    if text.is_ascii() {
        if !text.as_bytes().iter().any(case.is_other) {
            return answer(any(args, 0));
        }
        out.push_str(text);
        (case.map_ascii)(&mut out);
    } else {
        out.extend(text.chars().map(case.map));
        if *out == text {
            return answer(any(args, 0));
        }
    }
    answer(ctx.arena.string(&out))
}

/// Maps one code point to one, as Go does.
fn lower(it: char) -> char {
    if it.is_ascii() {
        return it.to_ascii_lowercase();
    }
    if it == '\u{130}' {
        return 'i';
    }
    let mut mapped = it.to_lowercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => it,
    }
}

/// Maps one code point to one, as Go does: what would become several stays, or takes its title case.
fn upper(it: char) -> char {
    if it.is_ascii() {
        return it.to_ascii_uppercase();
    }
    let mut mapped = it.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => match it {
            '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => {
                char::from_u32(u32::from(it) + 8).unwrap_or(it)
            }
            '\u{1fb3}' => '\u{1fbc}',
            '\u{1fc3}' => '\u{1fcc}',
            '\u{1ff3}' => '\u{1ffc}',
            _ => it,
        },
    }
}

/// Appends the parts of a text between separators; an empty separator stands between all code points.
fn push_parts<'e>(
    ctx: Context<'e>,
    list: &mut Vec<Value<'e>>,
    text: &str,
    separator: &str,
) -> Result<(), BuiltinError> {
    // Short separators make values that take more room than the text.
    ctx.check_text(text.len() / separator.len().max(1) * size_of::<Value<'_>>())?;
    if separator.is_empty() {
        let mut bytes = [0; 4];
        list.extend(text.chars().map(|it| ctx.arena.string(it.encode_utf8(&mut bytes))));
        return Ok(());
    }
    let mut start = 0;
    for end in memchr::memmem::find_iter(text.as_bytes(), separator.as_bytes()) {
        list.push(ctx.arena.string(text.get(start..end).unwrap_or("")));
        start = end + separator.len();
    }
    list.push(ctx.arena.string(text.get(start..).unwrap_or("")));
    Ok(())
}

fn split<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, separator) = (string(args, 0)?, string(args, 1)?);
    if !contains(text, separator) {
        return answer(ctx.arena.array(&[any(args, 0)]));
    }
    let mut list = ctx.list();
    push_parts(ctx, &mut list, text, separator)?;
    answer(ctx.arena.array(&list))
}

/// The first `n` parts, or the last `-n`.
fn split_n<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, separator, wanted) = (string(args, 0)?, string(args, 1)?, int(args, 2)?);
    let mut list = ctx.list();
    push_parts(ctx, &mut list, text, separator)?;
    let count = usize::try_from(wanted.unsigned_abs()).unwrap_or(usize::MAX).min(list.len());
    let parts = if wanted >= 0 { list.get(..count) } else { list.get(list.len() - count..) };
    answer(ctx.arena.array(parts.unwrap_or(&[])))
}

fn substring<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, start, len) = (string(args, 0)?, int(args, 1)?, int(args, 2)?);
    let Ok(start) = usize::try_from(start) else {
        return Err(BuiltinError::value("negative offset"));
    };
    let rest = skip_code_points(text, start);
    let taken = match usize::try_from(len) {
        Err(_) => rest,
        Ok(len) => {
            let after = skip_code_points(rest, len);
            rest.get(..rest.len() - after.len()).unwrap_or(rest)
        }
    };
    part(ctx, args, taken)
}

/// Returns the text after so many code points.
fn skip_code_points(text: &str, count: usize) -> &str {
    if let Some(rest) = text.get(count..)
        && text.as_bytes().get(..count).is_some_and(<[u8]>::is_ascii)
    {
        return rest;
    }
    match text.char_indices().nth(count) {
        Some((at, _)) => text.get(at..).unwrap_or(""),
        None => "",
    }
}

fn count<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (text, part) = (string(args, 0)?, string(args, 1)?);
    let count = if part.is_empty() {
        code_points(text) + 1
    } else {
        let found = memchr::memmem::find_iter(text.as_bytes(), part.as_bytes()).count();
        i64::try_from(found).unwrap_or(i64::MAX)
    };
    answer(ctx.arena.int(count))
}

fn reverse<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut text = ctx.text();
    text.extend(string(args, 0)?.chars().rev());
    answer(ctx.arena.string(&text))
}

/// One string, or the strings of a collection.
enum Strings<'e> {
    One(Value<'e>),
    Many(Items<'e>),
}

impl<'e> Strings<'e> {
    fn iter(&self) -> impl Iterator<Item = Value<'e>> {
        let (one, many) = match self {
            Self::One(value) => (Some(*value), None),
            Self::Many(items) => (None, Some(*items)),
        };
        one.into_iter().chain(many.into_iter().flat_map(Items::iter))
    }
}

fn strings<'e>(args: &[Value<'e>], index: usize) -> Result<Strings<'e>, BuiltinError> {
    let value = any(args, index);
    if value.kind() == Kind::String {
        return Ok(Strings::One(value));
    }
    let Some(items) = items(value) else {
        return Err(BuiltinError::operand(index + 1, &["string", "set", "array"], value));
    };
    for item in items.iter() {
        element(items, index + 1, &item)?;
    }
    Ok(Strings::Many(items))
}

/// A side of a string, and the order of strings as they are read from that side.
struct Affix {
    matches: fn(&str, &str) -> bool,
    order: fn(&str, &str) -> Ordering,
}

const PREFIX: Affix = Affix { matches: |text, affix| text.starts_with(affix), order: Ord::cmp };
const SUFFIX: Affix = Affix {
    matches: |text, affix| text.ends_with(affix),
    order: |a, b| a.bytes().rev().cmp(b.bytes().rev()),
};

/// Up to so many pairs are tried one by one.
const PAIRS_MAX: usize = 1 << 10;

fn any_affix<'e>(ctx: Context<'e>, args: &[Value<'e>], affix: &Affix) -> Answer<'e> {
    let (mut searched, mut affixes) = (ctx.list(), ctx.list());
    searched.extend(strings(args, 0)?.iter());
    affixes.extend(strings(args, 1)?.iter());
    if searched.len() * affixes.len() <= PAIRS_MAX {
        let matches = |text: &Value<'e>, part: &Value<'e>| match (text.as_str(), part.as_str()) {
            (Some(text), Some(part)) => (affix.matches)(text, part),
            _ => false,
        };
        return answer_bool(searched.iter().any(|text| affixes.iter().any(|part| matches(text, part))));
    }
    // A string with the affix comes directly at or after the affix itself.
    let mut sorted: Vec<&str> = searched.iter().filter_map(|it| it.as_str()).collect();
    sorted.sort_by(|a, b| (affix.order)(a, b));
    answer_bool(affixes.iter().filter_map(|it| it.as_str()).any(|part| {
        let at = sorted.partition_point(|it| (affix.order)(it, part) == Ordering::Less);
        sorted.get(at).is_some_and(|it| (affix.matches)(it, part))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_mapped_one_to_one() {
        for (text, want) in [("Straße", "STRAßE"), ("ŉǰᾀ", "ŉǰᾈ"), ("añb", "AÑB")] {
            assert_eq!(text.chars().map(upper).collect::<String>(), want);
        }
        assert_eq!("İΣÀ".chars().map(lower).collect::<String>(), "iσà");
    }

    #[test]
    fn code_points_are_skipped() {
        assert_eq!(skip_code_points("aéb", 2), "b");
        assert_eq!(skip_code_points("abc", 0), "abc");
        assert_eq!(skip_code_points("abc", 7), "");
    }
}
