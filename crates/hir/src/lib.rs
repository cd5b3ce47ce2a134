//! The resolved, safe, ordered rule tree.
