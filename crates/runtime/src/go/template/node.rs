//! The tree of a template, and how its parts print in messages.
//!
//! Apart from the parser and the evaluation, which share it. Each part knows where it stands, because errors of
//! both name the place.

use std::fmt::{self, Display, Formatter};

use super::number::Constant;
use crate::go::quote::quote;

/// What a template does, in order.
#[derive(Debug)]
pub(super) enum Node {
    Text(String),
    Action(Pipe),
    Branch(Branch),
    Template(Call),
    Break,
    Continue,
}

/// `if`, `with` or `range`.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) kind: BranchKind,
    pub(super) pipe: Pipe,
    pub(super) body: Vec<Node>,
    pub(super) otherwise: Option<Vec<Node>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BranchKind {
    If,
    With,
    Range,
}

impl BranchKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::With => "with",
            Self::Range => "range",
        }
    }
}

/// `template`, and `block` where it stands.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) pos: usize,
    pub(super) name: String,
    pub(super) pipe: Option<Pipe>,
}

/// Commands whose values go from one to the next, perhaps kept in variables.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    pub(super) pos: usize,
    /// Whether the variables are there already.
    pub(super) assigns: bool,
    pub(super) variables: Vec<String>,
    pub(super) commands: Vec<Command>,
}

/// An operand, or a function with its arguments.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) pos: usize,
    pub(super) args: Vec<Operand>,
}

/// A term with the place it stands at.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) pos: usize,
    pub(super) term: Term,
}

#[derive(Debug)]
pub(super) enum Term {
    Bool(bool),
    Nil,
    Dot,
    Number(Constant),
    Str {
        /// As written, with its quotes.
        quoted: String,
        text: String,
    },
    /// `.a.b`.
    Field(Vec<String>),
    /// `$x.a.b`; the first name has its dollar.
    Variable(Vec<String>),
    Function(String),
    Pipe(Pipe),
    /// A term with fields behind it.
    Chain(Box<Operand>, Vec<String>),
}

impl Term {
    /// Says whether this alone is a value that no later stage of a pipeline can be.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Nil | Self::Dot | Self::Number(_) | Self::Str { .. })
    }
}

fn joined<T: Display>(f: &mut Formatter<'_>, items: &[T], separator: &str) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{template {}", quote(&self.name))?;
        if let Some(pipe) = &self.pipe {
            write!(f, " {pipe}")?;
        }
        f.write_str("}}")
    }
}

impl Display for Pipe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            joined(f, &self.variables, ", ")?;
            f.write_str(if self.assigns { " = " } else { " := " })?;
        }
        joined(f, &self.commands, " | ")
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        joined(f, &self.args, " ")
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.term {
            Term::Bool(it) => it.fmt(f),
            Term::Nil => f.write_str("nil"),
            Term::Dot => f.write_str("."),
            Term::Number(it) => f.write_str(&it.text),
            Term::Str { quoted, .. } => f.write_str(quoted),
            Term::Field(names) => write!(f, ".{}", names.join(".")),
            Term::Variable(names) => f.write_str(&names.join(".")),
            Term::Function(name) => f.write_str(name),
            Term::Pipe(pipe) => write!(f, "({pipe})"),
            Term::Chain(inner, names) => write!(f, "{inner}.{}", names.join(".")),
        }
    }
}

/// Returns an operand without the brackets that it has inside a command.
pub(super) fn bare(operand: &Operand) -> String {
    match &operand.term {
        Term::Pipe(pipe) => pipe.to_string(),
        _ => operand.to_string(),
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Action(pipe) => write!(f, "{{{{{pipe}}}}}"),
            Self::Template(call) => call.fmt(f),
            Self::Break => f.write_str("{{break}}"),
            Self::Continue => f.write_str("{{continue}}"),
            Self::Branch(branch) => {
                write!(f, "{{{{{} {}}}}}", branch.kind.word(), branch.pipe)?;
                joined(f, &branch.body, "")?;
                if let Some(otherwise) = &branch.otherwise {
                    f.write_str("{{else}}")?;
                    joined(f, otherwise, "")?;
                }
                f.write_str("{{end}}")
            }
        }
    }
}

/// Says whether there is nothing but space.
pub(super) fn is_blank(nodes: &[Node]) -> bool {
    nodes.iter().all(|it| matches!(it, Node::Text(text) if text.trim().is_empty()))
}
