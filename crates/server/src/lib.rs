//! The policy server.
