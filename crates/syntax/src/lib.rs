//! Rego text: spans, diagnostics, tokens, tree, parser.
//!
//! A text goes in, an [`ast`] tree and a list of [`diagnostics`] come out. Nothing here resolves
//! a name or knows a built-in's type: that is for the stages above. Numbers and strings stay text.

#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods)]

mod annotations;
pub mod ast;
mod builtin_names;
mod compare;
pub mod diagnostics;
pub mod format;
mod lexer;
mod literals;
pub mod outline;
mod parser;
pub mod printer;
mod shape;
pub mod source;
mod tokens;
pub mod tree_json;
pub mod visit;

pub use crate::{
    compare::distinct_pairs,
    diagnostics::Diagnostic,
    parser::{
        DEPTH_MAX, Language, ParseOptions, Parsed, parse_module, parse_module_bytes, parse_module_source,
        parse_query, parse_statements, parse_term,
    },
    source::{Position, Source, Span},
};
