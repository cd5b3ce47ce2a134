//! Graphs: `graph.reachable`, `graph.reachable_paths`, and `walk`.
//!
//! All keep a stack of their own, as graphs and documents may be deep, and ask now and then whether the evaluation
//! must end. `walk` is a relation: it answers a list that the engine iterates.

use std::collections::HashSet;

use lictor_value::{Kind, Object, ObjectIter, Value};
use smallvec::SmallVec;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, Items, answer, any, items, object};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::scratch::List;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("graph.reachable", "{any:[any*]/set[any]}, [any*]/set[any] -> set[any]", reachable),
    Builtin::pure(
        "graph.reachable_paths",
        "{any:[any*]/set[any]}, [any*]/set[any] -> set[[any*]]",
        reachable_paths,
    ),
    Builtin::pure("walk", "any -> [[any*],any]", walk),
];

/// Between so many steps the host is asked whether the evaluation must end.
const STEPS_BETWEEN_CHECKS: u32 = 1 << 12;

fn starts<'e>(args: &[Value<'e>]) -> Result<Items<'e>, BuiltinError> {
    let value = any(args, 1);
    // The doubled braces are OPA's.
    items(value).ok_or_else(|| BuiltinError::operand(2, &["{array, set}"], value))
}

/// Returns the neighbors of a node of the graph; a value that is no list has none.
fn neighbors<'e>(graph: Object<'e>, node: Value<'e>) -> Option<impl Iterator<Item = Value<'e>>> {
    graph.get(node).map(|edges| items(edges).into_iter().flat_map(Items::iter))
}

fn reachable<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let graph = object(args, 0)?;
    let mut queue = ctx.list();
    queue.extend(starts(args)?.iter());
    let mut seen: HashSet<Value<'e>> = HashSet::new();
    let mut reached = ctx.list();
    while let Some(node) = queue.pop() {
        if !seen.insert(node) {
            continue;
        }
        if let Some(edges) = neighbors(graph, node) {
            reached.push(node);
            queue.extend(edges);
        }
    }
    answer(ctx.arena.set(&mut reached))
}

/// The search for all paths without a repeated node; it keeps its own stack, as graphs may be deep.
struct Paths<'e> {
    ctx: Context<'e>,
    graph: Object<'e>,
    path: List<'e>,
    on_path: HashSet<Value<'e>>,
    /// The edges of each node of the path, and how many were followed.
    stack: Vec<(Option<Items<'e>>, usize)>,
    found: List<'e>,
    steps: u32,
}

impl<'e> Paths<'e> {
    fn end_here(&mut self) {
        self.found.push(self.ctx.arena.array(&self.path));
    }

    /// Goes on to a node; one that the graph does not have ends the path before it.
    fn enter(&mut self, node: Value<'e>) {
        let Some(edges) = self.graph.get(node) else { return self.end_here() };
        self.path.push(node);
        self.on_path.insert(node);
        let edges = items(edges).filter(|it| it.len() > 0);
        if edges.is_none() {
            self.end_here();
        }
        self.stack.push((edges, 0));
    }

    fn search(&mut self, start: Value<'e>) -> Result<(), BuiltinError> {
        self.enter(start);
        while let Some((edges, followed)) = self.stack.last_mut() {
            let next = edges.and_then(|it| it.get(*followed));
            *followed += 1;
            check_cancelled(self.ctx, &mut self.steps)?;
            match next {
                None => self.leave(),
                // As OPA does, a start that is its own neighbor is entered once more.
                Some(node) if self.path.len() > 1 && self.on_path.contains(&node) => self.end_here(),
                Some(node) => self.enter(node),
            }
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.stack.pop();
        // Only the start can stand on the path twice.
        if let Some(node) = self.path.pop()
            && (self.path.len() != 1 || self.path.first() != Some(&node))
        {
            self.on_path.remove(&node);
        }
    }
}

fn check_cancelled(ctx: Context<'_>, steps: &mut u32) -> Result<(), BuiltinError> {
    *steps = steps.wrapping_add(1);
    if ctx.arena.exhausted() || steps.is_multiple_of(STEPS_BETWEEN_CHECKS) && ctx.host.cancelled() {
        return Err(BuiltinError::new(ErrorKind::HaltCancel, "caller cancelled query execution"));
    }
    Ok(())
}

fn reachable_paths<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let graph = object(args, 0)?;
    let starts = starts(args)?;
    let mut paths = Paths {
        ctx,
        graph,
        path: ctx.list(),
        on_path: HashSet::new(),
        stack: Vec::new(),
        found: ctx.list(),
        steps: 0,
    };
    for node in starts.iter().filter(|it| graph.get(*it).is_some()) {
        paths.search(node)?;
    }
    answer(ctx.arena.set(&mut paths.found))
}

/// Returns an array of all `[path, value]` pairs, parents first; the engine iterates it.
fn walk<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut pairs = ctx.list();
    walk_with(ctx, any(args, 0), |path, value| {
        pairs.push(ctx.arena.array(&[ctx.arena.array(path), value]));
    })?;
    answer(ctx.arena.array(&pairs))
}

/// Returns an array of all values in a value, itself first, in the order of `walk`: for calls that ignore the path.
///
/// # Errors
/// When the evaluation is cancelled.
pub fn walk_values<'e>(ctx: Context<'e>, value: Value<'e>) -> Answer<'e> {
    let mut values = ctx.list();
    walk_with(ctx, value, |_, value| values.push(value))?;
    answer(ctx.arena.array(&values))
}

/// The children that are still to be visited at one level.
enum Children<'e> {
    Object(ObjectIter<'e>),
    Items(Items<'e>, usize),
}

impl<'e> Children<'e> {
    fn of(value: Value<'e>) -> Option<Self> {
        if let Some(object) = value.as_object() {
            return Some(Self::Object(object.iter()));
        }
        items(value).map(|it| Self::Items(it, 0))
    }

    /// Returns the next key and value; a member of a set is its own key.
    fn next(&mut self, ctx: Context<'e>) -> Option<(Value<'e>, Value<'e>)> {
        match self {
            Self::Object(entries) => entries.next(),
            Self::Items(items, position) => {
                let item = items.get(*position)?;
                let index = i64::try_from(*position).unwrap_or(i64::MAX);
                *position += 1;
                Some(if items.kind() == Kind::Array { (ctx.arena.int(index), item) } else { (item, item) })
            }
        }
    }
}

/// Visits a value and all values in it with their paths. It keeps its own stack, as values may be deep.
pub(crate) fn walk_with<'e>(
    ctx: Context<'e>,
    root: Value<'e>,
    mut visit: impl FnMut(&[Value<'e>], Value<'e>),
) -> Result<(), BuiltinError> {
    let mut path = ctx.list();
    let mut steps = 0;
    visit(&path, root);
    let mut levels: SmallVec<[Children<'e>; 8]> = Children::of(root).into_iter().collect();
    while let Some(level) = levels.last_mut() {
        check_cancelled(ctx, &mut steps)?;
        let Some((key, value)) = level.next(ctx) else {
            levels.pop();
            path.pop();
            continue;
        };
        path.push(key);
        visit(&path, value);
        match Children::of(value) {
            Some(children) => levels.push(children),
            None => {
                path.pop();
            }
        }
    }
    Ok(())
}
