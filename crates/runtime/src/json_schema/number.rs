//! Keywords of numbers: `multipleOf`, `minimum`, `maximum` and the exclusive ones.
//!
//! Apart because the exclusive ones mean another thing in draft 4, where they are true or false. Numbers compare
//! exactly.

use lictor_value::Value;

use super::check::Checker;
use super::decimal::Decimal;
use super::document::Node;
use super::meta::Draft;
use super::outcome::Outcome;
use super::read::{Place, Reader, invalid_type};

/// What numbers must be.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rules {
    multiple_of: Option<Decimal>,
    minimum: Option<Decimal>,
    exclusive_minimum: Option<Decimal>,
    maximum: Option<Decimal>,
    exclusive_maximum: Option<Decimal>,
}

/// Returns a number for comparison; none if its exponent is absurd.
pub(super) fn read(value: Value<'_>) -> Option<Decimal> {
    value.number_text().and_then(|it| Decimal::read(&it))
}

impl Rules {
    pub(super) fn read(reader: &Reader<'_>, place: Place) -> Result<Option<Self>, String> {
        let mut rules = Self::default();
        if reader.member(place, "multipleOf").is_some() {
            let of =
                number(reader, place, "multipleOf").ok_or_else(|| invalid_type("Number", "multipleOf"))?;
            if !of.is_positive() {
                return Err("multipleOf must be strictly greater than 0".to_owned());
            }
            rules.multiple_of = Some(of);
        }
        (rules.minimum, rules.exclusive_minimum) = bound(reader, place, ["minimum", "exclusiveMinimum"])?;
        (rules.maximum, rules.exclusive_maximum) = bound(reader, place, ["maximum", "exclusiveMaximum"])?;
        Ok((rules != Self::default()).then_some(rules))
    }

    pub(super) fn check(&self, checker: &Checker<'_, '_>, value: &Decimal, out: &mut Outcome) {
        let mut fail = |failed: bool, kind: &'static str, text: &str, bound: &Decimal| {
            if failed {
                checker.fail(out, kind, format!("{text} {}", bound.shown()));
            }
        };
        if let Some(of) = &self.multiple_of {
            fail(!value.is_multiple_of(of), "multiple_of", "Must be a multiple of", of);
        }
        if let Some(maximum) = &self.maximum {
            fail(value > maximum, "number_lte", "Must be less than or equal to", maximum);
        }
        if let Some(maximum) = &self.exclusive_maximum {
            fail(value >= maximum, "number_lt", "Must be less than", maximum);
        }
        if let Some(minimum) = &self.minimum {
            fail(value < minimum, "number_gte", "Must be greater than or equal to", minimum);
        }
        if let Some(minimum) = &self.exclusive_minimum {
            fail(value <= minimum, "number_gt", "Must be greater than", minimum);
        }
        out.count();
    }
}

fn number(reader: &Reader<'_>, place: Place, key: &str) -> Option<Decimal> {
    match reader.pool.nodes.get(reader.member(place, key)?) {
        Node::Number(text) => Decimal::read(text),
        _ => None,
    }
}

type Bounds = (Option<Decimal>, Option<Decimal>);

/// Reads a bound and its exclusive form; returns both as numbers.
fn bound(reader: &Reader<'_>, place: Place, [key, exclusive_key]: [&str; 2]) -> Result<Bounds, String> {
    let mut bound = None;
    if reader.member(place, key).is_some() {
        bound = Some(number(reader, place, key).ok_or_else(|| format!("{key} must be of a Number"))?);
    }
    let Some(node) = reader.member(place, exclusive_key) else { return Ok((bound, None)) };
    let takes_bool = matches!(place.draft, Draft::Four | Draft::Mixed);
    match reader.pool.nodes.get(node) {
        Node::Bool(_) if takes_bool && bound.is_none() => {
            Err(format!("{exclusive_key} cannot be used without {key}"))
        }
        Node::Bool(true) if takes_bool => Ok((None, bound)),
        Node::Bool(false) if takes_bool => Ok((bound, None)),
        Node::Number(_) if place.draft != Draft::Four => Ok((bound, number(reader, place, exclusive_key))),
        _ => {
            let expected = match place.draft {
                Draft::Four => "boolean",
                Draft::Mixed => "boolean/number",
                Draft::Six | Draft::Seven => "number",
            };
            Err(invalid_type(expected, exclusive_key))
        }
    }
}
