//! Metadata blocks: found in the comments, parsed, and put on what they stand above.

use crate::{
    ast::{Annotation, Module},
    diagnostics::Diagnostic,
    parser::cursor::Parser,
};

/// Parses the metadata blocks among a text's comments; faulty ones are reported.
pub(crate) fn blocks(parser: &mut Parser<'_>) -> Vec<Annotation> {
    let _ = parser;
    Vec::new()
}

/// Puts blocks on the statements they stand above and checks their scopes.
pub(crate) fn attach(module: &mut Module, found: &mut Vec<Diagnostic>) {
    let _ = (module, found);
}
