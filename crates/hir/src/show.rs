//! Rego text of resolved paths for messages.
//!
//! Apart from the printer of syntax because what a name was resolved to is no syntax any more.

use lictor_syntax::{ast, printer};

/// Writes a key below a root: `.name` where that can be read back, else `["…"]`.
pub(crate) fn push_key(key: &str, out: &mut String) {
    if printer::is_name(key) {
        out.push('.');
        out.push_str(key);
    } else {
        out.push('[');
        printer::write_quoted(out, key);
        out.push(']');
    }
}

/// Returns the text of `data` and a path below it.
pub(crate) fn data_path<'p>(path: impl IntoIterator<Item = &'p str>) -> String {
    let mut out = String::from("data");
    for key in path {
        push_key(key, &mut out);
    }
    out
}

/// Writes the parts of a reference behind its head.
pub(crate) fn push_parts(parts: &[ast::Term], out: &mut String) {
    for part in parts {
        match part.as_str() {
            Some(text) => push_key(text, out),
            None => {
                out.push('[');
                out.push_str(&printer::term_text(part));
                out.push(']');
            }
        }
    }
}
