//! Tests of the parser through its public face.
//!
//! Cases of our own with their wanted text, cases of another project read in place, and texts that
//! mean nothing.

mod conformance;
mod corpus;
mod format;
mod soup;
