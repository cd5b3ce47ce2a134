//! What queries and schemas share: types, values, arguments, directives.
//!
//! Both sorts of documents hold these, so both readers of values use this file. A shape that OPA's trees never have
//! is an error that names the place, not a guess.

use lictor_value::Value;

use crate::graphql::decode::{
    DecodeError, Decoded, Decoder, Shape, set_bool, set_comments, set_int, set_list, set_text,
};
use crate::graphql::tree::{self, Argument, Child, Directive, Type, ValueKind};

const TYPE: Shape = Shape::usual("Type", "ast.Type", &["NamedType", "Elem", "NonNull"]);
const VALUE: Shape =
    Shape::usual("Value", "ast.Value", &["Raw", "Children", "Kind", "Comment", "ExpectedTypeHasDefault"]);
const CHILD: Shape = Shape::usual("ChildValue", "ast.ChildValue", &["Name", "Value", "Comment"]);
const ARGUMENT: Shape = Shape::usual("Argument", "ast.Argument", &["Name", "Value", "Comment"]);
const DIRECTIVE: Shape = Shape::usual("Directive", "ast.Directive", &["Name", "Arguments", "Location"]);

/// Returns what must be there.
pub(super) fn present<T>(part: Option<T>, missing: &'static str) -> Decoded<T> {
    part.ok_or(DecodeError::Incomplete(missing))
}

impl Decoder {
    /// Reads a type; null is none.
    pub(super) fn ty(&mut self, value: Value<'_>) -> Decoded<Option<Type>> {
        if value.is_null() {
            return Ok(None);
        }
        let mut ty = Type::default();
        self.nested(|decoder| {
            TYPE.read(value, |name, value| match name {
                "NamedType" => set_text(&mut ty.named, value, "string"),
                "NonNull" => set_bool(&mut ty.non_null, value),
                _ => {
                    ty.element = decoder.ty(value)?.map(Box::new);
                    Ok(())
                }
            })
        })?;
        Ok(Some(ty))
    }

    /// Reads a value; null is none.
    pub(super) fn value(&mut self, value: Value<'_>) -> Decoded<Option<tree::Value>> {
        if value.is_null() {
            return Ok(None);
        }
        let number = self.numbers.value();
        let mut out = tree::Value { number, ..tree::Value::default() };
        let mut kind = 0;
        self.nested(|decoder| {
            VALUE.read(value, |name, value| match name {
                "Raw" => set_text(&mut out.raw, value, "string"),
                "Kind" => set_int(&mut kind, value, "ast.ValueKind"),
                "Comment" => set_comments(&mut out.comments, value),
                "ExpectedTypeHasDefault" => set_bool(&mut out.expected_has_default, value),
                _ => set_list(&mut out.children, value, "ast.ChildValueList", |it| decoder.child(it)),
            })
        })?;
        out.kind = present(ValueKind::of_number(kind), "unknown kind of value")?;
        Ok(Some(out))
    }

    /// Returns a value that no text is without, or notes that it is missing.
    fn needed(&mut self, value: Option<tree::Value>) -> tree::Value {
        value.unwrap_or_else(|| {
            self.value_missing = true;
            tree::Value { number: self.numbers.value(), ..tree::Value::default() }
        })
    }

    fn child(&mut self, value: Value<'_>) -> Decoded<Child> {
        let mut child = Child::default();
        let mut own = None;
        CHILD.read(value, |name, value| match name {
            "Name" => set_text(&mut child.name, value, "string"),
            "Comment" => set_comments(&mut child.comments, value),
            _ => {
                own = self.value(value)?;
                Ok(())
            }
        })?;
        child.value = self.needed(own);
        Ok(child)
    }

    fn argument(&mut self, value: Value<'_>) -> Decoded<Argument> {
        let mut argument = Argument::default();
        let mut own = None;
        ARGUMENT.read(value, |name, value| match name {
            "Name" => set_text(&mut argument.name, value, "string"),
            "Comment" => set_comments(&mut argument.comments, value),
            _ => {
                own = self.value(value)?;
                Ok(())
            }
        })?;
        argument.value = self.needed(own);
        Ok(argument)
    }

    pub(super) fn arguments(&mut self, out: &mut Vec<Argument>, value: Value<'_>) -> Decoded<()> {
        set_list(out, value, "ast.ArgumentList", |it| self.argument(it))
    }

    pub(super) fn directives(&mut self, out: &mut Vec<Directive>, value: Value<'_>) -> Decoded<()> {
        set_list(out, value, "ast.DirectiveList", |it| {
            let mut directive = Directive::default();
            DIRECTIVE.read(it, |name, value| match name {
                "Name" => set_text(&mut directive.name, value, "string"),
                "Location" => set_text(&mut directive.location, value, "ast.DirectiveLocation"),
                _ => self.arguments(&mut directive.arguments, value),
            })?;
            Ok(directive)
        })
    }
}
