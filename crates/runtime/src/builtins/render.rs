//! `strings.render_template`: Go's templates over Rego values.
//!
//! Apart from the other text functions because values first become what OPA's decoding makes of them: the variables
//! are written as a term and read as JSON, so a set or a key that is no string is an error.

use std::collections::BTreeMap;
use std::rc::Rc;

use lictor_value::{Kind, Value, json};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, object, string};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::go::template::{Data, Fault, List, Template};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] =
    &[Builtin::pure("strings.render_template", "str, {str:any} -> str", render_template)];

fn render_template<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let text = string(args, 0)?;
    object(args, 1)?;
    let mut term = ctx.text();
    ctx.push_rego(&mut term, args[1]);
    let variables = json::read_first(term.as_bytes(), ctx.arena);
    let variables = variables.map_err(|it| BuiltinError::value(it.to_string()))?;
    let template = Template::parse("template", text).map_err(BuiltinError::value)?;
    let meter = |bytes: usize| ctx.check_text(bytes).is_ok() && !ctx.host.cancelled();
    let too_deep = || BuiltinError::value("template variables nest too deeply");
    match template.execute(data(variables, 0).ok_or_else(too_deep)?, &meter) {
        Ok(text) => answer(ctx.arena.string(&text.replace("<no value>", "<undefined>"))),
        Err(Fault::Failed(message)) => Err(BuiltinError::value(message)),
        Err(Fault::Stopped) => Err(BuiltinError::new(
            ErrorKind::HaltCancel,
            "template takes longer or makes more than the evaluation may",
        )),
    }
}

/// Values nest no deeper; templates print them by recursion.
const DEPTH_MAX: usize = 500;

/// Makes the value that a template sees; nothing if it nests too deeply.
fn data(value: Value<'_>, depth: usize) -> Option<Data> {
    if depth > DEPTH_MAX {
        return None;
    }
    Some(match value.kind() {
        Kind::Null => Data::Nil,
        Kind::Boolean => Data::Bool(value.is_true()),
        Kind::Number => Data::Number((&*value.number_text()?).into()),
        Kind::String => Data::Str(value.as_str()?.into()),
        Kind::Array | Kind::Set => {
            let mut items = Vec::new();
            for item in value.as_array()?.iter() {
                items.push(data(item, depth + 1)?);
            }
            Data::List(List::new(items))
        }
        Kind::Object => {
            let mut members = BTreeMap::new();
            for (key, value) in value.as_object()?.iter() {
                members.insert(key.as_str()?.to_owned(), data(value, depth + 1)?);
            }
            Data::Map(Rc::new(members))
        }
    })
}
