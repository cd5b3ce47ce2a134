//! Text to tree: the entry points of the parser.
//!
//! The parser is written by hand. It decides as OPA's does, also where OPA's is odd (a set that
//! might be a body, a comma that might be a second variable of `in`), so that verdicts, messages
//! and places agree; the files below this one hold one part of the grammar each.
//!
//! After a fault in a module it goes on at the next line that looks like the start of a
//! statement. Faults found from then on are marked as recovered.

mod composites;
mod cursor;
mod expressions;
mod heads;
mod imports;
mod logic;
mod metadata;
mod module;
mod rules;
mod statements;
mod templates;
mod terms;

use std::sync::Arc;

use crate::{
    ast::{Body, Expr, ExprKind, Keywords, Module, RegoVersion, Statement, Term},
    diagnostics::{Diagnostic, codes},
    source::{Source, Span},
};

use cursor::Parser;

/// Says how deeply a text may nest by default, in levels: a bracket, call or sign takes one, a
/// body in brackets three. A chain of operators may be twice as long.
///
/// OPA stops at 100,000 steps of its own recursion, about 12,500 parentheses. Every stage walks
/// the tree by recursion on stacks of 2 MiB, so that ours is lower; the message is the same.
pub const DEPTH_MAX: u32 = 500;

/// Says what of the language may be used, beyond what the version says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Keywords that may be imported.
    pub importable: Keywords,
    /// `import rego.v1` may be used.
    pub v1_import: bool,
    /// `import rego.v2` may be used.
    pub v2_import: bool,
    /// Keywords may stand in references.
    pub keywords_in_refs: bool,
}

impl Language {
    /// All of it.
    pub const ALL: Self =
        Self { importable: Keywords::ALL, v1_import: true, v2_import: true, keywords_in_refs: true };
}

/// Says how a text is parsed.
#[derive(Clone, Debug)]
pub struct ParseOptions {
    /// The version of the language.
    pub version: RegoVersion,
    /// A later version that modules must do for as well.
    pub also: Option<RegoVersion>,
    /// Keywords that are on from the start, as if imported.
    pub keywords: Keywords,
    /// Parse metadata blocks; a faulty one is a fault only then.
    pub annotations: bool,
    /// Template strings are part of the language; `None` says that they are unless it is V0.
    pub templates: Option<bool>,
    /// What of the language may be used.
    pub language: Language,
    /// How deeply the text may nest, see [`DEPTH_MAX`].
    pub depth_max: u32,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            version: RegoVersion::V1,
            also: None,
            keywords: Keywords::default(),
            annotations: true,
            templates: None,
            language: Language::ALL,
            depth_max: DEPTH_MAX,
        }
    }
}

/// Is what a parse gave: a tree, faults, or both.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    /// The tree; after a fault what could be understood, or nothing.
    pub tree: Option<T>,
    /// The faults; OPA's first, then those found after recovery.
    pub diagnostics: Vec<Diagnostic>,
    /// The text.
    pub source: Arc<Source>,
}

/// Parses a module. The tree is there also after faults, if there was a package clause, with
/// the statements that could be understood; it must not be compiled then.
#[must_use]
pub fn parse_module(name: &str, text: &str, options: &ParseOptions) -> Parsed<Module> {
    parse_module_source(Arc::new(Source::new(name, text)), options)
}

/// Parses a module of bytes that need not be UTF-8; see [`parse_module`].
#[must_use]
pub fn parse_module_bytes(name: &str, bytes: &[u8], options: &ParseOptions) -> Parsed<Module> {
    parse_module_source(Arc::new(Source::from_bytes(name, bytes)), options)
}

/// Parses a module of a source that is there already; see [`parse_module`].
#[must_use]
pub fn parse_module_source(source: Arc<Source>, options: &ParseOptions) -> Parsed<Module> {
    if let Some(refusal) = refuse_length(&source) {
        return refusal;
    }
    let mut parser = Parser::new(&source, options);
    let statements = parser.statements(statements::Goal::Module);
    let (tree, diagnostics) = module::assemble(parser, statements, options, &source);
    Parsed { tree, diagnostics, source }
}

/// Parses a query: expressions, not rules. The tree is there only without faults.
#[must_use]
pub fn parse_query(text: &str, options: &ParseOptions) -> Parsed<Body> {
    let parsed = parse_all(text, options, statements::Goal::Query);
    let mut out = Parsed { tree: None, diagnostics: parsed.diagnostics, source: parsed.source };
    let Some(statements) = parsed.tree else {
        return out;
    };
    let mut query = Vec::new();
    for statement in statements {
        match statement {
            Statement::Body(body) => query.extend(body),
            other => {
                out.diagnostics.push(not_a_body(&other));
                return out;
            }
        }
    }
    out.tree = Some(query);
    out
}

/// Parses statements that need not make a module. The tree is there only without faults; there
/// is no recovery, and metadata blocks are not looked at.
#[must_use]
pub fn parse_statements(text: &str, options: &ParseOptions) -> Parsed<Vec<Statement>> {
    parse_all(text, options, statements::Goal::Statements)
}

/// Parses one term.
#[must_use]
pub fn parse_term(text: &str, options: &ParseOptions) -> Parsed<Term> {
    let Parsed { tree, mut diagnostics, source } = parse_query(text, options);
    let term = tree.and_then(|body| match only(body) {
        Some(Expr { kind: ExprKind::Term(term), negated: false, with, .. }) if with.is_empty() => Some(term),
        _ => None,
    });
    if term.is_none() && diagnostics.is_empty() {
        diagnostics.push(Diagnostic::new(
            codes::PARSE,
            "not-one-term",
            &source,
            Span::default(),
            "expected exactly one term",
        ));
    }
    Parsed { tree: term, diagnostics, source }
}

fn only(body: Body) -> Option<Expr> {
    let mut exprs = body.into_iter();
    let first = exprs.next();
    first.filter(|_| exprs.next().is_none())
}

fn parse_all(text: &str, options: &ParseOptions, goal: statements::Goal) -> Parsed<Vec<Statement>> {
    let source = Arc::new(Source::new("", text));
    if let Some(refusal) = refuse_length(&source) {
        return refusal;
    }
    let mut parser = Parser::new(&source, options);
    let statements = parser.statements(goal);
    let diagnostics = parser.into_diagnostics();
    Parsed { tree: diagnostics.is_empty().then_some(statements), diagnostics, source }
}

/// Names the statement as OPA does, by its Go type.
fn not_a_body(statement: &Statement) -> Diagnostic {
    let kind = match statement {
        Statement::Package(_) => "*ast.Package",
        Statement::Import(_) => "*ast.Import",
        Statement::Rule(_) | Statement::Body(_) => "*ast.Rule",
    };
    let message = format!("expected body but got {kind}");
    Diagnostic::unplaced(codes::PARSE, "not-a-query", message)
}

/// Refuses a text whose offsets do not fit.
fn refuse_length<T>(source: &Arc<Source>) -> Option<Parsed<T>> {
    use crate::source::SOURCE_BYTES_MAX;
    let length = source.text().len();
    if length <= SOURCE_BYTES_MAX {
        return None;
    }
    let message = format!("text is {length} bytes, limit is {SOURCE_BYTES_MAX} bytes");
    Some(Parsed {
        tree: None,
        diagnostics: vec![Diagnostic::unplaced(codes::PARSE, "text-too-long", message)],
        source: Arc::clone(source),
    })
}
