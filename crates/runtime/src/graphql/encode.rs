//! From a tree to a value: OPA's shape, without places and without what is empty.
//!
//! Apart from the parser because the shape is a fact of Go's JSON, with its capital letters and its left-out empties.
//! It must not judge the tree.

use std::cell::RefCell;

use foldhash::{HashMap, HashMapExt};
use lictor_value::Value;

use crate::context::Context;
use crate::graphql::tree::{self, Argument, Child, Directive, QueryDocument, SchemaDocument, Type};

mod executable;
mod system;

/// Returns the value of a query document.
pub(crate) fn query_document<'e>(ctx: Context<'e>, document: &QueryDocument) -> Value<'e> {
    Encoder::new(ctx).query_document(document)
}

/// Returns the value of a schema document.
pub(crate) fn schema_document<'e>(ctx: Context<'e>, document: &SchemaDocument) -> Value<'e> {
    Encoder::new(ctx).schema_document(document)
}

/// A member of an object; none is left out.
type Member<'e> = (&'static str, Option<Value<'e>>);

/// Makes values.
struct Encoder<'e> {
    ctx: Context<'e>,
    /// The names of members, made once.
    keys: RefCell<HashMap<&'static str, Value<'e>>>,
}

impl<'e> Encoder<'e> {
    fn new(ctx: Context<'e>) -> Self {
        Self { ctx, keys: RefCell::new(HashMap::new()) }
    }

    fn key(&self, name: &'static str) -> Value<'e> {
        *self.keys.borrow_mut().entry(name).or_insert_with(|| self.ctx.arena.string(name))
    }

    fn object(&self, members: &[Member<'e>]) -> Value<'e> {
        let mut pairs = self.ctx.pairs();
        pairs.extend(members.iter().filter_map(|(name, value)| Some((self.key(name), (*value)?))));
        self.ctx.arena.object(&mut pairs)
    }

    fn text(&self, text: &str) -> Option<Value<'e>> {
        Some(self.ctx.arena.string(text))
    }

    fn list<T>(&self, items: &[T], item: impl Fn(&T) -> Value<'e>) -> Option<Value<'e>> {
        if items.is_empty() {
            return None;
        }
        let mut list = self.ctx.list();
        list.extend(items.iter().map(item));
        Some(self.ctx.arena.array(&list))
    }

    fn texts(&self, items: &[String]) -> Option<Value<'e>> {
        self.list(items, |it| self.ctx.arena.string(it))
    }

    fn comments(&self, comments: &[String]) -> Option<Value<'e>> {
        let list = self.list(comments, |it| self.object(&[("Value", self.text(it))]))?;
        Some(self.object(&[("List", Some(list))]))
    }

    fn ty(&self, ty: &Type) -> Value<'e> {
        self.object(&[
            ("Elem", ty.element.as_ref().map(|it| self.ty(it))),
            ("NamedType", self.text(&ty.named)),
            ("NonNull", Some(Value::bool(ty.non_null))),
        ])
    }

    fn value(&self, value: &tree::Value) -> Value<'e> {
        let child = |it: &Child| {
            self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("Name", self.text(&it.name)),
                ("Value", Some(self.value(&it.value))),
            ])
        };
        self.object(&[
            ("Children", self.list(&value.children, child)),
            ("Comment", self.comments(&value.comments)),
            ("ExpectedTypeHasDefault", Some(Value::bool(value.expected_has_default))),
            ("Kind", Some(self.ctx.arena.int(value.kind.number()))),
            ("Raw", self.text(&value.raw)),
        ])
    }

    fn arguments(&self, arguments: &[Argument]) -> Option<Value<'e>> {
        self.list(arguments, |it| {
            self.object(&[
                ("Comment", self.comments(&it.comments)),
                ("Name", self.text(&it.name)),
                ("Value", Some(self.value(&it.value))),
            ])
        })
    }

    fn directives(&self, directives: &[Directive]) -> Option<Value<'e>> {
        self.list(directives, |it| {
            self.object(&[
                ("Arguments", self.arguments(&it.arguments)),
                ("Location", self.text(&it.location)),
                ("Name", self.text(&it.name)),
            ])
        })
    }
}
