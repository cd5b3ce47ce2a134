//! The tree as OPA's own tools show it: every expression a term or a call, every `else` a rule
//! inside its rule, sets without repeated members, and for each node the place and the piece of
//! text that OPA notes for it.
//!
//! The formatter lays text out by these places and pieces, and the JSON form of a module prints
//! them; both must agree with OPA to the byte, also where its notes are odd. The tree in [`ast`]
//! is what every other stage reads. This one borrows from it, is made for one output, and is
//! dropped. It knows nothing of layout.

mod compare;
mod exprs;
mod place;
mod rules;
mod terms;
pub(crate) mod visit;

use std::borrow::Cow;

use crate::{ast, source::Span};

pub(crate) use self::{
    compare::compare,
    exprs::Builder,
    place::{Locator, line_breaks},
    rules::build_module,
};

/// Is where a node stands: the place that is reported for it, and the piece of text noted with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Offset of what is reported.
    pub(crate) at: u32,
    /// The row of `at`; 0 for a node that was never written.
    pub(crate) row: u32,
    /// The piece of text, which may begin before `at` or after it.
    pub(crate) text: Span,
}

impl Place {
    /// Is the place of a node that was never written.
    pub(crate) const NONE: Self = Self { at: 0, row: 0, text: Span { start: 0, end: 0 } };

    /// Tells whether the node was written.
    pub(crate) fn is_some(self) -> bool {
        self.row > 0
    }
}

/// Is one file.
#[derive(Debug)]
pub(crate) struct Module<'t> {
    pub(crate) package: Package<'t>,
    pub(crate) imports: Vec<Import<'t>>,
    pub(crate) rules: Vec<Rule<'t>>,
}

/// Is the package clause; its path begins with `data`.
#[derive(Debug)]
pub(crate) struct Package<'t> {
    pub(crate) place: Place,
    pub(crate) path: Vec<Term<'t>>,
}

/// Is one import; its path is always a reference.
#[derive(Debug)]
pub(crate) struct Import<'t> {
    pub(crate) place: Place,
    pub(crate) path: Term<'t>,
    pub(crate) alias: Option<(&'t str, Place)>,
}

/// Is one rule or one `else` of a rule.
#[derive(Debug)]
pub(crate) struct Rule<'t> {
    pub(crate) place: Place,
    pub(crate) default: bool,
    pub(crate) head: Head<'t>,
    pub(crate) body: Vec<Expr<'t>>,
    pub(crate) otherwise: Option<Box<Self>>,
    /// The rule it was made of; for an `else` the rule it belongs to.
    pub(crate) source: &'t ast::Rule,
}

/// Is a rule's head.
#[derive(Debug)]
pub(crate) struct Head<'t> {
    pub(crate) place: Place,
    /// The name that older tools go by; a rule with a path has none.
    pub(crate) name: Option<&'t str>,
    pub(crate) reference: Vec<Term<'t>>,
    pub(crate) args: Vec<Term<'t>>,
    pub(crate) key: Option<Term<'t>>,
    pub(crate) value: Option<Term<'t>>,
    pub(crate) assign: bool,
    /// The value was not written and stands at the head's own place.
    pub(crate) value_is_implied: bool,
}

/// Is one expression.
#[derive(Debug)]
pub(crate) struct Expr<'t> {
    pub(crate) place: Place,
    pub(crate) kind: ExprKind<'t>,
    pub(crate) negated: bool,
    pub(crate) with: Vec<With<'t>>,
    /// Was not written.
    pub(crate) generated: bool,
}

/// Is what an expression may be.
#[derive(Debug)]
pub(crate) enum ExprKind<'t> {
    Term(Term<'t>),
    /// The function, then its arguments.
    Call(Vec<Term<'t>>),
    /// Names, or one call of a membership.
    Some {
        place: Place,
        symbols: Vec<Term<'t>>,
    },
    Every(Box<Every<'t>>),
    Not(Operand<'t>),
    And(Box<Logical<'t>>),
    Or(Box<Logical<'t>>),
}

/// Is `every`.
#[derive(Debug)]
pub(crate) struct Every<'t> {
    pub(crate) place: Place,
    pub(crate) key: Option<Term<'t>>,
    pub(crate) value: Term<'t>,
    pub(crate) domain: Term<'t>,
    pub(crate) body: Vec<Expr<'t>>,
}

/// Is an operand of `and`, `or` and the new `not`.
#[derive(Debug)]
pub(crate) struct Operand<'t> {
    pub(crate) body: Vec<Expr<'t>>,
    /// Was written in braces.
    pub(crate) explicit: bool,
}

/// Is the two sides of `and` or `or`.
#[derive(Debug)]
pub(crate) struct Logical<'t> {
    pub(crate) lhs: Operand<'t>,
    pub(crate) rhs: Operand<'t>,
}

/// Is one modifier.
#[derive(Debug)]
pub(crate) struct With<'t> {
    pub(crate) place: Place,
    pub(crate) target: Term<'t>,
    pub(crate) value: Term<'t>,
}

/// Is one term.
#[derive(Debug)]
pub(crate) struct Term<'t> {
    pub(crate) place: Place,
    pub(crate) value: Value<'t>,
}

/// Is what a term may be.
#[derive(Debug)]
pub(crate) enum Value<'t> {
    Null,
    Bool(bool),
    Number(&'t str),
    String(&'t str),
    Var(Cow<'t, str>),
    Ref(Vec<Term<'t>>),
    /// The function, then its arguments.
    Call(Vec<Term<'t>>),
    Array(Vec<Term<'t>>),
    /// In order of keys; repeated keys stay.
    Object(Vec<(Term<'t>, Term<'t>)>),
    /// In order, each once.
    Set(Vec<Term<'t>>),
    ArrayCompr(Box<Compr<'t>>),
    SetCompr(Box<Compr<'t>>),
    ObjectCompr(Box<ObjectCompr<'t>>),
    Template {
        parts: Vec<Part<'t>>,
        raw: bool,
    },
}

/// Is an array or set comprehension.
#[derive(Debug)]
pub(crate) struct Compr<'t> {
    pub(crate) term: Term<'t>,
    pub(crate) body: Vec<Expr<'t>>,
}

/// Is an object comprehension.
#[derive(Debug)]
pub(crate) struct ObjectCompr<'t> {
    pub(crate) key: Term<'t>,
    pub(crate) value: Term<'t>,
    pub(crate) body: Vec<Expr<'t>>,
}

/// Is a piece of a template string; a scalar in braces is a term as text is.
#[derive(Debug)]
pub(crate) enum Part<'t> {
    Term(Term<'t>),
    Expr(Expr<'t>),
}

impl Value<'_> {
    /// Returns the name of the kind as OPA has it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Var(_) => "var",
            Self::Ref(_) => "ref",
            Self::Call(_) => "call",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
            Self::Set(_) => "set",
            Self::ArrayCompr(_) => "arraycomprehension",
            Self::SetCompr(_) => "setcomprehension",
            Self::ObjectCompr(_) => "objectcomprehension",
            Self::Template { .. } => "templatestring",
        }
    }
}

impl<'t> Expr<'t> {
    /// Returns the function and arguments if this is a call.
    pub(crate) fn call(&self) -> Option<&[Term<'t>]> {
        match &self.kind {
            ExprKind::Call(terms) => Some(terms),
            _ => None,
        }
    }

    /// Tells whether this is `and` or `or`.
    pub(crate) fn is_logical(&self) -> bool {
        matches!(self.kind, ExprKind::And(_) | ExprKind::Or(_))
    }
}

impl<'t> Term<'t> {
    /// Returns the function and arguments if this is a call.
    pub(crate) fn call(&self) -> Option<&[Term<'t>]> {
        match &self.value {
            Value::Call(terms) => Some(terms),
            _ => None,
        }
    }

    /// Returns the variable's name if this is one.
    pub(crate) fn var(&self) -> Option<&str> {
        match &self.value {
            Value::Var(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the string if this is one.
    pub(crate) fn string(&self) -> Option<&'t str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}
