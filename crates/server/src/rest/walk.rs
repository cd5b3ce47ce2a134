//! Follows the keys of a path into a value, as far as they cannot be part of a document's name.
//!
//! Apart because paths of requests may hold any text while documents have names. It looks things up and never
//! evaluates.

use lictor::{Kind, Value};

/// Returns what is at a path in a value; a whole number is an index, a member, or a key of either type.
pub(crate) fn follow<'e>(value: Value<'e>, keys: &[String]) -> Option<Value<'e>> {
    keys.iter().try_fold(value, |value, key| step(value, key))
}

fn step<'e>(value: Value<'e>, key: &str) -> Option<Value<'e>> {
    let number: Option<i64> = key.parse().ok();
    match value.kind() {
        Kind::Array => value.as_array()?.get(usize::try_from(number?).ok()?),
        Kind::Object => {
            let object = value.as_object()?;
            let by_number = || {
                let number = number?;
                // As OPA has it, `01` names the key `1`.
                let of_type = object.iter().find(|it| it.0.as_i64() == Some(number)).map(|it| it.1);
                of_type.or_else(|| object.get_str(&number.to_string()))
            };
            by_number().or_else(|| object.get_str(key))
        }
        Kind::Set => {
            let mut members = value.as_set()?.iter();
            match number {
                Some(number) => members.find(|it| it.as_i64() == Some(number)),
                None => members.find(|it| it.as_str() == Some(key)),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_value::json;

    #[test]
    fn keys_lead_into_values() {
        let document = json::read_document(br#"{"1": "y", "k": [10, 20], "x": {"5": 6}}"#).expect("JSON");
        let at = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|it| (*it).to_owned()).collect();
            follow(document.root(), &keys).map(|it| it.to_json())
        };
        assert_eq!(at(&["01"]).as_deref(), Some("\"y\""));
        assert_eq!(at(&["k", "1"]).as_deref(), Some("20"));
        assert_eq!(at(&["k", "2"]), None);
        assert_eq!(at(&["k", "-1"]), None);
        assert_eq!(at(&["x", "5"]).as_deref(), Some("6"));
    }
}
