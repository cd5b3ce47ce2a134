//! The formatter: a text goes in, the same module in OPA's layout comes out.
//!
//! `opa fmt` runs in every pipeline, so that the output agrees with it to the byte, also where
//! its layout is odd. The work is done on the `shape` of the tree: the row on which
//! something was written decides whether it stays on a line, and comments are merged in by rows.
//! Where a comment stands in a place that has no line of its own, the text round it is kept as it
//! was written. One file below holds one family of constructs.

mod checks;
mod closing;
mod comprehensions;
mod exprs;
mod heads;
mod imports;
mod infix;
mod lists;
mod logic;
mod modules;
mod prepare;
mod refs;
mod rules;
mod templates;
mod terms;
mod writer;

use std::fmt;

use crate::{
    ast::RegoVersion,
    diagnostics::{Diagnostic, list_text},
    parser::{ParseOptions, parse_module_bytes},
    shape,
};

use writer::{Layout, Writer};

/// Says how a module is formatted.
#[derive(Clone, Copy, Debug)]
pub struct FormatOptions {
    /// The version that the text is parsed as.
    pub parse_version: RegoVersion,
    /// The oldest version that the output must parse as.
    pub version_min: RegoVersion,
    /// The newest version that the output must parse as. If it is newer than the oldest, an
    /// import that switches it on is added.
    pub version_max: RegoVersion,
    /// Imports of `rego` and `future` that the versions make needless are dropped.
    pub drop_imports: bool,
    /// Template strings may be read; `None` leaves it to the version.
    pub templates: Option<bool>,
    /// Keywords may stand behind a dot in references; otherwise they are put in brackets.
    pub keywords_in_refs: bool,
}

impl FormatOptions {
    /// Makes options that keep the version of a module.
    #[must_use]
    pub fn for_version(version: RegoVersion) -> Self {
        Self {
            parse_version: version,
            version_min: version,
            version_max: version,
            drop_imports: false,
            templates: None,
            keywords_in_refs: true,
        }
    }
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self::for_version(RegoVersion::default())
    }
}

/// Is why a text could not be formatted; its text is OPA's.
#[derive(Clone, Debug)]
pub struct FormatError {
    /// The name of the file if the fault is of the layout, not of the text.
    file: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

impl FormatError {
    /// Returns the faults, in OPA's order.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Makes the error of a text that does not parse.
    #[must_use]
    pub fn of_parse(diagnostics: Vec<Diagnostic>) -> Self {
        let diagnostics = diagnostics.into_iter().filter(|found| !found.recovered).collect();
        Self { file: None, diagnostics }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        match self.diagnostics.as_slice() {
            [only] if only.name == "empty-module" => only.fmt(f),
            many => f.write_str(&list_text(many)),
        }
    }
}

impl std::error::Error for FormatError {}

/// Formats a module.
///
/// # Errors
///
/// If the text does not parse, cannot be written for the versions that are asked for, or calls an
/// operator by name with the wrong number of arguments.
pub fn format_source(name: &str, bytes: &[u8], options: &FormatOptions) -> Result<String, FormatError> {
    let parse_options = ParseOptions {
        version: options.parse_version,
        annotations: false,
        templates: options.templates,
        ..ParseOptions::default()
    };
    let parsed = parse_module_bytes(name, bytes, &parse_options);
    let module = match parsed.tree {
        Some(module) if parsed.diagnostics.is_empty() => module,
        _ => return Err(FormatError::of_parse(parsed.diagnostics)),
    };
    let mut shaped = shape::build_module(&module);
    let found = checks::check(&module, &shaped, options);
    if !found.is_empty() {
        return Err(FormatError { file: None, diagnostics: found });
    }
    let needs = prepare::prepare(&mut shaped);
    let layout = Layout::new(&shaped, options);
    let imports = imports::arrange(&shaped, options, &layout, needs, &module.source);
    let mut writer = Writer::new(&module, layout, needs.generated);
    writer.module(&shaped, imports);
    writer.finish().map_err(|diagnostics| FormatError { file: Some(name.to_owned()), diagnostics })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str, options: &FormatOptions) -> String {
        format_source("t.rego", text.as_bytes(), options).unwrap_or_else(|err| err.to_string())
    }

    #[test]
    fn layouts() {
        for (text, want) in [
            (
                "package   a\np{true}",
                "1 error occurred: t.rego:2: rego_parse_error: `if` keyword is required before rule body",
            ),
            (
                "package   a\nimport data.b\nimport data.a\np if{x;y}",
                "package a\n\nimport data.a\nimport data.b\n\np if {\n\tx\n\ty\n}\n",
            ),
            ("package a\np := [1,\n2] # c", "package a\n\np := [\n\t1,\n\t2, # c\n]\n"),
            (
                "package a\nx := plus(1)",
                "t.rego: 1 error occurred: t.rego:2: rego_type_error: plus: arity mismatch\n\thave: (number)\n\twant: (number,number)",
            ),
            ("", "t.rego:0: rego_parse_error: empty module"),
        ] {
            assert_eq!(formatted(text, &FormatOptions::default()), want);
        }
    }

    #[test]
    fn versions() {
        let mut options = FormatOptions::for_version(RegoVersion::V0);
        options.version_max = RegoVersion::V1;
        let text = "package a\np[x] { x = 1 }";
        assert_eq!(formatted(text, &options), "package a\n\nimport rego.v1\n\np contains x if x = 1\n");
    }
}
