//! The tree of a parsed Rego text: plain owned data, faithful to the source.
//!
//! Every node carries its [`Span`]; the file is the module's [`Source`]. The start of a span is
//! the place that OPA reports for the node, so `source.position(span.start)` is the row and column
//! of a diagnostic. For a parenthesised term that is the place *inside* the parentheses, and for an
//! infix call the place of its left operand.
//!
//! The tree keeps what was written (quotes, infix or call form, dots or brackets, redundant
//! parentheses, comments) so that it can be formatted, and what OPA's parser decides (which heads
//! are partial sets, which braces are bodies) so that later stages need not decide it again.
//! Numbers and strings are text here: nothing is evaluated and no name is resolved.

use std::sync::Arc;

use crate::source::{Source, Span};

pub use crate::annotations::{Annotation, Yaml, YamlKind};

/// Is the version of the language that a text is parsed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegoVersion {
    /// OPA 0.x: `contains`, `every`, `if`, `in` must be imported.
    V0,
    /// The default since OPA 1.0.
    #[default]
    V1,
    /// V1 with `and`, `or` and `not {…}`.
    V2,
}

/// Is a set of the keywords that a module may import or that its version brings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keywords(u8);

impl Keywords {
    /// `contains` in rule heads.
    pub const CONTAINS: Self = Self(1);
    /// `every` expressions.
    pub const EVERY: Self = Self(2);
    /// `if` before rule bodies.
    pub const IF: Self = Self(4);
    /// `in` as an operator.
    pub const IN: Self = Self(8);
    /// `and` between expressions.
    pub const AND: Self = Self(16);
    /// `or` between expressions.
    pub const OR: Self = Self(32);
    /// `not` over a body and with whole-expression meaning.
    pub const NOT: Self = Self(64);
    /// The keywords that V1 brings.
    pub const V1: Self = Self(15);
    /// The keywords that V2 adds to those of V1.
    pub const V2_ADDED: Self = Self(112);
    /// All of them.
    pub const ALL: Self = Self(127);

    /// Returns both sets together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns this set without those of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Tells whether all of `other` are in this set.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Is one file.
#[derive(Clone, Debug)]
pub struct Module {
    /// The text that spans point into.
    pub source: Arc<Source>,
    /// The version that the parser was asked for.
    pub version: RegoVersion,
    /// The version after `import rego.v1` and `import rego.v2`; at least `version`. Rules that
    /// hold for V1 modules (no shadowing of `input`, no duplicate imports, …) go by this one.
    pub version_max: RegoVersion,
    /// Keywords that were on at the end, from the version and from imports.
    /// With [`Keywords::NOT`] a `not` is an [`ExprKind::Not`], without it [`Expr::negated`].
    pub keywords: Keywords,
    /// The package clause.
    pub package: Package,
    /// Imports in source order, those of `rego` and `future` included.
    pub imports: Vec<Import>,
    /// Rules in source order; chained bodies are rules of their own (see [`Rule::chained`]).
    pub rules: Vec<Rule>,
    /// All comments in source order.
    pub comments: Vec<Comment>,
    /// Metadata blocks in source order; empty if the parser was not asked for them.
    pub annotations: Vec<Annotation>,
}

/// Is the package clause.
#[derive(Clone, Debug)]
pub struct Package {
    /// Path without the leading `data`; never empty. Each is a [`TermKind::String`], the first
    /// and the dotted ones in style [`StringStyle::Dot`].
    pub path: Vec<Term>,
    /// From `package` to the end of the path.
    pub span: Span,
    /// Indices into [`Module::annotations`] of blocks on the package.
    pub annotations: Vec<u32>,
}

/// Is one import.
#[derive(Clone, Debug)]
pub struct Import {
    /// The path: head variable (`data`, `input`, `rego`, `future`), then strings.
    pub path: Ref,
    /// The name after `as`.
    pub alias: Option<Name>,
    /// From `import` to the end.
    pub span: Span,
}

impl Import {
    /// Returns the name that the import brings into scope: the alias or the path's last part.
    #[must_use]
    pub fn name(&self) -> &str {
        if let Some(alias) = &self.alias {
            return &alias.text;
        }
        self.path.parts.last().and_then(Term::as_str).or_else(|| self.path.head.as_var()).unwrap_or_default()
    }

    /// Returns the path's parts as text, head first.
    pub fn path_names(&self) -> impl Iterator<Item = &str> {
        self.path.head.as_var().into_iter().chain(self.path.parts.iter().filter_map(Term::as_str))
    }
}

/// Is a name with its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: Box<str>,
    /// Its place.
    pub span: Span,
}

/// Is one comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From the `#` up to but not including the line break.
    pub span: Span,
}

/// Is one rule.
///
/// What kind of rule it is:
/// - function: `head.args` is not empty;
/// - partial set (many values): `head.key` is there;
/// - else one value at `head.reference`; it makes a partial object (or deeper) if the reference
///   has parts that are not strings.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Starts with `default`.
    pub default: bool,
    /// The head.
    pub head: Head,
    /// The body; `None` if none was written, which means `true`.
    pub body: Option<Body>,
    /// The `else` branches in order; empty for most rules.
    pub else_branches: Vec<ElseBranch>,
    /// Is a further `{…}` body of the rule before it (`p if {…} {…}`): its head is a copy whose
    /// spans are all those of this body and whose wildcards are new.
    pub chained: bool,
    /// From the first token to the end of the body and its `else` branches.
    pub span: Span,
    /// Indices into [`Module::annotations`] of blocks on this rule, `document` scope included.
    pub annotations: Vec<u32>,
}

/// Is what stands before a rule's body.
#[derive(Clone, Debug)]
pub struct Head {
    /// The rule's name and the rest of its path. The head is a [`TermKind::Var`]. The key of a
    /// partial set is not part of it: `p[x] { … }` (V0) has reference `p` and key `x`.
    pub reference: Ref,
    /// The arguments of a function, `None` if there are no parentheses.
    pub args: Option<Vec<Term>>,
    /// The member of a partial set, from `contains` or V0's `p[x] { … }`.
    pub key: Option<Term>,
    /// The value; `None` for a partial set, and for other rules if none was written, which
    /// means `true`.
    pub value: Option<Term>,
    /// The value was written after `:=`, not `=`.
    pub assign: bool,
    /// The key was written after `contains`.
    pub contains: bool,
    /// `if` stands before the body.
    pub has_if: bool,
    /// From the name to the end of key or value, without `default` and `if`.
    pub span: Span,
}

/// Is one `else` branch.
#[derive(Clone, Debug)]
pub struct ElseBranch {
    /// The value; `None` means `true`.
    pub value: Option<Term>,
    /// The value was written after `:=`, not `=`.
    pub assign: bool,
    /// `if` stands before the body.
    pub has_if: bool,
    /// The body; `None` means `true`.
    pub body: Option<Body>,
    /// From `else` to the end of the body.
    pub span: Span,
    /// OPA gives the wildcards among a function's arguments new names for each branch; this is
    /// the number of the first.
    pub first_wildcard: u32,
}

/// Is a list of expressions that must all hold; never empty after a parse without fault.
pub type Body = Vec<Expr>;

/// Is one expression of a body.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Stands behind a `not` of V0 and V1; see [`ExprKind::Not`] for the other one.
    pub negated: bool,
    /// The `with` modifiers in order.
    pub with: Vec<With>,
    /// All of it, `not` and `with` included.
    pub span: Span,
}

/// Is what an expression may be.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A term that must be defined and not `false`; a call is one too. A call of `eq` or `assign`
    /// by name with two arguments means the same as [`ExprKind::Unify`] and [`ExprKind::Assign`].
    Term(Term),
    /// `lhs := rhs`.
    Assign(Box<Binding>),
    /// `lhs = rhs`.
    Unify(Box<Binding>),
    /// `some x, y`: each is a [`TermKind::Var`].
    Some(Vec<Term>),
    /// `some x in xs` and `some k, v in xs`.
    SomeIn(Box<SomeIn>),
    /// `every x in xs { … }`.
    Every(Box<Every>),
    /// `not` where [`Keywords::NOT`] is on: fails if the operand, taken whole, has a solution.
    Not(Box<Operand>),
    /// `lhs and rhs`.
    And(Box<Logical>),
    /// `lhs or rhs`.
    Or(Box<Logical>),
}

/// Is the two sides of `:=` or `=`.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Left side.
    pub lhs: Term,
    /// Right side.
    pub rhs: Term,
    /// Place of the operator.
    pub operator: Span,
}

/// Is `some [key,] value in collection`.
#[derive(Clone, Debug)]
pub struct SomeIn {
    /// Pattern for the key or index.
    pub key: Option<Term>,
    /// Pattern for the value.
    pub value: Term,
    /// What is iterated.
    pub collection: Term,
    /// From the key or value to the end of the collection, without `some`.
    pub span: Span,
}

/// Is `every [key,] value in domain { body }`.
#[derive(Clone, Debug)]
pub struct Every {
    /// Variable for the key or index.
    pub key: Option<Term>,
    /// Variable for the value.
    pub value: Term,
    /// What is iterated.
    pub domain: Term,
    /// What must hold each time.
    pub body: Body,
}

/// Is an operand of `and`, `or` and the new `not`.
#[derive(Clone, Debug)]
pub struct Operand {
    /// What must hold; one expression unless `explicit`.
    pub body: Body,
    /// Was written in braces, which are a scope of their own.
    pub explicit: bool,
}

/// Is the two sides of `and` or `or`.
#[derive(Clone, Debug)]
pub struct Logical {
    /// Left operand.
    pub lhs: Operand,
    /// Right operand.
    pub rhs: Operand,
}

/// Is one `with target as value`.
#[derive(Clone, Debug)]
pub struct With {
    /// What is replaced: a [`TermKind::Var`] or [`TermKind::Ref`].
    pub target: Term,
    /// What it is replaced with.
    pub value: Term,
    /// From `with` to the end of the value.
    pub span: Span,
}

/// Is one term.
#[derive(Clone, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Its place, without parentheses round it.
    pub span: Span,
    /// How many pairs of redundant or grouping parentheses stand directly round it.
    pub parens: u16,
}

/// Is what a term may be.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it was written.
    Number(Box<str>),
    /// A string.
    String(StringLit),
    /// A variable. Each `_` has a name of its own (`$0`, `$1`, …), see [`is_wildcard`].
    Var(Box<str>),
    /// A reference. `input` and `data` alone are references without parts.
    Ref(Box<Ref>),
    /// A call, also in infix form.
    Call(Box<Call>),
    /// `[a, b]`.
    Array(Vec<Term>),
    /// `{k: v}` in source order, repeated keys included.
    Object(Vec<(Term, Term)>),
    /// `{a, b}` in source order, repeated members included; `set()` is an empty one.
    Set(Vec<Term>),
    /// `[term | body]`.
    ArrayCompr(Box<Compr>),
    /// `{term | body}`.
    SetCompr(Box<Compr>),
    /// `{key: value | body}`.
    ObjectCompr(Box<ObjectCompr>),
    /// `$"…"`.
    Template(Box<Template>),
}

/// Is a string literal.
#[derive(Clone, Debug)]
pub struct StringLit {
    /// The string, escapes resolved.
    pub value: Box<str>,
    /// How it was written.
    pub style: StringStyle,
}

/// Is how a string was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringStyle {
    /// `"…"`.
    Quoted,
    /// `` `…` ``.
    Raw,
    /// `.name` in a reference, or a piece of text in a template.
    Dot,
}

/// Is a reference: a head and what is looked up below it in turn.
#[derive(Clone, Debug)]
pub struct Ref {
    /// Where the look-up starts: a variable, call, composite or comprehension.
    pub head: Term,
    /// Keys. A [`StringStyle::Dot`] string was written `.name`, all else in brackets.
    pub parts: Vec<Term>,
    /// All of it.
    pub span: Span,
}

/// Is a call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// The arguments, for an infix call the operands in order (`k, v in xs` has three).
    pub args: Vec<Term>,
}

/// Is what a call names.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function by its name; its head need not be a variable (`f(x)(y)` and `[1][0](x)` parse).
    Ref(Ref),
    /// An operator between its operands.
    Infix(InfixOp, Span),
    /// `-x`, which means `minus(0, x)`; both arguments are there. The span is that of the sign.
    Negation(Span),
}

impl Call {
    /// Returns the called built-in's or function's full name if it is made of names only.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        match &self.callee {
            Callee::Ref(reference) => reference.dotted(),
            Callee::Infix(op, _) => Some(op.builtin().to_owned()),
            Callee::Negation(_) => Some(InfixOp::Minus.builtin().to_owned()),
        }
    }

    /// Returns the place of the function's name or operator.
    #[must_use]
    pub fn callee_span(&self) -> Span {
        match &self.callee {
            Callee::Ref(reference) => reference.span,
            Callee::Infix(_, span) | Callee::Negation(span) => *span,
        }
    }
}

/// Is an infix operator that calls a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfixOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    And,
    /// `|`
    Or,
    /// `==`
    Equal,
    /// `!=`
    Neq,
    /// `<`
    Lt,
    /// `<=`
    Lte,
    /// `>`
    Gt,
    /// `>=`
    Gte,
    /// `x in xs`
    In,
    /// `k, v in xs`
    KeyIn,
}

impl InfixOp {
    /// Returns the name of the built-in that the operator calls.
    #[must_use]
    pub fn builtin(self) -> &'static str {
        match self {
            Self::Plus => "plus",
            Self::Minus => "minus",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Rem => "rem",
            Self::And => "and",
            Self::Or => "or",
            Self::Equal => "equal",
            Self::Neq => "neq",
            Self::Lt => "lt",
            Self::Lte => "lte",
            Self::Gt => "gt",
            Self::Gte => "gte",
            Self::In => "internal.member_2",
            Self::KeyIn => "internal.member_3",
        }
    }

    /// Returns the operator as it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Equal => "==",
            Self::Neq => "!=",
            Self::Lt => "<",
            Self::Lte => "<=",
            Self::Gt => ">",
            Self::Gte => ">=",
            Self::In | Self::KeyIn => "in",
        }
    }
}

/// Is an array or set comprehension.
#[derive(Clone, Debug)]
pub struct Compr {
    /// What is collected.
    pub term: Term,
    /// For each of its solutions.
    pub body: Body,
}

/// Is an object comprehension.
#[derive(Clone, Debug)]
pub struct ObjectCompr {
    /// The key that is collected.
    pub key: Term,
    /// The value that is collected.
    pub value: Term,
    /// For each of its solutions.
    pub body: Body,
}

/// Is a template string.
#[derive(Clone, Debug)]
pub struct Template {
    /// Pieces in order; empty pieces of text are left out.
    pub parts: Vec<TemplatePart>,
    /// Was written in backquotes.
    pub raw: bool,
    /// Indices of parts that have a comment between the brace and their first token.
    pub commented: Vec<u32>,
}

/// Is a piece of a template string.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Text between expressions: always a [`TermKind::String`].
    Text(Term),
    /// An expression in braces: a [`ExprKind::Term`], `and`, `or` or the new `not`, which may
    /// have `with` modifiers.
    Expr(Expr),
}

/// Is one statement, for texts that need not be modules.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A package clause.
    Package(Package),
    /// An import.
    Import(Import),
    /// A rule.
    Rule(Box<Rule>),
    /// Expressions that stand where a rule may stand; one statement holds one line's.
    Body(Body),
}

impl Term {
    /// Makes a term without parentheses.
    #[must_use]
    pub fn new(kind: TermKind, span: Span) -> Self {
        Self { kind, span, parens: 0 }
    }

    /// Returns the variable's name if this is one.
    #[must_use]
    pub fn as_var(&self) -> Option<&str> {
        match &self.kind {
            TermKind::Var(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the string if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            TermKind::String(lit) => Some(&lit.value),
            _ => None,
        }
    }

    /// Returns the call if this is one.
    #[must_use]
    pub fn as_call(&self) -> Option<&Call> {
        match &self.kind {
            TermKind::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl TermKind {
    /// Returns the name of the kind as OPA's messages have it.
    #[must_use]
    pub fn name(&self) -> &'static str {
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
            Self::Template(_) => "templatestring",
        }
    }
}

impl Ref {
    /// Returns the names joined by dots if the head is a variable and all parts are strings.
    #[must_use]
    pub fn dotted(&self) -> Option<String> {
        let mut out = self.head.as_var()?.to_owned();
        for part in &self.parts {
            out.push('.');
            out.push_str(part.as_str()?);
        }
        Some(out)
    }
}

/// Tells whether a variable's name is one that the parser made up for `_`.
#[must_use]
pub fn is_wildcard(name: &str) -> bool {
    name.starts_with('$')
}
