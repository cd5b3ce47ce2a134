//! Query documents.
//!
//! A selection is read as a field if it can be, then as a spread, then as an inline fragment: so fragments of a tree
//! come back as fields, which is what the library does. What can be none of them is left out.

use lictor_value::Value;

use crate::builtins::operands::items;
use crate::graphql::decode::shared::present;
use crate::graphql::decode::{
    DecodeError, Decoded, Decoder, Shape, mismatch, set_bool, set_comments, set_list, set_position, set_text,
};
use crate::graphql::tree::{
    Field, Fragment, FragmentSpread, InlineFragment, Operation, QueryDocument, Selection, VariableDefinition,
};

const DOCUMENT: Shape =
    Shape::usual("QueryDocument", "ast.QueryDocument", &["Operations", "Fragments", "Comment"]);
const OPERATION: Shape =
    Shape::own(&["Operation", "Name", "VariableDefinitions", "Directives", "SelectionSet", "Position"]);
const FRAGMENT: Shape =
    Shape::own(&["Name", "VariableDefinition", "TypeCondition", "Directives", "SelectionSet", "Position"]);
const FIELD: Shape = Shape::own(&["Alias", "Name", "Arguments", "Directives", "SelectionSet", "Position"]);
const INLINE: Shape = Shape::own(&["TypeCondition", "Directives", "SelectionSet", "Position"]);
const SPREAD: Shape =
    Shape::usual("FragmentSpread", "ast.FragmentSpread", &["Name", "Directives", "Comment"]);
const VARIABLE: Shape = Shape::usual(
    "VariableDefinition",
    "ast.VariableDefinition",
    &["Variable", "Type", "DefaultValue", "Directives", "Comment", "Used"],
);

impl Decoder {
    pub(super) fn query_document(&mut self, value: Value<'_>) -> Decoded<QueryDocument> {
        let mut out = QueryDocument::default();
        DOCUMENT.read(value, |name, value| match name {
            "Operations" => {
                set_list(&mut out.operations, value, "ast.OperationList", |it| self.operation(it))
            }
            "Fragments" => {
                set_list(&mut out.fragments, value, "ast.FragmentDefinitionList", |it| self.fragment(it))
            }
            _ => set_comments(&mut out.comments, value),
        })?;
        Ok(out)
    }

    fn operation(&mut self, value: Value<'_>) -> Decoded<Operation> {
        let mut out = Operation::default();
        OPERATION.read(value, |name, value| match name {
            "Operation" => set_text(&mut out.operation, value, "ast.Operation"),
            "Name" => set_text(&mut out.name, value, "string"),
            "VariableDefinitions" => self.variables(&mut out.variables, value),
            "Directives" => self.directives(&mut out.directives, value),
            "SelectionSet" => self.selections(&mut out.selections, value),
            _ => set_position(&mut out.position, value),
        })?;
        let known = matches!(out.operation.as_str(), "" | "query" | "mutation" | "subscription");
        present(known.then_some(out), "unknown sort of operation")
    }

    fn fragment(&mut self, value: Value<'_>) -> Decoded<Fragment> {
        let mut out = Fragment::default();
        FRAGMENT.read(value, |name, value| match name {
            "Name" => set_text(&mut out.name, value, "string"),
            "VariableDefinition" => self.variables(&mut out.variables, value),
            "TypeCondition" => set_text(&mut out.type_condition, value, "string"),
            "Directives" => self.directives(&mut out.directives, value),
            "SelectionSet" => self.selections(&mut out.selections, value),
            _ => set_position(&mut out.position, value),
        })?;
        Ok(out)
    }

    fn variables(&mut self, out: &mut Vec<VariableDefinition>, value: Value<'_>) -> Decoded<()> {
        set_list(out, value, "ast.VariableDefinitionList", |it| {
            let mut out = VariableDefinition::default();
            VARIABLE.read(it, |name, value| {
                match name {
                    "Variable" => set_text(&mut out.variable, value, "string")?,
                    "Type" => out.ty = self.ty(value)?.unwrap_or_default(),
                    "DefaultValue" => out.default = self.value(value)?,
                    "Directives" => self.directives(&mut out.directives, value)?,
                    "Comment" => set_comments(&mut out.comments, value)?,
                    _ => set_bool(&mut out.used, value)?,
                }
                Ok(())
            })?;
            Ok(out)
        })
    }

    fn selections(&mut self, out: &mut Vec<Selection>, value: Value<'_>) -> Decoded<()> {
        out.clear();
        if value.is_null() {
            return Ok(());
        }
        let Some(items) = items(value) else { return mismatch(value, "[]json.RawMessage") };
        for item in items.iter() {
            out.extend(self.nested(|it| it.selection(item))?);
        }
        Ok(())
    }

    /// Reads a selection as the first sort that it can be.
    fn selection(&mut self, value: Value<'_>) -> Decoded<Option<Selection>> {
        let field = self.field(value).map(Selection::Field);
        if let Some(found) = unless_mismatch(field)? {
            return Ok(Some(found));
        }
        let spread = self.spread(value).map(Selection::Spread);
        if let Some(found) = unless_mismatch(spread)? {
            return Ok(Some(found));
        }
        unless_mismatch(self.inline_fragment(value).map(Selection::Inline))
    }

    fn field(&mut self, value: Value<'_>) -> Decoded<Field> {
        let number = self.numbers.field();
        let mut out = Field { number, ..Field::default() };
        FIELD.read(value, |name, value| match name {
            "Alias" => set_text(&mut out.alias, value, "string"),
            "Name" => set_text(&mut out.name, value, "string"),
            "Arguments" => self.arguments(&mut out.arguments, value),
            "Directives" => self.directives(&mut out.directives, value),
            "SelectionSet" => self.selections(&mut out.selections, value),
            _ => set_position(&mut out.position, value),
        })?;
        Ok(out)
    }

    fn spread(&mut self, value: Value<'_>) -> Decoded<FragmentSpread> {
        let number = self.numbers.spread();
        let mut out = FragmentSpread { number, ..FragmentSpread::default() };
        SPREAD.read(value, |name, value| match name {
            "Name" => set_text(&mut out.name, value, "string"),
            "Directives" => self.directives(&mut out.directives, value),
            _ => set_comments(&mut out.comments, value),
        })?;
        Ok(out)
    }

    fn inline_fragment(&mut self, value: Value<'_>) -> Decoded<InlineFragment> {
        let mut out = InlineFragment::default();
        INLINE.read(value, |name, value| match name {
            "TypeCondition" => set_text(&mut out.type_condition, value, "string"),
            "Directives" => self.directives(&mut out.directives, value),
            "SelectionSet" => self.selections(&mut out.selections, value),
            _ => set_position(&mut out.position, value),
        })?;
        Ok(out)
    }
}

/// Returns none for what is of another sort; what no sort could be stays an error.
fn unless_mismatch<T>(decoded: Decoded<T>) -> Decoded<Option<T>> {
    match decoded {
        Ok(found) => Ok(Some(found)),
        Err(DecodeError::Mismatch(_)) => Ok(None),
        Err(other) => Err(other),
    }
}
