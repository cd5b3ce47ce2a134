//! The tree of a document: what both kinds share, and queries. What schemas consist of is in `tree::system`.
//!
//! Names of parts follow OPA's tree, so that `encode` and `decode` read one to one. Numbers of nodes are given by
//! whoever makes the tree; rules keep what they learn about a node under its number, never in the tree.

use std::fmt;

use crate::go::quote::quote;
use crate::graphql::fault::Position;

mod system;

pub(crate) use system::{
    DefinitionKind, DirectiveDefinition, EnumValue, FieldDefinition, RootType, SchemaDefinition,
    SchemaDocument, TypeDefinition,
};

/// The comments before a token, each with its mark.
pub(crate) type Comments = Vec<String>;

/// How many nodes of each sort were numbered.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Numbers {
    pub(crate) fields: usize,
    pub(crate) spreads: usize,
    pub(crate) values: usize,
}

impl Numbers {
    pub(crate) fn field(&mut self) -> usize {
        self.fields += 1;
        self.fields - 1
    }

    pub(crate) fn spread(&mut self) -> usize {
        self.spreads += 1;
        self.spreads - 1
    }

    pub(crate) fn value(&mut self) -> usize {
        self.values += 1;
        self.values - 1
    }
}

/// A reference to a type: named, or a list of an element.
#[derive(Clone, Default, Debug)]
pub(crate) struct Type {
    pub(crate) named: String,
    pub(crate) element: Option<Box<Type>>,
    pub(crate) non_null: bool,
    pub(crate) position: Option<Position>,
}

impl Type {
    /// Returns a named type without a place.
    pub(crate) fn of(named: &str, non_null: bool) -> Self {
        Self { named: named.to_owned(), element: None, non_null, position: None }
    }

    /// Returns the innermost name.
    pub(crate) fn name(&self) -> &str {
        let mut ty = self;
        while ty.named.is_empty() {
            match &ty.element {
                Some(element) => ty = element,
                None => return "",
            }
        }
        &ty.named
    }

    /// Says whether a value of this type fits where the other is expected; `non_null` says whether the place
    /// takes no null.
    pub(crate) fn fits(&self, other: &Self, non_null: bool) -> bool {
        if self.named != other.named || (non_null && !self.non_null) {
            return false;
        }
        match (&self.element, &other.element) {
            (Some(own), Some(other)) => own.fits(other, other.non_null),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.element {
            Some(element) if self.named.is_empty() => write!(f, "[{element}]")?,
            _ => f.write_str(&self.named)?,
        }
        f.write_str(if self.non_null { "!" } else { "" })
    }
}

/// The kind of a value; the numbers are OPA's.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum ValueKind {
    #[default]
    Variable,
    Int,
    Float,
    String,
    Block,
    Boolean,
    Null,
    Enum,
    List,
    Object,
}

impl ValueKind {
    const ALL: [Self; 10] = [
        Self::Variable,
        Self::Int,
        Self::Float,
        Self::String,
        Self::Block,
        Self::Boolean,
        Self::Null,
        Self::Enum,
        Self::List,
        Self::Object,
    ];

    pub(crate) fn of_number(number: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    pub(crate) fn number(self) -> i64 {
        let index = Self::ALL.iter().position(|it| *it == self);
        index.and_then(|it| i64::try_from(it).ok()).unwrap_or(0)
    }
}

/// A value.
#[derive(Clone, Default, Debug)]
pub(crate) struct Value {
    pub(crate) number: usize,
    pub(crate) raw: String,
    pub(crate) children: Vec<Child>,
    pub(crate) kind: ValueKind,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
    /// What an object of a caller's says; reading gives false.
    pub(crate) expected_has_default: bool,
}

/// An item of a list (without a name) or a field of an object.
#[derive(Clone, Default, Debug)]
pub(crate) struct Child {
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ValueKind::Variable => write!(f, "${}", self.raw),
            ValueKind::String | ValueKind::Block => f.write_str(&quote(&self.raw)),
            ValueKind::List | ValueKind::Object => {
                let named = self.kind == ValueKind::Object;
                f.write_str(if named { "{" } else { "[" })?;
                for (index, child) in self.children.iter().enumerate() {
                    f.write_str(if index > 0 { "," } else { "" })?;
                    if named {
                        write!(f, "{}:", child.name)?;
                    }
                    write!(f, "{}", child.value)?;
                }
                f.write_str(if named { "}" } else { "]" })
            }
            ValueKind::Int | ValueKind::Float | ValueKind::Boolean | ValueKind::Null | ValueKind::Enum => {
                f.write_str(&self.raw)
            }
        }
    }
}

/// An argument of a field or a directive.
#[derive(Clone, Default, Debug)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

/// A use of a directive.
#[derive(Clone, Default, Debug)]
pub(crate) struct Directive {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) position: Option<Position>,
    /// What an object of a caller's says; reading gives an empty text.
    pub(crate) location: String,
}

/// A query document.
#[derive(Clone, Default, Debug)]
pub(crate) struct QueryDocument {
    pub(crate) operations: Vec<Operation>,
    pub(crate) fragments: Vec<Fragment>,
    /// Only objects of a caller's have some.
    pub(crate) comments: Comments,
    pub(crate) numbers: Numbers,
}

/// An operation.
#[derive(Clone, Default, Debug)]
pub(crate) struct Operation {
    /// `query`, `mutation`, `subscription`; empty in some objects of callers, which means a query.
    pub(crate) operation: String,
    pub(crate) name: String,
    pub(crate) variables: Vec<VariableDefinition>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) selections: Vec<Selection>,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

/// A variable of an operation.
#[derive(Clone, Default, Debug)]
pub(crate) struct VariableDefinition {
    pub(crate) variable: String,
    pub(crate) ty: Type,
    pub(crate) default: Option<Value>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
    /// What an object of a caller's says; reading gives false.
    pub(crate) used: bool,
}

/// A fragment.
#[derive(Clone, Default, Debug)]
pub(crate) struct Fragment {
    pub(crate) name: String,
    pub(crate) variables: Vec<VariableDefinition>,
    pub(crate) type_condition: String,
    pub(crate) directives: Vec<Directive>,
    pub(crate) selections: Vec<Selection>,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

/// A part of a selection set.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    Field(Field),
    Spread(FragmentSpread),
    Inline(InlineFragment),
}

/// A field.
#[derive(Clone, Default, Debug)]
pub(crate) struct Field {
    pub(crate) number: usize,
    pub(crate) alias: String,
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) selections: Vec<Selection>,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

impl Field {
    /// Returns the name in the answer.
    pub(crate) fn response_name(&self) -> &str {
        if self.alias.is_empty() { &self.name } else { &self.alias }
    }
}

/// A use of a fragment.
#[derive(Clone, Default, Debug)]
pub(crate) struct FragmentSpread {
    pub(crate) number: usize,
    pub(crate) name: String,
    pub(crate) directives: Vec<Directive>,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

/// A fragment where it is used.
#[derive(Clone, Default, Debug)]
pub(crate) struct InlineFragment {
    pub(crate) type_condition: String,
    pub(crate) directives: Vec<Directive>,
    pub(crate) selections: Vec<Selection>,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

/// Something that is found by its name.
pub(crate) trait Named {
    fn name(&self) -> &str;
}

macro_rules! named {
    ($($ty:ty: $field:ident),* $(,)?) => {
        $(impl Named for $ty {
            fn name(&self) -> &str {
                &self.$field
            }
        })*
    };
}

named! {
    Argument: name, Child: name, Fragment: name, VariableDefinition: variable,
    FieldDefinition: name, EnumValue: name,
}

/// Returns the first of that name.
pub(crate) fn find<'a, T: Named>(list: &'a [T], name: &str) -> Option<&'a T> {
    list.iter().find(|it| it.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(element: Type, non_null: bool) -> Type {
        Type { element: Some(Box::new(element)), non_null, ..Type::default() }
    }

    #[test]
    fn types_have_texts_and_fit() {
        let ty = list(list(Type::of("A", true), false), true);
        assert_eq!((ty.to_string().as_str(), ty.name()), ("[[A!]]!", "A"));
        let looser = list(list(Type::of("A", false), false), false);
        assert!(ty.fits(&looser, looser.non_null));
        assert!(!looser.fits(&ty, ty.non_null) && !looser.fits(&ty, false));
        assert!(!Type::of("A", false).fits(&Type::of("B", false), false));
    }

    #[test]
    fn values_have_texts() {
        let value = |kind, raw: &str| Value { kind, raw: raw.to_owned(), ..Value::default() };
        let child = |name: &str, value| Child { name: name.to_owned(), value, ..Child::default() };
        let items = vec![child("", value(ValueKind::Int, "1")), child("", value(ValueKind::String, "a\"\n"))];
        let list = Value { kind: ValueKind::List, children: items, ..Value::default() };
        let fields = vec![child("k", list), child("v", value(ValueKind::Variable, "x"))];
        let object = Value { kind: ValueKind::Object, children: fields, ..Value::default() };
        assert_eq!(object.to_string(), r#"{k:[1,"a\"\n"],v:$x}"#);
        assert_eq!(ValueKind::of_number(9), Some(ValueKind::Object));
        assert_eq!((ValueKind::of_number(10), ValueKind::List.number()), (None, 8));
    }
}
