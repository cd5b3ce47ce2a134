//! Values from the types of an embedding program and back, through `serde`.
//!
//! What a type becomes is what its JSON text by `serde_json` would be read as, without the text: `None` is null, an
//! enum is its name or an object of one key, keys are strings. Apart from `json` because no text is involved.

mod from;
mod into;

use std::fmt;

use ::serde::Serialize;
use ::serde::de::{self, DeserializeOwned};
use ::serde::ser;

use crate::arena::Arena;
use crate::value::Value;

/// How deep a value of a program's types may nest, as in `serde_json`: its types recurse.
pub const DEPTH_MAX: usize = 128;

/// Why a value has no counterpart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SerdeError {
    message: String,
}

impl SerdeError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    fn too_deep() -> Self {
        Self::new(format!("value nests deeper than {DEPTH_MAX} levels"))
    }
}

impl fmt::Display for SerdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SerdeError {}

impl ser::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl de::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

/// Makes a value of a program's type in an arena.
///
/// ```
/// use lictor_value::{Arena, serde};
///
/// let arena = Arena::new();
/// let value = serde::to_value(&vec![("ann", 7), ("bob", 8)], &arena)?;
/// assert_eq!(value.to_json(), r#"[["ann",7],["bob",8]]"#);
/// let back: Vec<(String, u8)> = serde::from_value(value)?;
/// assert_eq!(back[1], ("bob".to_owned(), 8));
/// # Ok::<(), serde::SerdeError>(())
/// ```
///
/// # Errors
///
/// The type refuses, a key is no string, or the value nests deeper than [`DEPTH_MAX`].
pub fn to_value<'e, T>(value: &T, arena: &'e Arena) -> Result<Value<'e>, SerdeError>
where
    T: Serialize + ?Sized,
{
    value.serialize(into::Maker::new(arena))
}

/// Makes a program's type of a value; sets become sequences.
///
/// # Errors
///
/// The value is not what the type wants, or nests deeper than [`DEPTH_MAX`].
pub fn from_value<T: DeserializeOwned>(value: Value<'_>) -> Result<T, SerdeError> {
    T::deserialize(from::Reader::new(value))
}

impl Serialize for Value<'_> {
    /// Serializes as OPA's JSON: sets as sequences, keys that are no strings as their JSON text.
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        from::serialize(*self, serializer, 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ::serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Request {
        user: String,
        roles: Vec<Role>,
        age: Option<u8>,
        limits: BTreeMap<i32, f64>,
        big: u128,
        unit: (),
        pair: (bool, char),
    }

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    enum Role {
        Admin,
        Of(String),
        At(u8, i64),
        In { path: String },
    }

    fn request() -> Request {
        Request {
            user: "a user of some length".to_owned(),
            roles: vec![
                Role::Admin,
                Role::Of("x".to_owned()),
                Role::At(1, -2),
                Role::In { path: String::new() },
            ],
            age: None,
            limits: BTreeMap::from([(-1, 0.5), (2, 1.0), (3, 1.25e9)]),
            big: u128::MAX,
            unit: (),
            pair: (true, '\u{e9}'),
        }
    }

    #[test]
    fn types_become_what_their_json_is() {
        let arena = Arena::new();
        let value = to_value(&request(), &arena).expect("a value");
        let text = serde_json::to_string(&request()).expect("JSON");
        assert_eq!(value.to_json(), crate::json::read(text.as_bytes(), &arena).expect("JSON").to_json());
        let mut again = request();
        again.big = 7;
        let value = to_value(&again, &arena).expect("a value");
        assert_eq!(from_value::<Request>(value), Ok(again));
    }

    #[test]
    fn values_become_json_values() {
        let arena = Arena::new();
        let text =
            br#"{"a":[1,-2,1.5,18446744073709551615,"text of some length",null,true,{}],"b":{"c":[]}}"#;
        let value = crate::json::read(text, &arena).expect("JSON");
        let typed: serde_json::Value = from_value(value).expect("a value");
        assert_eq!(typed, serde_json::from_slice::<serde_json::Value>(text).expect("JSON"));
        assert_eq!(serde_json::to_value(value).expect("a value"), typed);
        assert_eq!(to_value(&typed, &arena), Ok(value));
        let set = arena.set(&mut vec![arena.int(2), arena.int(1)]);
        assert_eq!(from_value::<Vec<i32>>(set), Ok(vec![1, 2]));
        let keyed = arena.object(&mut vec![(set, arena.int(1)), (arena.int(5), arena.int(2))]);
        assert_eq!(serde_json::to_string(&keyed).expect("JSON"), r#"{"5":2,"[1,2]":1}"#);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let arena = Arena::new();
        assert!(to_value(&BTreeMap::from([(vec![1], 2)]), &arena).is_err());
        assert!(from_value::<u8>(arena.int(256)).is_err());
        assert!(from_value::<u8>(arena.string("1")).is_err());
        assert!(from_value::<f64>(arena.number_text("1e400")).is_err());
        assert!(from_value::<Role>(arena.string("Nobody")).is_err());
        assert_eq!(to_value(&f64::NAN, &arena), Ok(Value::NULL));
    }

    #[test]
    fn depth_is_limited() {
        let arena = Arena::new();
        let mut typed = serde_json::Value::Null;
        for _ in 0..DEPTH_MAX {
            typed = serde_json::Value::Array(vec![typed]);
        }
        let value = to_value(&typed, &arena).expect("not too deep");
        assert!(from_value::<serde_json::Value>(value).is_ok());
        let deeper = arena.array(&[value]);
        assert_eq!(from_value::<serde_json::Value>(deeper), Err(SerdeError::too_deep()));
        assert!(serde_json::to_string(&deeper).is_err());
        assert_eq!(to_value(&[typed], &arena), Err(SerdeError::too_deep()));
        assert!(from_value::<de::IgnoredAny>(deeper).is_ok());
    }
}
