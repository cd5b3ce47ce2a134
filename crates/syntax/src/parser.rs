//! Text to tree: the entry points of the parser.

use std::sync::Arc;

use crate::{
    ast::{Body, Keywords, Module, RegoVersion, Statement, Term},
    diagnostics::Diagnostic,
    source::Source,
};

/// Says how deeply brackets, calls and operators may nest by default.
///
/// OPA stops at 100,000 steps of its own recursion, about 12,500 parentheses. Every stage walks
/// the tree by recursion on stacks of 2 MiB, so that ours is lower; the message is the same.
pub const DEPTH_MAX: u32 = 1_000;

/// Says how a text is parsed.
#[derive(Clone, Debug)]
pub struct ParseOptions {
    /// The version of the language.
    pub version: RegoVersion,
    /// Keywords that are on from the start, as if imported.
    pub keywords: Keywords,
    /// Parse metadata blocks; a faulty one is a fault only then.
    pub annotations: bool,
    /// How deeply the tree may nest.
    pub depth_max: u32,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            version: RegoVersion::V1,
            keywords: Keywords::default(),
            annotations: true,
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

/// Parses a module.
#[must_use]
pub fn parse_module(name: &str, text: &str, options: &ParseOptions) -> Parsed<Module> {
    let _ = options;
    unfinished(Source::new(name, text))
}

/// Parses a module of bytes that need not be UTF-8.
#[must_use]
pub fn parse_module_bytes(name: &str, bytes: &[u8], options: &ParseOptions) -> Parsed<Module> {
    let _ = options;
    unfinished(Source::from_bytes(name, bytes))
}

/// Parses a query.
#[must_use]
pub fn parse_query(text: &str, options: &ParseOptions) -> Parsed<Body> {
    let _ = options;
    unfinished(Source::new("", text))
}

/// Parses statements that need not make a module.
#[must_use]
pub fn parse_statements(text: &str, options: &ParseOptions) -> Parsed<Vec<Statement>> {
    let _ = options;
    unfinished(Source::new("", text))
}

/// Parses one term.
#[must_use]
pub fn parse_term(text: &str, options: &ParseOptions) -> Parsed<Term> {
    let _ = options;
    unfinished(Source::new("", text))
}

fn unfinished<T>(source: Source) -> Parsed<T> {
    Parsed {
        tree: None,
        diagnostics: Vec::new(),
        source: Arc::new(source),
    }
}
