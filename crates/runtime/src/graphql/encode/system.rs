//! Schema documents.
//!
//! Types, directives and roots of a schema. Fields come in the order of names, as objects do in Rego; an absent part
//! is left out as Go's `omitempty` would.

use lictor_value::Value;

use crate::graphql::encode::Encoder;
use crate::graphql::tree::{
    DirectiveDefinition, EnumValue, FieldDefinition, SchemaDefinition, SchemaDocument, TypeDefinition,
};

impl<'e> Encoder<'e> {
    pub(super) fn schema_document(&self, document: &SchemaDocument) -> Value<'e> {
        self.object(&[
            ("Comment", self.comments(&document.comments)),
            ("Definitions", self.list(&document.definitions, |it| self.type_definition(it))),
            ("Directives", self.list(&document.directives, |it| self.directive_definition(it))),
            ("Extensions", self.list(&document.extensions, |it| self.type_definition(it))),
            ("Schema", self.list(&document.schema, |it| self.schema(it))),
            ("SchemaExtension", self.list(&document.schema_extensions, |it| self.schema(it))),
        ])
    }

    fn schema(&self, schema: &SchemaDefinition) -> Value<'e> {
        let roots = self.list(&schema.roots, |it| {
            self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("Operation", self.text(&it.operation)),
                ("Type", self.text(&it.ty)),
            ])
        });
        self.object(&[
            ("AfterDescriptionComment", self.comments(&schema.after_description)),
            ("BeforeDescriptionComment", self.comments(&schema.before_description)),
            ("Description", self.text(&schema.description)),
            ("Directives", self.directives(&schema.directives)),
            ("EndOfDefinitionComment", self.comments(&schema.end)),
            ("OperationTypes", roots),
        ])
    }

    fn type_definition(&self, definition: &TypeDefinition) -> Value<'e> {
        self.object(&[
            ("AfterDescriptionComment", self.comments(&definition.after_description)),
            ("BeforeDescriptionComment", self.comments(&definition.before_description)),
            ("BuiltIn", Some(Value::bool(definition.built_in))),
            ("Description", self.text(&definition.description)),
            ("Directives", self.directives(&definition.directives)),
            ("EndOfDefinitionComment", self.comments(&definition.end)),
            ("EnumValues", self.list(&definition.values, |it| self.enum_value(it))),
            ("Fields", self.field_definitions(&definition.fields)),
            ("Interfaces", self.texts(&definition.interfaces)),
            ("Kind", self.text(definition.kind.shown())),
            ("Name", self.text(&definition.name)),
            ("Types", self.texts(&definition.types)),
        ])
    }

    /// Returns fields or arguments, which differ in nothing that is shown.
    fn field_definitions(&self, fields: &[FieldDefinition]) -> Option<Value<'e>> {
        self.list(fields, |it| {
            self.object(&[
                ("AfterDescriptionComment", self.comments(&it.after_description)),
                ("Arguments", self.field_definitions(&it.arguments)),
                ("BeforeDescriptionComment", self.comments(&it.before_description)),
                ("DefaultValue", it.default.as_ref().map(|it| self.value(it))),
                ("Description", self.text(&it.description)),
                ("Directives", self.directives(&it.directives)),
                ("Name", self.text(&it.name)),
                ("Type", Some(self.ty(&it.ty))),
            ])
        })
    }

    fn enum_value(&self, value: &EnumValue) -> Value<'e> {
        self.object(&[
            ("AfterDescriptionComment", self.comments(&value.after_description)),
            ("BeforeDescriptionComment", self.comments(&value.before_description)),
            ("Description", self.text(&value.description)),
            ("Directives", self.directives(&value.directives)),
            ("Name", self.text(&value.name)),
        ])
    }

    fn directive_definition(&self, definition: &DirectiveDefinition) -> Value<'e> {
        self.object(&[
            ("AfterDescriptionComment", self.comments(&definition.after_description)),
            ("Arguments", self.field_definitions(&definition.arguments)),
            ("BeforeDescriptionComment", self.comments(&definition.before_description)),
            ("Description", self.text(&definition.description)),
            ("IsRepeatable", Some(Value::bool(definition.repeatable))),
            ("Locations", self.texts(&definition.locations)),
            ("Name", self.text(&definition.name)),
        ])
    }
}
