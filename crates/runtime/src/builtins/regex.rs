//! `regex.*`, over the Go-syntax engine in `go::regex`.

use crate::builtin::Builtin;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[];

/// Compiled patterns by their text, bounded.
#[derive(Debug, Default)]
pub struct RegexCache {}
