//! The walk over a template's actions: what is written, which branch is taken, what repeats.
//!
//! Apart from the evaluation of pipelines. Depth, output and work are bounded: the caller's meter may end it.

use std::fmt::Display;

use super::data::{Data, Val};
use super::node::{Branch, BranchKind, Call, Command, Node, Operand, Pipe};
use super::parse::Trees;
use crate::go::fmt::sprint;
use crate::go::quote::quote;

/// No template is called from deeper than so many actions; the actions of one template nest within the parser's limit.
const DEPTH_MAX: usize = 300;
/// So much work is done between two questions to the meter.
const WORK_PER_QUESTION: usize = 1024;

/// Why a template came to no end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An error with Go's text.
    Failed(String),
    /// The meter ended it.
    Stopped,
}

/// Where evaluation stands, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum At<'t> {
    Nowhere,
    Template(&'t Call),
    Pipe(&'t Pipe),
    Command(&'t Command),
    Operand(&'t Operand),
}

/// Whether a list of actions went to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
}

/// Asked with the bytes written so far; false ends the template.
pub type Meter<'m> = dyn Fn(usize) -> bool + 'm;

pub(super) struct State<'t, 'm> {
    file: &'t str,
    text: &'t str,
    trees: &'t Trees,
    /// The name of the template that runs.
    name: &'t str,
    pub(super) at: At<'t>,
    pub(super) variables: Vec<(&'t str, Val)>,
    depth: usize,
    out: String,
    work: usize,
    meter: &'m Meter<'m>,
}

/// No text that a function makes is longer.
const TEXT_BYTES_MAX: usize = 1 << 26;

/// Runs the template of the name on the data.
pub(super) fn execute(
    trees: &Trees,
    name: &str,
    text: &str,
    data: Data,
    meter: &Meter<'_>,
) -> Result<String, Fault> {
    let dot = Val::Plain(data);
    let mut state = State {
        file: name,
        text,
        trees,
        name,
        at: At::Nowhere,
        variables: vec![("$", dot.clone())],
        depth: 0,
        out: String::new(),
        work: 0,
        meter,
    };
    if let Some(nodes) = trees.get(name) {
        state.walk_all(&dot, nodes)?;
    }
    Ok(state.out)
}

impl<'t> State<'t, '_> {
    pub(super) fn fail<T>(&self, message: impl Display) -> Result<T, Fault> {
        let (pos, context) = match self.at {
            At::Nowhere => (0, String::new()),
            At::Template(it) => (it.pos, it.to_string()),
            At::Pipe(it) => (it.pos, it.to_string()),
            At::Command(it) => (it.pos, it.to_string()),
            At::Operand(it) => (it.pos, super::node::bare(it)),
        };
        let before = self.text.get(..pos).unwrap_or("");
        let line = 1 + before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or("").len();
        let name = quote(self.name);
        Err(Fault::Failed(format!(
            "template: {}:{line}:{column}: executing {name} at <{context}>: {message}",
            self.file
        )))
    }

    /// Counts work, and asks the meter now and then.
    pub(super) fn spend(&mut self, work: usize) -> Result<(), Fault> {
        self.work += work + 1;
        if self.work >= WORK_PER_QUESTION {
            self.work = 0;
            if !(self.meter)(self.out.len()) {
                return Err(Fault::Stopped);
            }
        }
        Ok(())
    }

    pub(super) fn bytes_left(&self) -> usize {
        TEXT_BYTES_MAX.saturating_sub(self.out.len())
    }

    fn write(&mut self, text: &str) -> Result<(), Fault> {
        self.out.push_str(text);
        if self.out.len() > TEXT_BYTES_MAX {
            return Err(Fault::Stopped);
        }
        self.spend(text.len() / 16)
    }

    pub(super) fn assign(&mut self, name: &str, value: Val) -> Result<(), Fault> {
        match self.variables.iter_mut().rev().find(|it| it.0 == name) {
            Some(variable) => variable.1 = value,
            None => return self.fail(format!("undefined variable: {name}")),
        }
        Ok(())
    }

    fn walk_all(&mut self, dot: &Val, nodes: &'t [Node]) -> Result<Flow, Fault> {
        self.depth += 1;
        let mut flow = Flow::On;
        for node in nodes {
            flow = self.walk(dot, node)?;
            if flow != Flow::On {
                break;
            }
        }
        self.depth -= 1;
        Ok(flow)
    }

    fn walk(&mut self, dot: &Val, node: &'t Node) -> Result<Flow, Fault> {
        self.spend(1)?;
        match node {
            Node::Text(text) => self.write(text)?,
            Node::Action(pipe) => {
                let value = self.pipeline(dot, pipe)?;
                if pipe.variables.is_empty() {
                    let text = value.data().map_or("<no value>".to_owned(), |it| sprint(&[it.as_arg()]));
                    self.write(&text)?;
                }
            }
            Node::Branch(branch) => {
                let variables = self.variables.len();
                let flow = match branch.kind {
                    BranchKind::Range => self.range(dot, branch)?,
                    BranchKind::If | BranchKind::With => self.choose(dot, branch)?,
                };
                self.variables.truncate(variables);
                return Ok(flow);
            }
            Node::Template(call) => self.template(dot, call)?,
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::On)
    }

    fn choose(&mut self, dot: &Val, branch: &'t Branch) -> Result<Flow, Fault> {
        let value = self.pipeline(dot, &branch.pipe)?;
        match (value.truth(), &branch.otherwise) {
            (true, _) => {
                let inner = if branch.kind == BranchKind::With { &value } else { dot };
                self.walk_all(inner, &branch.body)
            }
            (false, Some(otherwise)) => self.walk_all(dot, otherwise),
            (false, None) => Ok(Flow::On),
        }
    }

    fn range(&mut self, dot: &Val, branch: &'t Branch) -> Result<Flow, Fault> {
        let value = self.pipeline(dot, &branch.pipe)?;
        let mark = self.variables.len();
        let plain = |it: i64| Val::Plain(Data::Int(it));
        let mut any = false;
        let mut each = |this: &mut Self, index: Val, item: Val| {
            any = true;
            let flow = this.iteration(branch, index, &item)?;
            this.variables.truncate(mark);
            Ok::<_, Fault>(flow)
        };
        match value.data() {
            None => {}
            Some(number @ (Data::Int(_) | Data::Byte(_))) => {
                if branch.pipe.variables.len() > 1 {
                    let shown = sprint(&[number.as_arg()]);
                    return self.fail(format!("can't use {shown} to iterate over more than one variable"));
                }
                let (end, is_byte) = match number {
                    Data::Byte(it) => (i64::from(*it), true),
                    Data::Int(it) => (*it, false),
                    _ => (0, false),
                };
                for it in 0..end {
                    let item = match u8::try_from(it) {
                        Ok(byte) if is_byte => Val::Plain(Data::Byte(byte)),
                        _ => plain(it),
                    };
                    if each(self, Val::Invalid, item)? {
                        break;
                    }
                }
            }
            Some(Data::List(list)) => {
                for (index, item) in (0..).zip(list.items.iter()) {
                    if each(self, plain(index), Val::Boxed(item.clone()))? {
                        break;
                    }
                }
            }
            Some(Data::Map(map)) => {
                for (key, item) in map.iter() {
                    if each(self, Val::text(key.as_str()), Val::Boxed(item.clone()))? {
                        break;
                    }
                }
            }
            Some(other) => {
                let shown = sprint(&[other.as_arg()]);
                return self.fail(format!("range can't iterate over {shown}"));
            }
        }
        match &branch.otherwise {
            Some(otherwise) if !any => self.walk_all(dot, otherwise),
            _ => Ok(Flow::On),
        }
    }

    /// Runs the body once; true says that it was left for good.
    fn iteration(&mut self, branch: &'t Branch, index: Val, item: &Val) -> Result<bool, Fault> {
        self.spend(1)?;
        let pipe = &branch.pipe;
        let own = match pipe.variables.as_slice() {
            [] => vec![],
            [one] => vec![(one, item.clone())],
            [key, value, ..] => vec![(key, index), (value, item.clone())],
        };
        let first = self.variables.len().saturating_sub(own.len());
        for (offset, (name, value)) in own.into_iter().enumerate() {
            if pipe.assigns {
                self.assign(name, value)?;
            } else if let Some(variable) = self.variables.get_mut(first + offset) {
                variable.1 = value;
            }
        }
        Ok(self.walk_all(item, &branch.body)? == Flow::Break)
    }

    fn template(&mut self, dot: &Val, call: &'t Call) -> Result<(), Fault> {
        self.at = At::Template(call);
        let Some((name, nodes)) = self.trees.get_key_value(&call.name) else {
            return self.fail(format!("template {} not defined", quote(&call.name)));
        };
        if self.depth >= DEPTH_MAX {
            return self.fail("exceeded maximum template depth (100000)");
        }
        let dot = match &call.pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Val::Invalid,
        };
        let outer_name = std::mem::replace(&mut self.name, name);
        let outer_at = self.at;
        let outer_variables = std::mem::replace(&mut self.variables, vec![("$", dot.clone())]);
        self.walk_all(&dot, nodes)?;
        self.variables = outer_variables;
        self.name = outer_name;
        self.at = outer_at;
        Ok(())
    }
}
