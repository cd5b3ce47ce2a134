//! Keys of objects as types know them: constants, in the order of JSON.
//!
//! Apart because keys are values, not types. A set as a key is an array here, as it is in JSON.

use std::{cmp::Ordering, fmt};

use lictor_value::{number, write_string};

use super::Type;

/// A constant that is a key of an object.
#[derive(Clone, Debug)]
pub enum Key {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number as written.
    Number(Box<str>),
    /// A string.
    String(Box<str>),
    /// An array or a set.
    Array(Vec<Key>),
    /// An object.
    Object(Vec<(Key, Key)>),
}

impl Key {
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(_) => 2,
            Self::String(_) => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
        }
    }

    /// Returns the type of the constant.
    pub(crate) fn ty(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Number(_) => Type::Number,
            Self::String(_) => Type::String,
            Self::Array(items) => Type::array(items.iter().map(Self::ty).collect(), Type::Unknown),
            // What is a key of an object that is a key itself is text, as in JSON.
            Self::Object(entries) => {
                let fixed = entries.iter().map(|(key, value)| (Self::String(key.name().into()), value.ty()));
                Type::object(fixed.collect(), None)
            }
        }
    }

    /// Returns the name that the constant has as a member in JSON: its own text if it is a string, else its JSON.
    fn name(&self) -> String {
        match self {
            Self::String(text) => text.to_string(),
            other => {
                let mut out = String::new();
                other.push_json(&mut out);
                out
            }
        }
    }

    fn push_json(&self, out: &mut String) {
        let quote = |text: &str, out: &mut String| {
            let mut bytes = Vec::new();
            write_string(text, &mut bytes, true);
            out.push_str(&String::from_utf8_lossy(&bytes));
        };
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(text) => out.push_str(text),
            Self::String(text) => quote(text, out),
            Self::Array(items) => {
                out.push('[');
                for (idx, item) in items.iter().enumerate() {
                    out.push_str(if idx > 0 { "," } else { "" });
                    item.push_json(out);
                }
                out.push(']');
            }
            Self::Object(entries) => {
                out.push('{');
                for (idx, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if idx > 0 { "," } else { "" });
                    quote(&key.name(), out);
                    out.push(':');
                    value.push_json(out);
                }
                out.push('}');
            }
        }
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => number::compare_text(a, b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Array(a), Self::Array(b)) => a.cmp(b),
            (Self::Object(a), Self::Object(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl fmt::Display for Key {
    /// Writes the key as Go writes a value of any type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("<nil>"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(text) | Self::String(text) => f.write_str(text),
            Self::Array(items) => {
                f.write_str("[")?;
                for (idx, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if idx > 0 { " " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Object(entries) => {
                f.write_str("map[")?;
                for (idx, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}:{value}", if idx > 0 { " " } else { "" })?;
                }
                f.write_str("]")
            }
        }
    }
}
