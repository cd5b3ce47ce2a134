//! Built-ins, budget and host.
