//! Tests of the parser through its public face.

mod conformance;
mod corpus;
mod soup;
