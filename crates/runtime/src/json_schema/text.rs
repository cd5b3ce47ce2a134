//! Keywords of strings: `minLength`, `maxLength`, `pattern`.
//!
//! Apart from formats, which other types may have too. Patterns are Go's regular expressions.

use lictor_value::Value;

use super::check::Checker;
use super::outcome::Outcome;
use super::read::{Place, Reader};
use crate::go::regex::Regex;

/// What strings must be.
#[derive(Debug)]
pub(super) struct Rules {
    min_length: Option<u64>,
    max_length: Option<u64>,
    pattern: Option<(String, Regex)>,
}

impl Rules {
    pub(super) fn read(reader: &Reader<'_>, place: Place) -> Result<Option<Self>, String> {
        let min_length = reader.count(place, "minLength")?;
        let max_length = reader.count(place, "maxLength")?;
        if min_length.zip(max_length).is_some_and(|(min, max)| min > max) {
            return Err("minLength cannot be greater than maxLength".to_owned());
        }
        let pattern = match reader.string(place, "pattern")? {
            None => None,
            Some(text) => {
                let regex = Regex::new(text).map_err(|_| "pattern must be a valid regex".to_owned())?;
                Some((text.to_owned(), regex))
            }
        };
        let any = min_length.is_some() || max_length.is_some() || pattern.is_some();
        Ok(any.then_some(Self { min_length, max_length, pattern }))
    }

    pub(super) fn check(&self, checker: &Checker<'_, '_>, value: Value<'_>, out: &mut Outcome) {
        let text = value.as_str().unwrap_or("");
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if let Some(min) = self.min_length.filter(|it| length < *it) {
            checker.fail(out, "string_gte", format!("String length must be greater than or equal to {min}"));
        }
        if let Some(max) = self.max_length.filter(|it| length > *it) {
            checker.fail(out, "string_lte", format!("String length must be less than or equal to {max}"));
        }
        if let Some((pattern, _)) = self.pattern.as_ref().filter(|it| !it.1.is_match(text)) {
            checker.fail(out, "pattern", format!("Does not match pattern '{pattern}'"));
        }
        out.count();
    }
}
