//! Query documents.
//!
//! Operations and fragments with what they select. Fields come in the order of names, as objects do in Rego; an
//! absent part is left out as Go's `omitempty` would.

use lictor_value::Value;

use crate::graphql::encode::Encoder;
use crate::graphql::tree::{Field, QueryDocument, Selection, VariableDefinition};

impl<'e> Encoder<'e> {
    pub(super) fn query_document(&self, document: &QueryDocument) -> Value<'e> {
        let operations = self.list(&document.operations, |it| {
            self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("Directives", self.directives(&it.directives)),
                ("Name", self.text(&it.name)),
                ("Operation", self.text(&it.operation)),
                ("SelectionSet", self.selections(&it.selections)),
                ("VariableDefinitions", self.variables(&it.variables)),
            ])
        });
        let fragments = self.list(&document.fragments, |it| {
            self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("Directives", self.directives(&it.directives)),
                ("Name", self.text(&it.name)),
                ("SelectionSet", self.selections(&it.selections)),
                ("TypeCondition", self.text(&it.type_condition)),
                ("VariableDefinition", self.variables(&it.variables)),
            ])
        });
        let comments = self.comments(&document.comments);
        self.object(&[("Comment", comments), ("Fragments", fragments), ("Operations", operations)])
    }

    fn variables(&self, variables: &[VariableDefinition]) -> Option<Value<'e>> {
        self.list(variables, |it| {
            self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("DefaultValue", it.default.as_ref().map(|it| self.value(it))),
                ("Directives", self.directives(&it.directives)),
                ("Type", Some(self.ty(&it.ty))),
                ("Used", Some(Value::bool(it.used))),
                ("Variable", self.text(&it.variable)),
            ])
        })
    }

    fn selections(&self, selections: &[Selection]) -> Option<Value<'e>> {
        self.list(selections, |it| match it {
            Selection::Field(field) => self.field(field),
            Selection::Spread(it) => self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("Directives", self.directives(&it.directives)),
                ("Name", self.text(&it.name)),
            ]),
            Selection::Inline(it) => self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("Directives", self.directives(&it.directives)),
                ("SelectionSet", self.selections(&it.selections)),
                ("TypeCondition", self.text(&it.type_condition)),
            ]),
        })
    }

    fn field(&self, field: &Field) -> Value<'e> {
        self.object(&[
            ("Alias", self.text(&field.alias)),
            ("Arguments", self.arguments(&field.arguments)),
            ("Comment", self.comments(&field.comments)),
            ("Directives", self.directives(&field.directives)),
            ("Name", self.text(&field.name)),
            ("SelectionSet", self.selections(&field.selections)),
        ])
    }
}
