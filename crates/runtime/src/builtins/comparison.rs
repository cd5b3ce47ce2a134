//! Comparison: `==`, `!=`, `<` and the others, over Rego's total order.

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::error::BuiltinError;

type Answer<'e> = Result<Option<Value<'e>>, BuiltinError>;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("equal", "any, any -> bool", |_, args| compare(args, |a, b| a == b)),
    Builtin::pure("neq", "any, any -> bool", |_, args| compare(args, |a, b| a != b)),
    Builtin::pure("lt", "any, any -> bool", |_, args| compare(args, |a, b| a < b)),
    Builtin::pure("lte", "any, any -> bool", |_, args| compare(args, |a, b| a <= b)),
    Builtin::pure("gt", "any, any -> bool", |_, args| compare(args, |a, b| a > b)),
    Builtin::pure("gte", "any, any -> bool", |_, args| compare(args, |a, b| a >= b)),
];

fn compare<'e>(args: &[Value<'e>], test: impl Fn(Value<'e>, Value<'e>) -> bool) -> Answer<'e> {
    let [a, b] = args else { return Ok(None) };
    Ok(Some(Value::bool(test(*a, *b))))
}
