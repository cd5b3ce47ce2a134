//! The one IR: text form, verifier, passes, OPA plan import and export.
