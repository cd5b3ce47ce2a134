//! `json.patch`: RFC 6902 over any value, sets included, with OPA's texts.
//!
//! The document is opened level by level where a path leads, edited, and put together again. What no path
//! touches stays the handle that it was.

use std::collections::BTreeMap;

use lictor_value::number::int_value;
use lictor_value::{Kind, Object, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, any, array, written_int};
use crate::builtins::paths::parse_path;
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] =
    &[Builtin::pure("json.patch", "any, [{op:str,path:any,any:any}*] -> any", patch)];

/// Paths lead down so far.
const DEPTH_MAX: usize = 500;

type Outcome<T> = Result<T, BuiltinError>;

fn fail<T>(message: impl Into<String>) -> Outcome<T> {
    Err(BuiltinError::value(message.into()))
}

fn patch<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let operations = array(args, 1)?;
    let mut root = Node::Whole(any(args, 0));
    for operation in operations.iter() {
        let Some(operation) = operation.as_object() else {
            return fail("must be an array of JSON-Patch objects, but at least one element is not an object");
        };
        apply(ctx, &mut root, operation)?;
    }
    Ok(root.render(ctx))
}

fn attribute<'e>(operation: Object<'e>, name: &str) -> Outcome<Value<'e>> {
    match operation.get_str(name) {
        Some(value) => Ok(value),
        None => fail(format!("missing required attribute '{name}'")),
    }
}

fn apply<'e>(ctx: Context<'e>, root: &mut Node<'e>, operation: Object<'e>) -> Outcome<()> {
    let path = attribute(operation, "path")?;
    let name = attribute(operation, "op")?;
    let Some(name) = name.as_str() else {
        return fail(format!("attribute 'op' must be a string but found: {}", name.kind().name()));
    };
    let path = parse_bounded(ctx, path)?;
    match name {
        "add" => root.insert_at(ctx, &path, attribute(operation, "value")?),
        "remove" => root.delete_at(ctx, &path),
        "replace" => {
            root.delete_at(ctx, &path)?;
            root.insert_at(ctx, &path, attribute(operation, "value")?)
        }
        "move" | "copy" => {
            let from = parse_bounded(ctx, attribute(operation, "from")?)?;
            let chunk = root.render_at(ctx, &from)?;
            if name == "move" {
                root.delete_at(ctx, &from)?;
            }
            match chunk {
                Some(chunk) => root.insert_at(ctx, &path, chunk),
                None => fail("cannot insert nil value into EditTree"),
            }
        }
        "test" => test(root.render_at(ctx, &path)?, attribute(operation, "value")?),
        other => fail(format!("unrecognized op: '{other}'")),
    }
}

fn parse_bounded<'e>(ctx: Context<'e>, path: Value<'e>) -> Outcome<Vec<Value<'e>>> {
    let path = parse_path(ctx, path)?;
    if path.len() > DEPTH_MAX { fail("path is too long") } else { Ok(path) }
}

fn test(found: Option<Value<'_>>, expected: Value<'_>) -> Outcome<()> {
    if found.is_some_and(|it| it == expected) {
        return Ok(());
    }
    let found = found.map_or_else(|| "<nil>".to_owned(), |it| it.to_string());
    fail(format!("value from EditTree != patch value.\n\nExpected: {expected}\n\nFound: {found}"))
}

/// A part of the document that is being edited.
enum Node<'e> {
    /// Not opened.
    Whole(Value<'e>),
    Object(Value<'e>, BTreeMap<Value<'e>, Node<'e>>),
    Set(Value<'e>, BTreeMap<Value<'e>, Node<'e>>),
    Array(Value<'e>, Vec<Node<'e>>),
    /// Deleted; whether it was a collection shows in texts.
    Deleted {
        composite: bool,
    },
}

fn is_composite(value: Value<'_>) -> bool {
    matches!(value.kind(), Kind::Array | Kind::Object | Kind::Set)
}

/// Returns Go's name of a scalar's type, which stands in OPA's texts.
fn go_type(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "ast.Null",
        Kind::Boolean => "ast.Boolean",
        Kind::Number => "ast.Number",
        Kind::String => "ast.String",
        Kind::Array => "*ast.Array",
        Kind::Object => "*ast.object",
        Kind::Set => "*ast.set",
    }
}

impl<'e> Node<'e> {
    /// Turns a collection that was not opened into its children.
    fn open(&mut self) {
        let Self::Whole(value) = *self else { return };
        if let Some(object) = value.as_object() {
            *self = Self::Object(value, object.iter().map(|it| (it.0, Self::Whole(it.1))).collect());
        } else if let Some(set) = value.as_set() {
            *self = Self::Set(value, set.iter().map(|it| (it, Self::Whole(it))).collect());
        } else if let Some(array) = value.as_array() {
            *self = Self::Array(value, array.iter().map(Self::Whole).collect());
        }
    }

    /// Opens, and files the members of a set anew under what edits made of them if a collection names a member.
    fn open_for(&mut self, ctx: Context<'e>, key: Value<'e>) {
        if matches!(self, Self::Set(..))
            && is_composite(key)
            && let Some(value) = self.render(ctx)
        {
            *self = Self::Whole(value);
        }
        self.open();
    }

    fn is_composite(&self) -> bool {
        match self {
            Self::Whole(value) => is_composite(*value),
            Self::Object(..) | Self::Set(..) | Self::Array(..) => true,
            Self::Deleted { composite } => *composite,
        }
    }

    /// Returns the value with its edits; none if it was deleted.
    fn render(&self, ctx: Context<'e>) -> Option<Value<'e>> {
        match self {
            Self::Whole(value) => Some(*value),
            Self::Object(_, children) => {
                let mut pairs = ctx.pairs();
                pairs.extend(children.iter().filter_map(|it| Some((*it.0, it.1.render(ctx)?))));
                Some(ctx.arena.object_sorted(&pairs))
            }
            Self::Set(_, children) => {
                let mut list = ctx.list();
                list.extend(children.values().filter_map(|it| it.render(ctx)));
                Some(ctx.arena.set(&mut list))
            }
            Self::Array(_, children) => {
                let mut list = ctx.list();
                list.extend(children.iter().filter_map(|it| it.render(ctx)));
                Some(ctx.arena.array(&list))
            }
            Self::Deleted { .. } => None,
        }
    }

    fn render_at(&mut self, ctx: Context<'e>, path: &[Value<'e>]) -> Outcome<Option<Value<'e>>> {
        Ok(self.descend(ctx, path)?.render(ctx))
    }

    fn descend(&mut self, ctx: Context<'e>, path: &[Value<'e>]) -> Outcome<&mut Self> {
        path.iter().try_fold(self, |node, key| node.child(ctx, *key))
    }

    fn child(&mut self, ctx: Context<'e>, key: Value<'e>) -> Outcome<&mut Self> {
        self.open_for(ctx, key);
        match self {
            Self::Object(value, children) => match children.get_mut(&key) {
                Some(Self::Deleted { composite }) => {
                    let kind = if *composite { "composite" } else { "scalar" };
                    fail(format!("cannot unfold the already deleted {kind} node for key {key}"))
                }
                Some(child) => Ok(child),
                None => fail(format!("path {key} does not exist in object term {value}")),
            },
            Self::Set(value, children) => match children.get_mut(&key) {
                Some(child @ (Self::Whole(_) | Self::Object(..) | Self::Set(..) | Self::Array(..))) => {
                    Ok(child)
                }
                Some(Self::Deleted { .. }) | None => {
                    let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                    fail(format!("path {key} does not exist in set term {value}"))
                }
            },
            Self::Array(value, children) => {
                let index = index(children.len(), key)?;
                match usize::try_from(index).ok().and_then(|it| children.get_mut(it)) {
                    Some(child) => Ok(child),
                    None => fail(format!("path {index} does not exist in array term {value}")),
                }
            }
            Self::Whole(value) => {
                let ty = go_type(*value);
                fail(format!("expected composite type for path {key}, found value: {value} (type: {ty})"))
            }
            Self::Deleted { .. } => fail("nil value encountered where composite value was expected"),
        }
    }

    fn insert_at(&mut self, ctx: Context<'e>, path: &[Value<'e>], value: Value<'e>) -> Outcome<()> {
        let Some((key, above)) = path.split_last() else {
            *self = Self::Whole(value);
            return Ok(());
        };
        self.descend(ctx, above)?.insert(ctx, *key, value)
    }

    fn insert(&mut self, ctx: Context<'e>, key: Value<'e>, value: Value<'e>) -> Outcome<()> {
        self.open_for(ctx, key);
        match self {
            Self::Object(_, children) => {
                children.remove(&key);
                children.insert(key, Self::Whole(value));
            }
            Self::Set(_, children) => {
                if key != value {
                    return fail(format!("set key {key} does not equal value to be inserted {value}"));
                }
                children.insert(key, Self::Whole(value));
            }
            Self::Array(_, children) => {
                match usize::try_from(index(children.len(), key)?).ok().filter(|it| *it <= children.len()) {
                    Some(index) => children.insert(index, Self::Whole(value)),
                    None => return fail("index for array insertion out of bounds"),
                }
            }
            Self::Whole(value) => {
                let ty = go_type(*value);
                return fail(format!("expected composite type, found value: {value} (type: {ty})"));
            }
            Self::Deleted { .. } => return fail("deleted node encountered during insert operation"),
        }
        Ok(())
    }

    fn delete_at(&mut self, ctx: Context<'e>, path: &[Value<'e>]) -> Outcome<()> {
        match path.split_last() {
            Some((key, above)) => self.descend(ctx, above)?.delete(ctx, *key),
            None if matches!(self, Self::Deleted { .. }) => {
                fail("deleted node encountered during delete operation")
            }
            None => {
                *self = Self::Deleted { composite: self.is_composite() };
                Ok(())
            }
        }
    }

    fn delete(&mut self, ctx: Context<'e>, key: Value<'e>) -> Outcome<()> {
        self.open_for(ctx, key);
        match self {
            Self::Object(_, children) | Self::Set(_, children) => match children.get_mut(&key) {
                Some(Self::Deleted { composite }) => {
                    let kind = if *composite { "composite" } else { "scalar" };
                    fail(format!("cannot delete the already deleted {kind} node for key {key}"))
                }
                Some(child) => {
                    *child = Self::Deleted { composite: child.is_composite() };
                    Ok(())
                }
                None => fail(format!("cannot delete child key {key} that does not exist")),
            },
            Self::Array(_, children) => {
                match usize::try_from(index(children.len(), key)?).ok().filter(|it| *it < children.len()) {
                    Some(index) => {
                        children.remove(index);
                        Ok(())
                    }
                    None => fail("index for array delete out of bounds"),
                }
            }
            Self::Whole(value) => {
                let ty = go_type(*value);
                fail(format!("expected composite type, found value: {value} (type: {ty})"))
            }
            Self::Deleted { .. } => fail("deleted node encountered during delete operation"),
        }
    }
}

/// Reads a position in an array; `-` is the one after the last.
fn index(len: usize, key: Value<'_>) -> Outcome<i64> {
    if key.kind() == Kind::Number {
        return match written_int(key) {
            Some(index) => Ok(index),
            None => fail("invalid number type for indexing"),
        };
    }
    let Some(text) = key.as_str() else { return fail("invalid type for indexing") };
    if text == "-" {
        return Ok(i64::try_from(len).unwrap_or(i64::MAX));
    }
    let Some(index) = int_value(text) else { return fail("invalid string for indexing") };
    if text != "0" && text.starts_with('0') {
        return fail("leading zeros are not allowed in JSON paths");
    }
    Ok(index)
}
