//! Rego text: spans, diagnostics, tokens, tree, parser.
