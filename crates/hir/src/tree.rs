//! The resolved rule tree: what a policy means, with every name looked up, every body in a safe order, every call
//! an expression of its own.
//!
//! Apart because it is the contract between the front end and the planner. It holds no source text and decides
//! nothing: the stages that build it check; whoever reads it may rely on what is written here.
//!
//! INVARIANTS of a tree without diagnostics:
//! - Terms hold no calls: a nested call is an expression before its use, whose output variable stands in its place.
//! - A reference starts at `input`, `data` or a variable; nothing else. Heads that were calls or composites became
//!   variables.
//! - Bodies are in an order in which every variable is bound when it must be. Closures (comprehensions, `every`,
//!   `not`, `and`, `or`) have bodies of their own, ordered likewise.
//! - Variables are numbered in one space for each rule or query, closures included; a name shadowed in a closure has
//!   a number of its own.

use std::sync::Arc;

use lictor_syntax::{Source, Span};

/// A variable of one rule or query.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// A rule, by position in [`Hir::rules`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u32);

/// A group of rules that define one document or function, by position in [`Hir::groups`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroupId(pub u32);

/// A source file, by position in [`Hir::sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The bytes.
    pub span: Span,
}

/// All modules together, resolved.
#[derive(Clone, Debug, Default)]
pub struct Hir {
    /// The files that places point into.
    pub sources: Vec<Arc<Source>>,
    /// All rules; `else` branches are inside their rule.
    pub rules: Vec<Rule>,
    /// Rules by the document or function that they define, in order of their path.
    pub groups: Vec<Group>,
    /// The packages that have a module (paths without `data`), sorted, even those without rules.
    pub packages: Vec<Vec<Arc<str>>>,
    /// Whether `print` calls are kept.
    pub print: bool,
}

/// The rules that define one document or function: those with the same ground path.
///
/// A rule with a dynamic head (`a.b[x].c`) belongs to the group of its ground prefix (`a.b`), with every other rule
/// below that prefix that is not a group of its own path. OPA's rule trie does the same.
#[derive(Clone, Debug)]
pub struct Group {
    /// The ground path without `data`: package, then the names of the head.
    pub path: Vec<Arc<str>>,
    /// What it is.
    pub kind: GroupKind,
    /// Its rules in source order (files in the order given), without the default.
    pub rules: Vec<RuleId>,
    /// The `default` rule.
    pub default: Option<RuleId>,
}

/// What a group defines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GroupKind {
    /// One value.
    Complete,
    /// A set, by `contains`.
    PartialSet,
    /// An object, of one or more levels; some of its rules may be partial sets at their leaves (`a[x] contains y`).
    PartialObject,
    /// A function of so many arguments.
    Function {
        /// The number of arguments.
        arity: u32,
    },
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The group.
    pub group: GroupId,
    /// The path below the group's, of a partial object: `[x, "c"]` of `a.b[x].c`. Empty otherwise.
    pub keys: Vec<Term>,
    /// Whether the leaf collects members (`contains`).
    pub contains: bool,
    /// The arguments' patterns of a function.
    pub args: Vec<Term>,
    /// The value, or the member if `contains`.
    pub value: Term,
    /// What must hold; empty means true.
    pub body: Vec<Expr>,
    /// What is tried when the body has no solution.
    pub else_branch: Option<Box<Else>>,
    /// The variables, by number.
    pub vars: Vec<Var>,
    /// The whole rule.
    pub place: Place,
    /// The head.
    pub head_place: Place,
    /// The rule's path as it is shown (`data.a.b[x].c`).
    pub shown: Box<str>,
    /// Annotation blocks: indexes into the module's, with the module's file.
    pub annotations: Vec<u32>,
}

/// One `else` branch; its variables are numbered in the rule's space.
#[derive(Clone, Debug)]
pub struct Else {
    /// The value.
    pub value: Term,
    /// What must hold.
    pub body: Vec<Expr>,
    /// The next branch.
    pub else_branch: Option<Box<Else>>,
    /// From `else` to the end of its body.
    pub place: Place,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// The name as written; of a generated one a name that no source can hold.
    pub name: Box<str>,
    /// Whether the compiler made it, wildcards included.
    pub generated: bool,
}

/// A query: a body whose variables are the answer.
#[derive(Clone, Debug)]
pub struct Query {
    /// The expressions, safe and ordered.
    pub body: Vec<Expr>,
    /// The variables, by number.
    pub vars: Vec<Var>,
    /// The variables that the answer shows, in order of their names.
    pub outputs: Vec<VarId>,
    /// For each expression as written, in that order: the variable that holds its value, or none if a solution
    /// shows `true` for it; with its text and place.
    pub expressions: Vec<QueryExpression>,
    /// The text.
    pub source: Arc<Source>,
}

/// One expression of a query as written.
#[derive(Clone, Debug)]
pub struct QueryExpression {
    /// The variable that holds its value.
    pub value: Option<VarId>,
    /// Its text.
    pub text: Box<str>,
    /// Row and column, from 1.
    pub position: (u32, u32),
}

/// One expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// What is replaced while it is evaluated, in order.
    pub with: Vec<With>,
    /// Is a `not` of V0 and V1: its body is one expression, which is checked as if there were no `not`.
    pub is_plain_not: bool,
    /// Its place.
    pub place: Place,
}

/// What an expression does.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// The term must be defined and not `false`.
    Term(Term),
    /// Both terms are unified.
    Unify(Term, Term),
    /// A call. With an output, the result is unified with it (and may be `false`); without one, the result must not
    /// be `false`.
    Call(Call),
    /// `every`.
    Every(Box<Every>),
    /// Holds if the body has no solution.
    Not(Vec<Expr>),
    /// Holds if both have a solution; one result, whatever the solutions.
    And(Vec<Expr>, Vec<Expr>),
    /// Holds if the first or else the second has a solution; one result.
    Or(Vec<Expr>, Vec<Expr>),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// The arguments.
    pub args: Vec<Term>,
    /// What the result is unified with.
    pub output: Option<Term>,
}

/// What a call calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A built-in by its name; `walk` and other relations have many results.
    Builtin(Box<str>),
    /// A function of the policy.
    Function(GroupId),
}

/// `every [key,] value in domain { body }`; the domain is a variable or ground.
#[derive(Clone, Debug)]
pub struct Every {
    /// The key or index.
    pub key: Option<VarId>,
    /// The value.
    pub value: VarId,
    /// What is iterated.
    pub domain: Term,
    /// What must hold each time.
    pub body: Vec<Expr>,
}

/// One replacement.
#[derive(Clone, Debug)]
pub struct With {
    /// What is replaced.
    pub target: WithTarget,
    /// Its place.
    pub place: Place,
}

/// What is replaced by what.
#[derive(Clone, Debug)]
pub enum WithTarget {
    /// `input.path` by a value; an empty path is the whole input.
    Input(Vec<Box<str>>, Term),
    /// `data.path` by a value; it hides base and virtual documents at and below the path.
    Data(Vec<Box<str>>, Term),
    /// A function or built-in by another one.
    Callee(Callee, Callee),
    /// A function or built-in by a value, whatever the arguments.
    CalleeValue(Callee, Term),
}

/// One term.
#[derive(Clone, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Its place.
    pub place: Place,
}

/// What a term may be.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as written.
    Number(Box<str>),
    /// A string.
    String(Box<str>),
    /// A variable.
    Var(VarId),
    /// A reference.
    Ref(Ref),
    /// An array.
    Array(Vec<Term>),
    /// An object; of repeated ground keys the last one wins.
    Object(Vec<(Term, Term)>),
    /// A set.
    Set(Vec<Term>),
    /// `[term | body]`.
    ArrayCompr(Box<Compr>),
    /// `{term | body}`.
    SetCompr(Box<Compr>),
    /// `{key: value | body}`.
    ObjectCompr(Box<ObjectCompr>),
}

/// A reference. Bare `input` and `data` are references without parts.
#[derive(Clone, Debug)]
pub struct Ref {
    /// Where it starts.
    pub head: RefHead,
    /// What is looked up in turn: scalars, variables, or ground composites; never references.
    pub parts: Vec<Term>,
}

/// Where a reference starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RefHead {
    /// The input.
    Input,
    /// Base and virtual documents.
    Data,
    /// A variable.
    Var(VarId),
}

/// An array or set comprehension.
#[derive(Clone, Debug)]
pub struct Compr {
    /// What is collected.
    pub term: Term,
    /// For each of its solutions.
    pub body: Vec<Expr>,
}

/// An object comprehension.
#[derive(Clone, Debug)]
pub struct ObjectCompr {
    /// The key.
    pub key: Term,
    /// The value; two different ones for one key are a conflict.
    pub value: Term,
    /// For each of its solutions.
    pub body: Vec<Expr>,
}
