//! Schema documents.
//!
//! Reads what the schema encoder writes: `graphql.schema_is_valid` and the rest take a tree as well as a text. It
//! does not check rules; that is the schema's work.

use lictor_value::Value;

use crate::graphql::decode::{Decoded, Decoder, Shape, set_bool, set_comments, set_list, set_text};
use crate::graphql::tree::{
    DefinitionKind, DirectiveDefinition, EnumValue, FieldDefinition, RootType, SchemaDefinition,
    SchemaDocument, TypeDefinition,
};

const DOCUMENT: Shape = Shape::usual(
    "SchemaDocument",
    "ast.SchemaDocument",
    &["Schema", "SchemaExtension", "Directives", "Definitions", "Extensions", "Comment"],
);
const SCHEMA: Shape = Shape::usual(
    "SchemaDefinition",
    "ast.SchemaDefinition",
    &[
        "Description",
        "Directives",
        "OperationTypes",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
        "EndOfDefinitionComment",
    ],
);
const ROOT: Shape =
    Shape::usual("OperationTypeDefinition", "ast.OperationTypeDefinition", &["Operation", "Type", "Comment"]);
const TYPE: Shape = Shape::usual(
    "Definition",
    "ast.Definition",
    &[
        "Kind",
        "Description",
        "Name",
        "Directives",
        "Interfaces",
        "Fields",
        "Types",
        "EnumValues",
        "BuiltIn",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
        "EndOfDefinitionComment",
    ],
);
const FIELD: Shape = Shape::usual(
    "FieldDefinition",
    "ast.FieldDefinition",
    &[
        "Description",
        "Name",
        "Arguments",
        "DefaultValue",
        "Type",
        "Directives",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
    ],
);
const ARGUMENT: Shape = Shape::usual(
    "ArgumentDefinition",
    "ast.ArgumentDefinition",
    &[
        "Description",
        "Name",
        "DefaultValue",
        "Type",
        "Directives",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
    ],
);
const ENUM_VALUE: Shape = Shape::usual(
    "EnumValueDefinition",
    "ast.EnumValueDefinition",
    &["Description", "Name", "Directives", "BeforeDescriptionComment", "AfterDescriptionComment"],
);
const DIRECTIVE: Shape = Shape::usual(
    "DirectiveDefinition",
    "ast.DirectiveDefinition",
    &[
        "Description",
        "Name",
        "Arguments",
        "Locations",
        "IsRepeatable",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
    ],
);

impl Decoder {
    pub(super) fn schema_document(&mut self, value: Value<'_>) -> Decoded<SchemaDocument> {
        let mut out = SchemaDocument::default();
        DOCUMENT.read(value, |name, value| match name {
            "Schema" => self.schemas(&mut out.schema, value),
            "SchemaExtension" => self.schemas(&mut out.schema_extensions, value),
            "Directives" => set_list(&mut out.directives, value, "ast.DirectiveDefinitionList", |it| {
                self.directive_definition(it)
            }),
            "Definitions" => self.types(&mut out.definitions, value),
            "Extensions" => self.types(&mut out.extensions, value),
            _ => set_comments(&mut out.comments, value),
        })?;
        Ok(out)
    }

    fn schemas(&mut self, out: &mut Vec<SchemaDefinition>, value: Value<'_>) -> Decoded<()> {
        set_list(out, value, "ast.SchemaDefinitionList", |it| {
            let mut out = SchemaDefinition::default();
            SCHEMA.read(it, |name, value| match name {
                "Description" => set_text(&mut out.description, value, "string"),
                "Directives" => self.directives(&mut out.directives, value),
                "OperationTypes" => set_list(&mut out.roots, value, "ast.OperationTypeDefinitionList", root),
                "BeforeDescriptionComment" => set_comments(&mut out.before_description, value),
                "AfterDescriptionComment" => set_comments(&mut out.after_description, value),
                _ => set_comments(&mut out.end, value),
            })?;
            Ok(out)
        })
    }

    fn types(&mut self, out: &mut Vec<TypeDefinition>, value: Value<'_>) -> Decoded<()> {
        set_list(out, value, "ast.DefinitionList", |it| self.type_definition(it))
    }

    fn type_definition(&mut self, value: Value<'_>) -> Decoded<TypeDefinition> {
        let mut out = TypeDefinition::default();
        let mut kind = String::new();
        TYPE.read(value, |name, value| match name {
            "Kind" => set_text(&mut kind, value, "ast.DefinitionKind"),
            "Description" => set_text(&mut out.description, value, "string"),
            "Name" => set_text(&mut out.name, value, "string"),
            "Directives" => self.directives(&mut out.directives, value),
            "Interfaces" => set_list(&mut out.interfaces, value, "[]string", name_in_list),
            "Fields" => {
                set_list(&mut out.fields, value, "ast.FieldList", |it| self.field_definition(it, &FIELD))
            }
            "Types" => set_list(&mut out.types, value, "[]string", name_in_list),
            "EnumValues" => set_list(&mut out.values, value, "ast.EnumValueList", |it| self.enum_value(it)),
            "BuiltIn" => set_bool(&mut out.built_in, value),
            "BeforeDescriptionComment" => set_comments(&mut out.before_description, value),
            "AfterDescriptionComment" => set_comments(&mut out.after_description, value),
            _ => set_comments(&mut out.end, value),
        })?;
        out.kind = DefinitionKind::of_name(&kind);
        Ok(out)
    }

    /// Reads a field or, by its shape, an argument.
    fn field_definition(&mut self, value: Value<'_>, shape: &Shape) -> Decoded<FieldDefinition> {
        let mut out = FieldDefinition::default();
        shape.read(value, |name, value| {
            match name {
                "Description" => set_text(&mut out.description, value, "string")?,
                "Name" => set_text(&mut out.name, value, "string")?,
                "Arguments" => self.argument_definitions(&mut out.arguments, value)?,
                "DefaultValue" => out.default = self.value(value)?,
                "Type" => out.ty = self.ty(value)?.unwrap_or_default(),
                "Directives" => self.directives(&mut out.directives, value)?,
                "BeforeDescriptionComment" => set_comments(&mut out.before_description, value)?,
                _ => set_comments(&mut out.after_description, value)?,
            }
            Ok(())
        })?;
        Ok(out)
    }

    fn argument_definitions(&mut self, out: &mut Vec<FieldDefinition>, value: Value<'_>) -> Decoded<()> {
        set_list(out, value, "ast.ArgumentDefinitionList", |it| self.field_definition(it, &ARGUMENT))
    }

    fn enum_value(&mut self, value: Value<'_>) -> Decoded<EnumValue> {
        let mut out = EnumValue::default();
        ENUM_VALUE.read(value, |name, value| match name {
            "Description" => set_text(&mut out.description, value, "string"),
            "Name" => set_text(&mut out.name, value, "string"),
            "Directives" => self.directives(&mut out.directives, value),
            "BeforeDescriptionComment" => set_comments(&mut out.before_description, value),
            _ => set_comments(&mut out.after_description, value),
        })?;
        Ok(out)
    }

    fn directive_definition(&mut self, value: Value<'_>) -> Decoded<DirectiveDefinition> {
        let mut out = DirectiveDefinition::default();
        DIRECTIVE.read(value, |name, value| match name {
            "Description" => set_text(&mut out.description, value, "string"),
            "Name" => set_text(&mut out.name, value, "string"),
            "Arguments" => self.argument_definitions(&mut out.arguments, value),
            "Locations" => set_list(&mut out.locations, value, "[]ast.DirectiveLocation", |it| {
                let mut name = String::new();
                set_text(&mut name, it, "ast.DirectiveLocation")?;
                Ok(name)
            }),
            "IsRepeatable" => set_bool(&mut out.repeatable, value),
            "BeforeDescriptionComment" => set_comments(&mut out.before_description, value),
            _ => set_comments(&mut out.after_description, value),
        })?;
        Ok(out)
    }
}

fn root(value: Value<'_>) -> Decoded<RootType> {
    let mut out = RootType::default();
    ROOT.read(value, |name, value| match name {
        "Operation" => set_text(&mut out.operation, value, "ast.Operation"),
        "Type" => set_text(&mut out.ty, value, "string"),
        _ => set_comments(&mut out.comments, value),
    })?;
    Ok(out)
}

fn name_in_list(value: Value<'_>) -> Decoded<String> {
    let mut name = String::new();
    set_text(&mut name, value, "string")?;
    Ok(name)
}
