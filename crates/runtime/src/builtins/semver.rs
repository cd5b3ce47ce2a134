//! Semantic versions: `semver.compare` and `semver.is_valid`. A leading `v` is allowed.
//!
//! The rules are OPA's, which differ from the specification in what is accepted: numbers beyond 64 bits are
//! refused, and long ones in a pre-release count as the greatest.

use std::cmp::Ordering;

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, string};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("semver.compare", "str, str -> num", compare),
    Builtin::pure("semver.is_valid", "any -> bool", |_, args| {
        answer_bool(any(args, 0).as_str().is_some_and(|it| Version::parse(it).is_some()))
    }),
];

/// A version without its metadata, which does not count.
struct Version<'a> {
    numbers: [i64; 3],
    pre_release: &'a str,
}

fn compare<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let invalid = |index: usize| {
        let mut shown = String::new();
        ctx.push_rego(&mut shown, any(args, index));
        BuiltinError::value(format!("operand {}: string {shown} is not a valid SemVer", index + 1))
    };
    let (left, right) = (string(args, 0)?, string(args, 1)?);
    let left = Version::parse(left).ok_or_else(|| invalid(0))?;
    let right = Version::parse(right).ok_or_else(|| invalid(1))?;
    answer(ctx.arena.int(match left.order(&right) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

impl<'a> Version<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, metadata) = cut(text, '+');
        let (text, pre_release) = cut(text, '-');
        let is_valid = metadata.is_none_or(is_identifiers)
            && pre_release.is_none_or(|it| is_identifiers(it) && !it.split('.').any(has_leading_zero));
        let mut numbers = text.split('.');
        let mut next = || numbers.next().and_then(number);
        let version = Self { numbers: [next()?, next()?, next()?], pre_release: pre_release.unwrap_or("") };
        (is_valid && numbers.next().is_none()).then_some(version)
    }

    fn order(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            match (self.pre_release.is_empty(), other.pre_release.is_empty()) {
                (false, false) => compare_pre_releases(self.pre_release, other.pre_release),
                // A version is above its pre-releases.
                (without, other_without) => without.cmp(&other_without),
            }
        })
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn number(text: &str) -> Option<i64> {
    let plain = text.bytes().all(|it| it.is_ascii_digit()) && !has_leading_zero(text);
    text.parse().ok().filter(|_| plain)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && is_number(text)
}

fn is_identifiers(text: &str) -> bool {
    text.split('.')
        .all(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
}

/// Numbers are below texts, and of equal beginnings the longer one is above.
fn compare_pre_releases(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (is_number(a), is_number(b)) {
                (true, true) => saturated(a).cmp(&saturated(b)),
                (false, false) => a.cmp(b),
                (number, other) => other.cmp(&number),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn saturated(digits: &str) -> i64 {
    digits.parse().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_follows_precedence() {
        let rising = [
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-10",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0",
            "v1.0.1+meta",
            "1.2.0",
            "1.10.0",
        ];
        let versions: Vec<Version<'_>> = rising.iter().filter_map(|it| Version::parse(it)).collect();
        assert_eq!(versions.len(), rising.len());
        assert!(versions.windows(2).all(|it| it[0].order(&it[1]) == Ordering::Less));
    }

    #[test]
    fn faults_are_found() {
        for text in [
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "01.2.3",
            "1.2.3-",
            "1.2.3-01",
            "1.2.3+",
            "1.2.+3",
            "a.b.c",
            "1.2.3-a..b",
            "1.2.99999999999999999999",
            "vv1.2.3",
            "1.-2.3",
        ] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
    }
}
