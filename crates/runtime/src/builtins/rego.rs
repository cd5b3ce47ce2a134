//! Rego text as data: `rego.parse_module`.
//!
//! Parsing and the JSON of a tree are the syntax crate's; here they become one value. What the compiler knows of
//! metadata is no matter of this family, since it stands in the program.

use lictor_syntax::format::FormatError;
use lictor_syntax::tree_json::{TreeOptions, module_json};
use lictor_syntax::{ParseOptions, parse_module};
use lictor_value::{Value, json};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, string};
use crate::context::Context;
use crate::error::BuiltinError;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[Builtin::pure("rego.parse_module", "str, str -> {str:any}", parse)];

fn parse<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (name, text) = (string(args, 0)?, string(args, 1)?);
    let options = ParseOptions { annotations: false, ..ParseOptions::default() };
    let parsed = parse_module(name, text, &options);
    let module = match parsed.tree {
        Some(module) if parsed.diagnostics.is_empty() => module,
        _ => return Err(BuiltinError::value(FormatError::of_parse(parsed.diagnostics).to_string())),
    };
    let tree = module_json(&module, TreeOptions::default());
    let tree = tree.map_err(|it| BuiltinError::value(it.to_string()))?;
    let value = json::read(tree.as_bytes(), ctx.arena).map_err(|it| BuiltinError::value(it.to_string()))?;
    answer(value)
}
