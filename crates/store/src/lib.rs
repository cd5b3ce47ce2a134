//! Base documents and their generations.
