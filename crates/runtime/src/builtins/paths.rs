//! Paths into documents: `json.filter` and `json.remove`; `json.patch` stands beside, in `patch`.
//!
//! A path is `a/b` with JSON pointer escapes or an array of keys. Several paths make a tree; both functions walk
//! value and tree together, so only what paths name is made anew.

use std::collections::HashMap;

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, any, collection, object};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("json.filter", "{any:any}, [str/[any*]*]/set[str/[any*]] -> {any:any}", |ctx, args| {
        select(ctx, args, Mode::Keep)
    }),
    Builtin::pure("json.remove", "{any:any}, [str/[any*]*]/set[str/[any*]] -> {any:any}", |ctx, args| {
        select(ctx, args, Mode::Drop)
    }),
];

/// Paths and values go down so far together.
const DEPTH_MAX: usize = 500;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Keep what the paths name.
    Keep,
    /// Keep everything else.
    Drop,
}

fn select<'e>(ctx: Context<'e>, args: &[Value<'e>], mode: Mode) -> Answer<'e> {
    object(args, 0)?;
    let mut tree = Tree { nodes: vec![Node::default()] };
    for path in collection(args, 1, &["set", "array"])?.iter() {
        tree.insert(&parse_path(ctx, path)?);
    }
    Selection { ctx, tree, mode }.apply(any(args, 0), 0, 0)
}

/// Reads a path: a text with `/` between keys, or an array of keys.
pub(crate) fn parse_path<'e>(ctx: Context<'e>, path: Value<'e>) -> Result<Vec<Value<'e>>, BuiltinError> {
    if let Some(text) = path.as_str() {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let keys = text.trim_start_matches('/').split('/');
        return Ok(keys.map(|it| unescape(ctx, it)).collect());
    }
    match path.as_array() {
        Some(keys) => Ok(keys.iter().collect()),
        None => Err(BuiltinError::operand(
            2,
            &["one of {set, array} containing string paths or array of path segments"],
            path,
        )),
    }
}

fn unescape<'e>(ctx: Context<'e>, key: &str) -> Value<'e> {
    if key.contains('~') {
        ctx.arena.string(&key.replace("~1", "/").replace("~0", "~"))
    } else {
        ctx.arena.string(key)
    }
}

/// The paths as a tree; nodes stand in one list, so that a long path needs no recursion to be freed.
struct Tree<'e> {
    nodes: Vec<Node<'e>>,
}

#[derive(Default)]
struct Node<'e> {
    /// Whether a path ends here; then nothing below counts.
    end: bool,
    children: HashMap<Value<'e>, usize>,
}

impl<'e> Tree<'e> {
    fn insert(&mut self, path: &[Value<'e>]) {
        let mut at = 0;
        for (depth, key) in path.iter().enumerate() {
            if self.nodes[at].end {
                return;
            }
            let next = self.nodes.len();
            at = *self.nodes[at].children.entry(*key).or_insert(next);
            if at == next {
                self.nodes.push(Node::default());
            }
            if depth + 1 == path.len() {
                self.nodes[at].end = true;
            }
        }
    }

    fn child(&self, node: usize, key: Value<'e>) -> Option<usize> {
        self.nodes[node].children.get(&key).copied()
    }
}

struct Selection<'e> {
    ctx: Context<'e>,
    tree: Tree<'e>,
    mode: Mode,
}

impl<'e> Selection<'e> {
    /// Returns what stays of a value at a node of the tree.
    fn apply(&self, value: Value<'e>, node: usize, depth: usize) -> Answer<'e> {
        if self.tree.nodes[node].end {
            return Ok((self.mode == Mode::Keep).then_some(value));
        }
        if depth > DEPTH_MAX {
            return Err(BuiltinError::value("document is nested too deeply"));
        }
        match value.kind() {
            Kind::Object => self.apply_object(value, node, depth),
            Kind::Array => self.apply_array(value, node, depth),
            Kind::Set => self.apply_set(value, node, depth),
            Kind::Null | Kind::Boolean | Kind::Number | Kind::String => Ok(Some(value)),
        }
    }

    /// Returns what stays of a child, which has a node of its own if a path leads through it.
    fn apply_child(&self, value: Value<'e>, node: Option<usize>, depth: usize) -> Answer<'e> {
        match node {
            Some(node) => self.apply(value, node, depth + 1),
            None => Ok((self.mode == Mode::Drop).then_some(value)),
        }
    }

    fn apply_object(&self, value: Value<'e>, node: usize, depth: usize) -> Answer<'e> {
        let mut pairs = self.ctx.pairs();
        for (key, value) in value.as_object().into_iter().flat_map(|it| it.iter()) {
            let kept = self.apply_child(value, self.tree.child(node, key), depth)?;
            pairs.extend(kept.map(|it| (key, it)));
        }
        Ok(Some(self.ctx.arena.object_sorted(&pairs)))
    }

    /// Items are named by their index as a text.
    fn apply_array(&self, value: Value<'e>, node: usize, depth: usize) -> Answer<'e> {
        let mut list = self.ctx.list();
        for (index, item) in value.as_array().into_iter().flat_map(|it| it.iter()).enumerate() {
            let key = self.ctx.arena.string(&index.to_string());
            list.extend(self.apply_child(item, self.tree.child(node, key), depth)?);
        }
        Ok(Some(self.ctx.arena.array(&list)))
    }

    fn apply_set(&self, value: Value<'e>, node: usize, depth: usize) -> Answer<'e> {
        let mut list = self.ctx.list();
        for member in value.as_set().into_iter().flat_map(|it| it.iter()) {
            list.extend(self.apply_child(member, self.tree.child(node, member), depth)?);
        }
        Ok(Some(self.ctx.arena.set(&mut list)))
    }
}
