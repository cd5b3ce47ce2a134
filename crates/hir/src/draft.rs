//! The tree between the stages: names are looked up, but calls may still be nested and bodies are in source order.
//!
//! Apart from [`crate::tree`] because the stages that hoist and reorder need marks that nobody after them may see
//! (who wrote an expression, whether it was negated, which operand was an output), and nesting that nobody after
//! them may meet. All spans are those of one file, which the rule knows.

use lictor_syntax::Span;

use crate::tree::{GroupId, VarId};

/// One rule or `else` branch on its way.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) value: Term,
    pub(crate) body: Vec<Expr>,
    pub(crate) span: Span,
}

/// One rule on its way. The first branch is the rule's own; the others are its `else`.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) keys: Vec<Term>,
    pub(crate) contains: bool,
    pub(crate) args: Vec<Term>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) vars: Vec<VarInfo>,
}

/// What is known of a variable. A generated one has no name.
#[derive(Clone, Debug)]
pub(crate) struct VarInfo {
    pub(crate) name: Box<str>,
    pub(crate) generated: bool,
    /// Was declared, which OPA gives a name of its own, or has none.
    pub(crate) declared: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// Behind a `not` of V0 and V1, whose operands are evaluated outside of it.
    pub(crate) negated: bool,
    /// Made by a stage; a call among them has its output as last operand.
    pub(crate) generated: bool,
    /// Was a `:=`, whose left side only takes.
    pub(crate) assigned: bool,
    pub(crate) with: Vec<With>,
    /// Position from 1 among the expressions of a query as written; 0 of all others.
    pub(crate) query: u32,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Term(Term),
    Unify(Term, Term),
    Call(Call),
    Every(Box<Every>),
    Not(Operand),
    And(Operand, Operand),
    Or(Operand, Operand),
}

#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) body: Vec<Expr>,
    pub(crate) explicit: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Every {
    pub(crate) key: Option<VarId>,
    pub(crate) value: VarId,
    pub(crate) domain: Term,
    pub(crate) body: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct With {
    pub(crate) target: Target,
    pub(crate) value: Replacement,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    Input(Vec<Box<str>>),
    Data(Vec<Box<str>>),
    Callee(Callee),
}

#[derive(Clone, Debug)]
pub(crate) enum Replacement {
    Term(Term),
    Callee(Callee),
}

#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) kind: TermKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TermKind {
    Null,
    Bool(bool),
    Number(Box<str>),
    String(Box<str>),
    Var(VarId),
    Ref(Box<Ref>),
    Call(Box<Call>),
    Array(Vec<Term>),
    Object(Vec<(Term, Term)>),
    Set(Vec<Term>),
    Compr(Box<Compr>),
    Template(Vec<Part>),
}

/// A piece of a template string.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(Term),
    Expr(Expr),
}

#[derive(Clone, Debug)]
pub(crate) struct Ref {
    pub(crate) head: Head,
    pub(crate) parts: Vec<Term>,
}

#[derive(Clone, Debug)]
pub(crate) enum Head {
    Input,
    Data,
    Var(VarId),
    /// A call, composite or comprehension, until it is hoisted.
    Term(Term),
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) args: Vec<Term>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Callee {
    /// By position in the capabilities.
    Builtin(u32),
    Function(GroupId),
    /// No function has this name.
    Unknown(Box<str>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ComprKind {
    Array,
    Set,
    Object,
}

#[derive(Clone, Debug)]
pub(crate) struct Compr {
    pub(crate) kind: ComprKind,
    /// Of an object.
    pub(crate) key: Option<Term>,
    pub(crate) term: Term,
    pub(crate) body: Vec<Expr>,
}

impl Term {
    pub(crate) fn new(kind: TermKind, span: Span) -> Self {
        Self { kind, span }
    }

    pub(crate) fn var(var: VarId, span: Span) -> Self {
        Self::new(TermKind::Var(var), span)
    }

    pub(crate) fn as_var(&self) -> Option<VarId> {
        match self.kind {
            TermKind::Var(var) => Some(var),
            _ => None,
        }
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self.kind, TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_))
    }

    /// Tells whether a reference or comprehension is in it, so that it must be evaluated by an expression.
    pub(crate) fn requires_eval(&self) -> bool {
        match &self.kind {
            TermKind::Ref(_) | TermKind::Compr(_) => true,
            TermKind::Array(items) | TermKind::Set(items) => items.iter().any(Self::requires_eval),
            TermKind::Object(entries) => {
                entries.iter().any(|(key, value)| key.requires_eval() || value.requires_eval())
            }
            TermKind::Call(call) => call.args.iter().any(Self::requires_eval),
            _ => false,
        }
    }
}

impl Expr {
    pub(crate) fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, negated: false, generated: false, assigned: false, with: Vec::new(), query: 0, span }
    }

    /// Makes `var = term` for a term that moves out of its place.
    pub(crate) fn capture(var: VarId, term: Term) -> Self {
        let span = term.span;
        Self { generated: true, ..Self::new(ExprKind::Unify(Term::var(var, span), term), span) }
    }
}
