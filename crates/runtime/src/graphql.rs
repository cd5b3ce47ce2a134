//! GraphQL: reading documents, building a schema, validating a query against it.
//!
//! Apart from the built-ins of that name because none of this but `decode` and `encode` knows values. What is
//! accepted, the shape of the tree and every text are those of the library that OPA uses; the work on a document is
//! bounded by the numbers in `limits`.

mod block_string;
pub(crate) mod decode;
pub(crate) mod encode;
mod fault;
mod lexer;
mod limits;
mod parser;
mod prelude;
mod recent;
mod rules;
mod schema;
mod suggestion;
mod token;
mod tree;
mod validate;

pub(crate) use fault::{Fault, Origin, located};
pub(crate) use parser::{parse_query, parse_schema};
pub(crate) use recent::RecentSchemas;
pub(crate) use schema::Schema;
pub(crate) use tree::{QueryDocument, SchemaDocument};
pub(crate) use validate::validate;
