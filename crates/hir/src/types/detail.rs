//! Types in the JSON form in which errors carry them, and the types of literals.
//!
//! Apart because it is the form of OPA's error details, not of the checker's types. It writes and never compares
//! types.

use lictor_syntax::diagnostics::Detail;

use super::Type;
use crate::draft::{Term, TermKind};

impl Type {
    /// Returns the type as a field of an error's details.
    pub(crate) fn detail(&self) -> Detail {
        let mut fields: Vec<(&str, Detail)> = Vec::new();
        let name = match self {
            Self::Any => "any",
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array { fixed, rest } => {
                if let Some(rest) = rest {
                    fields.push(("dynamic", rest.detail()));
                }
                if !fixed.is_empty() {
                    fields.push(("static", Detail::List(fixed.iter().map(Self::detail).collect())));
                }
                "array"
            }
            Self::Set(member) => {
                fields.push(("of", member.detail()));
                "set"
            }
            Self::Object { fixed, rest } => {
                if let Some(rest) = rest {
                    let both = [("key", rest.0.detail()), ("value", rest.1.detail())];
                    fields.push(("dynamic", map(both)));
                }
                if !fixed.is_empty() {
                    let pair = |(key, value): &(Box<str>, Self)| {
                        map([("key", Detail::Text(key.to_string())), ("value", value.detail())])
                    };
                    fields.push(("static", Detail::List(fixed.iter().map(pair).collect())));
                }
                "object"
            }
            Self::Union(all) => {
                fields.push(("of", Detail::List(all.iter().map(Self::detail).collect())));
                "any"
            }
        };
        fields.push(("type", Detail::Text(name.to_owned())));
        map(fields)
    }
}

fn map<'k>(fields: impl IntoIterator<Item = (&'k str, Detail)>) -> Detail {
    Detail::Map(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Returns the type that a term has by itself; none if that depends on variables.
pub(crate) fn of_literal(term: &Term) -> Option<Type> {
    Some(match &term.kind {
        TermKind::Null => Type::Null,
        TermKind::Bool(_) => Type::Bool,
        TermKind::Number(_) => Type::Number,
        TermKind::String(_) => Type::String,
        TermKind::Ref(_) => Type::Any,
        TermKind::Array(items) => {
            Type::Array { fixed: items.iter().map(of_literal).collect::<Option<_>>()?, rest: None }
        }
        _ => return None,
    })
}
