//! The tree of a module as OPA's JSON, which `parse` prints and `rego.parse_module` gives.
//!
//! Keys, their order and what is left out are OPA's, for tools read this form; so are the places
//! and pieces of text of nodes, if they are asked for. The output is compact, with the characters
//! escaped that Go escapes. Indentation is for whoever prints it.

mod annotations;
mod nodes;
mod text;

use std::fmt;

use crate::{
    ast::{Annotation, Module, Term},
    shape,
    source::Source,
};

use nodes::Writer;

/// Says what the JSON of a module holds.
#[derive(Clone, Copy, Debug)]
pub struct TreeOptions {
    /// Where nodes stand, with their text.
    pub locations: bool,
    /// The comments.
    pub comments: bool,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { locations: false, comments: true }
    }
}

/// Is why a tree has no JSON form: a number that JSON cannot write, such as `.5`.
#[derive(Clone, Debug)]
pub struct TreeError(String);

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TreeError {}

/// Returns the JSON of a module that was parsed without fault.
///
/// # Errors
///
/// If it holds a number that JSON cannot write; the message is OPA's.
pub fn module_json(module: &Module, options: TreeOptions) -> Result<String, TreeError> {
    let shaped = shape::build_module(module);
    let mut writer = Writer::new(&module.source, options);
    writer.module(module, &shaped);
    writer.finish()
}

/// Returns the JSON of one metadata block, without its place.
///
/// # Errors
///
/// As [`module_json`].
pub fn annotation_json(module: &Module, annotation: &Annotation) -> Result<String, TreeError> {
    let mut writer = Writer::new(&module.source, TreeOptions::default());
    writer.annotation(annotation);
    writer.finish()
}

/// Parses a term of a metadata block.
fn parse_small(text: &str) -> Option<(std::sync::Arc<Source>, Term)> {
    let options = crate::ParseOptions { annotations: false, ..crate::ParseOptions::default() };
    let parsed = crate::parse_term(text, &options);
    Some((parsed.source, parsed.tree?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse_module};

    fn json(text: &str, locations: bool) -> String {
        let module = parse_module("t.rego", text, &ParseOptions::default()).tree.expect("parses");
        let options = TreeOptions { locations, comments: false };
        module_json(&module, options).unwrap_or_else(|err| err.to_string())
    }

    #[test]
    fn modules_have_the_json_of_opa() {
        assert_eq!(
            json("package a\np.q := \"<\"", false),
            r#"{"package":{"path":[{"type":"var","value":"data"},{"type":"string","value":"a"}]},"rules":[{"body":[{"generated":true,"index":0,"terms":{"type":"boolean","value":true}}],"head":{"name":"p","key":{"type":"string","value":"q"},"value":{"type":"string","value":"\u003c"},"assign":true,"ref":[{"type":"var","value":"p"},{"type":"string","value":"q"}]}}]}"#
        );
        assert_eq!(
            json("package a", true),
            r#"{"package":{"location":{"file":"t.rego","row":1,"col":1,"text":"cGFja2FnZQ=="},"path":[{"location":{"file":"t.rego","row":1,"col":9,"text":"YQ=="},"type":"var","value":"data"},{"location":{"file":"t.rego","row":1,"col":9,"text":"YQ=="},"type":"string","value":"a"}]}}"#
        );
        assert_eq!(
            json("package a\nx := [.5]", false),
            "json: error calling MarshalJSON for type *ast.Rule: json: error calling MarshalJSON for type *ast.Head: json: error calling MarshalJSON for type *ast.Term: json: error calling MarshalJSON for type *ast.Array: json: error calling MarshalJSON for type *ast.Term: json: error calling MarshalJSON for type ast.Number: json: invalid number literal \".5\""
        );
    }
}
