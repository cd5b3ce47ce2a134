//! GraphQL documents: `graphql.*`.
//!
//! The work is in `crate::graphql`; this file reads operands, which are texts or trees, and shapes answers. What a
//! limit ends counts as not valid.

use std::sync::Arc;

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::graphql::{
    Fault, Origin, QueryDocument, Schema, SchemaDocument, decode, encode, located, parse_query, parse_schema,
    validate,
};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("graphql.is_valid", "str/{any:any}, str/{any:any} -> bool", |ctx, args| {
        let valid = |it: Value<'_>| is_valid(ctx, it, any(args, 1)).is_ok();
        answer_bool(valid(any(args, 0)))
    }),
    Builtin::pure("graphql.parse", "str/{any:any}, str/{any:any} -> [{any:any},{any:any}]", parse),
    Builtin::pure(
        "graphql.parse_and_verify",
        "str/{any:any}, str/{any:any} -> [bool,{any:any},{any:any}]",
        |ctx, args| {
            let (verified, query, schema) = match parsed(ctx, args) {
                Ok((query, schema)) => (true, query, schema),
                Err(_) => (false, Value::empty_object(), Value::empty_object()),
            };
            answer(ctx.arena.array(&[Value::bool(verified), query, schema]))
        },
    ),
    Builtin::pure("graphql.parse_query", "str -> {any:any}", |ctx, args| {
        let document = parse_query(string(args, 0)?).map_err(|it| in_text(&it))?;
        answer(encode::query_document(ctx, &document))
    }),
    Builtin::pure("graphql.parse_schema", "str -> {any:any}", |ctx, args| {
        let document = parse_schema(string(args, 0)?, Origin::Input).map_err(|it| in_text(&it))?;
        answer(encode::schema_document(ctx, &document))
    }),
    Builtin::pure("graphql.schema_is_valid", "str/{any:any} -> bool", |ctx, args| {
        answer_bool(schema(ctx, any(args, 0)).is_ok())
    }),
];

fn parse<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (query, schema) = parsed(ctx, args)?;
    answer(ctx.arena.array(&[query, schema]))
}

/// Returns the trees of a query and a schema that go together.
fn parsed<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Result<(Value<'e>, Value<'e>), BuiltinError> {
    let query = query_document(any(args, 0))?;
    let operand = any(args, 1);
    let document = schema_document(operand)?;
    let schema_tree = encode::schema_document(ctx, &document);
    let schema = built(ctx, operand, || Ok(document))?;
    check(&schema, &query)?;
    Ok((encode::query_document(ctx, &query), schema_tree))
}

fn is_valid<'e>(ctx: Context<'e>, query: Value<'e>, schema_operand: Value<'e>) -> Result<(), BuiltinError> {
    let query = query_document(query)?;
    check(&*schema(ctx, schema_operand)?, &query)
}

/// Operands of these two count from 0 in the texts.
fn query_document(operand: Value<'_>) -> Result<QueryDocument, BuiltinError> {
    match operand.as_str() {
        Some(text) => parse_query(text).map_err(|it| in_text(&it)),
        None if operand.kind() == Kind::Object => {
            decode::query_document(operand).map_err(|it| BuiltinError::value(it.to_string()))
        }
        None => Err(BuiltinError::operand(0, &["string", "object"], operand)),
    }
}

fn schema_document(operand: Value<'_>) -> Result<SchemaDocument, BuiltinError> {
    match operand.as_str() {
        Some(text) => parse_schema(text, Origin::Input).map_err(|it| in_text(&it)),
        None if operand.kind() == Kind::Object => {
            decode::schema_document(operand).map_err(|it| BuiltinError::value(it.to_string()))
        }
        None => Err(BuiltinError::operand(1, &["string", "object"], operand)),
    }
}

fn schema<'e>(ctx: Context<'e>, operand: Value<'e>) -> Result<Arc<Schema>, BuiltinError> {
    built(ctx, operand, || schema_document(operand))
}

/// Returns the schema of an operand, from memory if it is a text that was built of late.
fn built<'e>(
    ctx: Context<'e>,
    operand: Value<'e>,
    document: impl FnOnce() -> Result<SchemaDocument, BuiltinError>,
) -> Result<Arc<Schema>, BuiltinError> {
    let build = || {
        Schema::build(document()?).map_err(|it| {
            let what = "Error in gqlparser SchemaDocument to Schema conversion";
            BuiltinError::value(format!("{what}: {it}"))
        })
    };
    match operand.as_str() {
        Some(text) => ctx.caches.graphql_schemas.borrow_mut().get_or_build(text, build),
        None => Ok(Arc::new(build()?)),
    }
}

fn check(schema: &Schema, query: &QueryDocument) -> Result<(), BuiltinError> {
    let faults = validate(schema, query).map_err(|it| BuiltinError::value(it.to_string()))?;
    if faults.is_empty() {
        return Ok(());
    }
    let text: String = faults.iter().map(|it| format!("{it}\n")).collect();
    Err(BuiltinError::value(located(&text)))
}

fn in_text(fault: &Fault) -> BuiltinError {
    BuiltinError::value(located(&fault.to_string()))
}
