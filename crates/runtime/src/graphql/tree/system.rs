//! The tree of a schema document: types, directives, roots.
//!
//! Plain data with places for texts of faults. It holds what was written, in the order of the text; what it means is
//! for the schema to say.

use crate::graphql::fault::Position;
use crate::graphql::tree::{Comments, Directive, Type, Value};

/// A schema document.
#[derive(Clone, Default, Debug)]
pub(crate) struct SchemaDocument {
    pub(crate) schema: Vec<SchemaDefinition>,
    pub(crate) schema_extensions: Vec<SchemaDefinition>,
    pub(crate) directives: Vec<DirectiveDefinition>,
    pub(crate) definitions: Vec<TypeDefinition>,
    pub(crate) extensions: Vec<TypeDefinition>,
    /// The comments at the end.
    pub(crate) comments: Comments,
}

/// The roots of a schema.
#[derive(Clone, Default, Debug)]
pub(crate) struct SchemaDefinition {
    pub(crate) description: String,
    pub(crate) directives: Vec<Directive>,
    pub(crate) roots: Vec<RootType>,
    pub(crate) position: Option<Position>,
    pub(crate) before_description: Comments,
    pub(crate) after_description: Comments,
    pub(crate) end: Comments,
}

/// The type of one sort of operation.
#[derive(Clone, Default, Debug)]
pub(crate) struct RootType {
    pub(crate) operation: String,
    pub(crate) ty: String,
    pub(crate) position: Option<Position>,
    pub(crate) comments: Comments,
}

/// The kind of a type.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum DefinitionKind {
    Scalar,
    #[default]
    Object,
    Interface,
    Union,
    Enum,
    InputObject,
    /// A text of a caller's object that names no kind.
    Other(String),
}

impl DefinitionKind {
    /// Returns the kind's name, which is that of the place of its directives, too.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Object => "OBJECT",
            Self::Interface => "INTERFACE",
            Self::Union => "UNION",
            Self::Enum => "ENUM",
            Self::InputObject => "INPUT_OBJECT",
            Self::Other(name) => name,
        }
    }

    pub(crate) fn of_name(name: &str) -> Self {
        let known = [Self::Scalar, Self::Object, Self::Interface, Self::Union, Self::Enum, Self::InputObject];
        known.into_iter().find(|it| it.shown() == name).unwrap_or_else(|| Self::Other(name.to_owned()))
    }

    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self, Self::Scalar | Self::Enum)
    }

    pub(crate) fn is_abstract(&self) -> bool {
        matches!(self, Self::Interface | Self::Union)
    }

    pub(crate) fn is_composite(&self) -> bool {
        matches!(self, Self::Object | Self::Interface | Self::Union)
    }

    pub(crate) fn is_input(&self) -> bool {
        matches!(self, Self::Scalar | Self::Enum | Self::InputObject)
    }
}

/// A type, or an extension of one.
#[derive(Clone, Default, Debug)]
pub(crate) struct TypeDefinition {
    pub(crate) kind: DefinitionKind,
    pub(crate) description: String,
    pub(crate) name: String,
    pub(crate) directives: Vec<Directive>,
    pub(crate) interfaces: Vec<String>,
    pub(crate) fields: Vec<FieldDefinition>,
    /// The members of a union.
    pub(crate) types: Vec<String>,
    /// Their places, as many or none.
    pub(crate) type_positions: Vec<Position>,
    pub(crate) values: Vec<EnumValue>,
    pub(crate) position: Option<Position>,
    pub(crate) built_in: bool,
    pub(crate) before_description: Comments,
    pub(crate) after_description: Comments,
    pub(crate) end: Comments,
}

/// A field of an object, an interface or an input object; an argument of a field or a directive.
#[derive(Clone, Default, Debug)]
pub(crate) struct FieldDefinition {
    pub(crate) description: String,
    pub(crate) name: String,
    pub(crate) arguments: Vec<FieldDefinition>,
    pub(crate) default: Option<Value>,
    pub(crate) ty: Type,
    pub(crate) directives: Vec<Directive>,
    pub(crate) position: Option<Position>,
    pub(crate) before_description: Comments,
    pub(crate) after_description: Comments,
}

/// A value of an enum.
#[derive(Clone, Default, Debug)]
pub(crate) struct EnumValue {
    pub(crate) description: String,
    pub(crate) name: String,
    pub(crate) directives: Vec<Directive>,
    pub(crate) position: Option<Position>,
    pub(crate) before_description: Comments,
    pub(crate) after_description: Comments,
}

/// A directive.
#[derive(Clone, Default, Debug)]
pub(crate) struct DirectiveDefinition {
    pub(crate) description: String,
    pub(crate) name: String,
    pub(crate) arguments: Vec<FieldDefinition>,
    pub(crate) locations: Vec<String>,
    pub(crate) repeatable: bool,
    pub(crate) position: Option<Position>,
    pub(crate) before_description: Comments,
    pub(crate) after_description: Comments,
}
