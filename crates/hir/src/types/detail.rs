//! Types in the JSON form in which errors carry them.
//!
//! Apart because it is the form of OPA's error details, not of the checker's types. It writes and never compares
//! types.

use lictor_syntax::diagnostics::Detail;

use super::{Key, Label, Type};

impl Type {
    /// Returns the type as a field of an error's details; null if it is unknown.
    pub(crate) fn detail(&self) -> Detail {
        self.labelled(None)
    }

    /// Returns the type of an operand with what the operand is called.
    pub(crate) fn labelled(&self, label: Option<&Label>) -> Detail {
        if self.is_unknown() {
            return Detail::Null;
        }
        let (name, mut fields) = self.fields();
        if let Some(label) = label {
            fields.push(("name", Detail::Text(label.name.to_string())));
            if !label.description.is_empty() {
                fields.push(("description", Detail::Text(label.description.to_string())));
            }
        }
        fields.extend(name.map(|it| ("type", Detail::Text(it.to_owned()))));
        fields.sort_by_key(|it| it.0);
        map(fields)
    }

    fn fields(&self) -> (Option<&'static str>, Vec<(&'static str, Detail)>) {
        let list = |of: &[Self]| Detail::List(of.iter().map(Self::detail).collect());
        let mut fields = Vec::new();
        let name = match self {
            Self::Any | Self::Unknown => "any",
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array(array) => {
                fields.extend(array.rest.known().map(|it| ("dynamic", it.detail())));
                if !array.fixed.is_empty() {
                    fields.push(("static", list(&array.fixed)));
                }
                "array"
            }
            Self::Set(set) => {
                fields.extend(set.of.known().map(|it| ("of", it.detail())));
                "set"
            }
            Self::Object(object) => {
                if let Some((key, value)) = &object.rest {
                    fields.push(("dynamic", map([("key", key.detail()), ("value", value.detail())])));
                }
                if !object.fixed.is_empty() {
                    let pair = |(key, ty): &(Key, Self)| map([("key", key.detail()), ("value", ty.detail())]);
                    fields.push(("static", Detail::List(object.fixed.iter().map(pair).collect())));
                }
                "object"
            }
            Self::Union(union) => {
                fields.push(("of", list(&union.of)));
                "any"
            }
            Self::Function(function) => {
                if !function.args.is_empty() {
                    fields.push(("args", list(&function.args)));
                }
                fields.extend(function.result.known().map(|it| ("result", it.detail())));
                fields.extend(function.variadic.known().map(|it| ("variadic", it.detail())));
                "function"
            }
            Self::Recursive(it) => return (None, vec![("name", Detail::Text(it.name.to_string()))]),
        };
        (Some(name), fields)
    }
}

impl Key {
    /// Returns the key as a field of an error's details.
    pub(crate) fn detail(&self) -> Detail {
        match self {
            Self::Null => Detail::Null,
            Self::Bool(value) => Detail::Bool(*value),
            Self::Number(text) => Detail::Number(text.to_string()),
            Self::String(text) => Detail::Text(text.to_string()),
            Self::Array(items) => Detail::List(items.iter().map(Self::detail).collect()),
            Self::Object(entries) => {
                Detail::Map(entries.iter().map(|(key, value)| (key.to_string(), value.detail())).collect())
            }
        }
    }
}

/// Returns a constant as a value of an error's details, where its members carry their types.
pub(crate) fn value_detail(key: &Key) -> Detail {
    let typed = |key: &Key| {
        let name = match key {
            Key::Null => "null",
            Key::Bool(_) => "boolean",
            Key::Number(_) => "number",
            Key::String(_) => "string",
            Key::Array(_) => "array",
            Key::Object(_) => "object",
        };
        map([("type", Detail::Text(name.to_owned())), ("value", value_detail(key))])
    };
    match key {
        Key::Null => Detail::Map(Vec::new()),
        Key::Array(items) => Detail::List(items.iter().map(typed).collect()),
        Key::Object(entries) => {
            let pair = |(key, value): &(Key, Key)| Detail::List(vec![typed(key), typed(value)]);
            Detail::List(entries.iter().map(pair).collect())
        }
        scalar => scalar.detail(),
    }
}

fn map<'k>(fields: impl IntoIterator<Item = (&'k str, Detail)>) -> Detail {
    Detail::Map(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
